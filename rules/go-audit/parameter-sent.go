package annotated

import (
	"golang.org/x/sys/unix"
)

func send(sock, fd int) error {
	// ruleid: parameter-sent
	return unix.Sendmsg(sock, nil, unix.UnixRights(fd), nil, 0)
}

func sendOwn(sock int) error {
	fd, err := unix.Open("/dev/kvm", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	// ok: parameter-sent
	return unix.Sendmsg(sock, nil, unix.UnixRights(fd), nil, 0)
}
