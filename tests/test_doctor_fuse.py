"""The incident of the FUSE broker with the real kernel: a reader that was killed and cannot end, and doctor on it.

The mount is in a mount namespace of its own. The connection ends with its last descriptor, at the latest with the
process group, so nothing stays behind.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from fdlint.runtime.doctor.examination import examine
from fdlint.runtime.doctor.judging.verdict import Grade
from fdlint.runtime.doctor.proc.files import Procfs
from fdlint.runtime.doctor.text import render

BROKER = """
import ctypes, os, signal, struct, subprocess, sys, time
libc = ctypes.CDLL(None, use_errno=True)
directory = sys.argv[1].encode()
if libc.unshare(0x20000) or libc.mount(b"none", b"/", None, 0x44000, None):
    sys.exit("no mount namespace")
device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
options = f"fd={device},rootmode=40000,user_id=0,group_id=0".encode()
if libc.mount(b"test", directory, b"fuse", 0, options):
    sys.exit("no mount")
reading, writing = os.pipe()
server = os.fork()
if server == 0:
    request = os.read(device, 1 << 17)
    unique = struct.unpack_from("<Q", request, 8)[0]
    body = struct.pack("<IIIIHHIIHHI28x", 7, 31, 0, 0, 12, 9, 4096, 1, 1, 0, 0)
    os.write(device, struct.pack("<IiQ", 16 + len(body), 0, unique) + body)
    os.read(device, 1 << 17)
    os.write(writing, b"a request that nobody answers")
    signal.pause()
reader = subprocess.Popen(["ls", directory.decode()], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
os.read(reading, 100)
os.kill(server, signal.SIGKILL)
os.waitpid(server, 0)
reader.kill()
for _ in range(100):
    if open(f"/proc/{reader.pid}/stat").read().rpartition(")")[2].split()[0] == "D":
        break
    time.sleep(0.02)
print("ready", reader.pid, flush=True)
sys.stdin.read()
os.close(device)
print("ended", reader.wait(5), flush=True)
libc.umount2(directory, 2)
"""


@pytest.mark.skipif(
    sys.platform != "linux" or os.getuid() != 0 or not Path("/dev/fuse").exists(),
    reason="only root can mount a file system, and only where there is /dev/fuse",
)
def test_the_incident() -> None:
    directory = tempfile.mkdtemp()
    broker = subprocess.Popen(
        [sys.executable, "-c", BROKER, directory],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert broker.stdout is not None
        ready = broker.stdout.readline().split()
        if not ready:
            pytest.skip("this kernel, or this container, mounts no FUSE")
        reader = int(ready[1])
        found = examine(Procfs(), [broker.pid, reader])
        ended, _ = broker.communicate("", timeout=20)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(broker.pid, signal.SIGKILL)
        broker.wait()
        os.rmdir(directory)
    assert "ended -9" in ended
    text = "\n".join(line.plain for line in render(found))
    stuck = found.snapshot.process(reader)
    assert stuck is not None
    assert [(one.state, one.waits_in, one.killed) for one in stuck.threads] == [("D", "request_wait_answer", True)], (
        text
    )
    (judged,) = (one for one in found.judgements if one.pid == reader)
    assert (judged.pattern.name, judged.grade) == ("Kept after the send", Grade.FINDING)
    assert f"/dev/fuse is held by {broker.pid}" in judged.evidence
