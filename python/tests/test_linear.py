"""Linear by the clients its users have: `gql` with each of its transports, and plain `httpx`, unchanged.

What is allowed arrives, what is refused does not, and a credential of ours that Linear refuses lets nothing through.
"""

from __future__ import annotations

import asyncio
import ssl
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from gql import Client, GraphQLRequest, gql
from gql.transport.aiohttp import AIOHTTPTransport
from gql.transport.exceptions import TransportError, TransportQueryError
from gql.transport.httpx import HTTPXAsyncTransport, HTTPXTransport
from gql.transport.requests import RequestsHTTPTransport

from support.kits import Kit
from support.linear import LinearStandin
from toolpass import Session, Toolpass, ToolRefused, as_agent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DANA, SAM = "dana@example.com", "sam@example.com"

CREATE = """
mutation IssueCreate($input: IssueCreateInput!) {
  issueCreate(input: $input) { success issue { ...IssueNames } }
}
fragment IssueNames on Issue { id identifier title url team { key } }
"""
READ = """
query Issue($id: String!) { issue(id: $id) { ...IssueNames description state { name } } }
fragment IssueNames on Issue { identifier title }
"""


@pytest.fixture(scope="module")
def _linear() -> Iterator[LinearStandin]:
    with LinearStandin() as standin:
        yield standin


@pytest.fixture
def linear(_linear: LinearStandin) -> LinearStandin:
    _linear.reset()
    return _linear


def by_requests(linear: LinearStandin, key: str) -> Any:
    transport = RequestsHTTPTransport(url=linear.url, headers={"Authorization": key}, verify=linear.ca_file, timeout=30)

    def run(document: str, variables: dict[str, Any]) -> Any:
        with Client(transport=transport) as session:
            return session.execute(GraphQLRequest(document, variable_values=variables))

    return run


def by_httpx(linear: LinearStandin, key: str) -> Any:
    context = ssl.create_default_context(cafile=linear.ca_file)

    def run(document: str, variables: dict[str, Any]) -> Any:
        transport = HTTPXTransport(
            url=linear.url, headers={"Authorization": key}, verify=context, timeout=30, trust_env=False
        )
        with Client(transport=transport) as session:
            return session.execute(GraphQLRequest(document, variable_values=variables))

    return run


def by_async_httpx(linear: LinearStandin, key: str) -> Any:
    context = ssl.create_default_context(cafile=linear.ca_file)

    async def run(document: str, variables: dict[str, Any]) -> Any:
        transport = HTTPXAsyncTransport(
            url=linear.url, headers={"Authorization": key}, verify=context, timeout=30, trust_env=False
        )
        async with Client(transport=transport) as session:
            return await session.execute(GraphQLRequest(document, variable_values=variables))

    return run


def by_aiohttp(linear: LinearStandin, key: str) -> Any:
    context = ssl.create_default_context(cafile=linear.ca_file)

    async def run(document: str, variables: dict[str, Any]) -> Any:
        transport = AIOHTTPTransport(url=linear.url, headers={"Authorization": key}, ssl=context, timeout=30)
        async with Client(transport=transport) as session:
            return await session.execute(GraphQLRequest(document, variable_values=variables))

    return run


def plainly(linear: LinearStandin, key: str) -> Any:
    context = ssl.create_default_context(cafile=linear.ca_file)

    def run(document: str, variables: dict[str, Any]) -> Any:
        with httpx.Client(headers={"Authorization": key}, verify=context, trust_env=False, timeout=30) as client:
            answer = client.post(linear.url, json={"query": document, "variables": variables}).json()
        if "errors" in answer:
            raise TransportQueryError(str(answer["errors"]))
        return answer["data"]

    return run


CLIENTS = {
    "gql with requests": by_requests,
    "gql with httpx": by_httpx,
    "gql with httpx, async": by_async_httpx,
    "gql with aiohttp": by_aiohttp,
    "httpx": plainly,
}


class Agent:
    """One person's tool that runs documents against Linear."""

    def __init__(self, linear: LinearStandin, make: Callable[..., Any], key: str | None = None, **changes: Any) -> None:
        self.run = make(linear, key or linear.key)
        self.kit = Kit(permissions=Toolpass(connections=[linear.connection(**changes)]))
        is_async = asyncio.iscoroutinefunction(self.run)
        self.tool = self._asynchronous() if is_async else self._synchronous()

    def _synchronous(self) -> Any:
        @self.kit.tool()
        def linear(document: str, variables: dict[str, Any]) -> Any:
            return self.run(document, variables)

        return linear

    def _asynchronous(self) -> Any:
        @self.kit.tool()
        async def linear(document: str, variables: dict[str, Any]) -> Any:
            return await self.run(document, variables)

        return linear

    def __call__(self, user: str, document: str, variables: dict[str, Any] | None = None) -> Any:
        with Session(user=user).active():
            answer = self.tool(document, variables or {})
            return asyncio.run(answer) if asyncio.iscoroutine(answer) else answer


@pytest.mark.parametrize("client", CLIENTS)
def test_what_a_person_may_arrives_and_what_not_does_not(linear: LinearStandin, client: str) -> None:
    ask = Agent(linear, CLIENTS[client])
    issue = {"input": {"teamId": linear.teams["ENG"], "title": "Checkout fails"}}
    made = ask(DANA, CREATE, issue)
    assert made["issueCreate"]["issue"]["identifier"] == "ENG-2"
    assert ask(DANA, READ, {"id": "ENG-1"})["issue"]["title"] == "Checkout fails in Safari"
    assert linear.ran() == ["issueCreate"]
    before = linear.arrived()
    for document, variables in [(CREATE, issue), (READ, {"id": "ENG-1"})]:
        with pytest.raises(ToolRefused) as refused:
            ask(SAM, document, variables)
        assert refused.value.code == "not_authorized"
        assert "ENG" in refused.value.reason
    assert linear.arrived() == before
    assert linear.ran() == ["issueCreate"]


def test_a_document_may_hold_nothing_unseen(linear: LinearStandin) -> None:
    ask = Agent(linear, by_requests)
    before = linear.arrived()
    for document in [
        'mutation { issueArchive(id: "OPS-1") { success } issueDelete(id: "ENG-1") { success } }',
        'mutation M { ...Hidden } fragment Hidden on Mutation { issueDelete(id: "ENG-1") { success } }',
        'query { issue(id: "OPS-1") { title } other: issue(id: "ENG-1") { title } }',
        'query { issue(id: "OPS-1") { creator { createdIssues { nodes { title } } } } }',
        'mutation { commentCreate(input: {issueId: "OPS-1", body: "x", createAsUser: "CEO"}) { success } }',
        "query { issues { nodes { title } } }",
        "mutation { favoriteCreate(input: {}) { success } }",
        "mutation { logout { success } }",
    ]:
        with pytest.raises(ToolRefused):
            ask(SAM, document)
    assert linear.arrived() == before
    assert linear.ran() == []


def test_lists_are_the_agents_and_marked_so(linear: LinearStandin) -> None:
    run = by_requests(linear, linear.key)
    kit = Kit(permissions=Toolpass(connections=[linear.connection()]))

    @kit.tool()
    def titles() -> list[str]:
        with as_agent():
            issues = run("query { issues { nodes { title } } }", {})["issues"]["nodes"]
        return [issue["title"] for issue in issues]

    with Session(user=SAM).active():
        assert len(titles()) == 2


def test_a_batch_is_refused(linear: LinearStandin) -> None:
    kit = Kit(permissions=Toolpass(connections=[linear.connection()]))

    @kit.tool()
    def batch() -> Any:
        transport = RequestsHTTPTransport(
            url=linear.url, headers={"Authorization": linear.key}, verify=linear.ca_file, timeout=30
        )
        with Client(transport=transport) as session:
            return session.execute_batch(
                [
                    GraphQLRequest('query { issue(id: "OPS-1") { title } }'),
                    GraphQLRequest('mutation { issueDelete(id: "OPS-1") { success } }'),
                ]
            )

    with Session(user=DANA).active(), pytest.raises(ToolRefused) as refused:
        batch()
    assert refused.value.code == "unresolved_resource"
    assert linear.arrived() == 0


def test_a_credential_of_ours_that_is_refused_lets_nothing_through(
    linear: LinearStandin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLPASS_TEST_WRONG_KEY", "lin_api_wrong")
    ask = Agent(linear, by_requests, credential="env:TOOLPASS_TEST_WRONG_KEY")
    with pytest.raises(ToolRefused) as refused:
        ask(DANA, CREATE, {"input": {"teamId": "ENG", "title": "x"}})
    assert refused.value.code != "not_authorized"
    assert linear.ran() == []


def test_a_wrong_key_of_the_tool_is_linears_to_refuse(linear: LinearStandin) -> None:
    ask = Agent(linear, by_requests, key="lin_api_wrong")
    with pytest.raises(TransportError):
        ask(DANA, READ, {"id": "ENG-1"})


def test_the_schema_may_be_asked_for(linear: LinearStandin) -> None:
    document = gql("query { __typename }")
    kit = Kit(permissions=Toolpass(connections=[linear.connection()]))

    @kit.tool()
    def look() -> Any:
        transport = RequestsHTTPTransport(
            url=linear.url, headers={"Authorization": linear.key}, verify=linear.ca_file, timeout=30
        )
        with Client(transport=transport) as session:
            return session.execute(document)

    with Session(user=SAM).active():
        assert look() == {"__typename": "Query"}
