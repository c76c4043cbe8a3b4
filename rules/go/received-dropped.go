package annotated

import (
	"net"
	"syscall"
)

func namespace(conn *net.UnixConn) error {
	// ruleid: received-dropped
	nsFd, msg, err := util.RecvMsg(conn)
	if err != nil {
		return err
	}
	log.Infof("received %d with %s", nsFd, msg)
	return mount(nsFd)
}

func closed(conn *net.UnixConn) error {
	// ok: received-dropped
	nsFd, _, err := util.RecvMsg(conn)
	if err != nil {
		return err
	}
	defer syscall.Close(nsFd)
	return mount(nsFd)
}

func returned(conn *net.UnixConn) (int, error) {
	// ok: received-dropped
	fd, err := util.RecvFd(conn)
	if err != nil {
		return -1, err
	}
	return fd, nil
}

func notADescriptor(stream grpcStream) error {
	// ok: received-dropped
	msg, err := stream.RecvMsg()
	log.Infof("%v", msg)
	return err
}
