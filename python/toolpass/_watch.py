"""`watch`: open the live page of a toolkit, and a browser on it.

The page itself is native. Here is only what a browser is given: a file that leads to the address, so that the address,
which is a secret, stands on no command line.
"""

from __future__ import annotations

from toolpass._native import Watch
from toolpass._toolkit import Toolkit, default_toolkit

FORGET_AFTER = 30.0
"""After how many seconds the browser's file is deleted."""


def watch(toolkit: Toolkit | None = None, *, listen: str = "127.0.0.1:0", open_browser: bool = False) -> Watch:
    """Open a live page of a toolkit's calls, on this machine alone.

    The page shows each call as it runs, what its requests were and why one was refused; nothing on it changes a call.
    It stays, whatever `configure` is called with, until it is closed or the process ends.

    Args:
        toolkit: The toolkit; left out, the default one.
        listen: `HOST:PORT` on this machine; port 0 is any free one.
        open_browser: Whether a browser is opened on it.

    Returns:
        The open page. Its `url` is a secret; `events` gives what it shows; `close` ends it, as does a `with` block.

    Raises:
        OSError: The port is taken.
        ValueError: `listen` is not on this machine.

    Example:
        >>> import toolpass
        >>> with toolpass.watch() as page:
        ...     page.events()
        ([], 0)
    """
    page = Watch(default_toolkit() if toolkit is None else toolkit, listen=listen)
    if open_browser:
        _show(page.url)
    return page


def _show(url: str) -> None:
    """Open a browser on a file of our own that leads to the address, and delete it when the browser has read it."""
    import atexit
    import html
    import shutil
    import tempfile
    import threading
    import webbrowser
    from pathlib import Path

    folder = Path(tempfile.mkdtemp(prefix="toolpass-"))  # for its owner alone
    file = folder / "watch.html"
    file.touch(mode=0o600)
    target = html.escape(url, quote=True)
    file.write_text(
        '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>toolpass</title>'
        f'<meta http-equiv="refresh" content="0;url={target}"><a href="{target}">Open the page</a>\n',
        encoding="utf-8",
    )

    def forget() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        atexit.unregister(forget)

    atexit.register(forget)
    timer = threading.Timer(FORGET_AFTER, forget)
    timer.daemon = True
    timer.start()
    webbrowser.open(file.as_uri())
