package annotated

func make1(fd int) error {
	// ruleid: original-never-closed
	conn, err := net.FileConn(os.NewFile(uintptr(fd), ""))
	use(conn)
	return err
}

func makeAndClose1(fd int) error {
	file := os.NewFile(uintptr(fd), "")
	defer file.Close()
	// ok: original-never-closed
	conn, err := net.FileConn(file)
	use(conn)
	return err
}

func make2(fd int) error {
	// ruleid: original-never-closed
	conn, err := net.FileListener(os.NewFile(uintptr(fd), ""))
	use(conn)
	return err
}

func makeAndClose2(fd int) error {
	file := os.NewFile(uintptr(fd), "")
	defer file.Close()
	// ok: original-never-closed
	conn, err := net.FileListener(file)
	use(conn)
	return err
}

func make3(fd int) error {
	// ruleid: original-never-closed
	conn, err := net.FilePacketConn(os.NewFile(uintptr(fd), ""))
	use(conn)
	return err
}

func makeAndClose3(fd int) error {
	file := os.NewFile(uintptr(fd), "")
	defer file.Close()
	// ok: original-never-closed
	conn, err := net.FilePacketConn(file)
	use(conn)
	return err
}
