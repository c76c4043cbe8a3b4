package annotated

import (
	"io"
	"os"
	"os/exec"
)

func write(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		// ok: file-not-closed-on-path
		return err
	}
	_, err = f.Write(data)
	if err != nil {
		// ruleid: file-not-closed-on-path
		return err
	}
	f.Close()
	// ok: file-not-closed-on-path
	return nil
}

func writeAndClose(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		// ok: file-not-closed-on-path
		return err
	}
	defer f.Close()
	_, err = f.Write(data)
	if err != nil {
		// ok: file-not-closed-on-path
		return err
	}
	return nil
}

var panics *os.File

func initPanics(path string) error {
	var err error
	panics, err = os.Create(path)
	if err != nil {
		return err
	}
	info, err := panics.Stat()
	if err != nil {
		// ok: file-not-closed-on-path
		return err
	}
	if info.Size() > 0 {
		panics.Close()
	}
	// ok: file-not-closed-on-path
	return nil
}

func ofTwo(first, second string) error {
	var f *os.File
	var err error
	f, err = os.Open(first)
	if err != nil {
		f, err = os.Open(second)
	}
	if err != nil {
		// ok: file-not-closed-on-path
		return err
	}
	if first == second {
		// ruleid: file-not-closed-on-path
		return os.ErrExist
	}
	return f.Close()
}

func byCases(path string, data []byte) error {
	f, err := os.Open(path)
	switch {
	case os.IsNotExist(err):
		// ok: file-not-closed-on-path
	case err != nil:
		// ok: file-not-closed-on-path
		return err
	default:
		defer f.Close()
		if len(data) == 0 {
			// ok: file-not-closed-on-path
			return os.ErrInvalid
		}
	}
	// ok: file-not-closed-on-path
	return os.WriteFile(path, data, 0o644)
}

func ifThere(path string, optional bool) error {
	f, err := os.Open(path)
	if err != nil && !optional {
		return err
	}
	if f != nil {
		defer f.Close()
		if err := check(f); err != nil {
			// ok: file-not-closed-on-path
			return err
		}
	}
	if optional {
		// ok: file-not-closed-on-path
		return os.ErrNotExist
	}
	return nil
}

func made(path string) (*os.File, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(4096); err != nil {
		// ruleid: file-not-closed-on-path
		return nil, err
	}
	// ok: file-not-closed-on-path
	return f, nil
}

func terminal(path string) (*os.File, string, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		// ok: file-not-closed-on-path
		return nil, "", err
	}
	name, err := nameOf(f)
	if err != nil {
		// ruleid: file-not-closed-on-path
		return nil, "", err
	}
	// ok: file-not-closed-on-path
	return f, name, nil
}

func eachOf(paths []string) error {
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			// ok: file-not-closed-on-path
			continue
		}
		if path == "" {
			// ruleid: file-not-closed-on-path
			continue
		}
		if path == "/" {
			f.Close()
			// ok: file-not-closed-on-path
			continue
		}
		for _, other := range paths {
			if other == path {
				// ok: file-not-closed-on-path
				continue
			}
			use(other)
		}
		f.Close()
	}
	return nil
}

func eachCollected(paths []string) (files []*os.File) {
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		files = append(files, f)
		if path == "" {
			// ok: file-not-closed-on-path
			continue
		}
		use(path)
	}
	return files
}

func firstOf(paths []string) error {
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		if path == "" {
			f.Close()
			continue
		}
		if path == "/" {
			// ruleid: file-not-closed-on-path
			return os.ErrInvalid
		}
		f.Close()
		break
	}
	return nil
}

func byEither(path string, keep bool) (*holder, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	var kept *holder
	if keep {
		kept, err = newHolder(f)
		if err != nil {
			return nil, err
		}
	} else {
		f.Close()
	}
	// ok: file-not-closed-on-path
	return kept, nil
}

func ifOpen(path string, optional bool) error {
	f, err := os.Open(path)
	if err != nil && !optional {
		return err
	}
	if f != nil {
		if err := f.Close(); err != nil {
			return err
		}
	}
	// ok: file-not-closed-on-path
	return nil
}

func (h *holder) reopen(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		// ruleid: file-not-closed-on-path
		return err
	}
	h.file, h.size = f, info.Size()
	h.file = f
	// ok: file-not-closed-on-path
	return nil
}

func piped(command *exec.Cmd) ([]byte, error) {
	r, w, err := os.Pipe()
	if err != nil {
		// ok: file-not-closed-on-path
		return nil, err
	}
	command.Stdout = w
	if err := command.Start(); err != nil {
		w.Close()
		// ruleid: file-not-closed-on-path
		return nil, err
	}
	w.Close()
	defer r.Close()
	// ok: file-not-closed-on-path
	return io.ReadAll(r)
}

func pipedWell(command *exec.Cmd) ([]byte, error) {
	r, w, err := os.Pipe()
	if err != nil {
		// ok: file-not-closed-on-path
		return nil, err
	}
	defer r.Close()
	command.Stdout = w
	err = command.Start()
	w.Close()
	if err != nil {
		// ok: file-not-closed-on-path
		return nil, err
	}
	// ok: file-not-closed-on-path
	return io.ReadAll(r)
}

func pipes() (r, w *os.File, err error) {
	r, w, err = os.Pipe()
	if err != nil {
		// ok: file-not-closed-on-path
		return nil, nil, err
	}
	// ok: file-not-closed-on-path
	return r, w, nil
}

func pipesOfNames() (map[string]*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	if err := check(r); err != nil {
		closeAll(r, w)
		// ok: file-not-closed-on-path
		return nil, err
	}
	// ok: file-not-closed-on-path
	return map[string]*os.File{"r": r, "w": w}, nil
}

func alone(path string) *os.File {
	f, err := os.Open(path)
	if err != nil {
		// ok: file-not-closed-on-path
		return nil
	}
	if path == "" {
		// ruleid: file-not-closed-on-path
		return nil
	}
	// ok: file-not-closed-on-path
	return f
}
