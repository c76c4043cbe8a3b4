package annotated

import (
	"net"
	"syscall"
	"golang.org/x/sys/unix"
)

func broker(conn *net.UnixConn, s *server) error {
	// ruleid: kept-after-send
	fd, err := s.mount()
	if err != nil {
		return err
	}
	if err := util.SendMsg(conn, fd, []byte("ok")); err != nil {
		return err
	}
	return nil
}

func raw(sock int) error {
	// ruleid: kept-after-send
	fd, err := unix.Open("/dev/kvm", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return unix.Sendmsg(sock, []byte{0}, unix.UnixRights(fd), nil, 0)
}

func bareWrapper(conn *net.UnixConn, path string) {
	// ruleid: kept-after-send
	fd, err := mount(path)
	if err != nil {
		return
	}
	if err := sendFd(conn, fd, []byte("ok")); err != nil {
		return
	}
}

func closedOnFailureOnly(sock int) error {
	// todoruleid: kept-after-send
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if err := unix.Sendmsg(sock, []byte{0}, unix.UnixRights(fd), nil, 0); err != nil {
		unix.Close(fd)
		return err
	}
	return nil
}

func guarded(conn *net.UnixConn, s *server) error {
	// ok: kept-after-send
	fd, err := s.mount()
	if err != nil {
		return err
	}
	if fd > 0 {
		defer func() {
			if err := syscall.Close(fd); err != nil {
				log.Errorf("closing: %v", err)
			}
		}()
	}
	return util.SendMsg(conn, fd, []byte("ok"))
}

func closedAfter(sock int) error {
	// ok: kept-after-send
	fd, err := unix.Open("/dev/kvm", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	err = unix.Sendmsg(sock, []byte{0}, unix.UnixRights(fd), nil, 0)
	unix.Close(fd)
	return err
}

func handedOver(sock int, s *server) error {
	// ok: kept-after-send
	fd, err := unix.Open("/dev/kvm", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	s.kvm = fd
	return unix.Sendmsg(sock, []byte{0}, unix.UnixRights(fd), nil, 0)
}

func parameter(sock, fd int) error {
	// ok: kept-after-send
	return unix.Sendmsg(sock, []byte{0}, unix.UnixRights(fd), nil, 0)
}

func message(conn *rpc) error {
	// ok: kept-after-send
	b, err := json.Marshal("state")
	if err != nil {
		return err
	}
	return conn.SendMsg(conn, b)
}

func borrowed(conn *net.UnixConn, s *server) error {
	// ok: kept-after-send
	fd, err := s.getFd()
	if err != nil {
		return err
	}
	return util.SendMsg(conn, fd, nil)
}
