"""The official Slack client, sync and async, unchanged, against the stand-in: what is refused does not arrive."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from support.kits import Kit, refused
from support.standin import ADMIN, DANA, SAM, SlackStandin
from toolpass import Session, Toolpass, as_agent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GUEST = "guest@example.com"


class Agent:
    """A toolkit over the stand-in, and a client with the tools' own token."""

    def __init__(self, slack: SlackStandin, **keys: Any) -> None:
        self.slack = slack
        self.kit = Kit(permissions=Toolpass(connections=[slack.connection(**keys)]))

    def run(self, user: str, body: Callable[[], Any]) -> Any:
        """What a tool with this body returns for a person."""
        with Session(user).active():
            return self.kit.tool(name="t")(body)()

    def call(self, user: str, body: Callable[[Any], Any]) -> Any:
        """The same, the body given the official client; overridden by the async one."""
        return self.run(user, lambda: body(WebClient(self.slack.token, base_url=self.slack.api)).data)

    def codes(self, user: str, body: Callable[[Any], Any]) -> tuple[str, list[str]]:
        """The code a call is refused with, and what arrived of it."""
        self.slack.control("DELETE", "requests")
        refusal = refused(lambda: self.call(user, body))
        return refusal.code, self.slack.arrived()


class AsyncAgent(Agent):
    """The same with the async client, which sends reads as GET and arguments in the query."""

    def call(self, user: str, body: Callable[[Any], Any]) -> Any:
        async def tool() -> Any:
            answer = await body(AsyncWebClient(self.slack.token, base_url=self.slack.api))
            return answer.data

        with Session(user).active():
            return asyncio.run(self.kit.tool(name="t")(tool)())


@pytest.fixture(scope="module")
def workspace() -> Iterator[SlackStandin]:
    with SlackStandin() as standin:
        yield standin


@pytest.fixture
def slack(workspace: SlackStandin) -> SlackStandin:
    """The stand-in in its first world, with nothing arrived yet."""
    workspace.reset()
    return workspace


@pytest.fixture(params=[Agent, AsyncAgent], ids=["sync", "async"])
def agent(request: pytest.FixtureRequest, slack: SlackStandin) -> Agent:
    made: Agent = request.param(slack)
    return made


def test_a_message_goes_where_the_person_is(agent: Agent, slack: SlackStandin) -> None:
    shop_dev, releases = slack.channel("shop-dev"), slack.channel("releases")

    posted = agent.call(DANA, lambda client: client.chat_postMessage(channel=releases, text="1.5.0 is out"))
    assert posted["ok"]
    assert agent.call(SAM, lambda client: client.chat_postMessage(channel=shop_dev, text="hi"))["ok"]
    assert slack.arrived() == ["/chat.postMessage", "/chat.postMessage"]

    code, arrived = agent.codes(SAM, lambda client: client.chat_postMessage(channel=releases, text="hi"))
    assert (code, arrived) == ("not_authorized", [])
    assert agent.kit.events[-1].to_dict()["actions"][0]["action"] == "slack:message.post"


def test_a_reply_an_edit_and_a_reaction(agent: Agent, slack: SlackStandin) -> None:
    channel = slack.channel("shop-dev")
    ts = agent.call(DANA, lambda client: client.chat_postMessage(channel=channel, text="hi"))["ts"]

    assert agent.call(SAM, lambda client: client.chat_postMessage(channel=channel, text="hello", thread_ts=ts))["ok"]
    assert agent.call(SAM, lambda client: client.reactions_add(channel=channel, name="eyes", timestamp=ts))["ok"]
    assert agent.call(DANA, lambda client: client.chat_update(channel=channel, ts=ts, text="hi all"))["ok"]
    assert agent.call(GUEST, lambda client: client.conversations_replies(channel=channel, ts=ts))["messages"]
    assert agent.call(DANA, lambda client: client.chat_delete(channel=channel, ts=ts))["ok"]

    named = [event.to_dict()["actions"][0]["action"] for event in agent.kit.events]
    assert named == [
        "slack:message.post",
        "slack:message.post_thread",
        "slack:channel.member",
        "slack:channel.member",
        "slack:channel.read",
        "slack:channel.member",
    ]


def test_what_is_refused_does_not_arrive(agent: Agent, slack: SlackStandin) -> None:
    shop_dev, releases, random = (slack.channel(name) for name in ("shop-dev", "releases", "random"))
    calls: list[tuple[str, Callable[[Any], Any], str]] = [
        (SAM, lambda client: client.conversations_history(channel=releases), "not_authorized"),
        (GUEST, lambda client: client.conversations_history(channel=random), "not_authorized"),
        (DANA, lambda client: client.chat_postMessage(channel=random, text="hi"), "not_authorized"),
        (DANA, lambda client: client.chat_postMessage(channel="#shop-dev", text="hi"), "unresolved_resource"),
        (DANA, lambda client: client.chat_postMessage(channel=shop_dev, text="<!channel> hi"), "not_authorized"),
        (DANA, lambda client: client.conversations_archive(channel=shop_dev), "authorization_error"),
        (
            DANA,
            lambda client: client.conversations_inviteShared(channel=shop_dev, emails=["x@example.org"]),
            "authorization_error",
        ),
        (GUEST, lambda client: client.users_list(), "not_authorized"),
        (DANA, lambda client: client.admin_users_list(team_id="T0ACME0001"), "authorization_error"),
        (DANA, lambda client: client.api_call("canvases.erase", params={"canvas_id": "F012345678"}), "unmapped_action"),
        (DANA, lambda client: client.auth_revoke(), "unmapped_action"),
        (
            DANA,
            lambda client: client.chat_delete(channel=shop_dev, ts="1.2", token="xoxp-another"),
            "unresolved_resource",
        ),
        ("nobody@example.com", lambda client: client.users_list(), "not_authorized"),
    ]
    for user, call, expected in calls:
        code, arrived = agent.codes(user, call)
        assert arrived == [], expected
        assert code == expected, agent.kit.events[-1].to_dict()


def test_an_unknown_method_is_a_write_sent_as_get(agent: Agent, slack: SlackStandin) -> None:
    code, arrived = agent.codes(
        ADMIN, lambda client: client.api_call("auth.erase", http_verb="GET", params={"test": "1"})
    )
    assert (code, arrived) == ("unmapped_action", [])


def test_files_go_only_where_the_person_may_upload(agent: Agent, slack: SlackStandin) -> None:
    shop_dev, releases = slack.channel("shop-dev"), slack.channel("releases")
    content = b"\x89PNG\xff 100% {"

    def upload(*channels: str) -> Callable[[Any], Any]:
        return lambda client: client.files_upload_v2(
            filename="a.png", file=content, channels=list(channels), initial_comment="look"
        )

    assert agent.call(DANA, upload(shop_dev, releases))["ok"]
    steps = slack.arrived()
    assert steps[0] == "/files.getUploadURLExternal"
    assert steps[1].startswith("/upload/v1/")
    assert steps[2] == "/files.completeUploadExternal"
    (file,) = slack.control("GET", "state")["files"].values()
    assert (file["size"], file["channels"]) == (len(content), sorted([shop_dev, releases]))

    # One of the two is not Sam's: the bytes are nobody's, and the call that shares them does not arrive.
    code, arrived = agent.codes(SAM, upload(shop_dev, releases))
    assert code == "not_authorized"
    assert "/files.completeUploadExternal" not in arrived


def test_direct_messages(agent: Agent, slack: SlackStandin) -> None:
    sam = slack.control("GET", "state")
    ids = {account["name"]: id_ for id_, account in sam["users"].items()}

    assert agent.call(DANA, lambda client: client.conversations_open(users=ids["sam"]))["ok"]
    assert agent.call(DANA, lambda client: client.chat_postMessage(channel=ids["sam"], text="hi"))["ok"]
    code, arrived = agent.codes(DANA, lambda client: client.chat_postMessage(channel=ids["acme-agent"], text="hi"))
    assert (code, arrived) == ("not_authorized", [])


def as_the_agent(call: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The call, marked as the agent's own: also where the async client sends it later."""

    def marked(client: Any) -> Any:
        if isinstance(client, AsyncWebClient):

            async def sent() -> Any:
                with as_agent():
                    return await call(client)

            return sent()
        with as_agent():
            return call(client)

    return marked


def test_the_agents_own_errands(agent: Agent, slack: SlackStandin) -> None:
    code, arrived = agent.codes(DANA, lambda client: client.users_setPresence(presence="away"))
    assert (code, arrived) == ("unresolved_resource", [])
    # Marked, they are the agent's.
    for errand in (
        lambda client: client.users_setPresence(presence="away"),
        lambda client: client.users_conversations(),
    ):
        assert agent.call(DANA, as_the_agent(errand))["ok"]
    assert agent.call(DANA, lambda client: client.auth_test())["user"] == "acme-agent"


def test_a_person_who_is_deactivated_may_nothing_more(agent: Agent, slack: SlackStandin) -> None:
    slack.control("PATCH", "state", {"users": {"U0DANA0001": {"deleted": True}}})
    code, arrived = agent.codes(
        DANA, lambda client: client.chat_postMessage(channel=slack.channel("shop-dev"), text="hi")
    )
    assert (code, arrived) == ("not_authorized", [])


def test_a_wrong_token_of_ours_is_no_yes_and_no_no(slack: SlackStandin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRONG_TOKEN", "xoxb-standin-wrong")
    agent = Agent(slack, credential="env:WRONG_TOKEN")
    code, arrived = agent.codes(
        DANA, lambda client: client.chat_postMessage(channel=slack.channel("shop-dev"), text="hi")
    )
    assert code == "authorization_error"
    assert [path for path in arrived if path.startswith("/chat")] == []


def test_a_wrong_token_of_the_tools_is_the_clients_error(agent: Agent, slack: SlackStandin) -> None:
    def post(client: Any) -> Any:
        client.token = "xoxb-standin-wrong"
        return client.chat_postMessage(channel=slack.channel("shop-dev"), text="hi")

    with pytest.raises(SlackApiError, match="invalid_auth"):
        agent.call(DANA, post)
