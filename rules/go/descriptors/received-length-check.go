package annotated

func one(m *message) (int, error) {
	fds, err := unix.ParseUnixRights(m)
	if err != nil {
		return -1, err
	}
	if len(fds) != 1 {
		// ruleid: received-length-check
		return -1, errNumber
	}
	return fds[0], nil
}

func oneOrClosed(m *message) (int, error) {
	fds, err := unix.ParseUnixRights(m)
	if err != nil {
		return -1, err
	}
	if len(fds) != 1 {
		for _, fd := range fds {
			unix.Close(fd)
		}
		// ok: received-length-check
		return -1, errNumber
	}
	return fds[0], nil
}

func oneOrNone(m *message) (int, error) {
	fds, err := unix.ParseUnixRights(m)
	if len(fds) == 0 {
		// ok: received-length-check
		return -1, err
	}
	return fds[0], nil
}

func oneOrCleanup(m *message) (int, error) {
	fds, err := unix.ParseUnixRights(m)
	defer closeAll(fds)
	if len(fds) > 2 {
		// ok: received-length-check
		return -1, err
	}
	return use(fds), nil
}
