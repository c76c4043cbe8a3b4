"""The catalog against this interpreter: each name exists, each parameter is spelled as the function spells it.

The files about libraries that need not be installed are left to ``test_catalog_third_party``.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import inspect
import logging
import re
import select
import socket
import sys
import threading
import unittest
from array import array
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import AsyncExitStack
from queue import Queue
from typing import Any

import pytest
from bundled import importable

from fdlint.catalog import default_catalog
from fdlint.catalog.model import Api
from fdlint.catalog.shape import instance_types

THIRD_PARTY = {"pytest"}

# Types without a public name, or whose instances get their methods when they are made.
FACTORIES: dict[str, Callable[[], object]] = {
    "select.poll": select.poll,
    "threading.Condition": threading.Condition,
    "threading.Lock": threading.Lock,
    "threading.RLock": threading.RLock,
}

# `io.IOBase` stands for its subclasses too, and in entries for a method of any receiver one of these has to have it.
OWNERS: tuple[Any, ...] = (
    memoryview,
    list, dict, set, deque, Queue, array, bytes, str, int, AsyncExitStack, unittest.IsolatedAsyncioTestCase,
    unittest, argparse.ArgumentParser, asyncio.AbstractEventLoop, logging.Logger, Executor, socket.socket,
    pytest.FixtureRequest, pytest.MonkeyPatch, unittest.TestCase, inspect.Traceback,
)  # fmt: skip

# Parameters that came with a later Python than the oldest supported, or that only some platforms have.
NOT_EVERYWHERE = {
    ("tempfile.NamedTemporaryFile", "delete_on_close"),
    ("socket.create_connection", "all_errors"),
    ("faulthandler.enable", "c_stack"),
    ("multiprocessing.shared_memory.SharedMemory", "track"),
    ("faulthandler.dump_traceback", "c_stack"),
    ("os.sendfile", "headers"),
    ("os.sendfile", "trailers"),
    ("os.sendfile", "flags"),
    ("subprocess.Popen", "process_group"),
}

APIS = [api for contents in importable() for api in contents.apis]
ALIASES = {alias for contents in importable() for alias in contents.aliases}


def here(api: Api) -> bool:
    """Whether this interpreter should have it."""
    if api.since is not None and tuple(map(int, api.since.split("."))) > sys.version_info:
        return False
    return sys.platform == (api.platform or "linux")


def find(dotted: str) -> Any:
    """The object of that name; raises if there is none."""
    owner, _, name = dotted.rpartition(".")
    if owner in FACTORIES:
        return getattr(FACTORIES[owner](), name)
    try:
        return importlib.import_module(dotted)
    except ImportError:
        pass
    return getattr(find(owner), name) if owner else importlib.import_module(dotted)


def of_the_kernel(api: Api) -> bool:
    """A function of the C library, of which Python knows nothing until it is loaded."""
    return api.name.startswith("*.") and api.source.startswith("man 2 ")


def found(api: Api) -> Any:
    """What an entry describes."""
    if not api.name.startswith("*."):
        return find(api.name)
    name = api.name.rpartition(".")[2]
    return next(getattr(owner, name) for owner in OWNERS if hasattr(owner, name))


def test_names_exist_and_parameters_are_spelled_as_the_functions_spell_them() -> None:
    wrong = []
    for api in APIS:
        # `io.IOBase` stands for its subclasses.
        if here(api) and not of_the_kernel(api) and not api.name.startswith("io.IOBase.detach"):
            try:
                function = found(api)
            except (AttributeError, ImportError, StopIteration) as error:
                wrong.append(f"{api.name} does not exist: {error!r}")
            else:
                wrong += [] if api.name.startswith("*.") else wrong_parameters(api, function)
    assert not wrong


def wrong_parameters(api: Api, function: Any) -> Iterator[str]:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # written in C, and does not say
    theirs = [parameter for parameter in signature.parameters.values() if parameter.name != "self"]
    kinds = {parameter.kind for parameter in theirs}
    open_ended = {inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL} & kinds
    names = {parameter.name for parameter in theirs}
    for param in api.params:
        known = param in names or open_ended or (api.name, param) in NOT_EVERYWHERE
        if not known and param != "self" and not param.startswith("*"):
            yield f"{api.name}{signature} has no parameter {param}"
    yield from wrong_order(api, theirs)
    if not any(param.startswith("*") for param in api.params):
        missing = [one.name for one in theirs if one.default is one.empty and one.name not in api.params]
        if missing and not open_ended:
            yield f"{api.name}{signature}: {missing} missing"


def wrong_order(api: Api, theirs: list[inspect.Parameter]) -> Iterator[str]:
    """What can be given by position, and stands elsewhere than where the function has it."""
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    expected = [parameter.name for parameter in theirs if parameter.kind in positional]
    for ours, name in zip((param for param in api.params if param != "self"), expected, strict=False):
        if ours.startswith("*"):
            break
        if ours != name:
            yield f"{api.name}: {ours} should be {name}"


def test_other_names_exist() -> None:
    elsewhere = {"nt", "uvloop.Loop", "selectors.DevpollSelector", "selectors.KqueueSelector"}
    for alias in ALIASES - elsewhere:
        find(alias)


def test_other_names_lead_somewhere() -> None:
    catalog = default_catalog()
    for target in catalog.aliases.values():
        assert catalog.lookup(target) or catalog.knows_module(target) or catalog.knows_type(target), target


def test_instances_are_of_types_that_exist() -> None:
    names = {name for api in APIS for name in (api.name, api.name.rpartition(".")[0], *instance_types(api.returns))}
    for name in names & default_catalog().types - {"select.kqueue", "libc.so"}:
        find(name)


def test_a_source_is_named() -> None:
    known = re.compile(r"https://(docs\.python\.org/3/|docs\.pytest\.org/|github\.com/)|man [2-7] ")
    assert not [api.name for api in APIS if not known.match(api.source)]


def test_since_and_platform_are_about_names_that_need_them() -> None:
    for api in APIS:
        assert api.since is None or re.fullmatch(r"3\.1[1-9]", api.since), api.name
        assert api.platform in (None, "linux", "darwin", "win32", "sunos5"), api.name


def test_only_pytest_is_importable_beside_the_standard_library() -> None:
    roots = {api.name.partition(".")[0] for api in APIS} - {"*"}
    assert roots - set(sys.stdlib_module_names) == THIRD_PARTY
