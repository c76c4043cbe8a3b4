"""Keeps pytest's hands off Hypothesis.

pytest rewrites the assertions of its plugins too, and with the hook that pytest-golden wants each one that holds is
rendered as text: property tests would take sixty times as long.
"""

from __future__ import annotations

import atexit
import importlib
import os
import shutil
import sys
import tempfile


def _import_as_it_is(name: str) -> None:
    finders = list(sys.meta_path)
    sys.meta_path[:] = [finder for finder in finders if type(finder).__name__ != "AssertionRewritingHook"]
    try:
        importlib.import_module(name)
    finally:
        sys.meta_path[:] = finders


_import_as_it_is("hypothesis")

from hypothesis import HealthCheck, settings  # noqa: E402

# How fast examples are made says how busy the machine is, and nothing about fdlint.
settings.register_profile("fdlint", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fdlint")

# A busy machine is no reason for another result.
os.environ["FDLINT_TIMEOUT_PER_FILE"] = "0"

# The caches of scans in tests are not kept among the user's.
os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="fdlint-tests-")
atexit.register(shutil.rmtree, os.environ["XDG_CACHE_HOME"], ignore_errors=True)

# The programs that tests start share byte code: without it each of them compiles all of fdlint.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.setdefault("PYTHONPYCACHEPREFIX", os.path.join(os.environ["XDG_CACHE_HOME"], "pycache"))
