"""What a file says of PodSecurity: the levels of namespaces without labels, and who and what is held to none."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from tests.audit_log import logged
from tests.process import served
from tests.wire.raw import MERGE, Wire
from tests.wire.test_admission_config import OPTION, config
from tests.wire.test_pod_security import pod, space
from tests.wire.test_start_refused import private, refused

HOSTILE = pod(hostPID=True)
AS_BUILDER = {"Impersonate-User": "builder", "Impersonate-Group": "system:masters"}


class Configured(NamedTuple):
    wire: Wire
    log: Path

    def noted(self, audit_id: str) -> Object:
        """What the plugin noted of a request."""
        (found,) = (one.get("annotations") or {} for one in logged(self.log) if one["auditID"] == audit_id)
        prefix = self.wire.dialect.key("", "pod-security")
        return {key.removeprefix(prefix): value for key, value in found.items() if key.startswith(prefix)}


def of_pod_security(dialect: str, version: str = "v1", **content: object) -> Object:
    group = DIALECTS[dialect].group("pod-security.admission.config")
    kind = {"apiVersion": f"{group}/{version}", "kind": "PodSecurityConfiguration"}
    return {"name": "PodSecurity", "configuration": {**kind, **content}}


@pytest.fixture(scope="module", params=list(DIALECTS))
def configured(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Configured]:
    directory, dialect = tmp_path_factory.mktemp("home"), request.param
    content = of_pod_security(
        dialect,
        defaults={"enforce": "baseline", "enforce-version": "v1.30", "audit": "restricted"},
        exemptions={"usernames": ["builder"], "namespaces": ["tools"], "runtimeClasses": ["boxed"]},
    )
    file = private(directory / "admission.json", config(dialect, content))
    group, log = DIALECTS[dialect].group("audit"), directory / "audit.log"
    rules = [{"level": "Metadata", "omitStages": ["RequestReceived"]}]
    policy = private(directory / "audit.json", json.dumps({"apiVersion": f"{group}/v1", "kind": "Policy", "rules": rules}))
    options = (OPTION, str(file), "--audit-policy-file", str(policy), "--audit-log-path", str(log), "--nodes", "0")
    with served(directory / "home", dialect, *options) as server:
        wire = Wire(server)
        wire.create("/api/v1/namespaces", {"metadata": {"name": "tools"}})
        yield Configured(wire, log)
        wire.close()
        assert wire.complaints() == []


def test_where_labels_say_nothing_the_defaults_hold(configured: Configured) -> None:
    wire = configured.wire
    answer = wire.ask("POST", f"{space(wire)}/pods", HOSTILE)
    assert (answer.status, 'violates PodSecurity "baseline:v1.30": host namespaces' in answer.message) == (403, True)
    noted = configured.noted(answer.headers["audit-id"])
    assert noted["enforce-policy"] == "baseline:v1.30"
    assert noted["audit-violations"].startswith('would violate PodSecurity "restricted:latest"')
    assert wire.ask("POST", f"{space(wire, enforce='privileged')}/pods", HOSTILE).status == 201


def test_where_all_may_run_that_is_noted_of_every_pod(configured: Configured) -> None:
    wire = configured.wire
    path = space(wire, enforce="privileged", audit="privileged", warn="privileged", enforce_version="v1.30")
    made = wire.ask("POST", f"{path}/pods", HOSTILE)
    labelled = {"metadata": {"labels": {"a": "b"}}}
    changed = wire.ask("PATCH", f"{path}/pods/{made.json['metadata']['name']}", labelled, content_type=MERGE)
    for answer, status in ((made, 201), (changed, 200)):
        assert answer.status == status, answer.json
        assert configured.noted(answer.headers["audit-id"]) == {"enforce-policy": "privileged:latest"}
    others = f"{space(wire, enforce='privileged')}/pods"
    made = wire.ask("POST", others, HOSTILE)
    assert configured.noted(made.headers["audit-id"])["enforce-policy"] == "privileged:v1.30", "others are noted, so it was checked"
    changed = wire.ask("PATCH", f"{others}/{made.json['metadata']['name']}", labelled, content_type=MERGE)
    assert configured.noted(changed.headers["audit-id"]) == {}, "it changes nothing that any level is about"


def test_who_and_what_is_exempt_is_held_to_nothing_and_that_is_noted(configured: Configured) -> None:
    wire = configured.wire
    boxed = pod(hostPID=True, runtimeClassName="boxed")
    node = wire.dialect.group("node")
    wire.create(f"/apis/{node}/v1/runtimeclasses", {"metadata": {"name": "boxed"}, "handler": "boxed"})
    for path, body, headers, why in (
        ("/api/v1/namespaces/tools", HOSTILE, {}, "namespace"),
        (space(wire), HOSTILE, AS_BUILDER, "user"),
        (space(wire), boxed, {}, "runtimeClass"),
    ):
        answer = wire.ask("POST", f"{path}/pods", body, headers=headers)
        assert answer.status == 201, answer.json
        assert configured.noted(answer.headers["audit-id"]) == {"exempt": why}


@pytest.mark.parametrize("version", ["v1", "v1beta1", "v1alpha1"])
@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({"defaults": {"enforce": "strict"}}, 'defaults.enforce: Invalid value: "strict": must be one of privileged, baseline, restricted'),
        ({"defaults": {"warn-version": "1.2"}}, 'defaults.warn-version: Invalid value: "1.2": must be "latest" or "v1.x"'),
        ({"defaults": {"deny": "baseline"}}, 'defaults has no field "deny"'),
        ({"exemptions": {"namespaces": ["a", "a"]}}, 'exemptions.namespaces[1]: Duplicate value: "a"'),
        ({"exemptions": {"usernames": "a"}}, "exemptions.usernames is no list of names"),
    ],
)
def test_mistakes_are_told_at_the_start(tmp_path: Path, version: str, content: Object, why: str) -> None:
    file = private(tmp_path / "admission", config("kubernetes", of_pod_security("kubernetes", version, **content)))
    said = refused(tmp_path / "home", "kubernetes", OPTION, str(file))
    assert said.startswith(f"error: {OPTION}: ")
    assert why in said
