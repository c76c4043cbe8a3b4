package annotated

import (
	"golang.org/x/sys/unix"
)

func tooEarly(sock, fd int) error {
	// ruleid: closed-before-send
	unix.Close(fd)
	return unix.Sendmsg(sock, nil, unix.UnixRights(fd), nil, 0)
}

func inTime(sock, fd int) error {
	// ok: closed-before-send
	err := unix.Sendmsg(sock, nil, unix.UnixRights(fd), nil, 0)
	unix.Close(fd)
	return err
}

func deferred(sock, fd int) error {
	// ok: closed-before-send
	defer unix.Close(fd)
	return unix.Sendmsg(sock, nil, unix.UnixRights(fd), nil, 0)
}
