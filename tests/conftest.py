"""The settings of all tests: the daily loop's mark, Hypothesis, caches of their own."""

from __future__ import annotations

import atexit
import functools
import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
import pytest_golden.yaml
import yaml
from hypothesis import HealthCheck, settings

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

# Goldens are read by the parser in C: that of the plugin takes a fifth of the time of all cases. It still writes them.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
pytest_golden.yaml._safe.load = functools.partial(yaml.load, Loader=LOADER)
yaml.safe_load = functools.partial(yaml.load, Loader=LOADER)

# The speed of examples depends on the machine, not on fdlint.
# `--hypothesis-profile=thorough` tries more of them.
QUICK = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fdlint", QUICK)
settings.register_profile("thorough", QUICK, max_examples=500)
settings.load_profile("fdlint")

# A busy machine must not change a result.
os.environ["FDLINT_TIMEOUT_PER_FILE"] = "0"

# Tests must not write to the user's cache.
os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="fdlint-tests-")
atexit.register(shutil.rmtree, os.environ["XDG_CACHE_HOME"], ignore_errors=True)

# Byte code is kept, for the next run and for the programs that tests start: each of them would compile all of fdlint.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_configure(config: pytest.Config) -> None:
    """Names the mark that selects the tests of the analysis."""
    config.addinivalue_line("markers", "core: goldens and the analysis, for the daily loop")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collects no garbage among what is collected: modules and tests stay, and are many."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of the analysis."""
    for item in items:
        if _is_core(item.path):
            item.add_marker(pytest.mark.core)


@functools.cache
def _is_core(path: Path) -> bool:
    return path.is_relative_to(TESTS) and path.relative_to(TESTS).parts[0].removesuffix(".py") in CORE
