package annotated

import (
	"golang.org/x/sys/unix"
	"os"
)

func busy(path string) bool {
	// ruleid: discarded
	_, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	return err == unix.EBUSY
}

func supported(attr *sys.Attr) bool {
	// ruleid: discarded
	if _, err := sys.BPFMapCreate(attr); err != nil {
		return false
	}
	return true
}

func probed(path string) bool {
	// ok: discarded
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err == unix.EBUSY
}

func exists(path string) bool {
	// ok: discarded
	_, err := os.Stat(path)
	return err == nil
}

func TestMissing(t *testing.T) {
	// ok: discarded
	if _, err := unix.Open("missing", unix.O_RDONLY, 0); err != unix.ENOENT {
		t.Fatal(err)
	}
}
