package annotated

import (
	"net"
	"os/exec"
)

func start(listener *net.UnixListener, cmd *exec.Cmd) error {
	fd, err := listener.File()
	listener.Close()
	listener = nil
	if err != nil {
		// ok: duplicate-not-closed-on-path
		return err
	}
	cmd.ExtraFiles = append(cmd.ExtraFiles, fd)
	if _, err := cmd.StderrPipe(); err != nil {
		// ruleid: duplicate-not-closed-on-path
		return err
	}
	err = cmd.Start()
	fd.Close()
	// ok: duplicate-not-closed-on-path
	return err
}

func deferred(listener *net.UnixListener, cmd *exec.Cmd) error {
	fd, err := listener.File()
	if err != nil {
		// ok: duplicate-not-closed-on-path
		return err
	}
	defer fd.Close()
	cmd.ExtraFiles = append(cmd.ExtraFiles, fd)
	// ok: duplicate-not-closed-on-path
	return cmd.Start()
}
