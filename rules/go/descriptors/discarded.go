package annotated

func supported() bool {
	// ok: discarded
	fd, err := unix.Open(path, unix.O_CLOEXEC, perm)
	if err == nil {
		unix.Close(fd)
	}
	return err == nil
}

func exists(path string) bool {
	// ok: discarded
	_, err := other.Open(path)
	return err == nil
}

func TestMissing(t *testing.T) {
	// ok: discarded
	if _, err := unix.Open(path, unix.O_CLOEXEC, perm); err == nil {
		t.Fatal(path)
	}
}

func probe1() bool {
	// ruleid: discarded
	_, err := unix.Open(path, unix.O_CLOEXEC, perm)
	return err == nil
}

func probe2() bool {
	// ruleid: discarded
	_, err := unix.Creat(path, mode)
	return err == nil
}

func probe3() bool {
	// ruleid: discarded
	_, err := unix.Openat(dirfd, path, unix.O_CLOEXEC, mode)
	return err == nil
}

func probe4() bool {
	// ruleid: discarded
	_, err := unix.Openat2(dirfd, path, how)
	return err == nil
}

func probe5() bool {
	// ruleid: discarded
	_, err := unix.Socket(domain, unix.SOCK_CLOEXEC, proto)
	return err == nil
}

func probe6() bool {
	// ruleid: discarded
	_, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	return err == nil
}

func probe7() bool {
	// ruleid: discarded
	_, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	return err == nil
}

func probe8() bool {
	// ruleid: discarded
	_, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	return err == nil
}

func probe9() bool {
	// ruleid: discarded
	_, err := unix.FanotifyInit(unix.FAN_CLOEXEC, event_f_flags)
	return err == nil
}

func probe10() bool {
	// ruleid: discarded
	_, err := unix.Eventfd(initval, unix.EFD_CLOEXEC)
	return err == nil
}

func probe11() bool {
	// ruleid: discarded
	_, err := unix.TimerfdCreate(clockid, unix.TFD_CLOEXEC)
	return err == nil
}

func probe12() bool {
	// ruleid: discarded
	_, err := unix.Signalfd(fd, sigmask, unix.SFD_CLOEXEC)
	return err == nil
}

func probe13() bool {
	// ruleid: discarded
	_, err := unix.PerfEventOpen(attr, pid, cpu, groupFd, unix.PERF_FLAG_FD_CLOEXEC)
	return err == nil
}

func probe14() bool {
	// ruleid: discarded
	_, err := unix.EpollCreate(args...)
	return err == nil
}

func probe15() bool {
	// ruleid: discarded
	_, err := unix.InotifyInit(args...)
	return err == nil
}

func probe16() bool {
	// ruleid: discarded
	_, err := unix.PidfdOpen(args...)
	return err == nil
}

func probe17() bool {
	// ruleid: discarded
	_, err := unix.OpenTree(args...)
	return err == nil
}

func probe18() bool {
	// ruleid: discarded
	_, err := unix.Fsopen(args...)
	return err == nil
}

func probe19() bool {
	// ruleid: discarded
	_, err := unix.Fspick(args...)
	return err == nil
}

func probe20() bool {
	// ruleid: discarded
	_, err := unix.PidfdGetfd(args...)
	return err == nil
}

func probe21() bool {
	// ruleid: discarded
	_, err := unix.OpenByHandleAt(args...)
	return err == nil
}

func probe22() bool {
	// ruleid: discarded
	_, err := unix.Userfaultfd(args...)
	return err == nil
}

func probe23() bool {
	// ruleid: discarded
	_, err := unix.Kqueue(args...)
	return err == nil
}

func probe24() bool {
	// ruleid: discarded
	_, err := unix.Fsmount(fd, flags, mountAttrs)
	return err == nil
}

func probe25() bool {
	// ruleid: discarded
	_, err := unix.Dup(fd)
	return err == nil
}

func probe26() bool {
	// ruleid: discarded
	_, _, err := unix.Accept(fd)
	return err == nil
}

func probe27() bool {
	// ruleid: discarded
	_, _, err := unix.Accept4(fd, unix.SOCK_CLOEXEC)
	return err == nil
}

func probe28() bool {
	// ruleid: discarded
	_, err := unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, arg)
	return err == nil
}

func probe29() bool {
	// ruleid: discarded
	_, err := netns.Get(args...)
	return err == nil
}

func probe30() bool {
	// ruleid: discarded
	_, err := netns.New(args...)
	return err == nil
}

func probe31() bool {
	// ruleid: discarded
	_, err := netns.NewNamed(args...)
	return err == nil
}

func probe32() bool {
	// ruleid: discarded
	_, err := netns.GetFromPath(args...)
	return err == nil
}

func probe33() bool {
	// ruleid: discarded
	_, err := netns.GetFromName(args...)
	return err == nil
}

func probe34() bool {
	// ruleid: discarded
	_, err := netns.GetFromPid(args...)
	return err == nil
}

func probe35() bool {
	// ruleid: discarded
	_, err := netns.GetFromThread(args...)
	return err == nil
}

func probe36() bool {
	// ruleid: discarded
	_, err := netns.GetFromDocker(args...)
	return err == nil
}

func probe37() bool {
	// ruleid: discarded
	_, err := netlink.NewHandle(args...)
	return err == nil
}

func probe38() bool {
	// ruleid: discarded
	_, err := netlink.NewHandleAt(args...)
	return err == nil
}

func probe39() bool {
	// ruleid: discarded
	_, err := netlink.NewHandleAtFrom(args...)
	return err == nil
}

func probe40() bool {
	// ruleid: discarded
	_, err := netlink.NewHandleWithOptions(args...)
	return err == nil
}

func probe41() bool {
	// ruleid: discarded
	_, err := fifo.OpenFifo(ctx, fn, flag, perm)
	return err == nil
}

func probe42() bool {
	// ruleid: discarded
	_, err := inotify.NewWatcher()
	return err == nil
}

func probe43() bool {
	// ruleid: discarded
	_, err := ethtool.NewEthtool()
	return err == nil
}

func probe44() bool {
	// ruleid: discarded
	_, err := tun.Open(name)
	return err == nil
}

func probe45() bool {
	// ruleid: discarded
	_, err := tun.OpenTAP(name)
	return err == nil
}

func probe46() bool {
	// ruleid: discarded
	_, err := fsnotify.NewWatcher(size)
	return err == nil
}

func probe47() bool {
	// ruleid: discarded
	_, err := fsnotify.NewBufferedWatcher(size)
	return err == nil
}

func probe48() bool {
	// ruleid: discarded
	_, err := pidfd.Open(pid, flags)
	return err == nil
}

func probe49() bool {
	// ruleid: discarded
	_, err := self.GetFd(targetfd, flags)
	return err == nil
}

func probe50() bool {
	// ruleid: discarded
	_, err := unix.IoctlRetInt(fd, unix.KVM_CREATE_VM)
	return err == nil
}
