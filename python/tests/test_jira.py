"""The client library `jira`, unchanged, against a stand-in site: what the user may do arrives, the rest does not."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
from jira import JIRA, JIRAError

from support.kits import Kit
from support.standin import DANA, SAM, JiraStandin
from toolpass import Session, Toolpass, ToolRefused, as_agent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(scope="module")
def _site() -> Iterator[JiraStandin]:
    with JiraStandin() as standin:
        yield standin


@pytest.fixture
def site(_site: JiraStandin) -> JiraStandin:
    """The stand-in in its first world, with nothing arrived yet."""
    _site.control("POST", "reset")
    return _site


class Agent:
    """A person's session with a tool that uses the library as its users do."""

    def __init__(self, site: JiraStandin, user: str, **settings: Any) -> None:
        self.site = site
        self.kit = Kit(permissions=Toolpass(connections=[site.connection()]), **settings)
        self.session = Session(user)
        self.client = JIRA(site.url, basic_auth=site.login, options={"verify": site.ca_file})
        site.control("DELETE", "requests")

    def run(self, body: Callable[[JIRA], Any]) -> Any:
        """What a tool with this body returns."""
        with self.session.active():
            return self.kit.tool(name="t")(lambda: body(self.client))()

    def refused(self, body: Callable[[JIRA], Any]) -> ToolRefused:
        """The refusal of a tool with this body."""
        with pytest.raises(ToolRefused) as caught:
            self.run(body)
        return caught.value

    def actions(self) -> list[str]:
        """What the requests of the last call were taken for, each once."""
        seen = {action.action for action in self.kit.events[-1].actions if action.action is not None}
        return sorted(name.removeprefix("jira:") for name in seen)


@pytest.fixture
def make(site: JiraStandin) -> Iterator[Callable[..., Agent]]:
    made: list[Agent] = []

    def agent(user: str, **settings: Any) -> Agent:
        made.append(Agent(site, user, **settings))
        return made[-1]

    yield agent
    for each in made:
        each.client.close()


def in_review(client: JIRA) -> None:
    client.transition_issue("SHOP-12", "In Review")


def renamed(client: JIRA) -> None:
    client.issue("SHOP-12").update(summary="Checkout fails in every browser")


def created(client: JIRA) -> Any:
    return client.create_issue(project="SHOP", summary="New", issuetype={"name": "Task"}).key


def assigned(client: JIRA) -> None:
    client.assign_issue("SHOP-12", "sam@example.com")


ALLOWED: list[tuple[Callable[[JIRA], Any], list[str], list[str]]] = [
    (
        lambda client: client.add_comment("SHOP-12", "Fixed."),
        ["POST /rest/api/2/issue/SHOP-12/comment"],
        ["ADD_COMMENTS"],
    ),
    (in_review, ["POST /rest/api/2/issue/SHOP-12/transitions"], ["BROWSE_PROJECTS", "TRANSITION_ISSUES"]),
    # The library writes to the address in `self`, which has the id.
    (renamed, ["PUT /rest/api/2/issue/10112"], ["BROWSE_PROJECTS", "EDIT_ISSUES"]),
    (created, ["POST /rest/api/2/issue"], ["BROWSE_PROJECTS", "CREATE_ISSUES"]),
    (assigned, ["PUT /rest/api/latest/issue/SHOP-12/assignee"], ["ASSIGN_ISSUES", "USER_PICKER"]),
    (
        lambda client: client.add_worklog("SHOP-12", timeSpent="1h"),
        ["POST /rest/api/2/issue/SHOP-12/worklog"],
        ["WORK_ON_ISSUES"],
    ),
    (
        lambda client: client.create_issue_link("Blocks", inwardIssue="SHOP-12", outwardIssue="SHOP-14"),
        ["POST /rest/api/2/issueLink"],
        ["BROWSE_PROJECTS", "LINK_ISSUES"],
    ),
]


@pytest.mark.parametrize(("body", "arrives", "actions"), ALLOWED)
def test_what_the_user_may_do_arrives(
    make: Callable[..., Agent], site: JiraStandin, body: Callable[[JIRA], Any], arrives: list[str], actions: list[str]
) -> None:
    agent = make(DANA)
    agent.run(body)
    assert site.writes() == arrives
    assert agent.actions() == actions


REFUSED: list[tuple[str, Callable[[JIRA], Any], str]] = [
    (SAM, lambda client: client.add_comment("SHOP-12", "x"), "ADD_COMMENTS"),
    (SAM, in_review, "TRANSITION_ISSUES"),
    (SAM, renamed, "EDIT_ISSUES"),
    (SAM, created, "CREATE_ISSUES"),
    (DANA, lambda client: client.issue("SHOP-12").delete(), "DELETE_ISSUES"),
    (DANA, lambda client: client.add_attachment("SHOP-12", io.BytesIO(b"x"), "x.txt"), "CREATE_ATTACHMENTS"),
    (DANA, lambda client: client.issue("SHOP-12").update(security={"id": "1"}, summary="x"), "SET_ISSUE_SECURITY"),
    (DANA, lambda client: client.issue("SHOP-12").update(duedate="2026-12-24"), "SCHEDULE_ISSUES"),
    (DANA, lambda client: client.issue("SHOP-12").update(customfield_10020=5), "SCHEDULE_ISSUES"),
    (DANA, lambda client: client.issue("SHOP-12").update(notify=False, summary="x"), "administers neither"),
    (DANA, lambda client: client.add_issues_to_sprint(5, ["SHOP-12"]), "SCHEDULE_ISSUES"),
    (DANA, lambda client: client.create_sprint("x", 1), "MANAGE_SPRINTS_PERMISSION"),
    (DANA, lambda client: client.add_watcher("SHOP-12", "sam@example.com"), "MANAGE_WATCHERS"),
    (DANA, lambda client: client.comment("SHOP-12", "30002").update(body="x"), "others"),
    (DANA, lambda client: client.create_project("NEW", template_name="x"), "ADMINISTER"),
]


@pytest.mark.parametrize(("user", "body", "why"), REFUSED)
def test_what_the_user_may_not_do_does_not_arrive(
    make: Callable[..., Agent], site: JiraStandin, user: str, body: Callable[[JIRA], Any], why: str
) -> None:
    refusal = make(user).refused(body)
    assert refusal.code == "not_authorized"
    assert why in refusal.reason
    assert site.writes() == []


def test_ones_own_comment_may_be_changed(make: Callable[..., Agent], site: JiraStandin) -> None:
    make(DANA).run(lambda client: client.comment("SHOP-12", "30001").update(body="x"))
    assert site.writes() == ["PUT /rest/api/2/issue/10112/comment/30001"]


def test_reads_are_asked_of_the_user(make: Callable[..., Agent], site: JiraStandin) -> None:
    agent = make(SAM)
    assert agent.run(lambda client: client.issue("shop-12").fields.summary) == "Checkout fails in Safari"
    site.control("PATCH", "state", {"projects": {"SHOP": {"grants": {"acc-sam": None}}}})
    assert make(SAM).refused(lambda client: client.issue("SHOP-12")).code == "not_authorized"


def test_a_search_is_held_to_the_projects_it_names(make: Callable[..., Agent]) -> None:
    agent = make(SAM)
    assert len(agent.run(lambda client: client.enhanced_search_issues("project = SHOP ORDER BY key"))) > 0
    assert agent.actions() == ["BROWSE_PROJECTS"]
    refusal = agent.refused(lambda client: client.enhanced_search_issues("project = OLD"))
    assert "BROWSE_PROJECTS" in refusal.reason


def test_the_agents_own_errand_is_not_asked_of_the_user(make: Callable[..., Agent], site: JiraStandin) -> None:
    def note(client: JIRA) -> None:
        with as_agent():
            client.add_comment("SHOP-12", "seen")

    make(SAM, act_as="user").run(note)
    assert site.writes() == ["POST /rest/api/2/issue/SHOP-12/comment"]


def test_with_a_wrong_credential_nothing_is_known_and_nothing_arrives(site: JiraStandin) -> None:
    wrong = site.connection(credential=f"file:{site.about['wrong_token_file']}")
    kit = Kit(permissions=Toolpass(connections=[wrong]))
    client = JIRA(site.url, basic_auth=site.login, options={"verify": site.ca_file})
    with Session(DANA).active(), pytest.raises(ToolRefused) as caught:
        kit.tool(name="t")(lambda: client.add_comment("SHOP-12", "x"))()
    client.close()
    assert caught.value.code == "authorization_error"
    assert site.writes() == []


def test_tools_with_a_wrong_login_are_refused_by_the_site(make: Callable[..., Agent], site: JiraStandin) -> None:
    agent = make(DANA)
    with pytest.raises(JIRAError, match="401"):
        JIRA(site.url, basic_auth=(site.login[0], "wrong"), options={"verify": site.ca_file}, max_retries=0)
    assert agent.run(lambda client: client.myself()["displayName"]) == "Toolpass"
