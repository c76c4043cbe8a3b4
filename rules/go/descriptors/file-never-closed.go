package annotated

func closed(path string) error {
	// ok: file-never-closed
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return use(f.Chdir())
}

func kept(path string) (*os.File, error) {
	// ok: file-never-closed
	f, err := os.Open(name)
	return f, err
}

func handedOver(path string, all *registry) error {
	// ok: file-never-closed
	f, err := os.Open(name)
	if err == nil {
		err = all.attach(f)
	}
	return err
}

func numbered(path string) (int, error) {
	// ok: file-never-closed
	f, err := os.Open(name)
	return int(f.Fd()), err
}

func lost1() error {
	// ruleid: file-never-closed
	f, err := os.Open(name)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost2() error {
	// ruleid: file-never-closed
	f, err := os.Create(name)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost3() error {
	// ruleid: file-never-closed
	f, err := os.OpenFile(name, flag, perm)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost4() error {
	// ruleid: file-never-closed
	f, err := os.CreateTemp(dir, pattern)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost5() error {
	// ruleid: file-never-closed
	f, err := ioutil.TempFile(dir, pattern)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost6() error {
	// ruleid: file-never-closed
	f, err := self.File()
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost7() error {
	// ruleid: file-never-closed
	f, err := ns.GetNS(path)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost8() error {
	// ruleid: file-never-closed
	f, err := ns.GetCurrentNS(path)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost9() error {
	// ruleid: file-never-closed
	f, err := pty.Start(cmd, more...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost10() error {
	// ruleid: file-never-closed
	f, err := pty.StartWithSize(cmd, more...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost11() error {
	// ruleid: file-never-closed
	f, err := pty.StartWithAttrs(cmd, more...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost12() error {
	// ruleid: file-never-closed
	f, err := ebpf.NewMap(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost13() error {
	// ruleid: file-never-closed
	f, err := ebpf.NewMapWithOptions(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost14() error {
	// ruleid: file-never-closed
	f, err := ebpf.NewMapFromFD(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost15() error {
	// ruleid: file-never-closed
	f, err := ebpf.NewMapFromID(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost16() error {
	// ruleid: file-never-closed
	f, err := ebpf.LoadPinnedMap(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost17() error {
	// ruleid: file-never-closed
	f, err := ebpf.NewProgram(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost18() error {
	// ruleid: file-never-closed
	f, err := ebpf.NewProgramWithOptions(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost19() error {
	// ruleid: file-never-closed
	f, err := ebpf.NewProgramFromID(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost20() error {
	// ruleid: file-never-closed
	f, err := ebpf.LoadPinnedProgram(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost21() error {
	// ruleid: file-never-closed
	f, err := utils.RecvFd(socket)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost22() error {
	// ruleid: file-never-closed
	f, err := utils.RecvFile(socket)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}
