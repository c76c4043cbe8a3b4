package annotated

import (
	"os"
	"os/exec"
)

func pass(cmd *exec.Cmd, fd int) error {
	// ruleid: child-file-never-closed
	cmd.ExtraFiles = append(cmd.ExtraFiles, os.NewFile(uintptr(fd), "fifo"))
	return cmd.Start()
}

func passAndClose(cmd *exec.Cmd, fd int) error {
	f := os.NewFile(uintptr(fd), "fifo")
	defer f.Close()
	// ok: child-file-never-closed
	cmd.ExtraFiles = append(cmd.ExtraFiles, f)
	return cmd.Start()
}

func closeAll(cmd *exec.Cmd, fd int) error {
	// ok: child-file-never-closed
	cmd.ExtraFiles = append(cmd.ExtraFiles, os.NewFile(uintptr(fd), "fifo"))
	err := cmd.Start()
	for _, f := range cmd.ExtraFiles {
		f.Close()
	}
	return err
}
