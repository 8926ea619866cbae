"""Kubernetes by the client its users have: typed, dynamic, watching and streaming, unchanged.

What is allowed arrives, what is refused does not, and a token of ours that the cluster refuses lets nothing through.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import kubernetes
import kubernetes.dynamic
import kubernetes.stream
import kubernetes.watch
import kubernetes_asyncio
import kubernetes_asyncio.stream
import pytest

from support.kits import Kit
from support.kubernetes import KubernetesStandin
from support.standin import Standin
from toolpass import Session, Toolpass, ToolRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: The client leaves the sockets of a watch that is left, and of a stream, to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

#: Its types say that a body must be its own class, where its documentation hands over plain values.
k8s: Any = kubernetes
async_k8s: Any = kubernetes_asyncio

DANA, SAM = "dana@example.com", "sam@example.com"
STAGING, PROD = "shop-staging", "shop-prod"
ROLES = "/apis/rbac.authorization.k8s.io/v1"


@pytest.fixture(scope="module")
def _cluster() -> Iterator[KubernetesStandin]:
    with KubernetesStandin() as standin:
        yield standin


@pytest.fixture
def cluster(_cluster: KubernetesStandin) -> KubernetesStandin:
    _cluster.reset()
    return _cluster


def api(cluster: KubernetesStandin) -> Any:
    """A client as users make it, with the agent's token."""
    configuration = k8s.client.Configuration(host=cluster.url, api_key={"authorization": f"Bearer {cluster.token}"})
    configuration.ssl_ca_cert = cluster.ca_file
    return k8s.client.ApiClient(configuration)


def grant(cluster: KubernetesStandin, who: str, rules: list[dict[str, Any]], namespace: str = STAGING) -> None:
    """Let somebody do this in a namespace."""
    place = f"{ROLES}/namespaces/{namespace}"
    subject = {"kind": "User", "name": f"oidc:{who}"}
    objects = {
        f"{place}/roles/more": {"metadata": {"name": "more"}, "rules": rules},
        f"{place}/rolebindings/more": {"roleRef": {"kind": "Role", "name": "more"}, "subjects": [subject]},
    }
    cluster.control("PATCH", "state", {"objects": objects})


class Agent:
    """One person's tool that runs a body against the cluster."""

    def __init__(self, cluster: KubernetesStandin, **changes: Any) -> None:
        self.cluster = cluster
        self.kit = Kit(permissions=Toolpass(connections=[cluster.connection(**changes)]))

    def run(self, user: str | Session, body: Callable[[Any], Any]) -> Any:
        """What the tool returns."""

        @self.kit.tool()
        def tool() -> Any:
            made = api(self.cluster)
            try:
                return body(made)
            finally:
                made.rest_client.pool_manager.clear()
                made.close()

        with (user if isinstance(user, Session) else Session(user=user)).active():
            return tool()

    def refused(self, user: str | Session, body: Callable[[Any], Any]) -> ToolRefused:
        """What the tool was refused with; nothing of the refused request arrived."""
        with pytest.raises(ToolRefused) as refused:
            self.run(user, body)
        return refused.value


def ship(namespace: str) -> Callable[[Any], Any]:
    def body(api: Any) -> Any:
        apps = k8s.client.AppsV1Api(api)
        apps.read_namespaced_deployment("shop-web", namespace)
        change = {"metadata": {"labels": {"version": "1.5.0"}}}
        return apps.patch_namespaced_deployment("shop-web", namespace, change).metadata.labels

    return body


def execute(namespace: str) -> Callable[[Any], Any]:
    def body(api: Any) -> Any:
        core = k8s.client.CoreV1Api(api)
        connect = core.connect_get_namespaced_pod_exec
        return k8s.stream.stream(connect, "shop-web-1", namespace, command=["sh", "-c", "id"], stdout=True, stdin=False)

    return body


def test_dana_ships_to_staging_and_only_looks_at_production(cluster: KubernetesStandin) -> None:
    agent = Agent(cluster)
    assert agent.run(DANA, ship(STAGING)) == {"version": "1.5.0"}
    path = f"/apis/apps/v1/namespaces/{STAGING}/deployments/shop-web"
    assert cluster.arrived() == [f"GET {path}", f"PATCH {path}"]
    cluster.reset()

    refused = agent.refused(DANA, ship(PROD))

    assert refused.code == "not_authorized"
    assert cluster.arrived() == [f"GET /apis/apps/v1/namespaces/{PROD}/deployments/shop-web"]


def test_sam_only_looks(cluster: KubernetesStandin) -> None:
    agent = Agent(cluster)
    names = agent.run(
        SAM, lambda api: [p.metadata.name for p in k8s.client.CoreV1Api(api).list_namespaced_pod(PROD).items]
    )
    assert names == ["shop-web-1"]
    assert agent.run(SAM, lambda api: k8s.client.CoreV1Api(api).read_namespaced_pod_log("shop-web-1", PROD))
    cluster.reset()
    for body in [
        ship(STAGING),
        lambda api: k8s.client.CoreV1Api(api).read_namespaced_secret("shop-db", STAGING),
        lambda api: k8s.client.CoreV1Api(api).delete_namespaced_pod("shop-web-1", STAGING),
        lambda api: k8s.client.CoreV1Api(api).delete_collection_namespaced_pod(STAGING),
        lambda api: k8s.client.CoreV1Api(api).list_pod_for_all_namespaces(),
        lambda api: k8s.client.CoreV1Api(api).connect_get_namespaced_pod_proxy("shop-web-1", STAGING),
        lambda api: k8s.client.CoreV1Api(api).create_namespaced_service_account_token("default", STAGING, {}),
    ]:
        assert agent.refused(SAM, body).code == "not_authorized"
    assert [request for request in cluster.arrived() if not request.startswith("GET /apis/apps")] == []


def test_a_watch_is_a_watch(cluster: KubernetesStandin) -> None:
    agent = Agent(cluster)

    def body(api: Any) -> list[str]:
        core = k8s.client.CoreV1Api(api)
        events = k8s.watch.Watch().stream(core.list_namespaced_pod, STAGING, timeout_seconds=5, _request_timeout=20)
        return [next(iter(events))["object"].metadata.name]

    assert agent.run(SAM, body) == ["shop-web-1"]
    binding = f"{ROLES}/namespaces/{STAGING}/rolebindings/view"
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}]
    cluster.reset()
    cluster.control("PATCH", "state", {"objects": {binding: None}})
    grant(cluster, SAM, rules)

    refused = Agent(cluster).refused(SAM, body)

    assert refused.code == "not_authorized"
    assert cluster.arrived() == []


def test_a_command_in_a_pod_needs_both_verbs(cluster: KubernetesStandin) -> None:
    assert Agent(cluster).refused(DANA, execute(STAGING)).code == "not_authorized"
    assert cluster.arrived() == []

    grant(cluster, DANA, [{"apiGroups": [""], "resources": ["pods/exec"], "verbs": ["get"]}])
    assert Agent(cluster).refused(DANA, execute(STAGING)).code == "not_authorized"
    assert cluster.arrived() == []

    grant(cluster, DANA, [{"apiGroups": [""], "resources": ["pods/exec"], "verbs": ["get", "create"]}])
    assert Agent(cluster).run(DANA, execute(STAGING)) == "the shop is open\n"
    assert cluster.arrived() == [f"GET /api/v1/namespaces/{STAGING}/pods/shop-web-1/exec"]


def test_the_dynamic_client_and_server_side_apply(cluster: KubernetesStandin) -> None:
    def body(api: Any) -> Any:
        deployments = k8s.dynamic.DynamicClient(api).resources.get(api_version="apps/v1", kind="Deployment")
        change = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "labels": {"a": "b"}}}
        return deployments.server_side_apply(change, name=name, namespace=STAGING, field_manager="me").metadata.name

    grant(cluster, DANA, [])
    reader = {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get"]}
    engine = {"kind": "User", "name": "system:serviceaccount:toolpass:engine"}
    objects = {
        f"{ROLES}/clusterroles/reader": {"metadata": {"name": "reader"}, "rules": [reader]},
        f"{ROLES}/clusterrolebindings/reader": {
            "roleRef": {"kind": "ClusterRole", "name": "reader"},
            "subjects": [engine],
        },
    }
    cluster.control("PATCH", "state", {"objects": objects})
    name = "shop-web"
    assert Agent(cluster).run(DANA, body) == name
    name = "shop-new"
    refused = Agent(cluster).refused(DANA, body)
    assert refused.code == "not_authorized"
    assert f"/apis/apps/v1/namespaces/{STAGING}/deployments/shop-new" not in cluster.objects()


def test_nobody_hands_out_more_than_they_hold(cluster: KubernetesStandin) -> None:
    rules = [{"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["rolebindings", "roles"], "verbs": ["*"]}]
    grant(cluster, DANA, [{**rules[0], "verbs": ["create", "patch"]}])

    def bind(role: str) -> Callable[[Any], Any]:
        body = {
            "metadata": {"name": "mine"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
            "subjects": [{"kind": "User", "name": "oidc:dana@example.com"}],
        }
        return lambda api: k8s.client.RbacAuthorizationV1Api(api).create_namespaced_role_binding(STAGING, body)

    assert Agent(cluster).refused(DANA, bind("cluster-admin")).code == "not_authorized"
    role = {"metadata": {"name": "all"}, "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]}
    assert (
        Agent(cluster)
        .refused(DANA, lambda api: k8s.client.RbacAuthorizationV1Api(api).create_namespaced_role(STAGING, role))
        .code
        == "not_authorized"
    )
    assert cluster.arrived() == []
    Agent(cluster).run(DANA, bind("shop-view"))
    assert f"{ROLES}/namespaces/{STAGING}/rolebindings/mine" in cluster.objects()


def test_acting_as_somebody_else_is_refused(cluster: KubernetesStandin) -> None:
    def body(api: Any) -> Any:
        api.set_default_header("Impersonate-User", "oidc:admin@example.com")
        return k8s.client.CoreV1Api(api).list_namespaced_pod(STAGING)

    refused = Agent(cluster).refused(SAM, body)
    assert refused.code == "authorization_error"
    assert "acts as another user" in refused.reason
    assert cluster.arrived() == []


def test_a_token_the_cluster_refuses_lets_nothing_through(
    cluster: KubernetesStandin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLPASS_TEST_WRONG", "somebody-elses")
    agent = Agent(cluster, credential="env:TOOLPASS_TEST_WRONG")
    for body in [ship(STAGING), execute(STAGING)]:
        refused = agent.refused(DANA, body)
        assert refused.code == "authorization_error"
        assert "does not accept the token" in refused.reason
        assert "somebody-elses" not in refused.reason
    assert cluster.arrived() == []


def test_groups_come_from_the_persons_own_token(cluster: KubernetesStandin) -> None:
    binding = {
        "roleRef": {"kind": "ClusterRole", "name": "shop-deploy"},
        "subjects": [{"kind": "Group", "name": "oidc:deployers"}],
    }
    place = f"{ROLES}/namespaces/{PROD}/rolebindings/deployers"
    cluster.control("PATCH", "state", {"objects": {place: binding}})
    with Standin("oidc", "--tls") as provider:
        issuer = provider.about["url"]
        keys = {"oidc_issuer": issuer, "oidc_audience": "kubernetes", "oidc_ca_file": provider.about["ca_file"]}
        agent = Agent(cluster, group_prefix="oidc:", **keys)

        def token(kind: str = "good", **claims: Any) -> str:
            usual = {"aud": "kubernetes", "email": SAM, "email_verified": True, "groups": ["deployers"]}
            asked = {"issuer": issuer, "kind": kind, "claims": {**usual, **claims}}
            made: str = provider.control("POST", "token", asked)
            return made

        assert agent.run(Session(user=SAM, token=token()), ship(PROD)) == {"version": "1.5.0"}
        cluster.reset()
        cluster.control("PATCH", "state", {"objects": {place: binding}})
        for session, code in [
            (Session(user=SAM, token=token(groups=[])), "not_authorized"),
            (Session(user=SAM, token=token("stranger")), "authorization_error"),
            (Session(user=SAM, token=token(email=DANA)), "authorization_error"),
            (Session(user=SAM), "authorization_error"),
            (Session(user=SAM, groups=["system:masters"]), "not_authorized"),
        ]:
            assert agent.refused(session, ship(PROD)).code == code
        assert [request for request in cluster.arrived() if request.startswith("PATCH")] == []


def test_the_asynchronous_client(cluster: KubernetesStandin) -> None:
    kit = Kit(permissions=Toolpass(connections=[cluster.connection()]))

    def configuration() -> Any:
        key = {"BearerToken": f"Bearer {cluster.token}"}
        made = async_k8s.client.Configuration(host=cluster.url, api_key=key)
        made.ssl_ca_cert = cluster.ca_file
        return made

    @kit.tool()
    async def ship_to(namespace: str) -> Any:
        async with async_k8s.client.ApiClient(configuration()) as api:
            apps = async_k8s.client.AppsV1Api(api)
            change = {"metadata": {"labels": {"version": "1.5.0"}}}
            return (await apps.patch_namespaced_deployment("shop-web", namespace, change)).metadata.labels

    @kit.tool()
    async def run_in(namespace: str) -> Any:
        async with async_k8s.stream.WsApiClient(configuration()) as api:
            core = async_k8s.client.CoreV1Api(api)
            return await core.connect_get_namespaced_pod_exec("shop-web-1", namespace, command=["id"], stdout=True)

    with Session(user=DANA).active():
        assert asyncio.run(ship_to(STAGING)) == {"version": "1.5.0"}
        cluster.reset()
        for tool, namespace in [(ship_to, PROD), (run_in, STAGING)]:
            with pytest.raises(ToolRefused) as refused:
                asyncio.run(tool(namespace))
            assert refused.value.code == "not_authorized"
    assert cluster.arrived() == []
