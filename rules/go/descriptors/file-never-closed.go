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
	f, err := os.OpenRoot(name)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost5() error {
	// ruleid: file-never-closed
	f, err := os.OpenInRoot(dir, name)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost6() error {
	// ruleid: file-never-closed
	f, err := zip.OpenReader(name)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost7() error {
	// ruleid: file-never-closed
	f, err := elf.Open(name)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost8() error {
	// ruleid: file-never-closed
	f, err := macho.Open(name)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost9() error {
	// ruleid: file-never-closed
	f, err := pe.Open(name)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost10() error {
	// ruleid: file-never-closed
	f, err := os.CreateTemp(dir, pattern)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost11() error {
	// ruleid: file-never-closed
	f, err := ioutil.TempFile(dir, pattern)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost12() error {
	// ruleid: file-never-closed
	f, err := self.File()
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost13() error {
	// ruleid: file-never-closed
	f, err := ns.GetNS(path)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost14() error {
	// ruleid: file-never-closed
	f, err := ns.GetCurrentNS(path)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost15() error {
	// ruleid: file-never-closed
	f, err := netlink.Dial(family, config)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost16() error {
	// ruleid: file-never-closed
	f, err := genetlink.Dial(config)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost17() error {
	// ruleid: file-never-closed
	f, err := pty.Start(cmd, more...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost18() error {
	// ruleid: file-never-closed
	f, err := pty.StartWithSize(cmd, more...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost19() error {
	// ruleid: file-never-closed
	f, err := pty.StartWithAttrs(cmd, more...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost20() error {
	// ruleid: file-never-closed
	f, err := ebpf.NewMap(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost21() error {
	// ruleid: file-never-closed
	f, err := ebpf.NewMapWithOptions(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost22() error {
	// ruleid: file-never-closed
	f, err := ebpf.NewMapFromFD(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost23() error {
	// ruleid: file-never-closed
	f, err := ebpf.NewMapFromID(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost24() error {
	// ruleid: file-never-closed
	f, err := ebpf.LoadPinnedMap(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost25() error {
	// ruleid: file-never-closed
	f, err := ebpf.NewProgram(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost26() error {
	// ruleid: file-never-closed
	f, err := ebpf.NewProgramWithOptions(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost27() error {
	// ruleid: file-never-closed
	f, err := ebpf.NewProgramFromID(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost28() error {
	// ruleid: file-never-closed
	f, err := ebpf.LoadPinnedProgram(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost29() error {
	// ruleid: file-never-closed
	f, err := ebpf.NewCollection(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost30() error {
	// ruleid: file-never-closed
	f, err := ebpf.NewCollectionWithOptions(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost31() error {
	// ruleid: file-never-closed
	f, err := ebpf.LoadCollection(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost32() error {
	// ruleid: file-never-closed
	f, err := perf.NewReader(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost33() error {
	// ruleid: file-never-closed
	f, err := perf.NewReaderWithOptions(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost34() error {
	// ruleid: file-never-closed
	f, err := ringbuf.NewReader(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost35() error {
	// ruleid: file-never-closed
	f, err := link.AttachCgroup(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost36() error {
	// ruleid: file-never-closed
	f, err := link.AttachFreplace(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost37() error {
	// ruleid: file-never-closed
	f, err := link.AttachIter(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost38() error {
	// ruleid: file-never-closed
	f, err := link.AttachLSM(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost39() error {
	// ruleid: file-never-closed
	f, err := link.AttachNetNs(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost40() error {
	// ruleid: file-never-closed
	f, err := link.AttachNetfilter(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost41() error {
	// ruleid: file-never-closed
	f, err := link.AttachNetkit(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost42() error {
	// ruleid: file-never-closed
	f, err := link.AttachRawLink(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost43() error {
	// ruleid: file-never-closed
	f, err := link.AttachRawTracepoint(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost44() error {
	// ruleid: file-never-closed
	f, err := link.AttachTCX(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost45() error {
	// ruleid: file-never-closed
	f, err := link.AttachTracing(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost46() error {
	// ruleid: file-never-closed
	f, err := link.AttachXDP(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost47() error {
	// ruleid: file-never-closed
	f, err := link.Kprobe(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost48() error {
	// ruleid: file-never-closed
	f, err := link.KprobeMulti(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost49() error {
	// ruleid: file-never-closed
	f, err := link.Kretprobe(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost50() error {
	// ruleid: file-never-closed
	f, err := link.KretprobeMulti(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost51() error {
	// ruleid: file-never-closed
	f, err := link.Tracepoint(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost52() error {
	// ruleid: file-never-closed
	f, err := link.LoadPinnedLink(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost53() error {
	// ruleid: file-never-closed
	f, err := link.NewFromID(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost54() error {
	// ruleid: file-never-closed
	f, err := self.Uprobe(symbol, prog, opts)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost55() error {
	// ruleid: file-never-closed
	f, err := self.Uretprobe(symbol, prog, opts)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost56() error {
	// ruleid: file-never-closed
	f, err := securejoin.OpenInRoot(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost57() error {
	// ruleid: file-never-closed
	f, err := securejoin.OpenatInRoot(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost58() error {
	// ruleid: file-never-closed
	f, err := securejoin.MkdirAllHandle(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost59() error {
	// ruleid: file-never-closed
	f, err := securejoin.Reopen(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost60() error {
	// ruleid: file-never-closed
	f, err := pathrs.OpenInRoot(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost61() error {
	// ruleid: file-never-closed
	f, err := pathrs.OpenatInRoot(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost62() error {
	// ruleid: file-never-closed
	f, err := pathrs.MkdirAllHandle(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost63() error {
	// ruleid: file-never-closed
	f, err := pathrs.Reopen(args...)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost64() error {
	// ruleid: file-never-closed
	f, err := utils.RecvFd(socket)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost65() error {
	// ruleid: file-never-closed
	f, err := utils.RecvFile(socket)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}

func lost66() error {
	// ruleid: file-never-closed
	f, err := afero.TempFile(fs, dir, pattern)
	if err != nil || f == nil {
		return err
	}
	f.Chdir()
	return nil
}
