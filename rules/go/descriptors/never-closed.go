package annotated

func closed(path string) error {
	// ok: never-closed
	fd, err := unix.Open(path, unix.O_CLOEXEC, perm)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Read(fd, nil)
}

func kept(path string) (int, error) {
	// ok: never-closed
	fd, err := unix.Open(path, unix.O_CLOEXEC, perm)
	return fd, err
}

func handedOver(path string, all *registry) error {
	// ok: never-closed
	fd, err := unix.Open(path, unix.O_CLOEXEC, perm)
	if err == nil {
		all.Add(fd)
	}
	return err
}

func stored(path string, holder *holder) (err error) {
	// ok: never-closed
	fd, err := unix.Open(path, unix.O_CLOEXEC, perm)
	holder.fd = fd
	return err
}

func captured(path string) func() {
	// ok: never-closed
	fd, _ := unix.Open(path, unix.O_CLOEXEC, perm)
	return func() { unix.Close(fd) }
}

func main() {
	// ok: never-closed
	fd, _ := unix.Open(path, unix.O_CLOEXEC, perm)
	unix.Read(fd, nil)
}

func lost1() error {
	// ruleid: never-closed
	fd, err := unix.Open(path, unix.O_CLOEXEC, perm)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost2() error {
	// ruleid: never-closed
	fd, err := unix.Creat(path, mode)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost3() error {
	// ruleid: never-closed
	fd, err := unix.Openat(dirfd, path, unix.O_CLOEXEC, mode)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost4() error {
	// ruleid: never-closed
	fd, err := unix.Openat2(dirfd, path, how)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost5() error {
	// ruleid: never-closed
	fd, err := unix.Socket(domain, unix.SOCK_CLOEXEC, proto)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost6() error {
	// ruleid: never-closed
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost7() error {
	// ruleid: never-closed
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost8() error {
	// ruleid: never-closed
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost9() error {
	// ruleid: never-closed
	fd, err := unix.FanotifyInit(unix.FAN_CLOEXEC, event_f_flags)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost10() error {
	// ruleid: never-closed
	fd, err := unix.Eventfd(initval, unix.EFD_CLOEXEC)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost11() error {
	// ruleid: never-closed
	fd, err := unix.TimerfdCreate(clockid, unix.TFD_CLOEXEC)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost12() error {
	// ruleid: never-closed
	fd, err := unix.Signalfd(fd, sigmask, unix.SFD_CLOEXEC)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost13() error {
	// ruleid: never-closed
	fd, err := unix.PerfEventOpen(attr, pid, cpu, groupFd, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost14() error {
	// ruleid: never-closed
	fd, err := unix.EpollCreate(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost15() error {
	// ruleid: never-closed
	fd, err := unix.InotifyInit(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost16() error {
	// ruleid: never-closed
	fd, err := unix.PidfdOpen(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost17() error {
	// ruleid: never-closed
	fd, err := unix.OpenTree(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost18() error {
	// ruleid: never-closed
	fd, err := unix.Fsopen(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost19() error {
	// ruleid: never-closed
	fd, err := unix.Fspick(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost20() error {
	// ruleid: never-closed
	fd, err := unix.PidfdGetfd(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost21() error {
	// ruleid: never-closed
	fd, err := unix.OpenByHandleAt(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost22() error {
	// ruleid: never-closed
	fd, err := unix.Userfaultfd(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost23() error {
	// ruleid: never-closed
	fd, err := unix.Kqueue(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost24() error {
	// ruleid: never-closed
	fd, err := unix.Fsmount(fd, flags, mountAttrs)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost25() error {
	// ruleid: never-closed
	fd, err := unix.Dup(fd)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost26() error {
	// ruleid: never-closed
	fd, _, err := unix.Accept(fd)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost27() error {
	// ruleid: never-closed
	fd, _, err := unix.Accept4(fd, unix.SOCK_CLOEXEC)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost28() error {
	// ruleid: never-closed
	fd, err := unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, arg)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost29() error {
	// ruleid: never-closed
	fd, err := netns.Get(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost30() error {
	// ruleid: never-closed
	fd, err := netns.New(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost31() error {
	// ruleid: never-closed
	fd, err := netns.NewNamed(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost32() error {
	// ruleid: never-closed
	fd, err := netns.GetFromPath(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost33() error {
	// ruleid: never-closed
	fd, err := netns.GetFromName(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost34() error {
	// ruleid: never-closed
	fd, err := netns.GetFromPid(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost35() error {
	// ruleid: never-closed
	fd, err := netns.GetFromThread(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost36() error {
	// ruleid: never-closed
	fd, err := netns.GetFromDocker(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost37() error {
	// ruleid: never-closed
	fd, err := netlink.NewHandle(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost38() error {
	// ruleid: never-closed
	fd, err := netlink.NewHandleAt(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost39() error {
	// ruleid: never-closed
	fd, err := netlink.NewHandleAtFrom(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost40() error {
	// ruleid: never-closed
	fd, err := netlink.NewHandleWithOptions(args...)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost41() error {
	// ruleid: never-closed
	fd, err := fifo.OpenFifo(ctx, fn, flag, perm)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost42() error {
	// ruleid: never-closed
	fd, err := inotify.NewWatcher()
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost43() error {
	// ruleid: never-closed
	fd, err := ethtool.NewEthtool()
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost44() error {
	// ruleid: never-closed
	fd, err := tun.Open(name)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost45() error {
	// ruleid: never-closed
	fd, err := tun.OpenTAP(name)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost46() error {
	// ruleid: never-closed
	fd, err := fsnotify.NewWatcher(size)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost47() error {
	// ruleid: never-closed
	fd, err := fsnotify.NewBufferedWatcher(size)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost48() error {
	// ruleid: never-closed
	fd, err := pidfd.Open(pid, flags)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost49() error {
	// ruleid: never-closed
	fd, err := self.GetFd(targetfd, flags)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}

func lost50() error {
	// ruleid: never-closed
	fd, err := unix.IoctlRetInt(fd, unix.KVM_CREATE_VM)
	if err != nil || fd < 0 {
		return err
	}
	return unix.Read(fd, nil)
}
