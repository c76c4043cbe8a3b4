package annotated

import (
	"net"
	"os"
)

func conn(fd int) (net.Conn, error) {
	// ruleid: converted-never-closed
	f := os.NewFile(uintptr(fd), "socket")
	return net.FileConn(f)
}

func closed(fd int) (net.Conn, error) {
	// ok: converted-never-closed
	f := os.NewFile(uintptr(fd), "socket")
	defer f.Close()
	return net.FileConn(f)
}

func closedAfter(fd int) (net.Conn, error) {
	// ok: converted-never-closed
	f := os.NewFile(uintptr(fd), "socket")
	c, err := net.FileConn(f)
	if cerr := f.Close(); cerr != nil {
		return nil, cerr
	}
	return c, err
}

func kept(s *server, fd int) (err error) {
	// ok: converted-never-closed
	f := os.NewFile(uintptr(fd), "socket")
	s.file = f
	s.conn, err = net.FileConn(f)
	return err
}
