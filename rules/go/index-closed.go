package annotated

import (
	"golang.org/x/sys/unix"
)

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

func closeReceived(message *unix.SocketControlMessage) error {
	fds, err := unix.ParseUnixRights(message)
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
	files []string
	fds   map[int]string
}

func (w *watched) closeAll() {
	// `fds` may be a map, and its keys the descriptors.
	for fd := range w.fds {
		// ok: index-closed
		unix.Close(fd)
	}
}

func (w *watched) openAll() (err error) {
	fds := make(map[int]string)
	for _, path := range w.files {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			for i := range fds {
				// ok: index-closed
				unix.Close(i)
			}
			return err
		}
		fds[fd] = path
	}
	w.fds = fds
	return nil
}

func closeKeysOf(fds map[int]string) {
	for i := range fds {
		// ok: index-closed
		unix.Close(i)
	}
}

func closeKeys(open map[int]string) {
	for fd := range open {
		// ok: index-closed
		unix.Close(fd)
	}
}
