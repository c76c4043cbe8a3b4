package annotated

import (
	"net"
	"golang.org/x/sys/unix"
)

func peer(c *net.UnixConn) (*unix.Ucred, error) {
	// ruleid: duplicate-never-closed
	f, err := c.File()
	if err != nil {
		return nil, err
	}
	return unix.GetsockoptUcred(int(f.Fd()), unix.SOL_SOCKET, unix.SO_PEERCRED)
}

func peerAndClosed(c *net.UnixConn) (*unix.Ucred, error) {
	// ok: duplicate-never-closed
	f, err := c.File()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return unix.GetsockoptUcred(int(f.Fd()), unix.SOL_SOCKET, unix.SO_PEERCRED)
}

func kept(s *server, c *net.UnixConn) error {
	// ok: duplicate-never-closed
	f, err := c.File()
	if err != nil {
		return err
	}
	s.file = f
	return unix.SetNonblock(int(f.Fd()), true)
}
