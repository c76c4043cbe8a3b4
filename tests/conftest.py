"""Prevents pytest from rewriting the assertions of Hypothesis and of fdlint.

pytest rewrites the assertions of its plugins too. With the hook that pytest-golden needs, it renders each assertion
that holds as text: property tests would take sixty times as long.
"""

from __future__ import annotations

import atexit
import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

import pytest

TESTS = Path(__file__).parent
CORE = frozenset(
    [
        "engine",
        "test_cases",
        "test_go_cases",
        "test_candidates",
        "test_catalog",
        "test_checks",
        "test_classes",
        "test_derivation",
        "test_index_language",
        "test_judge",
        "test_languages",
        "test_layers",
        "test_lowering",
        "test_reachability",
        "test_rewrites",
        "test_slice",
        "test_state",
        "test_structure",
        "test_typestate",
        "test_values",
        "test_wording",
        "test_workers",
        "test_worklist",
    ]
)
"""The modules and folders of tests for `pytest -m core`: goldens and the analysis, without its faces."""

pytest_plugins = ["defects", "skips"]


def _import_as_it_is(name: str) -> None:
    finders = list(sys.meta_path)
    sys.meta_path[:] = [finder for finder in finders if type(finder).__name__ != "AssertionRewritingHook"]
    try:
        importlib.import_module(name)
    finally:
        sys.meta_path[:] = finders


class _AsItIs:
    """Finds the modules of fdlint, which has a plugin too, before pytest's own finder does."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        return PathFinder.find_spec(name, path, target) if name.partition(".")[0] == "fdlint" else None


_import_as_it_is("hypothesis")
sys.meta_path.insert(0, _AsItIs)  # type: ignore[arg-type]

from hypothesis import HealthCheck, settings  # noqa: E402

# The speed of examples depends on the machine, not on fdlint.
# `--hypothesis-profile=thorough` tries ten times as many.
QUICK = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fdlint", QUICK)
settings.register_profile("thorough", QUICK, max_examples=500)
settings.load_profile("fdlint")

# A busy machine must not change a result.
os.environ["FDLINT_TIMEOUT_PER_FILE"] = "0"

# Tests must not write to the user's cache.
os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="fdlint-tests-")
atexit.register(shutil.rmtree, os.environ["XDG_CACHE_HOME"], ignore_errors=True)

# The programs that tests start share byte code. Without it each of them compiles all of fdlint.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.setdefault("PYTHONPYCACHEPREFIX", os.path.join(os.environ["XDG_CACHE_HOME"], "pycache"))


def pytest_configure(config: pytest.Config) -> None:
    """Names the mark that selects the tests of the analysis."""
    config.addinivalue_line("markers", "core: goldens and the analysis, for the daily loop")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of the analysis."""
    for item in items:
        if item.path.is_relative_to(TESTS) and item.path.relative_to(TESTS).parts[0].removesuffix(".py") in CORE:
            item.add_marker(pytest.mark.core)
