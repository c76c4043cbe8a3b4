package annotated

func late(conn *net.UnixConn, fd int) error {
	// ruleid: closed-before-send
	unix.Close(fd)
	_, _, err := conn.WriteMsgUnix(nil, unix.UnixRights(fd), nil)
	return err
}

func inTime(conn *net.UnixConn, fd int) error {
	_, _, err := conn.WriteMsgUnix(nil, unix.UnixRights(fd), nil)
	// ok: closed-before-send
	unix.Close(fd)
	return err
}

func another(conn *net.UnixConn, path string, fd int) error {
	// ok: closed-before-send
	unix.Close(fd)
	fd, err := unix.Open(path, unix.O_CLOEXEC, perm)
	if err == nil {
		defer unix.Close(fd)
		_, _, err = conn.WriteMsgUnix(nil, unix.UnixRights(fd), nil)
	}
	return err
}

func onFailure(conn *net.UnixConn, fd int, failure error) error {
	if failure != nil {
		// ok: closed-before-send
		unix.Close(fd)
		return failure
	}
	return util.SendFd(conn, fd)
}
