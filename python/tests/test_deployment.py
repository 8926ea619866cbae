"""What `deploy/` says, held to what reads it: Helm, Kubernetes' schemas, systemd, a linter, the command itself."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import trustme

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
CHART = DEPLOY / "helm" / "toolpass"

#: The oldest version that the chart takes, and the newest whose schemas are there.
VERSIONS = ["1.27", "1.37"]

LEAST: dict[str, Any] = {"config": {"server": {"dashboard": "off"}}}

WHOLE: dict[str, Any] = {
    "config": {
        "api_keys": [
            {"name": "agents", "key": "file:/run/secrets/toolpass.keys/agents", "scopes": ["check", "report"]},
            {"name": "people", "key": "file:/run/secrets/toolpass.keys/people", "scopes": "dashboard"},
        ],
        "server": {"require_tls": "true", "drain": "8s", "runs_retention": "30d"},
        "connections": [{"id": "main", "integration": "fake", "users": "dana@example.com"}],
    },
    "image": {"repository": "registry.example/toolpass", "digest": "sha256:" + "0" * 64},
    "imagePullSecrets": [{"name": "pull"}],
    "secrets": ["toolpass.keys"],
    "configMaps": ["roots"],
    "tls": {"secret": "toolpass-tls", "clientCaConfigMap": "callers"},
    "stores": {"runs": {"secret": "database", "key": "url"}, "sessions": {"secret": "valkey", "key": "url"}},
    "env": {"HTTPS_PROXY": "http://proxy.example:3128"},
    "service": {"annotations": {"a.example/b": "c"}},
    "serviceAccount": {"annotations": {"a.example/b": "c"}},
    "networkPolicy": {
        "monitoring": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}],
        "egress": {"stores": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "stores"}}}]},
    },
    "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
    "alerts": {"enabled": True},
    "podAnnotations": {"a.example/b": "c"},
    "podLabels": {"team": "agents"},
    "nodeSelector": {"kubernetes.io/os": "linux"},
    "tolerations": [{"key": "dedicated", "operator": "Exists"}],
    "affinity": {"nodeAffinity": {}},
    "priorityClassName": "important",
}


def site() -> Path:
    """The packages these tests need, beside the environment's."""
    sites = os.environ.get("TOOLPASS_TEST_SITES", "")
    if not sites:
        pytest.skip("set TOOLPASS_TEST_SITES, as `cargo xtask py` does")
    return Path(sites) / "deployment"


def render(*sets: dict[str, Any]) -> dict[str, Any]:
    """Render the chart with each set of values."""
    asked = {"chart": str(CHART), "sets": sets, "versions": VERSIONS}
    ended = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "support" / "rendered.py")],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(site())},
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    told: dict[str, Any] = json.loads(ended.stdout)
    return told


@pytest.fixture(scope="module")
def charts() -> dict[str, Any]:
    """The chart with the least values, and with all."""
    return render(LEAST, WHOLE)


def of_kind(result: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [one for one in result["documents"] if one["kind"] == kind]


def pod(result: dict[str, Any]) -> dict[str, Any]:
    (deployment,) = of_kind(result, "Deployment")
    spec: dict[str, Any] = deployment["spec"]["template"]["spec"]
    return spec


def test_the_chart_is_what_kubernetes_takes(charts: dict[str, Any]) -> None:
    for result in charts["results"]:
        assert "error" not in result, result
        assert result["wrong"] == []
    assert [one for one in charts["lint"]["messages"] if one["severity"] > 1] == []
    kinds = [sorted(one["kind"] for one in result["documents"]) for result in charts["results"]]
    least = ["ConfigMap", "Deployment", "NetworkPolicy", "PodDisruptionBudget", "Service", "ServiceAccount"]
    assert kinds == [least, sorted([*least, "PrometheusRule", "Service", "ServiceMonitor"])]


def test_a_wrong_document_would_be_found() -> None:
    result = render({**LEAST, "affinity": {"nodeAffinity": {"no": "such"}}})["results"][0]
    assert any("Deployment" in line for line in result["wrong"]), result


def test_pods_are_held_to_the_restricted_profile(charts: dict[str, Any]) -> None:
    """SOURCE: kubernetes.io/docs/concepts/security/pod-security-standards, Restricted."""
    for result in charts["results"]:
        spec = pod(result)
        assert not {"hostNetwork", "hostPID", "hostIPC", "initContainers"} & set(spec)
        assert spec["automountServiceAccountToken"] is False
        assert spec["enableServiceLinks"] is False
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["runAsUser"] > 0
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        (container,) = spec["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "privileged": False,
            "readOnlyRootFilesystem": True,
        }
        assert {kind for volume in spec["volumes"] for kind in volume} <= {"name", "configMap", "emptyDir", "secret"}
        mounted = {one["name"]: one for one in container["volumeMounts"]}
        assert set(mounted) == {volume["name"] for volume in spec["volumes"]}
        assert [name for name, one in mounted.items() if not one.get("readOnly")] == ["data"]
        assert not any("valueFrom" in one for one in container.get("env", []))
        (account,) = of_kind(result, "ServiceAccount")
        assert account["automountServiceAccountToken"] is False


def test_servers_are_told_apart_and_kept_apart(charts: dict[str, Any]) -> None:
    least, whole = charts["results"]
    for result in charts["results"]:
        (deployment,) = of_kind(result, "Deployment")
        selector = deployment["spec"]["selector"]["matchLabels"]
        labels = deployment["spec"]["template"]["metadata"]["labels"]
        assert selector.items() <= labels.items()
        assert deployment["spec"]["replicas"] == 2
        (budget,) = of_kind(result, "PodDisruptionBudget")
        (policy,) = of_kind(result, "NetworkPolicy")
        assert budget["spec"]["selector"]["matchLabels"] == selector
        assert policy["spec"]["podSelector"]["matchLabels"] == selector
        assert sorted(policy["spec"]["policyTypes"]) == ["Egress", "Ingress"]
        assert all(rule["from"] for rule in policy["spec"]["ingress"])
        assert all(rule["to"] for rule in policy["spec"]["egress"])
        ports = {port["name"]: port["containerPort"] for port in pod(result)["containers"][0]["ports"]}
        for service in of_kind(result, "Service"):
            assert service["spec"]["selector"] == selector
            assert [port["targetPort"] in ports for port in service["spec"]["ports"]] == [True]
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            assert pod(result)["containers"][0][probe]["httpGet"]["port"] == "admin"
    # Callers' Service never leads to the metrics.
    callers, admin = of_kind(whole, "Service")
    assert [port["targetPort"] for port in callers["spec"]["ports"]] == ["api"]
    assert [port["targetPort"] for port in admin["spec"]["ports"]] == ["admin"]
    (policy,) = of_kind(least, "NetworkPolicy")
    blocked = [
        block["ipBlock"].get("except", [])
        for rule in policy["spec"]["egress"]
        for block in rule["to"]
        if "ipBlock" in block
    ]
    assert any("169.254.0.0/16" in ranges for ranges in blocked)


def test_what_the_chart_configures_is_taken_by_the_command(charts: dict[str, Any], tmp_path: Path) -> None:
    """The file as a pod sees it, with every path under a folder of this test."""
    authority = trustme.CA()
    leaf = authority.issue_cert("toolpass.example")
    for number, result in enumerate(charts["results"]):
        (config,) = of_kind(result, "ConfigMap")
        text = config["data"]["toolpass.yaml"]
        folder = tmp_path / str(number)
        mounts = [one["mountPath"] for one in pod(result)["containers"][0]["volumeMounts"]]
        for path in re.findall(r"(?:/run|/etc)/[^\s\"']+", text):
            assert any(path.startswith(f"{mount}/") for mount in mounts), path
            placed = folder / path.lstrip("/")
            placed.parent.mkdir(parents=True, exist_ok=True)
            placed.write_bytes(material(placed.name, authority, leaf))
            placed.chmod(0o600)
            text = text.replace(path, str(placed))
        (folder / "toolpass.yaml").parent.mkdir(exist_ok=True)
        (folder / "toolpass.yaml").write_text(text)
        args = [part for part in pod(result)["containers"][0]["args"] if not part.startswith("/")]
        command = [sys.executable, "-m", "toolpass", *args, str(folder / "toolpass.yaml"), "-check-config"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        # Without a key nothing is served; everything else about the least values is in order.
        expected = (1, "`api_key` is missing") if number == 0 else (0, "ok, 1 connection")
        assert ended.returncode == expected[0], ended.stderr
        assert expected[1] in ended.stdout + ended.stderr


def material(name: str, authority: trustme.CA, leaf: trustme.LeafCert) -> bytes:
    """Something to stand in a file of that name."""
    return {
        "ca.crt": authority.cert_pem.bytes(),
        "tls.crt": leaf.cert_chain_pems[0].bytes(),
        "tls.key": leaf.private_key_pem.bytes(),
        "url": b"postgresql://toolpass@127.0.0.1:1/toolpass",
    }.get(name, f"key-of-{name}-0123456789".encode())


def test_a_changed_configuration_rolls_the_pods(charts: dict[str, Any]) -> None:
    def checksum(result: dict[str, Any]) -> str:
        (deployment,) = of_kind(result, "Deployment")
        found: str = deployment["spec"]["template"]["metadata"]["annotations"]["checksum/config"]
        return found

    same, other = render(WHOLE, {**WHOLE, "config": {**WHOLE["config"], "decision_log": "stdout"}})["results"]
    assert checksum(same) == checksum(charts["results"][1]) != checksum(other)


def test_values_that_cannot_be_meant_are_refused() -> None:
    def config(**more: Any) -> dict[str, Any]:
        return {"config": {**LEAST["config"], **more}}

    refused: list[tuple[dict[str, Any], str]] = [
        ({}, "stores.runs"),
        ({**LEAST, "replica": 3}, "replica"),
        ({**LEAST, "replicas": 0}, "replicas"),
        ({**LEAST, "image": {"repository": "a", "digest": "sha256:12"}}, "digest"),
        (config(listen=":80"), "listen"),
        (config(server={"dashboard": "off", "tls_key": "file:/x"}), "tls_key"),
        (config(server={"dashboard": "off", "runs_store": "file:/x"}), "runs_store"),
        (config(api_key="hunter2"), "api_key"),
        (config(api_keys=[{"name": "a", "key": "hunter2"}]), "key"),
        (config(connections=[{"id": "a", "integration": "github", "token": "hunter2"}]), "token"),
        ({**LEAST, "tls": {"clientCaConfigMap": "callers"}}, "tls.secret"),
        ({**LEAST, "podDisruptionBudget": {"minAvailable": 2}}, "minAvailable"),
        ({**LEAST, "secrets": ["../x"]}, "secrets"),
        ({**LEAST, "env": {"TOKEN": 1}}, "env"),
    ]
    results = render(LEAST, *(values for values, _ in refused))["results"][1:]
    for (values, named), result in zip(refused, results, strict=True):
        assert named in result.get("error", ""), (values, result)
        # A secret in the wrong place is not repeated.
        assert "hunter2" not in result["error"]


def test_what_the_alerts_look_at_is_measured(tmp_path: Path) -> None:
    from support.serving import Serving

    text = (CHART / "files" / "alerts.yaml").read_text()
    looked_at = set(re.findall(r"toolpass_[a-z_]+", text))
    assert len(looked_at) >= 8
    server = Serving(tmp_path, kept="metrics: open")
    try:
        page = server.text("/metrics")
    finally:
        server.kill()
    measured = {name for _, name in re.findall(r"^# (TYPE) (\S+)", page, re.MULTILINE)}
    measured |= {f"{name}_bucket" for name in measured}
    assert looked_at <= measured, looked_at - measured


def test_the_container_file_is_clean() -> None:
    program = site() / "bin" / "hadolint"
    command = [str(program), "--failure-threshold", "info", str(DEPLOY / "container" / "Containerfile")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, ""), ended.stdout + ended.stderr


def instructions() -> list[list[str]]:
    """The words of each instruction of the container file."""
    text = (DEPLOY / "container" / "Containerfile").read_text().replace("\\\n", " ")
    return [line.split() for line in text.splitlines() if line and not line.startswith("#")]


def test_the_image_is_built_of_what_is_there(tmp_path: Path) -> None:
    """Lay out what the COPY lines bring, and let cargo say whether the build command would find everything in it."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    brought = []
    for words in instructions():
        if words[0] == "COPY" and not words[1].startswith("--from"):
            *sources, _ = words[1:]
            for source in sources:
                found = [path for path in tracked if path == source or path.startswith(f"{source}/")]
                assert found, f"COPY {source}: there is no such file"
                brought.extend(found)
    ignored = (DEPLOY / "container" / "Containerfile.dockerignore").read_text().splitlines()
    assert "*" in ignored
    assert all(
        any(path == line[1:] or path.startswith(f"{line[1:]}/") for line in ignored if line[0] == "!")
        for path in brought
    )
    for path in brought:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, tmp_path / path)
    (build,) = [words for words in instructions() if words[:3] == ["RUN", "cargo", "build"]]
    options = {word: build[at + 1] for at, word in enumerate(build[:-1])}
    tree = ["cargo", "tree", "--locked", "--offline", "--edges", "normal,build", "--package", options["--package"]]
    ended = subprocess.run(tree, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    manifest = (tmp_path / "crates" / options["--package"] / "Cargo.toml").read_text()
    assert f'name = "{options["--bin"]}"' in manifest
    assert "--release" in build
    assert "--locked" in build
    # Files that the program holds within itself come along too.
    for path in brought:
        if path.startswith(("crates/", "integrations/")) and path.endswith(".rs") and "/src/" in path:
            for held in re.findall(r"include_(?:str|bytes)!\(\s*\"([^\"]+)\"\s*,?\s*\)", (tmp_path / path).read_text()):
                assert ((tmp_path / path).parent / held).is_file(), f"{path} holds {held}"


def test_no_secret_can_get_into_a_layer() -> None:
    words = instructions()
    assert [word[1:] for word in words if word[0] == "ARG"] == [["BUILD_IMAGE=rust:1-slim-bookworm"]]
    assert not any(word[0] == "ADD" or "." in word[1:-1] for word in words if word[0] in {"ADD", "COPY"})
    last = words[[word[0] for word in words].index("FROM", 2) :]
    assert last[0] == ["FROM", "scratch"]
    assert ["USER", "65532:65532"] in last


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can change its root folder")
def test_the_image_has_all_that_the_program_needs(tmp_path: Path) -> None:
    """The file system of the image, made by its own script of the command under test, and run in as its user."""
    program = shutil.which("toolpass", path=str(Path(sys.executable).parent))
    assert program is not None
    root = tmp_path / "rootfs"
    subprocess.run(["sh", str(DEPLOY / "container" / "rootfs.sh"), program, str(root)], check=True)
    files = [path for path in root.rglob("*") if path.is_file()]
    programs = [path.name for path in files if os.access(path, os.X_OK) and not re.search(r"\.so(\.|$)", path.name)]
    assert programs == ["toolpass"]
    assert not any(path.stat().st_mode & 0o6000 for path in files)
    (root / "etc" / "toolpass" / "toolpass.yaml").write_text(
        "api_key: env:KEY\nconnections:\n  - {id: main, integration: fake, users: dana@example.com}\n"
    )
    (command,) = [json.loads(" ".join(words[1:])) for words in instructions() if words[0] == "CMD"]
    (entry,) = [json.loads(" ".join(words[1:])) for words in instructions() if words[0] == "ENTRYPOINT"]
    for parent in [tmp_path, *tmp_path.parents][:3]:
        parent.chmod(parent.stat().st_mode | 0o055)
    as_its_user = ["chroot", "--userspec=65532:65532", str(root), *entry]
    ended = subprocess.run(
        [*as_its_user, *command, "-check-config"],
        env={**os.environ, "KEY": "k-0123456789"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "/etc/toolpass/toolpass.yaml: ok, 1 connection\n"), ended.stderr


def systemd() -> str:
    """The program that judges units."""
    program = shutil.which("systemd-analyze")
    if program is None:
        if os.environ.get("CI"):
            pytest.fail("systemd-analyze is missing (Debian: apt-get install systemd)")
        pytest.skip("no systemd-analyze on the path (Debian: apt-get install systemd): the unit is not judged")
    return program


def test_the_unit_is_one_and_is_hardened(tmp_path: Path) -> None:
    unit = (DEPLOY / "systemd" / "toolpass.service").read_text()
    program = shutil.which("toolpass", path=str(Path(sys.executable).parent))
    placed = tmp_path / "toolpass.service"
    placed.write_text(unit.replace("/usr/bin/toolpass", str(program)))
    verify = subprocess.run([systemd(), "verify", "--man=no", str(placed)], capture_output=True, text=True, check=False)
    # What the machine's own units say is theirs.
    assert "toolpass.service" not in verify.stdout + verify.stderr, verify.stderr
    judge = [systemd(), "security", "--no-pager", "--offline=true", "--threshold=15", str(placed)]
    judged = subprocess.run(judge, capture_output=True, text=True, check=False)
    assert judged.returncode == 0, judged.stdout


def test_a_mistake_in_the_unit_would_be_found(tmp_path: Path) -> None:
    placed = tmp_path / "toolpass.service"
    text = (DEPLOY / "systemd" / "toolpass.service").read_text()
    placed.write_text(text.replace("ProtectHome=yes", "ProtectHome=maybe"))
    ended = subprocess.run([systemd(), "verify", "--man=no", str(placed)], capture_output=True, text=True, check=False)
    assert "protect home" in ended.stderr
