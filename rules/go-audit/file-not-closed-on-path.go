package annotated

import (
	"os"
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
