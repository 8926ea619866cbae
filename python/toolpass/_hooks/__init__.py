"""Hooks into HTTP libraries and threads: what a body sends is handed to the native guard before the first byte leaves.

Python observes and carries, Rust decides: a hook collects the parts of the request that is about to leave and asks
the running call for a permit. Outside a call every hook costs one read of a context variable. One file per library;
`_registry` knows which is which.
"""

from toolpass._hooks._registry import install, installed, unhooked

__all__ = ["install", "installed", "unhooked"]
