package annotated

import (
	"os"
	"syscall"
	"golang.org/x/sys/unix"
)

func open(path string) (int, error) {
	// ruleid: opened-inheritable
	return unix.Open(path, unix.O_RDWR, 0)
}

func lock(path string) (int, error) {
	// ruleid: opened-inheritable
	fd, err := unix.Open(path, os.O_RDWR|os.O_CREATE, unix.S_IRUSR|unix.S_IWUSR)
	return fd, err
}

func event(attr *unix.PerfEventAttr) (int, error) {
	// ruleid: opened-inheritable
	return unix.PerfEventOpen(attr, -1, 0, -1, 0)
}

func openForOurselves(path string) (int, error) {
	// ok: opened-inheritable
	return unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
}

func brief(path string) error {
	// ok: opened-inheritable
	fd, err := unix.Open(path, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Fstat(fd, nil)
}

func flags(path string, flags int) (int, error) {
	// ok: opened-inheritable
	return unix.Open(path, flags, 0)
}

func later(path string) (int, error) {
	// ok: opened-inheritable
	fd, err := syscall.Open(path, syscall.O_RDONLY, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	return fd, err
}

func flagsAndMore(name string, flags int) (int, error) {
	// ok: opened-inheritable
	return unix.MemfdCreate(name, flags|unix.MFD_ALLOW_SEALING)
}

func message(sock int, data []byte) (int, error) {
	// ok: opened-inheritable
	n, _, _, _, err := unix.Recvmsg(sock, data, nil, 0)
	return n, err
}

func messageWithDescriptors(sock int, data, oob []byte) (int, error) {
	// ruleid: opened-inheritable
	n, _, _, _, err := unix.Recvmsg(sock, data, oob, 0)
	return n, err
}

func briefWithoutDefer(path string) error {
	// ok: opened-inheritable
	fd, err := unix.Open(path, unix.O_RDONLY, 0)
	if err == nil {
		err = sync(fd)
		unix.Close(fd)
	}
	return err
}

func closedOnFailure(path string) (*os.File, error) {
	// ruleid: opened-inheritable
	fd, err := unix.Open(path, unix.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(fd, unix.LOCK_EX); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

func result(path string) (fd int, err error) {
	// ruleid: opened-inheritable
	fd, err = syscall.Open("/dev/fuse", syscall.O_RDWR, 0)
	if err != nil {
		return
	}
	if err = mount(path, fd); err != nil {
		syscall.Close(fd)
	}
	return
}
