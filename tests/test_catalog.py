"""What the loader refuses, what the catalog answers."""

from __future__ import annotations

import pickle
import time
from pathlib import Path
from typing import Any

import pytest

from fdlint import catalog
from fdlint.catalog import NO_MODELS, CatalogError, catalog_of, default_catalog, models_of
from fdlint.catalog.added import UnknownCalls
from fdlint.catalog.loader import load_contents, load_default
from fdlint.catalog.model import (
    Ancillary,
    Api,
    Argument,
    Condition,
    ContainerOp,
    ElementsOf,
    ForkPid,
    Fresh,
    FreshList,
    Instance,
    NoneResult,
    Nothing,
    PairsOf,
    Shape,
    SomeOf,
    TupleOf,
    Zipped,
)
from fdlint.core.domain.event import Event

CATALOG = Path(catalog.__file__).parent


def one(**keys: Any) -> Api:
    """The only entry of a mapping with these keys."""
    (api,) = load_contents({"api": [{"name": "m.f", "source": "man 2 f", **keys}]}, "x.toml").apis
    return api


# -- what is read ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("_", Nothing()),
        ("None", NoneResult()),
        ("fd", Fresh()),
        ("[fd]", FreshList()),
        ("ancillary", Ancillary()),
        ("pid", ForkPid()),
        ("zip *rest", Zipped("*rest")),
        ("arg a", Argument("a")),
        ("each *rest", ElementsOf("*rest")),
        ("some a", SomeOf("a")),
        ("pairs a", PairsOf("a")),
        ("socket.socket", Instance("socket.socket")),
        ("(fd, fd)", TupleOf((Fresh(), Fresh()))),
        ("(_, [fd], (pid, arg a))", TupleOf((Nothing(), FreshList(), TupleOf((ForkPid(), Argument("a")))))),
    ],
)
def test_shapes(text: str, shape: Shape) -> None:
    assert one(params=["a", "*rest"], returns=text).returns == shape


@pytest.mark.parametrize(
    ("raw", "condition"),
    [
        ("m.X", Condition("a", values=("m.X",))),
        (False, Condition("a", values=(False,))),
        ([0, "None"], Condition("a", values=(0, None))),
        ({"absent": True}, Condition("a", absent=True)),
        ({"values": [0], "absent": True}, Condition("a", values=(0,), absent=True)),
        ({"mentions": ["m.X"]}, Condition("a", mentions=("m.X",))),
        ({"constant": True}, Condition("a", constant=True)),
        ({"not": 0}, Condition("a", values=(0,), negated=True)),
        ({"not": {"absent": True}}, Condition("a", absent=True, negated=True)),
    ],
)
def test_conditions(raw: object, condition: Condition) -> None:
    assert one(params=["a"], when={"a": raw}).when == (condition,)


def test_everything_else() -> None:
    api = one(
        params=["a", "b", "*rest"],
        uses=["a"],
        events={"a": "cloexec_set"},
        closes=["*rest"],
        raises=False,
        container="take",
        duplicates_onto="b",
        noreturn=True,
        since="3.13",
    )
    assert api.actions == {"a": Event.USED, "*rest": Event.CLOSED}
    assert api.marks == {"a": Event.CLOEXEC_SET}
    assert (api.raises, api.container, api.duplicates_onto) == (None, ContainerOp.TAKE, "b")
    assert (api.noreturn, api.since) == (True, "3.13")


def test_what_is_called_and_with_what() -> None:
    plain = one(params=["function", "*args", "**kwargs"], registers=True)
    assert (plain.callee, plain.passes) == ("function", "*args")
    said = one(params=["group", "target", "args"], registers=True, callee="target", passes="args")
    assert (said.callee, said.passes) == ("target", "args")
    assert one(params=["function"]).callee is None


def test_defaults_and_names_are_shared() -> None:
    mapping = {
        "defaults": {"source": "https://x/#", "raises": "OSError"},
        "api": [{"names": ["m.f", "m.g"]}, {"name": "m.h", "raises": False, "source": "man 2 h"}],
    }
    f, g, h = load_contents(mapping, "x.toml").apis
    assert (f.source, g.source, h.source) == ("https://x/#m.f", "https://x/#m.g", "man 2 h")
    assert (f.raises, g.raises, h.raises) == ("OSError", "OSError", None)


def test_a_project_need_not_name_its_sources() -> None:
    (api,) = load_contents({"api": [{"name": "m.f"}]}, "pyproject.toml", source="pyproject.toml").apis
    assert api.source == "pyproject.toml"
    assert api.raises == "Exception"


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"closess": ["a"]}, "x.toml: `m.f`: unknown key `closess` (did you mean `closes`?)"),
        ({"closes": ["path"], "params": ["paths"]}, "`closes`: no parameter `path` (did you mean `paths`?)"),
        ({"closes": "a"}, "`closes`: must be a list of parameters, not 'a'"),
        ({"closes": ["a", "a"], "params": ["a"]}, "`closes`: has a duplicate"),
        ({"closes": ["a"], "takes": ["a"], "params": ["a"]}, "`takes`: `a` is already in `closes`"),
        ({"params": ["a", 1]}, "`params`: must be a list of strings"),
        ({"params": ["a", "a"]}, "`params`: has a duplicate"),
        ({"returns": 1}, "`returns`: must be a string"),
        ({"returns": "fds"}, "`returns`: bad shape `fds` (did you mean `fd`?)"),
        ({"returns": "arg b", "params": ["bb"]}, "`returns`: no parameter `b` (did you mean `bb`?)"),
        ({"returns": "(fd, (fd)"}, "`returns`: unbalanced parentheses"),
        ({"returns": "(fd), fd)"}, "`returns`: unbalanced parentheses"),
        ({"returns": "(fd, )"}, "`returns`: bad shape ``"),
        ({"raises": "OSEror"}, "`raises`: must be false, a builtin exception or a dotted name"),
        ({"raises": "len"}, "`raises`: must be false, a builtin exception or a dotted name"),
        ({"raises": True}, "`raises`: must be false, a builtin exception or a dotted name"),
        ({"noreturn": 1}, "`noreturn`: must be true or false"),
        ({"container": "ad"}, '"part" or "ask", not \'ad\' (did you mean `add`?)'),
        ({"max_fds": "n"}, "`max_fds`: no parameter `n`"),
        (
            {"attribute": "wrte"},
            '`attribute`: must be "read", "write" or "delete", not \'wrte\' (did you mean `write`?)',
        ),
        ({"duplicates_onto": "fd2"}, "`duplicates_onto`: no parameter `fd2`"),
        ({"registers": True}, "`params`: something that calls a function needs parameters"),
        ({"when": 1}, "`when`: must be a table"),
        ({"when": {"a": 1}}, "`when`: no parameter `a`"),
        ({"closes_on_exec": "fd2"}, "`closes_on_exec`: no parameter `fd2`"),
        ({"events": {"a": "cloexec_set"}}, "`events`: no parameter `a`"),
        (
            {"events": {"a": "cloexec_see"}, "params": ["a"]},
            "`events.a`: no event 'cloexec_see' (did you mean `cloexec_set`?)",
        ),
        ({"events": {"a": 1}, "params": ["a"]}, "`events.a`: must be the name of an event, not 1"),
        (
            {"when": {"a": []}, "params": ["a"]},
            "`when.a`: must be a string, an integer, true, false, a non-empty list of these, or a table, not []",
        ),
        ({"when": {"a": {}}, "params": ["a"]}, "`when.a`: an empty condition"),
        (
            {"when": {"a": 1.5}, "params": ["a"]},
            "`when.a`: must be a string, an integer, true, false, a non-empty list",
        ),
        ({"when": {"a": {"absnt": True}}, "params": ["a"]}, "`when.a`: unknown key `absnt` (did you mean `absent`?)"),
        ({"when": {"a": {"absent": 1}}, "params": ["a"]}, "`when.a.absent`: must be true or false, not 1"),
        (
            {"when": {"a": {"mentions": "x"}}, "params": ["a"]},
            "`when.a.mentions`: must be a list of dotted names, not 'x'",
        ),
        ({"when": {"a": {"not": 0, "absent": True}}, "params": ["a"]}, "`when.a`: `not` stands alone"),
        (
            {"when": {"a": {"not": {"not": 0}}}, "params": ["a"]},
            "`when.a.not`: unknown key `not` (known are absent, constant, mentions, values)",
        ),
        ({"source": ""}, "x.toml: `m.f`: `source`: is required"),
        ({"source": [0] * 9_999}, "`source`: must be a string, not " + str([0] * 100)[:200] + "…"),
        ({"source": 1}, "x.toml: `m.f`: `source`: must be a string"),
        ({"names": ["m.g"]}, "x.toml: `m.g`: `name`: exactly one of `name` and `names`"),
        ({"name": ""}, "entry 1: `name`: must be a dotted name, not ''"),
        ({"name": 1}, "entry 1: `name`: must be a dotted name, not 1"),
    ],
)
def test_a_bad_entry(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(CatalogError) as caught:
        one(**keys)
    assert message in str(caught.value)
    assert str(caught.value).startswith("x.toml: ")


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"apis": []}, "x.toml: unknown key `apis` (did you mean `api`?)"),
        ({"api": {}}, "x.toml: `api` must be an array of tables"),
        ({"api": [1]}, "x.toml: entry 1: must be a table"),
        ({"api": [{}]}, "x.toml: entry 1: `name`"),
        ({"defaults": 1}, "x.toml: `defaults` must be a table"),
        ({"defaults": {"sorce": "x"}}, "x.toml: [defaults]: unknown key `sorce` (did you mean `source`?)"),
        ({"aliases": {"a": 1}}, "x.toml: [aliases]: `a` must be a string"),
        ({"api": [{"name": "m.f", "source": "x"}] * 2}, "x.toml: `m.f`: `when`: a duplicate"),
        (
            {"api": [{"name": "m.f", "source": "x", "params": ["a"], "when": {"a": 1}}] * 2},
            "x.toml: `m.f`: `when`: a duplicate",
        ),
        (
            {
                "api": [
                    {"name": "m.f", "source": "x"},
                    {"name": "m.f", "source": "x", "params": ["a"], "when": {"a": 1}},
                ]
            },
            "an earlier entry always wins",
        ),
    ],
)
def test_a_bad_file(mapping: dict[str, Any], message: str) -> None:
    with pytest.raises(CatalogError) as caught:
        load_contents(mapping, "x.toml")
    assert message in str(caught.value)


# -- what the catalog answers ----------------------------------------------------------------------


def test_a_method_may_depend_on_the_name_of_its_receiver() -> None:
    catalog = default_catalog()
    assert catalog.method("error", "self.parser")[0].noreturn
    assert catalog.method("error", "parser")[0].noreturn
    assert not catalog.method("error", "log")[0].noreturn
    assert catalog.method("error") == catalog.method("error", "log")


def test_alternatives_keep_their_order() -> None:
    alternatives = default_catalog().lookup("fcntl.fcntl")
    assert [api.returns for api in alternatives] == [Fresh(), Fresh(), Nothing(), Nothing(), Nothing(), Nothing()]
    assert [api.raises for api in alternatives] == ["OSError", "OSError", None, None, None, "OSError"]
    assert [dict(api.marks) for api in alternatives] == [{}, {}, {"fd": Event.CLOEXEC_SET}, {}, {}, {}]


def test_other_names_for_the_same() -> None:
    catalog = default_catalog()
    assert catalog.lookup("posix.open") == catalog.lookup("os.open") != ()
    assert catalog.lookup("io.open") == catalog.lookup("_io.open") == catalog.lookup("builtins.open")
    assert catalog.lookup("selectors.DefaultSelector.register") == catalog.lookup("selectors.BaseSelector.register")
    assert catalog.lookup("nothing.of.the.kind") == ()


def test_detach_is_a_matter_of_type() -> None:
    catalog = default_catalog()
    assert catalog.lookup("socket.socket.detach")[0].returns == Fresh()
    assert catalog.method("detach") == ()
    assert catalog.method("append")[0].container is ContainerOp.ADD


def test_types_and_modules() -> None:
    catalog = default_catalog()
    assert catalog.knows_type("socket.socket")
    assert catalog.knows_type("selectors.DefaultSelector")
    assert not catalog.knows_type("os")
    assert catalog.knows_module("os.path")
    assert catalog.knows_module("posix")
    assert not catalog.knows_module("socket.socket")
    assert catalog.members("tempfile") == (
        "NamedTemporaryFile", "TemporaryFile", "gettempdir", "mkdtemp", "mkstemp",
    )  # fmt: skip


def test_a_projects_own_entries_are_asked_first() -> None:
    entries = [{"name": "os.dup", "returns": "_"}, {"name": "lib.grab_descriptor", "returns": "fd"}]
    own = load_contents({"api": entries}, "x", source="x").apis
    catalog = default_catalog().extended(own)
    assert catalog.lookup("os.dup")[0].returns == Nothing()
    assert catalog.lookup("posix.pipe") != ()
    assert catalog.prefilter.passes(b"fd = grab_descriptor()")
    assert not default_catalog().prefilter.passes(b"fd = grab_descriptor()")


def test_a_projects_own_entry_replaces_every_alternative() -> None:
    own = load_contents({"api": [{"name": "fcntl.fcntl", "params": ["a"], "when": {"a": 1}}]}, "x", source="x").apis
    assert len(default_catalog().lookup("fcntl.fcntl")) > 1
    assert default_catalog().extended(own).lookup("fcntl.fcntl") == own


def test_an_alias_replaces_too() -> None:
    catalog = default_catalog().extended((), {"passfd.sendfd": "os.close", "lib.aio": "os"})
    assert catalog.lookup("passfd.sendfd") == catalog.lookup("os.close")
    assert catalog.lookup("lib.aio.pipe") == catalog.lookup("os.pipe")
    assert catalog.prefilter.passes(b"from lib import aio")


def test_models_are_the_same_catalog_wherever_they_are_unpacked() -> None:
    tables = {"api": [{"name": "lib.grab_descriptor", "returns": "fd"}]}
    models = models_of(tables, "x.toml", "x.toml", UnknownCalls.TAKE)
    assert pickle.loads(pickle.dumps(models)) == models
    assert catalog_of(pickle.loads(pickle.dumps(models))) is catalog_of(models)
    assert catalog_of(models).lookup("lib.grab_descriptor")[0].source == "x.toml"
    assert catalog_of(models).unknown_takes("look")
    assert catalog_of(NO_MODELS) is default_catalog()


def test_it_loads_quickly() -> None:
    best = min(_seconds() for _ in range(5))
    assert best < 0.2  # of a processor's time; about 0.015 on a quick machine


def _seconds() -> float:
    start = time.process_time()
    load_default()
    return time.process_time() - start


# -- constants -------------------------------------------------------------------------------------


def test_constants() -> None:
    raw = {"constants": {"sys.platform": "linux", "sys.version_info": [3, 14], "platform.system()": "Linux"}}
    assert load_contents(raw, "x.toml").constants == {
        "sys.platform": "linux",
        "sys.version_info": (3, 14),
        "platform.system()": "Linux",
    }


@pytest.mark.parametrize(("name", "value"), [("platform", "linux"), ("sys.platform", {"a": 1}), ("a.b", [1.5])])
def test_what_is_no_constant(name: str, value: object) -> None:
    with pytest.raises(CatalogError, match=r"x\.toml: \[constants\]: `"):
        load_contents({"constants": {name: value}}, "x.toml")
