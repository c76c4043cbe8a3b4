package annotated

import (
	"net"
	"os"
	"golang.org/x/sys/unix"
)

func relay(c *net.UnixConn, target filer) error {
	// ruleid: file-kept-after-send
	file, err := target.File()
	if err != nil {
		return err
	}
	_, _, err = c.WriteMsgUnix([]byte("x"), unix.UnixRights(int(file.Fd())), nil)
	return err
}

func device(c *net.UnixConn) error {
	// ruleid: file-kept-after-send
	f, err := os.OpenFile("/dev/vhost-net", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return util.SendFd(c, f.Name(), f.Fd())
}

func closed(c *net.UnixConn, target filer) error {
	// ok: file-kept-after-send
	file, err := target.File()
	if err != nil {
		return err
	}
	defer file.Close()
	_, _, err = c.WriteMsgUnix([]byte("x"), unix.UnixRights(int(file.Fd())), nil)
	return err
}

func returned(c *net.UnixConn, target filer) (*os.File, error) {
	// ok: file-kept-after-send
	file, err := target.File()
	if err != nil {
		return nil, err
	}
	_, _, err = c.WriteMsgUnix([]byte("x"), unix.UnixRights(int(file.Fd())), nil)
	return file, err
}

func byNumber(c *net.UnixConn, target filer) error {
	// todoruleid: file-kept-after-send
	file, err := target.File()
	if err != nil {
		return err
	}
	fd := int(file.Fd())
	_, _, err = c.WriteMsgUnix([]byte("x"), unix.UnixRights(fd), nil)
	return err
}

func closedInAHelper(c *net.UnixConn, target filer) error {
	// ok: file-kept-after-send
	file, err := target.File()
	if err != nil {
		return err
	}
	defer logged(file)
	_, _, err = c.WriteMsgUnix([]byte("x"), unix.UnixRights(int(file.Fd())), nil)
	return err
}

func closedByALoop(c *net.UnixConn, targets []filer) error {
	var kept []*os.File
	for _, target := range targets {
		// ok: file-kept-after-send
		file, err := target.File()
		if err != nil {
			return err
		}
		kept = append(kept, file)
		if _, _, err = c.WriteMsgUnix([]byte("x"), unix.UnixRights(int(file.Fd())), nil); err != nil {
			return err
		}
	}
	for _, file := range kept {
		file.Close()
	}
	return nil
}
