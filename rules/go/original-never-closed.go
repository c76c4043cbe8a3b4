package annotated

import (
	"net"
	"os"
)

func inherited() (net.Listener, error) {
	// ruleid: original-never-closed
	return net.FileListener(os.NewFile(3, "socket"))
}

func inheritedAndClosed() (net.Listener, error) {
	f := os.NewFile(3, "socket")
	defer f.Close()
	// ok: original-never-closed
	return net.FileListener(f)
}
