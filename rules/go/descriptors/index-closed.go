package annotated

func closeAll(recvFds []int) {
	for i := range recvFds {
		// ruleid: index-closed
		unix.Close(i)
	}
}

func closeEach(recvFds []int) {
	for i := range recvFds {
		// ok: index-closed
		unix.Close(recvFds[i])
	}
	for _, fd := range recvFds {
		// ok: index-closed
		unix.Close(fd)
	}
}

func closeByTheWrongName(recvFds []int) {
	for fd := range recvFds {
		// ruleid: index-closed
		unix.Close(fd)
	}
}

func closeReceived(m *message) error {
	fds, err := unix.ParseUnixRights(m)
	if err != nil {
		return err
	}
	for fd := range fds {
		// ruleid: index-closed
		unix.Close(fd)
	}
	return nil
}

type watched struct {
	fds map[int]string
}

func (w *watched) closeAll() {
	// `fds` may be a map, and its keys the descriptors.
	for fd := range w.fds {
		// ok: index-closed
		unix.Close(fd)
	}
}

func closeKeysOf(fds map[int]string) {
	for i := range fds {
		// ok: index-closed
		unix.Close(i)
	}
}
