package annotated

func twice(fd int) {
	// ruleid: double-close
	unix.Close(fd)
	log.Printf("closed")
	unix.Close(fd)
}

func field(s *status) {
	// ruleid: double-close
	unix.Close(s.inHost)
	unix.Close(s.inHost)
}

func deferredAndOnFailure(path string) error {
	fd, err := unix.Open(path, unix.O_CLOEXEC, perm)
	if err != nil {
		return err
	}
	// ruleid: double-close
	defer unix.Close(fd)
	if err := unix.Read(fd, nil); err != nil {
		unix.Close(fd)
		return err
	}
	return nil
}

func anotherOne(s *status) {
	// ok: double-close
	unix.Close(s.inHost)
	unix.Close(s.inNamespace)
}

func reopened(fd int, path string) {
	// ok: double-close
	unix.Close(fd)
	fd, _ = unix.Open(path, unix.O_CLOEXEC, perm)
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

func nextOne(fds []int) {
	for _, fd := range fds {
		if fd == 7 {
			// ok: double-close
			unix.Close(fd)
			continue
		}
		unix.Close(fd)
	}
}

func reopenedWithItsName(node *node) {
	dirfd, name, errno := node.open("first")
	use(dirfd, name, errno)
	// ok: double-close
	unix.Close(dirfd)
	dirfd, name, errno = node.open("second")
	use(dirfd, name, errno)
	unix.Close(dirfd)
}

func requested(chip uintptr, request request) {
	fill(chip, &request)
	// ok: double-close
	unix.Close(int(request.Fd))
	fill(chip, &request)
	unix.Close(int(request.Fd))
}
