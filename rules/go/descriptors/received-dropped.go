package annotated

func namespace(conn *net.UnixConn) error {
	// ruleid: received-dropped
	nsFd, message, err := util.RecvMsg(conn)
	if err != nil {
		return err
	}
	log.Printf("received %d", nsFd)
	return enter(message, nsFd)
}

func receiveFD(conn *net.UnixConn) error {
	// ruleid: received-dropped
	fd, err := recvFD(conn)
	if err == nil {
		err = unix.Read(fd, nil)
	}
	return err
}

func receiveAndClose(conn *net.UnixConn) error {
	// ok: received-dropped
	fd, err := util.ReceiveFd(conn)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Read(fd, nil)
}

func receiveForCaller(conn *net.UnixConn) (int, error) {
	// ok: received-dropped
	fd, err := util.RecvFd(conn)
	return fd, err
}

func receiveText(stream *stream) error {
	// ok: received-dropped
	message, err := stream.RecvMsg()
	log.Print(message)
	return err
}
