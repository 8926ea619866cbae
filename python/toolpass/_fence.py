"""What every block around outside text begins and ends with."""

from __future__ import annotations

from toolpass import _native

FENCE_START: str = _native.FENCE_START
"""What every block around outside text begins with."""

FENCE_END: str = _native.FENCE_END
"""What the last line of every such block begins with; its id follows."""
