"""A public issue talks the agent into publishing what a private repository holds, inside one connection.

The case of Invariant Labs (May 2025) against GitHub's MCP server, with real clients over the stand-in: whatever carries
the private text out, it does not arrive.
"""

from __future__ import annotations

import asyncio
import ssl
import threading
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from github import Auth, Github

from support.kits import Engine, Kit
from support.standin import ADMIN, SAM, GithubStandin
from toolpass import Session, Toolpass, ToolRefused, as_agent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PUBLIC, PRIVATE, OTHER = "acme/site", "acme/webapp", "acme/shop"
LOOT = "what the private repository says"


class Agent:
    """One person's session with a tool that sends whatever it is told, over one connection."""

    def __init__(self, github: GithubStandin, user: str = ADMIN, **settings: Any) -> None:
        self.github = github
        self.kit = Kit(permissions=Toolpass(connections=[github.connection()]), **settings)
        self.session = Session(user)
        self.client = httpx.Client(
            headers={"Authorization": f"Bearer {github.token}"},
            verify=ssl.create_default_context(cafile=github.ca_file),
            trust_env=False,
            timeout=None,
        )

    def run(self, body: Callable[[], Any]) -> Any:
        """What a tool with this body returns."""
        with self.session.active():
            return self.kit.tool(name="t")(body)()

    def send(self, method: str, path: str, body: Any = None) -> str:
        """The status of a request, or the code it was refused with."""
        url = f"{self.github.api}{path}" if path.startswith("/") else path
        try:
            return str(self.run(lambda: self.client.request(method, url, json=body).status_code))
        except ToolRefused as refused:
            self.refused = refused
            return refused.code

    def query(self, document: str, **variables: Any) -> Any:
        """What a GraphQL document answers."""
        url = self.github.api.replace("/v3", "/graphql")
        return self.run(lambda: self.client.post(url, json={"query": document, "variables": variables}).json())

    def reads(self, repository: str) -> None:
        """Read a repository."""
        assert self.send("GET", f"/repos/{repository}") == "200"

    def reads_public_issue(self) -> None:
        """The outside text."""
        assert self.send("GET", f"/repos/{PUBLIC}/issues") == "200"

    def writes(self) -> list[str]:
        """What was changed at the stand-in."""
        return [line for line in self.github.arrived() if not line.startswith("GET") and "graphql" not in line]


@pytest.fixture
def make(github: GithubStandin) -> Iterator[Callable[..., Agent]]:
    made: list[Agent] = []

    def agent(user: str = ADMIN, **settings: Any) -> Agent:
        made.append(Agent(github, user, **settings))
        return made[-1]

    yield agent
    for each in made:
        each.client.close()


@pytest.fixture
def agent(make: Callable[..., Agent]) -> Agent:
    return make()


PUBLICATIONS = [
    ("POST", f"/repos/{PUBLIC}/issues", {"title": "hello", "body": LOOT}),
    ("POST", f"/repos/{PUBLIC}/pulls", {"title": LOOT, "head": "x", "base": "main"}),
    ("PUT", f"/repos/{PUBLIC}/contents/notes.md", {"message": "x", "content": "eA==", "branch": "main"}),
    ("POST", f"/repos/{PUBLIC}/labels", {"name": LOOT, "color": "ededed"}),
    ("PATCH", f"/repos/{PUBLIC}", {"description": LOOT}),
    ("PATCH", f"/repos/{PRIVATE}", {"private": False}),
    ("PATCH", f"/repos/{PRIVATE}", {"visibility": "public"}),
    ("POST", "/orgs/acme/repos", {"name": "new", "description": LOOT, "private": False}),
    ("POST", f"/repos/{PRIVATE}/generate", {"owner": "acme", "name": "new", "private": False}),
]


@pytest.mark.parametrize(("method", "path", "body"), PUBLICATIONS)
@pytest.mark.parametrize("order", ["public first", "private first"])
def test_a_public_issue_gets_no_private_repository_published(
    agent: Agent, method: str, path: str, body: Any, order: str
) -> None:
    if order == "public first":
        agent.reads_public_issue()
        agent.reads(PRIVATE)
    else:
        agent.reads(PRIVATE)
        agent.reads_public_issue()
    assert agent.send(method, path, body) == "exfiltration_risk"
    assert PRIVATE in agent.refused.reason
    assert LOOT not in agent.refused.reason
    assert agent.writes() == []


def test_pygithub_is_held_to_the_same(agent: Agent, github: GithubStandin) -> None:
    client = Github(
        base_url=github.api, auth=Auth.Token(github.token), verify=github.ca_file, seconds_between_requests=0
    )

    def steal() -> str:
        list(client.get_repo(PUBLIC).get_issues())
        loot = client.get_repo(PRIVATE).full_name
        client.get_repo(PUBLIC).create_issue("as asked", loot)
        return "published"

    with pytest.raises(ToolRefused) as caught:
        agent.run(steal)
    client.close()
    assert caught.value.code == "exfiltration_risk"
    assert agent.writes() == []


def test_async_httpx_is_held_to_the_same(agent: Agent, github: GithubStandin) -> None:
    agent.reads(PRIVATE)

    async def steal() -> int:
        async with httpx.AsyncClient(
            headers={"Authorization": f"Bearer {github.token}"},
            verify=ssl.create_default_context(cafile=github.ca_file),
            trust_env=False,
            timeout=None,
        ) as client:
            await client.get(f"{github.api}/repos/{PUBLIC}/issues")
            answer = await client.post(f"{github.api}/repos/{PUBLIC}/issues", json={"title": LOOT})
            return answer.status_code

    async def main() -> None:
        with agent.session.active():
            await agent.kit.tool(name="steal")(steal)()

    with pytest.raises(ToolRefused) as caught:
        asyncio.run(main())
    assert caught.value.code == "exfiltration_risk"
    assert agent.writes() == []


def test_a_gist_is_refused(agent: Agent) -> None:
    agent.reads(PRIVATE)
    agent.reads_public_issue()
    body = {"public": True, "files": {"x": {"content": LOOT}}}
    assert agent.send("POST", "/gists", body) == "unmapped_action"


# -- other ways to read ------------------------------------------------------------------------------------------------


def test_what_was_read_as_the_agent_counts(agent: Agent, github: GithubStandin) -> None:
    def read() -> int:
        with as_agent():
            return agent.client.get(f"{github.api}/repos/{PRIVATE}").status_code

    assert agent.run(read) == 200
    agent.reads_public_issue()
    assert agent.send(*PUBLICATIONS[0]) == "exfiltration_risk"


def test_what_was_read_in_a_thread_counts(agent: Agent, github: GithubStandin) -> None:
    def read() -> None:
        thread = threading.Thread(target=lambda: agent.client.get(f"{github.api}/repos/{PRIVATE}"))
        thread.start()
        thread.join()

    agent.run(read)
    agent.reads_public_issue()
    assert agent.send(*PUBLICATIONS[0]) == "exfiltration_risk"


def test_what_a_redirect_led_to_counts(agent: Agent, github: GithubStandin) -> None:
    location = f"{github.api}/repos/{PRIVATE}"
    github.fail(f"/repos/{PUBLIC}/readme", {"redirect": {"status": 302, "location": location}})
    url = f"{github.api}/repos/{PUBLIC}/readme"
    assert agent.run(lambda: agent.client.get(url, follow_redirects=True).json())["full_name"] == PRIVATE
    assert agent.send(*PUBLICATIONS[0]) == "exfiltration_risk"


def test_what_was_searched_counts(agent: Agent) -> None:
    agent.send("GET", f"/search/issues?q=repo%3A{PRIVATE}+x")
    assert agent.kit.events[-1].outcome == "ran"
    agent.reads_public_issue()
    assert agent.send(*PUBLICATIONS[0]) == "exfiltration_risk"


def test_what_was_read_by_number_counts(agent: Agent, github: GithubStandin) -> None:
    number = agent.client.get(f"{github.api}/repos/{PRIVATE}").json()["id"]
    assert agent.send("GET", f"/repositories/{number}") == "200"
    agent.reads_public_issue()
    assert agent.send(*PUBLICATIONS[0]) == "exfiltration_risk"


def test_what_was_read_in_one_graphql_document_counts(agent: Agent) -> None:
    owner, name = PUBLIC.split("/")
    other = PRIVATE.split("/")[1]
    fields = "{ name }"
    both = [
        f'{alias}: repository(owner: "{owner}", name: "{of}") {fields}' for alias, of in (("a", name), ("b", other))
    ]
    document = f"{{ {' '.join(both)} }}"
    assert agent.query(document)["data"]["b"]["name"] == other
    agent.reads_public_issue()
    assert agent.send(*PUBLICATIONS[0]) == "exfiltration_risk"


def test_what_was_read_by_node_id_counts(agent: Agent, github: GithubStandin) -> None:
    node = agent.client.get(f"{github.api}/repos/{PRIVATE}").json()["node_id"]
    document = "query($id: ID!) { node(id: $id) { ... on Repository { name } } }"
    assert agent.query(document, id=node)["data"]["node"]["name"] == PRIVATE.split("/")[1]
    agent.reads_public_issue()
    assert agent.send(*PUBLICATIONS[0]) == "exfiltration_risk"


def test_a_mutation_by_node_id_publishes_too(agent: Agent, github: GithubStandin) -> None:
    node = agent.client.get(f"{github.api}/repos/{PUBLIC}").json()["node_id"]
    agent.reads(PRIVATE)
    agent.reads_public_issue()
    document = "mutation($input: CreateIssueInput!) { createIssue(input: $input) { clientMutationId } }"
    with pytest.raises(ToolRefused) as caught:
        agent.query(document, input={"repositoryId": node, "title": LOOT})
    assert caught.value.code == "exfiltration_risk"


def test_what_was_renamed_meanwhile_stays_what_it_was(agent: Agent) -> None:
    agent.reads(PRIVATE)
    agent.send("PATCH", f"/repos/{PRIVATE}", {"name": "renamed"})
    agent.reads_public_issue()
    assert agent.send(*PUBLICATIONS[0]) in {"exfiltration_risk", "authorization_error"}


def test_what_cannot_be_looked_up_is_not_published(agent: Agent, github: GithubStandin) -> None:
    agent.reads(PRIVATE)
    agent.reads_public_issue()
    github.fail(f"/repos/{PRIVATE}", "malformed_json")
    assert agent.send(*PUBLICATIONS[0]) == "authorization_error"
    assert agent.writes() == []


# -- what goes on ------------------------------------------------------------------------------------------------------


def test_private_text_may_go_where_it_was(agent: Agent) -> None:
    agent.reads_public_issue()
    agent.reads(OTHER)
    assert agent.send("POST", f"/repos/{OTHER}/issues", {"title": "from the site"}) == "201"


def test_private_text_may_go_to_another_private_repository(agent: Agent) -> None:
    agent.reads_public_issue()
    agent.reads(PRIVATE)
    assert agent.send("POST", f"/repos/{OTHER}/issues", {"title": "from the webapp"}) == "201"


def test_public_text_may_be_answered_in_public(agent: Agent) -> None:
    agent.reads_public_issue()
    assert agent.send("POST", f"/repos/{PUBLIC}/issues", {"title": "an answer"}) == "201"


def test_private_connections_are_held_to_the_older_rule(make: Callable[..., Agent]) -> None:
    agent = make(private=["github"])
    agent.reads_public_issue()
    agent.reads(PRIVATE)
    assert agent.send("POST", f"/repos/{OTHER}/issues", {"title": "x"}) == "exfiltration_risk"
    assert PRIVATE in agent.refused.reason


def test_an_engine_that_looks_nothing_up_leaves_it_to_the_connection(agent: Agent, github: GithubStandin) -> None:
    connection = {"id": "github", "integration": "github", "url": github.about["url"]}
    agent.kit = Kit(permissions=Engine(), connections=[connection])
    agent.reads(PRIVATE)
    agent.reads_public_issue()
    assert agent.send("POST", f"/repos/{PUBLIC}/issues", {"title": "x"}) == "201"


def test_somebody_who_may_not_is_refused_for_that(make: Callable[..., Agent]) -> None:
    agent = make(SAM)
    agent.reads_public_issue()
    assert agent.send("PATCH", f"/repos/{PUBLIC}", {"description": "x"}) == "not_authorized"
