package annotated

func give(conn *net.UnixConn, path string) error {
	// ruleid: kept-after-send
	fd, err := unix.Open(path, unix.O_CLOEXEC, perm)
	if err != nil {
		return err
	}
	_, _, err = conn.WriteMsgUnix(nil, unix.UnixRights(fd), nil)
	return err
}

func giveByWrapper(conn *net.UnixConn, s *server) error {
	// ruleid: kept-after-send
	fd, err := s.mount("/mnt")
	reply := ""
	if err != nil {
		reply = err.Error()
	}
	return util.SendMsg(conn, fd, []byte(reply))
}

func giveMessage(conn *net.UnixConn, s *server) error {
	// ruleid: kept-after-send
	fd, message, err := s.mount("/mnt")
	if err != nil {
		return err
	}
	return util.SendFd(conn, message, fd)
}

func giveAndClose(conn *net.UnixConn, s *server) error {
	// ok: kept-after-send
	fd, err := s.mount("/mnt")
	if err != nil {
		return err
	}
	if fd > 0 {
		defer func() { unix.Close(fd) }()
	}
	return util.SendMsg(conn, fd, nil)
}

func giveAndCloseAtOnce(conn *net.UnixConn, path string) error {
	// ok: kept-after-send
	fd, err := unix.Open(path, unix.O_CLOEXEC, perm)
	if err != nil {
		return err
	}
	_, _, err = conn.WriteMsgUnix(nil, unix.UnixRights(fd), nil)
	unix.Close(fd)
	return err
}

func giveOneOfOurs(conn *net.UnixConn, s *server) error {
	// ok: kept-after-send
	fd, err := s.getFd("root")
	if err != nil {
		return err
	}
	return util.SendFd(conn, fd)
}

func giveObject(conn *net.UnixConn, s *server) error {
	// ok: kept-after-send
	file, err := s.open("root")
	if err != nil {
		return err
	}
	defer file.Close()
	return util.SendFd(conn, file.Fd())
}
