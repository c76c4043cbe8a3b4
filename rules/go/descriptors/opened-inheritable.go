package annotated

func open1At1() {
	// ruleid: opened-inheritable
	fd, err := unix.Open(path, 0, perm)
	keep(fd, err)
	// ruleid: opened-inheritable
	fd, err = unix.Open(path, unix.ONE|unix.TWO, perm)
	keep(fd, err)
	// ok: opened-inheritable
	fd, err = unix.Open(path, unix.O_CLOEXEC, perm)
	keep(fd, err)
	// ok: opened-inheritable
	fd, err = unix.Open(path, unix.ONE|unix.TWO|unix.O_CLOEXEC, perm)
	keep(fd, err)
	// ok: opened-inheritable
	fd, err = unix.Open(path, computed, perm)
	keep(fd, err)
}

func open1At2() {
	// ruleid: opened-inheritable
	fd, err := unix.Openat(dirfd, path, 0, mode)
	keep(fd, err)
	// ruleid: opened-inheritable
	fd, err = unix.Openat(dirfd, path, unix.ONE|unix.TWO, mode)
	keep(fd, err)
	// ok: opened-inheritable
	fd, err = unix.Openat(dirfd, path, unix.O_CLOEXEC, mode)
	keep(fd, err)
	// ok: opened-inheritable
	fd, err = unix.Openat(dirfd, path, unix.ONE|unix.TWO|unix.O_CLOEXEC, mode)
	keep(fd, err)
	// ok: opened-inheritable
	fd, err = unix.Openat(dirfd, path, computed, mode)
	keep(fd, err)
}

func open1At3() {
	// ruleid: opened-inheritable
	fd, err := unix.Pipe2(p, 0)
	keep(fd, err)
	// ruleid: opened-inheritable
	fd, err = unix.Pipe2(p, unix.ONE|unix.TWO)
	keep(fd, err)
	// ok: opened-inheritable
	fd, err = unix.Pipe2(p, unix.O_CLOEXEC)
	keep(fd, err)
	// ok: opened-inheritable
	fd, err = unix.Pipe2(p, unix.ONE|unix.TWO|unix.O_CLOEXEC)
	keep(fd, err)
	// ok: opened-inheritable
	fd, err = unix.Pipe2(p, computed)
	keep(fd, err)
}

func open2At1() {
	// ruleid: fd302-sock
	fd, err := unix.Socket(domain, 0, proto)
	keep(fd, err)
	// ruleid: fd302-sock
	fd, err = unix.Socket(domain, unix.ONE|unix.TWO, proto)
	keep(fd, err)
	// ok: fd302-sock
	fd, err = unix.Socket(domain, unix.SOCK_CLOEXEC, proto)
	keep(fd, err)
	// ok: fd302-sock
	fd, err = unix.Socket(domain, unix.ONE|unix.TWO|unix.SOCK_CLOEXEC, proto)
	keep(fd, err)
	// ok: fd302-sock
	fd, err = unix.Socket(domain, computed, proto)
	keep(fd, err)
}

func open2At2() {
	// ruleid: fd302-sock
	fd, err := unix.Socketpair(domain, 0, proto)
	keep(fd, err)
	// ruleid: fd302-sock
	fd, err = unix.Socketpair(domain, unix.ONE|unix.TWO, proto)
	keep(fd, err)
	// ok: fd302-sock
	fd, err = unix.Socketpair(domain, unix.SOCK_CLOEXEC, proto)
	keep(fd, err)
	// ok: fd302-sock
	fd, err = unix.Socketpair(domain, unix.ONE|unix.TWO|unix.SOCK_CLOEXEC, proto)
	keep(fd, err)
	// ok: fd302-sock
	fd, err = unix.Socketpair(domain, computed, proto)
	keep(fd, err)
}

func open2At3() {
	// ruleid: fd302-sock
	fd, err := unix.Accept4(fd, 0)
	keep(fd, err)
	// ruleid: fd302-sock
	fd, err = unix.Accept4(fd, unix.ONE|unix.TWO)
	keep(fd, err)
	// ok: fd302-sock
	fd, err = unix.Accept4(fd, unix.SOCK_CLOEXEC)
	keep(fd, err)
	// ok: fd302-sock
	fd, err = unix.Accept4(fd, unix.ONE|unix.TWO|unix.SOCK_CLOEXEC)
	keep(fd, err)
	// ok: fd302-sock
	fd, err = unix.Accept4(fd, computed)
	keep(fd, err)
}

func open3At1() {
	// ruleid: fd302-mfd
	fd, err := unix.MemfdCreate(name, 0)
	keep(fd, err)
	// ruleid: fd302-mfd
	fd, err = unix.MemfdCreate(name, unix.ONE|unix.TWO)
	keep(fd, err)
	// ok: fd302-mfd
	fd, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	keep(fd, err)
	// ok: fd302-mfd
	fd, err = unix.MemfdCreate(name, unix.ONE|unix.TWO|unix.MFD_CLOEXEC)
	keep(fd, err)
	// ok: fd302-mfd
	fd, err = unix.MemfdCreate(name, computed)
	keep(fd, err)
}

func open4At1() {
	// ruleid: fd302-epoll
	fd, err := unix.EpollCreate1(0)
	keep(fd, err)
	// ruleid: fd302-epoll
	fd, err = unix.EpollCreate1(unix.ONE|unix.TWO)
	keep(fd, err)
	// ok: fd302-epoll
	fd, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	keep(fd, err)
	// ok: fd302-epoll
	fd, err = unix.EpollCreate1(unix.ONE|unix.TWO|unix.EPOLL_CLOEXEC)
	keep(fd, err)
	// ok: fd302-epoll
	fd, err = unix.EpollCreate1(computed)
	keep(fd, err)
}

func open5At1() {
	// ruleid: fd302-in
	fd, err := unix.InotifyInit1(0)
	keep(fd, err)
	// ruleid: fd302-in
	fd, err = unix.InotifyInit1(unix.ONE|unix.TWO)
	keep(fd, err)
	// ok: fd302-in
	fd, err = unix.InotifyInit1(unix.IN_CLOEXEC)
	keep(fd, err)
	// ok: fd302-in
	fd, err = unix.InotifyInit1(unix.ONE|unix.TWO|unix.IN_CLOEXEC)
	keep(fd, err)
	// ok: fd302-in
	fd, err = unix.InotifyInit1(computed)
	keep(fd, err)
}

func open6At1() {
	// ruleid: fd302-fan
	fd, err := unix.FanotifyInit(0, event_f_flags)
	keep(fd, err)
	// ruleid: fd302-fan
	fd, err = unix.FanotifyInit(unix.ONE|unix.TWO, event_f_flags)
	keep(fd, err)
	// ok: fd302-fan
	fd, err = unix.FanotifyInit(unix.FAN_CLOEXEC, event_f_flags)
	keep(fd, err)
	// ok: fd302-fan
	fd, err = unix.FanotifyInit(unix.ONE|unix.TWO|unix.FAN_CLOEXEC, event_f_flags)
	keep(fd, err)
	// ok: fd302-fan
	fd, err = unix.FanotifyInit(computed, event_f_flags)
	keep(fd, err)
}

func open7At1() {
	// ruleid: fd302-efd
	fd, err := unix.Eventfd(initval, 0)
	keep(fd, err)
	// ruleid: fd302-efd
	fd, err = unix.Eventfd(initval, unix.ONE|unix.TWO)
	keep(fd, err)
	// ok: fd302-efd
	fd, err = unix.Eventfd(initval, unix.EFD_CLOEXEC)
	keep(fd, err)
	// ok: fd302-efd
	fd, err = unix.Eventfd(initval, unix.ONE|unix.TWO|unix.EFD_CLOEXEC)
	keep(fd, err)
	// ok: fd302-efd
	fd, err = unix.Eventfd(initval, computed)
	keep(fd, err)
}

func open8At1() {
	// ruleid: fd302-tfd
	fd, err := unix.TimerfdCreate(clockid, 0)
	keep(fd, err)
	// ruleid: fd302-tfd
	fd, err = unix.TimerfdCreate(clockid, unix.ONE|unix.TWO)
	keep(fd, err)
	// ok: fd302-tfd
	fd, err = unix.TimerfdCreate(clockid, unix.TFD_CLOEXEC)
	keep(fd, err)
	// ok: fd302-tfd
	fd, err = unix.TimerfdCreate(clockid, unix.ONE|unix.TWO|unix.TFD_CLOEXEC)
	keep(fd, err)
	// ok: fd302-tfd
	fd, err = unix.TimerfdCreate(clockid, computed)
	keep(fd, err)
}

func open9At1() {
	// ruleid: fd302-sfd
	fd, err := unix.Signalfd(fd, sigmask, 0)
	keep(fd, err)
	// ruleid: fd302-sfd
	fd, err = unix.Signalfd(fd, sigmask, unix.ONE|unix.TWO)
	keep(fd, err)
	// ok: fd302-sfd
	fd, err = unix.Signalfd(fd, sigmask, unix.SFD_CLOEXEC)
	keep(fd, err)
	// ok: fd302-sfd
	fd, err = unix.Signalfd(fd, sigmask, unix.ONE|unix.TWO|unix.SFD_CLOEXEC)
	keep(fd, err)
	// ok: fd302-sfd
	fd, err = unix.Signalfd(fd, sigmask, computed)
	keep(fd, err)
}

func open10At1() {
	// ruleid: fd302-perf-flag-fd
	fd, err := unix.PerfEventOpen(attr, pid, cpu, groupFd, 0)
	keep(fd, err)
	// ruleid: fd302-perf-flag-fd
	fd, err = unix.PerfEventOpen(attr, pid, cpu, groupFd, unix.ONE|unix.TWO)
	keep(fd, err)
	// ok: fd302-perf-flag-fd
	fd, err = unix.PerfEventOpen(attr, pid, cpu, groupFd, unix.PERF_FLAG_FD_CLOEXEC)
	keep(fd, err)
	// ok: fd302-perf-flag-fd
	fd, err = unix.PerfEventOpen(attr, pid, cpu, groupFd, unix.ONE|unix.TWO|unix.PERF_FLAG_FD_CLOEXEC)
	keep(fd, err)
	// ok: fd302-perf-flag-fd
	fd, err = unix.PerfEventOpen(attr, pid, cpu, groupFd, computed)
	keep(fd, err)
}

func open11At1() {
	// ruleid: fd301-msg-cmsg
	fd, err := unix.Recvmsg(fd, p, oob, 0)
	keep(fd, err)
	// ruleid: fd301-msg-cmsg
	fd, err = unix.Recvmsg(fd, p, oob, unix.ONE|unix.TWO)
	keep(fd, err)
	// ok: fd301-msg-cmsg
	fd, err = unix.Recvmsg(fd, p, oob, unix.MSG_CMSG_CLOEXEC)
	keep(fd, err)
	// ok: fd301-msg-cmsg
	fd, err = unix.Recvmsg(fd, p, oob, unix.ONE|unix.TWO|unix.MSG_CMSG_CLOEXEC)
	keep(fd, err)
	// ok: fd301-msg-cmsg
	fd, err = unix.Recvmsg(fd, p, oob, computed)
	keep(fd, err)
}

func open11At2() {
	// ruleid: fd301-msg-cmsg
	fd, err := unix.RecvmsgBuffers(fd, p, oob, 0)
	keep(fd, err)
	// ruleid: fd301-msg-cmsg
	fd, err = unix.RecvmsgBuffers(fd, p, oob, unix.ONE|unix.TWO)
	keep(fd, err)
	// ok: fd301-msg-cmsg
	fd, err = unix.RecvmsgBuffers(fd, p, oob, unix.MSG_CMSG_CLOEXEC)
	keep(fd, err)
	// ok: fd301-msg-cmsg
	fd, err = unix.RecvmsgBuffers(fd, p, oob, unix.ONE|unix.TWO|unix.MSG_CMSG_CLOEXEC)
	keep(fd, err)
	// ok: fd301-msg-cmsg
	fd, err = unix.RecvmsgBuffers(fd, p, oob, computed)
	keep(fd, err)
}

func brief(path string) error {
	// ok: opened-inheritable
	fd, err := unix.Open(path, 0, perm)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Read(fd, nil)
}

func briefWithoutDefer(path string) error {
	// ok: opened-inheritable
	fd, err := unix.Open(path, 0, perm)
	if err == nil {
		unix.Read(fd, nil)
		unix.Close(fd)
	}
	return err
}

func later(path string) (int, error) {
	// ok: opened-inheritable
	fd, err := unix.Open(path, 0, perm)
	if err == nil {
		unix.CloseOnExec(fd)
	}
	return fd, err
}

func set(path string) (int, error) {
	// ok: opened-inheritable
	fd, err := unix.Open(path, 0, perm)
	if err == nil {
		unix.FcntlInt(fd, unix.F_SETFD, arg)
	}
	return fd, err
}

func message(sock int, data []byte) (int, error) {
	// ok: fd301-msg-cmsg
	n, err := unix.Recvmsg(fd, p, nil, 0)
	return n, err
}
