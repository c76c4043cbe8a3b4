package annotated

import (
	"os"
)

func enter(path string) error {
	// ruleid: file-never-closed
	f, err := os.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	if err := setns(f.Fd()); err != nil {
		return err
	}
	return nil
}

func symbols(path string, wanted []string) error {
	// ruleid: file-never-closed
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	if err := assign(f, wanted); err != nil {
		return err
	}
	return nil
}

func closed(path string) error {
	// ok: file-never-closed
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return setns(f.Fd())
}

func returned(path string) (*os.File, error) {
	// ok: file-never-closed
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func closerReturned(path string) (func() error, error) {
	// ok: file-never-closed
	f, err := os.Open(path)
	return f.Close, err
}

func given(path string) (*reader, error) {
	// ok: file-never-closed
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return newReader(f), nil
}

var command = commandLine{
	Run: func(path string) error {
		// ok: file-never-closed
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return read(f)
	},
	Check: func(path string) error {
		// todoruleid: file-never-closed
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		return read(f)
	},
}

func generated(path string) (err error) {
	// ok: file-never-closed
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer removeOnError(f)
	return generate(f)
}

func logging(path string) error {
	// ok: file-never-closed
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	logrus.SetOutput(f)
	logrus.SetLevel(logrus.DebugLevel)
	return nil
}

func logged(path string) error {
	// ruleid: file-never-closed
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	logrus.Infof("opened %v", f.Name())
	return nil
}
