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
