package annotated

import (
	"golang.org/x/sys/unix"
	"errors"
)

func one(message *unix.SocketControlMessage) (int, error) {
	fds, err := unix.ParseUnixRights(message)
	if err != nil {
		// ok: received-length-check
		return -1, err
	}
	if len(fds) != 1 {
		// ruleid: received-length-check
		return -1, errors.New("wrong number of descriptors")
	}
	return fds[0], nil
}

func oneAndTheRestClosed(message *unix.SocketControlMessage) (int, error) {
	fds, err := unix.ParseUnixRights(message)
	if err != nil {
		return -1, err
	}
	if len(fds) != 1 {
		for _, fd := range fds {
			unix.Close(fd)
		}
		// ok: received-length-check
		return -1, errors.New("wrong number of descriptors")
	}
	return fds[0], nil
}

func none(message *unix.SocketControlMessage) (int, error) {
	fds, err := unix.ParseUnixRights(message)
	if err != nil {
		return -1, err
	}
	if len(fds) == 0 {
		// ok: received-length-check
		return -1, errors.New("no descriptor")
	}
	return keep(fds), nil
}

func roomForOne(sock int) (int, error) {
	oob := make([]byte, unix.CmsgSpace(4))
	messages := receive(sock, oob)
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return -1, err
	}
	if len(fds) != 1 {
		// ok: received-length-check
		return -1, errors.New("no descriptor")
	}
	return fds[0], nil
}
