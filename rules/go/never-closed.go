package annotated

import (
	"fmt"
	"os"
	"syscall"
	"golang.org/x/sys/unix"
)

func probe(path string) bool {
	// ruleid: never-closed
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err == unix.EBUSY
	}
	fmt.Printf("%d is free", fd)
	return false
}

func interfaceFlags(name string) error {
	// ruleid: never-closed
	fd, err := syscall.Socket(
		syscall.AF_INET,
		syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC,
		0,
	)
	if err != nil {
		return err
	}
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

func inABranch(path string, deep bool) error {
	if deep {
		// ruleid: never-closed
		fd, err := unix.Openat(unix.AT_FDCWD, path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		return unix.Fstat(fd, nil)
	}
	return nil
}

func probedAndClosed(path string) bool {
	// ok: never-closed
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err == unix.EBUSY
	}
	_ = unix.Close(fd)
	return false
}

func guarded(path string) error {
	// ok: never-closed
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if fd > 0 {
		defer func() { _ = syscall.Close(fd) }()
	}
	return err
}

func returned(path string) (int, error) {
	// ok: never-closed
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	return fd, nil
}

func byName(path string) (fd int, err error) {
	// ok: never-closed
	fd, err = unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	return
}

func owned(path string) (*os.File, error) {
	// ok: never-closed
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

type holder struct{ fd int }

func stored(h *holder, path string) (err error) {
	// ok: never-closed
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	h.fd = fd
	return nil
}

func collected(paths []string) []int {
	var fds []int
	for _, path := range paths {
		// ok: never-closed
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err == nil {
			fds = append(fds, fd)
		}
	}
	return fds
}

func wrapped(path string) (*holder, error) {
	// ok: never-closed
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return &holder{fd: fd}, nil
}

func elsewhere(path string, done chan struct{}) {
	// ok: never-closed
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	go func() {
		<-done
		unix.Close(fd)
	}()
}

func locked(path string) error {
	// A lock is held until the process ends, or forgotten: that cannot be told here.
	// ok: never-closed
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return unix.Flock(fd, unix.LOCK_EX)
}

func lastOfALoop(paths []string) error {
	var fd int
	var err error
	for _, path := range paths {
		// Each round but the last loses its descriptor; loops are not followed.
		// todoruleid: never-closed
		fd, err = unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
	}
	return unix.Close(fd)
}

func greet(listener int) error {
	// ruleid: never-closed
	fd, _, err := unix.Accept4(listener, unix.SOCK_CLOEXEC)
	if err != nil {
		return err
	}
	_, err = unix.Write(fd, []byte("hello"))
	return err
}

func serve(listener int) error {
	for {
		// ok: never-closed
		fd, peer, err := unix.Accept(listener)
		if err != nil {
			return err
		}
		go answer(fd, peer)
	}
}

func frames(address unix.Sockaddr) (stop func() [][]byte) {
	// ok: never-closed
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil || unix.Bind(fd, address) != nil {
		return nil
	}
	return collect(fd, "frames")
}

func (h *holder) device(path string) (*holder, error) {
	// ok: never-closed
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return h.device2(path, fd), nil
}

func checked(path string) error {
	// ruleid: never-closed
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return check(path, fd)
}

func named(path string) (string, error) {
	// ruleid: never-closed
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	return nameOf(fd)
}

func main() {
	// ok: never-closed
	fd, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	fmt.Println(fd, err)
}
