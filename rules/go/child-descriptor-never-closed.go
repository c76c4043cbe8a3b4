package annotated

import (
	"os"
	"os/exec"
	"golang.org/x/sys/unix"
)

func pass(cmd *exec.Cmd, path string) error {
	// ruleid: child-descriptor-never-closed
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	cmd.ExtraFiles = append(cmd.ExtraFiles, os.NewFile(uintptr(fd), path))
	return nil
}

func passAndClose(cmd *exec.Cmd, path string) error {
	// ok: child-descriptor-never-closed
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), path)
	cmd.ExtraFiles = append(cmd.ExtraFiles, f)
	defer f.Close()
	return cmd.Run()
}
