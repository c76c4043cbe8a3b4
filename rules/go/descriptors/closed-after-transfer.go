package annotated

func both(fd int) error {
	// ruleid: closed-after-transfer
	f := os.NewFile(uintptr(fd), "")
	defer f.Close()
	err := read(f)
	unix.Close(fd)
	return err
}

func onFailure(fd int) (*os.File, error) {
	// ruleid: closed-after-transfer
	f := os.NewFile(uintptr(fd), "")
	if err := read(f); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return f, nil
}

func fileOnly(fd int) error {
	// ok: closed-after-transfer
	f := os.NewFile(uintptr(fd), "")
	defer f.Close()
	return read(f)
}

func invalid(fd int) (*os.File, error) {
	// ok: closed-after-transfer
	f := os.NewFile(uintptr(fd), "")
	if f == nil {
		unix.Close(fd)
		return nil, errInvalid
	}
	return f, nil
}

func another(fd int, path string) error {
	// ok: closed-after-transfer
	f := os.NewFile(uintptr(fd), "")
	defer f.Close()
	fd, err := unix.Open(path, unix.O_CLOEXEC, perm)
	unix.Close(fd)
	return err
}
