package annotated

func give(conn *net.UnixConn, fd int) error {
	// ruleid: parameter-sent
	_, _, err := conn.WriteMsgUnix(nil, unix.UnixRights(fd), nil)
	return err
}

func giveOwn(conn *net.UnixConn, path string) error {
	fd, err := unix.Open(path, unix.O_CLOEXEC, perm)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	// ok: parameter-sent
	_, _, err = conn.WriteMsgUnix(nil, unix.UnixRights(fd), nil)
	return err
}
