"""`python -m toolpass`: the command `toolpass`, which is a program of its own beside the interpreter."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path


def main() -> None:
    """Become the command."""
    name = "toolpass.exe" if os.name == "nt" else "toolpass"
    beside = Path(sysconfig.get_path("scripts")) / name
    found = str(beside) if beside.exists() else shutil.which("toolpass")
    if found is None:
        sys.exit("toolpass: the command is not installed beside this package")
    os.execv(found, ["toolpass", *sys.argv[1:]])


if __name__ == "__main__":
    main()
