package annotated

import (
	"syscall"
	"golang.org/x/sys/unix"
)

func twice(fd int) {
	// ruleid: double-close
	unix.Close(fd)
	log.Printf("closed")
	unix.Close(fd)
}

func field(s *status) {
	// ruleid: double-close
	syscall.Close(s.inHost)
	syscall.Close(s.inHost)
}

func deferredAndOnFailure(path string) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	// ruleid: double-close
	defer unix.Close(fd)
	if err := unix.Fstat(fd, nil); err != nil {
		unix.Close(fd)
		return err
	}
	return nil
}

func anotherOne(s *status) {
	// ok: double-close
	syscall.Close(s.inHost)
	syscall.Close(s.inNamespace)
}

func reopened(fd int, path string) {
	// ok: double-close
	unix.Close(fd)
	fd, _ = unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	unix.Close(fd)
}

func eitherWay(fd int, early bool) {
	if early {
		// ok: double-close
		unix.Close(fd)
		return
	}
	unix.Close(fd)
}

func reopenedWithItsName(node *node) {
	dirfd, name, errno := node.open("first")
	use(dirfd, name, errno)
	// ok: double-close
	syscall.Close(dirfd)
	dirfd, name, errno = node.open("second")
	use(dirfd, name, errno)
	syscall.Close(dirfd)
}

type request struct{ Fd int32 }

func requested(chip uintptr, request request) {
	fill(chip, &request)
	// ok: double-close
	unix.Close(int(request.Fd))
	request.Fd = -1
	fill(chip, &request)
	unix.Close(int(request.Fd))
}

func requestedAnew(chip uintptr) {
	request := request{}
	fill(chip, &request)
	// ok: double-close
	unix.Close(int(request.Fd))
	request = newRequest()
	unix.Close(int(request.Fd))
}

func requestedOnce(chip uintptr) {
	request := request{}
	fill(chip, &request)
	// ruleid: double-close
	unix.Close(int(request.Fd))
	use(chip)
	unix.Close(int(request.Fd))
}

func pairs() {
	ends, _ := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	// ok: double-close
	unix.Close(ends[0])
	ends, _ = unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	unix.Close(ends[0])
}
