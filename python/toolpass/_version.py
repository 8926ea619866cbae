"""The version, which is the native module's."""

from __future__ import annotations

from toolpass._native import __version__ as __version__
