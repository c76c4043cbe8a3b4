package annotated

import (
	"errors"
	"os"
	"golang.org/x/sys/unix"
)

func createTun(name string) (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		if os.IsNotExist(err) {
			// ok: not-closed-on-path
			return nil, errors.New("no such device")
		}
		// ok: not-closed-on-path
		return nil, err
	}
	if len(name) > unix.IFNAMSIZ {
		// ruleid: not-closed-on-path
		return nil, unix.ENAMETOOLONG
	}
	if err = unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		// ok: not-closed-on-path
		return nil, err
	}
	if err = unix.IoctlSetInt(fd, unix.TUNSETOWNER, 0); err != nil {
		// ruleid: not-closed-on-path
		return nil, err
	}
	// ok: not-closed-on-path
	return os.NewFile(uintptr(fd), name), nil
}

func deferred(path string) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		// ok: not-closed-on-path
		return err
	}
	defer unix.Close(fd)
	if err := unix.Fstat(fd, nil); err != nil {
		// ok: not-closed-on-path
		return err
	}
	// ok: not-closed-on-path
	return nil
}

func deferredTooLate(size int) (fds []int, err error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	if size == 0 {
		// ruleid: not-closed-on-path
		return nil, errors.New("size is zero")
	}
	defer func() {
		if err != nil {
			unix.Close(fd)
		}
	}()
	if size == 1 {
		// ok: not-closed-on-path
		return nil, errors.New("size is one")
	}
	fds = append(fds, fd)
	// ok: not-closed-on-path
	return fds, nil
}

func guarded(path string, keep bool) (int, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	if fd >= 0 {
		defer func() { _ = unix.Close(fd) }()
	}
	if keep {
		// ok: not-closed-on-path
		return 0, nil
	}
	// ok: not-closed-on-path
	return 1, unix.Fstat(fd, nil)
}

func none(path string) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if fd < 0 {
		// ok: not-closed-on-path
		return unix.EBADF
	}
	return unix.Close(fd)
}

func byTheOtherWayRound(path string) (int, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err == nil {
		return fd, nil
	}
	// ok: not-closed-on-path
	return -1, err
}

func cleanup(path string) (int, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	fail := func(err error) (int, error) {
		unix.Close(fd)
		return -1, err
	}
	if err := unix.Fstat(fd, nil); err != nil {
		// ok: not-closed-on-path
		return fail(err)
	}
	return fd, nil
}

func outOfALoop(path string, parts []string) (int, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	for _, part := range parts {
		if part == "" {
			// ruleid: not-closed-on-path
			return -1, errors.New("empty part")
		}
	}
	return fd, nil
}

func byAnotherName(path string) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	fds := []int{fd}
	if path == "" {
		// That the slice is lost as well is not seen.
		// todoruleid: not-closed-on-path
		return errors.New("empty path")
	}
	closeAll(fds)
	return unix.Close(fd)
}

func retried(path string) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_DIRECT|unix.O_CLOEXEC, 0)
	if err == unix.EINVAL {
		fd, err = unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		// ok: not-closed-on-path
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

func interrupted(fd int) error {
	for {
		copied, err := unix.Dup(fd)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			// ok: not-closed-on-path
			return err
		}
		return unix.Close(copied)
	}
}

func noneIsFine(path string) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err == unix.EPERM {
		// ok: not-closed-on-path
		return nil
	}
	if err != nil {
		// ok: not-closed-on-path
		return err
	}
	return unix.Close(fd)
}

func eachOf(paths []string) error {
	for _, path := range paths {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			// ok: not-closed-on-path
			continue
		}
		if path == "" {
			// ruleid: not-closed-on-path
			continue
		}
		if path == "/" {
			unix.Close(fd)
			// ok: not-closed-on-path
			continue
		}
		for _, other := range paths {
			if other == path {
				// ok: not-closed-on-path
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
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			continue
		}
		fds = append(fds, fd)
		if path == "" {
			// ok: not-closed-on-path
			continue
		}
		use(path)
	}
	return fds
}

func first(paths []string) error {
	for _, path := range paths {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			continue
		}
		if path == "" {
			unix.Close(fd)
			continue
		}
		if path == "/" {
			// ruleid: not-closed-on-path
			return errors.New("the root")
		}
		unix.Close(fd)
		break
	}
	return nil
}

func byEither(path string, keep bool) (*holder, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
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
	// ok: not-closed-on-path
	return kept, nil
}

func ifOpen(path string, optional bool) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil && !optional {
		return err
	}
	if fd >= 0 {
		if err := unix.Close(fd); err != nil {
			return err
		}
	}
	// ok: not-closed-on-path
	return nil
}

func bound(address unix.Sockaddr) (*holder, error) {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.Bind(fd, address); err != nil {
		// ruleid: not-closed-on-path
		return nil, err
	}
	held := &holder{
		name: "packets",
		fd:   fd,
	}
	held.start()
	// ok: not-closed-on-path
	return held, nil
}

func (h *holder) connect(address unix.Sockaddr) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if err := unix.Connect(fd, address); err != nil {
		// ruleid: not-closed-on-path
		return err
	}
	h.fd = fd
	if err := h.greet(); err != nil {
		// ok: not-closed-on-path
		return err
	}
	// ok: not-closed-on-path
	return nil
}

func events(address unix.Sockaddr, out chan []byte) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_KOBJECT_UEVENT)
	if err != nil {
		return err
	}
	if err := unix.Bind(fd, address); err != nil {
		// ruleid: not-closed-on-path
		return err
	}
	go func() {
		for buffer := make([]byte, 4096); ; {
			n, _ := unix.Read(fd, buffer)
			out <- buffer[:n]
		}
	}()
	// ok: not-closed-on-path
	return nil
}

func device(name string) (*holder, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	made, err := setUp(fd, name)
	if err != nil {
		unix.Close(fd)
		// ok: not-closed-on-path
		return nil, err
	}
	// ok: not-closed-on-path
	return made, nil
}

func contents(name string, buffer []byte) (int, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	n, err := unix.Read(fd, buffer)
	if err != nil {
		unix.Close(fd)
		// ok: not-closed-on-path
		return 0, err
	}
	// ruleid: not-closed-on-path
	return n, nil
}

func ifFound(name string, stat *unix.Stat_t) error {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil && err != unix.ENOENT {
		return err
	}
	found := err == nil
	if found {
		err = unix.Fstat(fd, stat)
		unix.Close(fd)
		if err != nil {
			// ok: not-closed-on-path
			return err
		}
	}
	// ok: not-closed-on-path
	return nil
}

func alone(path string) int {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		// ok: not-closed-on-path
		return -1
	}
	if path == "" {
		// ruleid: not-closed-on-path
		return -1
	}
	// ok: not-closed-on-path
	return fd
}
