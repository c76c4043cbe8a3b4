package annotated

import (
	"os"
	"golang.org/x/sys/unix"
)

func wrap(fd int) {
	// ruleid: closed-after-transfer
	f := os.NewFile(uintptr(fd), "x")
	use(f)
	unix.Close(fd)
}

func closeTheFile(fd int) {
	// ok: closed-after-transfer
	f := os.NewFile(uintptr(fd), "x")
	use(f)
	f.Close()
}

func notAFile(fd int) error {
	// ok: closed-after-transfer
	f := os.NewFile(uintptr(fd), "x")
	if f == nil {
		unix.Close(fd)
		return unix.EBADF
	}
	return use(f)
}
