"""botocore's connections, which sit on urllib3's.

They send the head with `Expect: 100-continue` and wait a second on the socket before the body. As the head is held
until the body is there, nobody would answer: inside a call the body is sent without waiting. The header stays, and
`http.client` skips the interim response.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolpass._hooks import _shape, _verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType


def patch(module: ModuleType) -> None:
    """Hook `botocore.awsrequest`."""
    _shape.replace(_shape.member(module, "AWSConnection"), "_send_output", "self message_body", _send_output)


def _send_output(original: Callable[..., Any]) -> Callable[..., Any]:
    def send_output(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _verdict.running_call() is not None:
            self._expect_header_set = False
        return original(self, *args, **kwargs)

    return send_output
