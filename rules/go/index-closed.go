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

func closeKeys(open map[int]string) {
	for fd := range open {
		// ok: index-closed
		unix.Close(fd)
	}
}
