package annotated

import (
	"golang.org/x/sys/unix"
	"syscall"
)

func access(fs *files, path string, mode uint32) error {
	// ruleid: opened-never-closed
	dirfd, name, err := fs.openBackingDir(path)
	if err != nil {
		return err
	}
	return unix.Faccessat(dirfd, name, mode, unix.AT_SYMLINK_NOFOLLOW)
}

func accessAndClose(fs *files, path string, mode uint32) error {
	// ok: opened-never-closed
	dirfd, name, err := fs.openBackingDir(path)
	if err != nil {
		return err
	}
	defer syscall.Close(dirfd)
	return unix.Faccessat(dirfd, name, mode, unix.AT_SYMLINK_NOFOLLOW)
}

func notADescriptor(store *stores, name string) error {
	// ok: opened-never-closed
	db, err := store.openTable(name)
	if err != nil {
		return err
	}
	return query(db)
}

func path(t *testing.T) error {
	// ok: opened-never-closed
	mount, remove := createImage(t)
	defer remove()
	return unix.Mount(mount, "/mnt", "btrfs", 0, "")
}

func cached(h *memories, pid int, offset int64) ([]byte, error) {
	data := make([]byte, 16)
	// ok: opened-never-closed
	memory, err := h.openMemory(pid)
	if err != nil {
		return nil, err
	}
	_, err = unix.Pread(memory, data, offset)
	return data, err
}

func (h *holder) openAt(path string, flags int) (*holder, error) {
	// ruleid: opened-never-closed
	dirfd, name, err := h.openParent(path)
	if err != nil {
		return nil, err
	}
	fd, err := unix.Openat(dirfd, name, flags, 0)
	if err == unix.EACCES {
		return h.openAgain(dirfd, name)
	}
	return newHolder(fd), err
}
