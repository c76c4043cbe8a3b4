package annotated

import (
	"errors"
	"golang.org/x/sys/unix"
)

func read(name string) ([]byte, error) {
	fd, err := openBeneath(name)
	if err != nil {
		// ok: opened-not-closed-on-path
		return nil, err
	}
	buffer := make([]byte, 16)
	if _, err := unix.Read(fd, buffer); err != nil {
		// ruleid: opened-not-closed-on-path
		return nil, err
	}
	unix.Close(fd)
	// ok: opened-not-closed-on-path
	return buffer, nil
}

func listen(address unix.Sockaddr) (int, error) {
	fd, err := network.newSocket(unix.AF_INET6)
	if err != nil {
		return -1, err
	}
	if err := unix.Bind(fd, address); err != nil {
		unix.Close(fd)
		// ok: opened-not-closed-on-path
		return -1, err
	}
	if address == nil {
		// ruleid: opened-not-closed-on-path
		return -1, errors.New("no address")
	}
	// ok: opened-not-closed-on-path
	return fd, nil
}

func readAndClose(name string) ([]byte, error) {
	fd, err := openBeneath(name)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	buffer := make([]byte, 16)
	if _, err := unix.Read(fd, buffer); err != nil {
		// ok: opened-not-closed-on-path
		return nil, err
	}
	return buffer, nil
}

func cleanedUp(name string) (fd int, err error) {
	opened, err := openBeneath(name)
	if err != nil {
		return -1, err
	}
	defer func() {
		if err != nil {
			unix.Close(opened)
		}
	}()
	if name == "" {
		// ok: opened-not-closed-on-path
		return -1, errors.New("no name")
	}
	return opened, nil
}

func lent(h *holder, name string) error {
	// Whoever is asked for one may keep it.
	fd, err := h.getDirectory(name)
	if err != nil {
		return err
	}
	if name == "" {
		// ok: opened-not-closed-on-path
		return errors.New("no name")
	}
	return unix.Close(fd)
}

func kept(h *holder, name string) error {
	fd, err := openBeneath(name)
	if err != nil {
		return err
	}
	if h.fd < 0 {
		h.fd = fd
		// ok: opened-not-closed-on-path
		return nil
	}
	return unix.Close(fd)
}

func anotherNumber(name string) error {
	// Nothing says that this is a descriptor, or whose.
	size, err := openBeneath(name)
	if err != nil {
		return err
	}
	if size == 3 {
		// ok: opened-not-closed-on-path
		return errors.New("three")
	}
	return write(size)
}

func openedIfNone(h *holder, given int) error {
	fd := given
	if fd < 0 {
		opened, err := openBeneath(h.name)
		if err != nil {
			// ok: opened-not-closed-on-path
			return err
		}
		fd = opened
		defer unix.Close(opened)
	}
	if h.fd < 0 {
		// ok: opened-not-closed-on-path
		return errors.New("closed")
	}
	return unix.Fchdir(fd)
}

func eachOf(paths []string) error {
	for _, path := range paths {
		fd, err := openBeneath(path)
		if err != nil {
			// ok: opened-not-closed-on-path
			continue
		}
		if path == "" {
			// ruleid: opened-not-closed-on-path
			continue
		}
		if path == "/" {
			unix.Close(fd)
			// ok: opened-not-closed-on-path
			continue
		}
		for _, other := range paths {
			if other == path {
				// ok: opened-not-closed-on-path
				continue
			}
			use(other)
		}
		unix.Close(fd)
	}
	return nil
}

func eachCollected(paths []string) (fds []int) {
	for _, path := range paths {
		fd, err := openBeneath(path)
		if err != nil {
			continue
		}
		fds = append(fds, fd)
		if path == "" {
			// ok: opened-not-closed-on-path
			continue
		}
		use(path)
	}
	return fds
}

func first(paths []string) error {
	for _, path := range paths {
		fd, err := openBeneath(path)
		if err != nil {
			continue
		}
		if path == "" {
			unix.Close(fd)
			continue
		}
		if path == "/" {
			// ruleid: opened-not-closed-on-path
			return errors.New("the root")
		}
		unix.Close(fd)
		break
	}
	return nil
}

func accepted(listener int) (int, error) {
	fd, peer, err := unix.Accept4(listener, unix.SOCK_CLOEXEC)
	if err != nil {
		// ok: opened-not-closed-on-path
		return -1, err
	}
	if peer == nil {
		// ruleid: opened-not-closed-on-path
		return -1, errors.New("no peer")
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

func directory(name string) (string, error) {
	dir, base, err := openParent(name)
	if err != nil {
		return "", err
	}
	defer unix.Close(dir)
	if base == "" {
		// ok: opened-not-closed-on-path
		return "", errors.New("no name")
	}
	return readlinkat(dir, base)
}

func byEither(path string, keep bool) (*holder, error) {
	fd, err := openBeneath(path)
	if err != nil {
		return nil, err
	}
	var kept *holder
	if keep {
		kept, err = newHolder(fd)
		if err != nil {
			return nil, err
		}
	} else {
		unix.Close(fd)
	}
	// ok: opened-not-closed-on-path
	return kept, nil
}

func ifOpen(path string, optional bool) error {
	fd, err := openBeneath(path)
	if err != nil && !optional {
		return err
	}
	if fd != -1 {
		if err := unix.Close(fd); err != nil {
			return err
		}
	}
	// ok: opened-not-closed-on-path
	return nil
}

func device(name string) (*holder, error) {
	fd, err := openBeneath(name)
	if err != nil {
		return nil, err
	}
	made, err := setUp(fd, name)
	if err != nil {
		unix.Close(fd)
		// ok: opened-not-closed-on-path
		return nil, err
	}
	// ok: opened-not-closed-on-path
	return made, nil
}

func contents(name string, buffer []byte) (int, error) {
	fd, err := openBeneath(name)
	if err != nil {
		return 0, err
	}
	n, err := unix.Read(fd, buffer)
	if err != nil {
		unix.Close(fd)
		// ok: opened-not-closed-on-path
		return 0, err
	}
	// ruleid: opened-not-closed-on-path
	return n, nil
}

func ifFound(name string, stat *unix.Stat_t) error {
	fd, err := openBeneath(name)
	if err != nil && err != unix.ENOENT {
		return err
	}
	found := err == nil
	if found {
		err = unix.Fstat(fd, stat)
		unix.Close(fd)
		if err != nil {
			// ok: opened-not-closed-on-path
			return err
		}
	}
	// ok: opened-not-closed-on-path
	return nil
}
