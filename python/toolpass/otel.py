"""Spans and metrics of tool calls, for OpenTelemetry. Needs the extra `otel`.

    toolpass.configure(permissions=tp, audit=toolpass.otel.audit_sink())

The span of a call begins before its checks and is current around its body, so what the body records is inside. When the
call is over it gets one child for each request, at the request's own time. Spans hold what the event holds, without the
arguments; metrics name neither a person nor a resource. Nothing here can change a call: a sink that raises is logged,
and the call ends as it would have.
"""

from __future__ import annotations

import datetime
import os
import time
from typing import TYPE_CHECKING, Any, Literal

try:
    from opentelemetry import context, metrics, trace
    from opentelemetry.trace import SpanKind, Status, StatusCode
except ImportError as error:
    raise ImportError(
        "toolpass.otel needs the OpenTelemetry API; install it with the extra `otel`: toolpass[otel]"
    ) from error

from toolpass import _native
from toolpass._context import is_async

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.metrics import Meter
    from opentelemetry.trace import Span, Tracer

    from toolpass._native import AuditEvent, ObservedAction
    from toolpass._types import AuditSink

__all__ = ["audit_sink"]


def audit_sink(
    tracer: Tracer | None = None,
    *,
    meter: Meter | None = None,
    then: AuditSink | None = None,
    refused_as: Literal["error", "ok"] = "error",
    semconv: Literal["genai"] | None = None,
) -> AuditSink:
    """An audit sink that makes a span of every call, and counts calls and requests.

    Give it to a toolkit as it is: a function around it is told of a call only when that is over, and then its span is
    made afterwards and was never current. A call within another call is inside the other's span, and names its event in
    `toolpass.parent`.

    Args:
        tracer: Where spans go; the global provider's tracer `toolpass` when left out.
        meter: Where metrics go; the global provider's meter `toolpass` when left out.
        then: Another sink, which gets each event afterwards.
        refused_as: The status of a refused call's span: a policy at work may be no error to whoever is alerted.
        semconv: `"genai"` for the names of OpenTelemetry's conventions for generative AI beside ours. They are also
            used when `OTEL_SEMCONV_STABILITY_OPT_IN` lists `gen_ai_latest_experimental`.

    Returns:
        The sink, for `configure(audit=...)` or `Toolkit(audit=...)`.

    Raises:
        TypeError: `then` cannot be called, or is async.
        ValueError: A value is none of those accepted.

    Example:
        >>> sink = audit_sink(refused_as="ok")
    """
    if then is not None and (not callable(then) or is_async(then)):
        raise TypeError("expected `then` to be a callable that is not async")
    if refused_as not in {"error", "ok"}:
        raise ValueError('expected `refused_as` to be "error" or "ok"')
    if semconv not in {None, "genai"}:
        raise ValueError('expected `semconv` to be "genai" or None')
    spans = _Spans(tracer, ok={"ran", "refused"} if refused_as == "ok" else {"ran"}, genai=_uses_genai(semconv))
    return _Sink(spans, _Counts(meter), then)


class _Sink:
    """The sink of a toolkit. It is told of the begin of a call, and answers the sink of that call."""

    def __init__(self, spans: _Spans, counts: _Counts, then: AuditSink | None) -> None:
        self.spans, self.counts, self.then = spans, counts, then

    def __call__(self, event: AuditEvent) -> None:
        """The event of a call whose begin was not told."""
        self.hear(event, None)

    def __toolpass_begin__(self, tool: str) -> _Following:
        return _Following(self, tool)

    def hear(self, event: AuditEvent, following: _Following | None) -> None:
        """Make an event a span, count it, and hand it on."""
        try:
            if event.outcome != "started":  # the event of its end is still to come
                self.spans.add(event, following)
                self.counts.add(event, following)
        finally:
            if self.then is not None:
                self.then(event)


class _Following:
    """One call, from before its checks: its sink, and what makes its span current around its body."""

    def __init__(self, sink: _Sink, tool: str) -> None:
        self._sink = sink
        self.span = sink.spans.start(tool)
        self.began = time.perf_counter()
        self.body_began: float | None = None
        self._token: Any = None

    def __call__(self, event: AuditEvent) -> None:
        self._sink.hear(event, self)

    def enter(self) -> None:
        """Its body begins here."""
        self.body_began = time.perf_counter()
        self._token = context.attach(trace.set_span_in_context(self.span))

    def leave(self) -> None:
        """Its body is over."""
        if self._token is not None:
            context.detach(self._token)

    def checked_for(self) -> float:
        """How long the checks before its body took, in seconds."""
        return (self.body_began or time.perf_counter()) - self.began


class _Spans:
    """Spans of calls and their requests."""

    def __init__(self, tracer: Tracer | None, *, ok: set[str], genai: bool) -> None:
        self._tracer = tracer or trace.get_tracer("toolpass", _native.__version__)
        self._ok, self._genai = ok, genai

    def start(self, tool: str, at: int | None = None) -> Span:
        """Begin the span of a call."""
        name = f"execute_tool {tool}" if self._genai else f"toolpass.tool {tool}"
        return self._tracer.start_span(name, kind=SpanKind.INTERNAL, start_time=at)

    def add(self, event: AuditEvent, following: _Following | None) -> None:
        """End the span of a call, after those of its requests."""
        began = _nanoseconds(event.time)
        span = self.start(event.tool, began) if following is None else following.span
        span.set_attributes({**_present(event, _CALL), **(_genai(event) if self._genai else {})})
        inside = trace.set_span_in_context(span)
        for action in event.actions:
            start = began if action.time is None else _nanoseconds(action.time)
            child = self._tracer.start_span(
                "toolpass.request",
                context=inside,
                kind=SpanKind.INTERNAL,
                attributes={**_present(action, _REQUEST), "toolpass.outcome": action.outcome},
                start_time=start,
            )
            self._finish(child, action.outcome, action, start + _length(action))
        self._finish(span, event.outcome, event, None if following else began + _length(event))

    def _finish(self, span: Span, outcome: str, about: AuditEvent | ObservedAction, end: int | None) -> None:
        if outcome in self._ok or outcome == "allowed":
            span.set_status(Status(StatusCode.OK))
        else:
            why = about.reason or about.code
            span.set_status(Status(StatusCode.ERROR, f"{outcome}: {why}" if why else outcome))
        span.end(end_time=end)


class _Counts:
    """Counters and histograms of calls."""

    def __init__(self, meter: Meter | None) -> None:
        meter = meter or metrics.get_meter("toolpass", _native.__version__)
        self._calls = meter.create_counter("toolpass.calls", unit="{call}", description="Calls of tools.")
        self._requests = meter.create_counter(
            "toolpass.requests", unit="{request}", description="Requests that tools' bodies made or were refused."
        )
        self._duration = meter.create_histogram(
            "toolpass.call.duration", unit="s", description="How long calls of tools took, their bodies included."
        )
        self._checks = meter.create_histogram(
            "toolpass.check.duration", unit="s", description="How long the checks before the bodies of tools took."
        )

    def add(self, event: AuditEvent, following: _Following | None) -> None:
        """Count a call and its requests."""
        ended = {"tool": event.tool, "outcome": event.outcome}
        self._calls.add(1, {**ended, "code": event.code} if event.code else ended)
        self._duration.record(event.duration_ms / 1000, ended)
        if following is not None:
            let_through = following.body_began is not None
            outcome = "allowed" if let_through else event.outcome
            self._checks.record(following.checked_for(), {"tool": event.tool, "outcome": outcome})
        for action in event.actions:
            known = {"integration": action.integration, "action": action.action}
            present = {name: value for name, value in known.items() if value is not None}
            self._requests.add(1, {**present, "outcome": action.outcome})


def _present(about: AuditEvent | ObservedAction, names: tuple[str, ...]) -> dict[str, Any]:
    """The members that have a value, flags that are not set left out."""
    found = {f"toolpass.{name}": getattr(about, name) for name in names}
    return {name: value for name, value in found.items() if value is not None and value is not False}


def _genai(event: AuditEvent) -> Mapping[str, str]:
    """The attributes of the conventions for generative AI."""
    names = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": event.tool,
        "gen_ai.tool.type": "function",
    }
    failed = event.code or (event.reason if event.outcome == "raised" else None)
    if failed:
        names["error.type"] = failed
    if event.user:
        names["enduser.id"] = event.user
    return names


def _uses_genai(semconv: str | None) -> bool:
    opted = os.environ.get("OTEL_SEMCONV_STABILITY_OPT_IN", "").split(",")
    return semconv == "genai" or "gen_ai_latest_experimental" in [name.strip() for name in opted]


def _length(about: AuditEvent | ObservedAction) -> int:
    return round(about.duration_ms * 1_000_000)


def _nanoseconds(moment_text: str) -> int:
    """A UTC time with milliseconds, in nanoseconds since the epoch."""
    moment = datetime.datetime.fromisoformat(moment_text.replace("Z", "+00:00"))
    since = moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return since // datetime.timedelta(microseconds=1) * 1000


# Members of an event and of a request; never the arguments.
_CALL = (
    *("tool", "outcome", "user", "session", "effect", "code", "reason", "id", "parent", "authorization"),
    "revoked_during_call",
)
_REQUEST = (
    *("integration", "connection", "action", "resource", "effect", "method", "host", "path", "code", "reason"),
    *("as_agent", "sends_out", "untrusted_output", "sensitive", "note"),
)
