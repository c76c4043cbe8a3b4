"""The catalog about libraries that need not be installed: no name can be looked up, but the form can be checked."""

from __future__ import annotations

import re
import sys

import pytest
from bundled import importable, third_party

from fdlint.catalog import default_catalog
from fdlint.catalog.model import Api, Nothing
from fdlint.catalog.prefilter import Prefilter, prefilter_of
from fdlint.catalog.shape import acquires, instance_types
from fdlint.core.domain.event import Event

APIS = [api for contents in third_party() for api in contents.apis]
ALIASES = {alias: name for contents in third_party() for alias, name in contents.aliases.items()}
NAMES = {api.name for api in APIS}

# Methods whose name alone says whose they are.
OF_ANY_RECEIVER = {
    "*._new_shared_fd_cpu", "*._share_fd_cpu_", "*.adoptDatagramPort", "*.adoptStreamConnection", "*.adoptStreamPort",
    "*.ctx.abort", "*.ctx.exit", "*.ctx.fail", "*.exit_json", "*.fail_json", "*.mocker.patch", "*.patch.object",
    "*.hdrFromFdno", "*.openGraphicsFD", "*.sendFileDescriptor", "*.setenv", "*.steal_fds", "*.to_raw_fd",
}  # fmt: skip

# They look like acquiring and do not.
QUIET = {"libc.so", "systemd.daemon.listen_fds", "systemd.daemon.listen_fds_with_names"}

# A line of each library that its files have whether or not they touch a descriptor.
HARMLESS = [
    "import aiofiles\nasync with aiofiles.open(path) as file:\n    await file.read()",
    "from anyio import connect_tcp, open_file",
    "from evdev import InputDevice",
    "import gevent\ngevent.spawn(work).join()",
    "import inotify.adapters\ninotify.adapters.Inotify()",
    "import libvirt\nlibvirt.open('qemu:///system').lookupByName('web').create()",
    "import pexpect\nchild = pexpect.spawn('ftp', timeout=5)\nchild.close()",
    "import serial\nwith serial.Serial('/dev/ttyS0') as port:\n    port.read(1)",
    "import torch\nprint(torch.zeros(3).detach().numpy())",
    "import trio\ntrio.run(main)",
    "import zmq\nrep = zmq.Context().socket(zmq.REP)\nrep.close()",
    "from dbus_fast.aio import MessageBus",
    "from systemd import daemon\ndaemon.notify('READY=1')",
    "from tornado.ioloop import IOLoop\nIOLoop.current().start()",
    "from twisted.internet import protocol, reactor\nreactor.run()",
    "from watchdog.observers import Observer",
]

DESCRIPTORS = [
    "from anyio.abc import UNIXSocketStream\nasync def f(s: UNIXSocketStream):\n    await s.receive_fds(1, 1)",
    "from evdev import _uinput\nfd = _uinput.open(path)",
    "from inotify.calls import inotify_init\nfd = inotify_init()",
    "fd = message.body[0].to_raw_fd()",
    "fds = fd_list.steal_fds()",
    "import passfd\nfd, message = passfd.recvfd(sock)",
    "fd = domain.openGraphicsFD(0)",
    "from pyroute2 import netns\nfd = netns.getnsfd('web')",
    "from systemd import daemon\ndaemon.notify('FDSTORE=1', fds=[fd])",
    "from systemd.journal import stream_fd",
    "transport.sendFileDescriptor(fd)",
    "import trio\nfd = sock.detach()",
]


def test_a_source_is_named_and_not_of_python_itself() -> None:
    own = re.compile(r"https://(?!docs\.python\.org/)(?!.*python/cpython)[^\s/]+\.[a-z]+/\S+")
    assert not [api.name for api in APIS if not own.fullmatch(api.source)]


def of_a_library(api: Api) -> bool:
    root = api.name.partition(".")[0]
    known = api.name in OF_ANY_RECEIVER if root == "*" else root not in sys.stdlib_module_names
    return known and "." in api.name and api.since is None


def test_each_is_about_a_library_of_its_own() -> None:
    assert not [api.name for api in APIS if not of_a_library(api)]


def test_methods_of_any_receiver_are_the_ones_listed() -> None:
    assert {name for name in NAMES if name.startswith("*.")} == OF_ANY_RECEIVER


def says_something(name: str) -> bool:
    """Whether it does something to an argument, acquires, lends, makes an object or never returns."""
    return any(api.actions or api.noreturn or api.returns != Nothing() for api in default_catalog().lookup(name))


def test_each_says_something() -> None:
    assert not [name for name in NAMES - QUIET if not says_something(name)]


def test_other_names_are_for_the_standard_library_or_for_what_is_known_here() -> None:
    def of_python(name: str) -> bool:
        return name.partition(".")[0] in sys.stdlib_module_names

    def has_entries(name: str) -> bool:
        return of_python(name) or any(one.startswith(f"{name}.") for one in NAMES)

    assert not [alias for alias, name in ALIASES.items() if of_python(alias) or not has_entries(name)]


def test_nothing_here_hides_a_name_that_can_be_imported() -> None:
    others = importable()
    assert not NAMES & {api.name for contents in others for api in contents.apis}
    assert not ALIASES.keys() & {alias for contents in others for alias in contents.aliases}


def test_types_that_are_returned_have_methods_or_an_entry() -> None:
    known = {api.name for contents in (*importable(), *third_party()) for api in contents.apis}
    for api in APIS:
        for name in instance_types(api.returns):
            assert name in known or any(other.startswith(f"{name}.") for other in known), name


def test_descriptors_are_named_as_parameters_are() -> None:
    for api in APIS:
        assert set(api.actions) <= set(api.params), api.name
        assert not (acquires(api.returns) and Event.TRANSFERRED in api.actions.values()), api.name


# -- the prefilter -----------------------------------------------------------------------------------


def own_prefilter() -> Prefilter:
    """The words that these files add."""
    by_name: dict[str, tuple[Api, ...]] = {}
    for api in APIS:
        by_name[api.name] = (*by_name.get(api.name, ()), api)
    return prefilter_of(by_name, ALIASES)


@pytest.mark.parametrize("code", HARMLESS)
def test_a_file_does_not_pass_for_its_library(code: str) -> None:
    assert not own_prefilter().passes(code.encode())
    assert not default_catalog().prefilter.passes(code.encode())


@pytest.mark.parametrize("code", DESCRIPTORS)
def test_a_file_passes_for_its_descriptors(code: str) -> None:
    assert own_prefilter().passes(code.encode())
    assert default_catalog().prefilter.passes(code.encode())
