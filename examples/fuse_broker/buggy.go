//go:build ignore

// A privileged broker that mounts FUSE file systems for unprivileged clients, and keeps a copy of every descriptor.
package broker

import (
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"
)

// Serve answers every client in a goroutine of its own.
func Serve(listener *net.UnixListener) error {
	for {
		conn, err := listener.AcceptUnix()
		if err != nil {
			return err
		}
		go handle(conn)
	}
}

func handle(conn *net.UnixConn) {
	defer conn.Close()
	nsFd, request, err := recvFd(conn) // never closed, on no path
	if err != nil {
		log.Printf("no request: %v", err)
		return
	}
	reply := "mounted"
	fd, err := fusermount(nsFd, string(request))
	if err != nil {
		reply = err.Error()
	}
	if err := sendFd(conn, fd, []byte(reply)); err != nil { // the client has a duplicate now; ours stays
		log.Printf("no reply: %v", err)
		return
	}
}

// fusermount runs the setuid helper in the client's mount namespace. It returns the /dev/fuse descriptor that the
// helper sends back, or 0 for an unmount.
func fusermount(nsFd int, request string) (int, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return 0, err
	}
	defer ours.Close()
	defer theirs.Close()
	namespace := fmt.Sprintf("--mount=/proc/%d/fd/%d", os.Getpid(), nsFd)
	cmd := exec.Command("nsenter", append([]string{namespace, "fusermount3"}, strings.Fields(request)...)...)
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.Env = append(os.Environ(), "_FUSE_COMMFD=3")
	if output, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("fusermount3: %w: %s", err, output)
	}
	if strings.HasPrefix(request, "-u") {
		return 0, nil
	}
	fd, _, err := recvFd(ours)
	return fd, err
}

func sendFd(conn *net.UnixConn, fd int, reply []byte) error {
	var rights []byte
	if fd > 0 {
		rights = unix.UnixRights(fd)
	}
	_, _, err := conn.WriteMsgUnix(reply, rights, nil)
	return err
}

func recvFd(conn *net.UnixConn) (int, []byte, error) {
	data, oob := make([]byte, 4096), make([]byte, unix.CmsgSpace(4))
	n, oobn, _, _, err := conn.ReadMsgUnix(data, oob)
	if err != nil {
		return 0, nil, err
	}
	messages, err := unix.ParseSocketControlMessage(oob[:oobn])
	if err != nil || len(messages) == 0 {
		return 0, nil, errors.Join(errors.New("no descriptor"), err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) == 0 {
		return 0, nil, errors.Join(errors.New("no descriptor"), err)
	}
	return fds[0], data[:n], nil // CmsgSpace rounds up: a second descriptor would be lost here
}

func socketPair() (*net.UnixConn, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
	defer ours.Close() // FileConn duplicates
	conn, err := net.FileConn(ours)
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return conn.(*net.UnixConn), theirs, nil
}
