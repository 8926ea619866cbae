"""The end of a process that reports its calls: what is left is sent."""

from __future__ import annotations

import atexit
import sys

from toolpass import _native


def at_exit() -> None:
    """Send what is left when this process ends; a worker of `multiprocessing` runs no `atexit` and is told apart."""
    atexit.register(_native.finish_reports)
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.Finalize(None, _native.finish_reports, exitpriority=0)
