package annotated

import (
	"os"
	"syscall"
	"golang.org/x/sys/unix"
)

func spawn() error {
	var pidfd int
	_, err := os.StartProcess("/proc/self/exe", nil, &os.ProcAttr{
		// ruleid: pidfd-never-closed
		Sys: &syscall.SysProcAttr{PidFD: &pidfd},
	})
	if err != nil || pidfd == -1 {
		return err
	}
	return unix.PidfdSendSignal(pidfd, 0, nil, 0)
}

func spawnAndClose() error {
	var pidfd int
	_, err := os.StartProcess("/proc/self/exe", nil, &os.ProcAttr{
		// ok: pidfd-never-closed
		Sys: &syscall.SysProcAttr{PidFD: &pidfd},
	})
	defer func() {
		if pidfd != -1 {
			unix.Close(pidfd)
		}
	}()
	return err
}

func spawnAndWrap() (*os.File, error) {
	var pidfd int
	_, err := os.StartProcess("/proc/self/exe", nil, &os.ProcAttr{
		// ok: pidfd-never-closed
		Sys: &syscall.SysProcAttr{PidFD: &pidfd},
	})
	if err != nil || pidfd == -1 {
		return nil, err
	}
	pidFD := os.NewFile(uintptr(pidfd), "pidfd")
	defer pidFD.Close()
	return open(pidFD)
}
