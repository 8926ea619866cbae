"""`toolpass.otel`: spans and metrics of calls, read back from OpenTelemetry's exporters in memory."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import logging
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import requests
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

import toolpass
from support.kits import Kit, dana, refused
from support.watched import ALLOWED, REFUSED, Watched
from toolpass.otel import audit_sink

if TYPE_CHECKING:
    from support.server import Server


class Telemetry:
    """Providers whose spans and metrics stay in memory, and a sink that feeds them."""

    def __init__(self, **settings: Any) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider(shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracer = self.provider.get_tracer("test")
        self.reader = InMemoryMetricReader()
        meters = MeterProvider([self.reader], shutdown_on_exit=False)
        self.events: list[toolpass.AuditEvent] = []
        given = {"then": self.events.append, **settings}
        self.sink = audit_sink(self.tracer, meter=meters.get_meter("test"), **given)

    def spans(self) -> list[ReadableSpan]:
        """The finished spans, in the order they began."""
        return sorted(
            self.exporter.get_finished_spans(), key=lambda span: (span.start_time or 0, span.parent is not None)
        )

    def span(self) -> ReadableSpan:
        """The only span of a call."""
        (span,) = [each for each in self.spans() if each.name != "toolpass.request"]
        return span

    def points(self, name: str) -> list[tuple[dict[str, Any], Any]]:
        """The attributes and values of a metric."""
        data = self.reader.get_metrics_data()
        assert data is not None
        metrics = [m for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics if m.name == name]
        return [
            (dict(point.attributes or {}), getattr(point, "value", getattr(point, "count", None)))
            for metric in metrics
            for point in metric.data.data_points
        ]


def test_a_call_is_a_span_that_lasts_as_long() -> None:
    telemetry = Telemetry()
    tool = Kit(audit=telemetry.sink).tool(name="send", effect="write")(lambda to: "ran")
    with dana(id="s1").active():
        assert tool("sam") == "ran"
    span, (event,) = telemetry.span(), telemetry.events
    assert (span.name, span.kind, span.status.status_code) == ("toolpass.tool send", SpanKind.INTERNAL, StatusCode.OK)
    assert dict(span.attributes or {}) == {
        "toolpass.tool": "send",
        "toolpass.outcome": "ran",
        "toolpass.user": "dana@example.com",
        "toolpass.session": "s1",
        "toolpass.effect": "write",
        "toolpass.id": event.id,
    }
    began = datetime.datetime.fromtimestamp((span.start_time or 0) / 1e9, datetime.timezone.utc)
    assert began <= moment(event.time) + datetime.timedelta(milliseconds=1)
    assert (span.end_time or 0) - (span.start_time or 0) >= round(event.duration_ms * 1_000_000)


def test_a_function_around_the_sink_has_spans_made_afterwards() -> None:
    telemetry = Telemetry()
    tool = Kit(audit=lambda event: telemetry.sink(event)).tool(name="send")(lambda: trace.get_current_span())
    with dana().active():
        assert tool() is trace.INVALID_SPAN
    span, (event,) = telemetry.span(), telemetry.events
    began = datetime.datetime.fromtimestamp((span.start_time or 0) / 1e9, datetime.timezone.utc)
    assert began == moment(event.time)
    assert (span.end_time or 0) - (span.start_time or 0) == round(event.duration_ms * 1_000_000)


def moment(time: str) -> datetime.datetime:
    """The time of an event."""
    return datetime.datetime.fromisoformat(time.replace("Z", "+00:00"))


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("raises", [False, True])
def test_the_span_begins_before_the_checks_and_is_current_in_the_body(asynchronous: bool, raises: bool) -> None:
    telemetry = Telemetry()
    started: list[str] = []

    class Tells(SpanProcessor):
        def on_start(self, span: Any, parent_context: Any = None) -> None:
            started.append(span.name)

    telemetry.provider.add_span_processor(Tells())

    def in_scope(value: str) -> bool:
        started.append("checked")
        return True

    def body(to: str) -> str:
        with telemetry.tracer.start_as_current_span("work of the body"):
            if raises:
                raise LookupError(to)
        return to

    async def abody(to: str) -> str:
        await asyncio.sleep(0)
        return body(to)

    kit = Kit(audit=telemetry.sink)
    tool = kit.tool(name="send", scope={"to": in_scope})(abody if asynchronous else body)
    before = trace.get_current_span()

    async def main() -> None:
        with contextlib.suppress(LookupError):
            await tool("sam")
        assert trace.get_current_span() is before

    with dana().active():
        if asynchronous:
            asyncio.run(main())
        else:
            with contextlib.suppress(LookupError):
                tool("sam")
    assert trace.get_current_span() is before
    assert started == ["toolpass.tool send", "checked", "work of the body"]
    spans = {span.name: span for span in telemetry.exporter.get_finished_spans()}
    call, work = spans["toolpass.tool send"], spans["work of the body"]
    assert work.parent is not None
    assert call.context is not None
    assert work.parent.span_id == call.context.span_id
    assert (call.end_time or 0) >= (work.end_time or 0)
    assert dict(call.attributes or {})["toolpass.outcome"] == ("raised" if raises else "ran")


def test_a_cancelled_body_ends_its_span() -> None:
    telemetry = Telemetry()

    async def main() -> None:
        begun = asyncio.Event()

        @Kit(audit=telemetry.sink).tool(name="send")
        async def send() -> None:
            begun.set()
            await asyncio.Event().wait()

        calling = asyncio.ensure_future(send())
        await begun.wait()
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling

    with dana().active():
        asyncio.run(main())
    assert telemetry.span().name == "toolpass.tool send"


def test_each_request_is_a_child(server: Server) -> None:
    telemetry = Telemetry()
    watched = Watched(server.url, audit=telemetry.sink)

    def body() -> None:
        requests.get(server.url + ALLOWED + "?labels=query-of-it", timeout=9)
        requests.post(server.url + ALLOWED, json={"title": "body-of-it"}, timeout=9)
        requests.post(server.url + REFUSED, json={"title": "body-of-it"}, timeout=9)

    assert watched.refusal(body).code == "not_authorized"
    call = telemetry.span()
    read, first, second = [span for span in telemetry.spans() if span.name == "toolpass.request"]
    for child in (read, first, second):
        assert child.parent is not None
        assert call.context is not None
        assert child.parent.span_id == call.context.span_id
        assert (call.start_time or 0) <= (child.start_time or 0) + 1_000_000  # the event's times are whole milliseconds
        assert (child.start_time or 0) <= (child.end_time or 0) <= (call.end_time or 0) + 1_000_000
    for child, action in zip((read, first, second), telemetry.events[0].actions, strict=True):
        assert action.time is not None
        assert child.start_time == round(moment(action.time).timestamp() * 1000) * 1_000_000
        assert (child.end_time or 0) - (child.start_time or 0) == round(action.duration_ms * 1_000_000)
    assert dict(read.attributes or {})["toolpass.path"] == ALLOWED
    attributes = dict(first.attributes or {})
    assert (
        attributes.items()
        >= {
            "toolpass.integration": "github",
            "toolpass.connection": "github",
            "toolpass.action": "github:issue.create",
            "toolpass.resource": "repo:acme/shop",
            "toolpass.effect": "write",
            "toolpass.method": "POST",
            "toolpass.path": ALLOWED,
            "toolpass.outcome": "allowed",
            "toolpass.sends_out": True,
        }.items()
    )
    assert (first.status.status_code, second.status.status_code) == (StatusCode.OK, StatusCode.ERROR)
    assert dict(second.attributes or {})["toolpass.code"] == "not_authorized"
    assert call.status.description == f"refused: {telemetry.events[0].reason}"
    shown = "".join(span.to_json() for span in telemetry.spans())
    assert "query-of-it" not in shown
    assert "body-of-it" not in shown
    assert telemetry.points("toolpass.requests")[1:] == [
        ({"integration": "github", "action": "github:issue.create", "outcome": "allowed"}, 1),
        ({"integration": "github", "action": "github:issue.create", "outcome": "refused"}, 1),
    ]


def test_arguments_results_secrets_and_exceptions_are_never_exported() -> None:
    telemetry = Telemetry()
    kit = Kit(audit=telemetry.sink, credentials={"key": "s3cret-credential"})

    @kit.tool(credential="key")
    def leaks(text: str, *, credential: str) -> str:
        if text == "raise":
            raise KeyError(f"{text} {credential}")
        return f"result-of-it {credential}"

    with dana(token="t0k3n-of-dana").active():
        leaks("argument-of-it")
        with pytest.raises(toolpass.ToolError):
            leaks("raise")
    shown = "".join(span.to_json() for span in telemetry.spans())
    for hidden in ("argument-of-it", "result-of-it", "s3cret-credential", "t0k3n-of-dana"):
        assert hidden not in shown
    assert [event.arguments is not None for event in telemetry.events] == [True, True]
    raised = telemetry.spans()[-1]
    assert (raised.status.status_code, raised.status.description) == (StatusCode.ERROR, "raised: KeyError")


def test_a_span_is_inside_the_applications_own() -> None:
    telemetry = Telemetry()
    kit = Kit(audit=telemetry.sink)
    inner = kit.tool(name="inner")(lambda: 1)
    outer = kit.tool(name="outer")(lambda: inner())
    with telemetry.tracer.start_as_current_span("turn") as turn, dana().active():
        outer()
    by_name = {span.name: span for span in telemetry.spans()}
    for name, outside in (("inner", by_name["toolpass.tool outer"].context), ("outer", turn.get_span_context())):
        parent = by_name[f"toolpass.tool {name}"].parent
        assert parent is not None
        assert outside is not None
        assert parent.span_id == outside.span_id
    attributes = [dict(by_name[f"toolpass.tool {name}"].attributes or {}) for name in ("inner", "outer")]
    assert attributes[0]["toolpass.parent"] == attributes[1]["toolpass.id"]


@pytest.mark.parametrize(("refused_as", "status"), [("error", StatusCode.ERROR), ("ok", StatusCode.OK)])
def test_what_a_refusal_counts_as(refused_as: Any, status: StatusCode) -> None:
    telemetry = Telemetry(refused_as=refused_as)
    with dana().active():
        refused(Kit(audit=telemetry.sink).tool(name="send", limit=0)(lambda: 1))
    span = telemetry.span()
    assert span.status.status_code is status
    attributes = dict(span.attributes or {})
    assert (attributes["toolpass.outcome"], attributes["toolpass.code"]) == ("refused", "limit_reached")


def test_calls_are_counted_without_naming_anybody() -> None:
    telemetry = Telemetry()
    tool = Kit(audit=telemetry.sink).tool(name="send", limit=2)(lambda: 1)
    with dana().active():
        tool()
        tool()
        refused(tool)
    ran, stopped = {"tool": "send", "outcome": "ran"}, {"tool": "send", "outcome": "refused"}
    assert telemetry.points("toolpass.calls") == [(ran, 2), ({**stopped, "code": "limit_reached"}, 1)]
    assert telemetry.points("toolpass.call.duration") == [(ran, 2), (stopped, 1)]
    allowed = {"tool": "send", "outcome": "allowed"}
    assert telemetry.points("toolpass.check.duration") == [(allowed, 2), (stopped, 1)]


@pytest.mark.parametrize("how", ["argument", "environment", "neither"])
def test_the_names_of_generative_ai_are_opted_into(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if how == "environment":
        monkeypatch.setenv("OTEL_SEMCONV_STABILITY_OPT_IN", "http, gen_ai_latest_experimental")
    telemetry = Telemetry(semconv="genai" if how == "argument" else None)
    with dana().active():
        refused(Kit(audit=telemetry.sink).tool(name="send", limit=0)(lambda: 1))
    span = telemetry.span()
    attributes = dict(span.attributes or {})
    assert attributes["toolpass.tool"] == "send"
    names = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "send",
        "gen_ai.tool.type": "function",
        "error.type": "limit_reached",
        "enduser.id": "dana@example.com",
    }
    if how == "neither":
        assert span.name == "toolpass.tool send"
        assert attributes.keys().isdisjoint(names)
    else:
        assert span.name == "execute_tool send"
        assert attributes.items() >= names.items()


def test_broken_telemetry_changes_no_call_and_loses_no_event(caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        def start_span(self, *_: Any, **__: Any) -> Any:
            raise RuntimeError("broken")

    events: list[Any] = []
    sink = audit_sink(Broken(), then=events.append)  # type: ignore[arg-type]
    with dana().active():
        assert Kit(audit=sink).tool()(lambda: "ran")() == "ran"
    assert [event.outcome for event in events] == ["ran"]
    assert [record.levelno for record in caplog.records] == [logging.ERROR] * 2, "at its begin, and at its end"


def test_without_a_provider_nothing_breaks(caplog: pytest.LogCaptureFixture) -> None:
    with dana().active():
        assert Kit(audit=audit_sink()).tool()(lambda: "ran")() == "ran"
    assert caplog.records == []


def test_a_call_whose_start_is_told_is_one_span_and_its_file_may_refuse_it() -> None:
    telemetry = Telemetry()
    kit = Kit(audit=telemetry.sink, audit_on_error="refuse")
    with dana().active():
        assert kit.tool(name="send")(lambda: "ran")() == "ran"
    assert [event.outcome for event in telemetry.events] == ["started", "ran"]
    assert dict(telemetry.span().attributes or {})["toolpass.outcome"] == "ran"
    assert telemetry.points("toolpass.calls") == [({"tool": "send", "outcome": "ran"}, 1)]

    def full(event: Any) -> None:
        raise OSError("disk full")

    ran: list[str] = []
    with dana().active():
        refused(Kit(audit=Telemetry(then=full).sink, audit_on_error="refuse").tool()(lambda: ran.append("body")))
    assert ran == []


async def _sink(event: Any) -> None: ...


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"then": 7}, TypeError),
        ({"then": _sink}, TypeError),
        ({"refused_as": "warning"}, ValueError),
        ({"semconv": "http"}, ValueError),
    ],
)
def test_a_setting_that_is_none_is_an_error(settings: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=next(iter(settings))):
        audit_sink(**settings)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("import toolpass; print('opentelemetry' in sys.modules)", "False"),
        (
            "sys.modules['opentelemetry'] = None\n"
            "try: import toolpass.otel\n"
            "except ImportError as error: print('toolpass[otel]' in str(error))",
            "True",
        ),
    ],
    ids=["not imported", "missing"],
)
def test_opentelemetry_is_needed_only_here(script: str, expected: str) -> None:
    ran = subprocess.run([sys.executable, "-c", f"import sys\n{script}"], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == expected
