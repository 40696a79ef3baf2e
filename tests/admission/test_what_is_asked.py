"""What admission is shown: the request as it was made, not what the registry makes of it.

Every write that there is stands in `test_every_write.py`; here is what is special about some of them.
"""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest

from svcsim.admission.chain import Chain
from svcsim.admission.plugin import Rule
from svcsim.dialect import DIALECTS
from svcsim.meta.errors import forbidden
from svcsim.meta.objects import get_path
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.versions import to_stored
from svcsim.storage.store import LmdbStore
from tests.admission.spy import Spy
from tests.kinds.helpers import KINDS
from tests.server.conftest import ADMIN, Server

PODS = "/api/v1/namespaces/default/pods"
MAPS = "/api/v1/namespaces/default/configmaps"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
AUTOSCALERS = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
LEASES = "/apis/coordination.SUFFIX/v1/namespaces/default/leases"

USED = ("namespaces", "nodes", "pods", "configmaps", "deployments", "horizontalpodautoscalers", "leases")

MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"

CONTAINER: Object = {"name": "c", "image": "nginx:1.29", "resources": {"requests": {"cpu": "1"}}}
POD: Object = {"metadata": {"name": "p"}, "spec": {"containers": [CONTAINER]}}
TEMPLATE: Object = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
DEPLOYMENT: Object = {
    "metadata": {"name": "web"},
    "spec": {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE},
}
AUTOSCALER: Object = {
    "metadata": {"name": "web"},
    "spec": {"maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "web"}, "targetCPUUtilizationPercentage": 50},
}
APPLIED: Object = {"apiVersion": "coordination.SUFFIX/v1", "kind": "Lease", "spec": {"holderIdentity": "one"}}


class Seen(NamedTuple):
    """One request as a plugin sees it; objects by some of their fields."""

    operation: str
    kind: str
    resource: str
    name: str
    obj: Object | None = None
    old: Object | None = None
    options: Object | None = None
    namespace: str = "default"
    dry_run: bool = False


class Asked(NamedTuple):
    server: Server
    spy: Spy

    async def ask(self, method: str, path: str, body: object = None, **headers: str) -> int:
        """The status of the answer, and in the spy what was asked about this alone."""
        self.spy.forget()
        suffix = self.server.dialect.group_suffix
        response = await self.server.ask(method, path.replace("SUFFIX", suffix), _in_dialect(body, suffix), **headers)
        return response.status


def _in_dialect(body: object, suffix: str) -> object:
    return json.loads(json.dumps(body).replace("SUFFIX", suffix)) if body is not None else None


@pytest.fixture(params=list(DIALECTS))
async def asked(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Asked]:
    store = LmdbStore.open(tmp_path / "store", dialect=request.param, durability="none")
    server = Server(store, request.param, tuple(kind for kind in KINDS if kind.plural in USED))
    for path, obj in (
        ("/api/v1/namespaces", {"metadata": {"name": "default"}}),
        ("/api/v1/nodes", {"metadata": {"name": "n"}}),
        (PODS, POD),
        (MAPS, {"metadata": {"name": "m"}, "data": {"k": "1"}}),
        (DEPLOYMENTS, DEPLOYMENT),
        (AUTOSCALERS, AUTOSCALER),
        (LEASES, {"metadata": {"name": "l"}, "spec": {"holderIdentity": "one"}}),
    ):
        response = await server.ask("POST", path.replace("SUFFIX", server.dialect.group_suffix), obj)
        assert response.status == 201, response.body
    spy = Spy()
    server.core.admission = Chain((spy,))
    asked = Asked(server, spy)
    assert await asked.ask("PATCH", f"{LEASES}/applied?fieldManager=me", APPLIED, content_type=APPLY) == 201
    yield asked
    await store.close()


def seen(request: AdmissionRequest, like: Seen) -> Seen:
    """What was seen, with those fields of the objects that ``like`` has."""
    group = request.resource.group_version
    resource = f"{group} {request.resource.kind.plural}" + (f"/{request.subresource}" if request.subresource else "")
    return Seen(
        request.operation,
        f"{request.kind.group_version} {request.kind.kind}",
        resource,
        request.name,
        _fields(request.obj, like.obj),
        _fields(request.old, like.old),
        request.options,
        request.namespace,
        request.dry_run,
    )


def _fields(obj: Object | None, like: Object | None) -> Object | None:
    return None if obj is None else {path: get_path(obj, path) for path in like or {"kind": None}}


def options(kind: str, **fields: object) -> Object:
    return {**fields, "kind": kind, "apiVersion": "meta.SUFFIX/v1"}


CREATE, UPDATE, DELETE = (options(f"{verb}Options") for verb in ("Create", "Update", "Delete"))
PATCH = UPDATE
"""A patch is told as the update it is."""

TABLE: dict[str, tuple[str, str, object, str, Seen]] = {
    "create": (
        "POST",
        MAPS,
        {"metadata": {"name": "new"}, "data": {"k": "1"}},
        "",
        Seen("CREATE", "v1 ConfigMap", "v1 configmaps", "new", {"kind": "ConfigMap", "data.k": "1"}, None, CREATE),
    ),
    "create with options": (
        "POST",
        f"{MAPS}?dryRun=All&fieldManager=me&fieldValidation=Strict",
        {"metadata": {"name": "new"}},
        "",
        Seen(
            "CREATE",
            "v1 ConfigMap",
            "v1 configmaps",
            "new",
            {"kind": "ConfigMap"},
            None,
            options("CreateOptions", dryRun=["All"], fieldManager="me", fieldValidation="Strict"),
            dry_run=True,
        ),
    ),
    "create a pod, with defaults": (
        "POST",
        PODS,
        {**POD, "metadata": {"name": "new"}},
        "",
        Seen("CREATE", "v1 Pod", "v1 pods", "new", {"kind": "Pod", "spec.restartPolicy": "Always"}, None, CREATE),
    ),
    "create in a group with a suffix": (
        "POST",
        LEASES,
        {"metadata": {"name": "new"}},
        "",
        Seen("CREATE", "coordination.SUFFIX/v1 Lease", "coordination.SUFFIX/v1 leases", "new", {"kind": "Lease"}, None, CREATE),
    ),
    "create a namespace, which counts as in itself": (
        "POST",
        "/api/v1/namespaces",
        {"metadata": {"name": "new"}},
        "",
        Seen("CREATE", "v1 Namespace", "v1 namespaces", "new", {"kind": "Namespace"}, None, CREATE, namespace="new"),
    ),
    "update": (
        "PUT",
        f"{MAPS}/m",
        {"metadata": {"name": "m"}, "data": {"k": "2"}},
        "",
        Seen("UPDATE", "v1 ConfigMap", "v1 configmaps", "m", {"kind": "ConfigMap", "data.k": "2"}, {"data.k": "1"}, UPDATE),
    ),
    "update that creates": (
        "PUT",
        f"{LEASES}/new",
        {"metadata": {"name": "new"}},
        "",
        Seen("CREATE", "coordination.SUFFIX/v1 Lease", "coordination.SUFFIX/v1 leases", "new", {"kind": "Lease"}, None, CREATE),
    ),
    "patch": (
        "PATCH",
        f"{MAPS}/m",
        {"data": {"k": "2"}},
        MERGE,
        Seen("UPDATE", "v1 ConfigMap", "v1 configmaps", "m", {"kind": "ConfigMap", "data.k": "2"}, {"data.k": "1"}, PATCH),
    ),
    "apply": (
        "PATCH",
        f"{MAPS}/m?fieldManager=me&force=true",
        {"apiVersion": "v1", "kind": "ConfigMap", "data": {"k": "2"}},
        APPLY,
        Seen(
            "UPDATE",
            "v1 ConfigMap",
            "v1 configmaps",
            "m",
            {"kind": "ConfigMap", "data.k": "2"},
            {"data.k": "1"},
            options("UpdateOptions", fieldManager="me"),
        ),
    ),
    "apply that creates": (
        "PATCH",
        f"{MAPS}/new?fieldManager=me&force=true",
        {"apiVersion": "v1", "kind": "ConfigMap", "data": {"k": "1"}},
        APPLY,
        Seen(
            "CREATE",
            "v1 ConfigMap",
            "v1 configmaps",
            "new",
            {"kind": "ConfigMap", "data.k": "1"},
            None,
            options("CreateOptions", fieldManager="me"),
        ),
    ),
    "apply that changes nothing": (
        "PATCH",
        f"{LEASES}/applied?fieldManager=me",
        APPLIED,
        APPLY,
        Seen(
            "UPDATE",
            "coordination.SUFFIX/v1 Lease",
            "coordination.SUFFIX/v1 leases",
            "applied",
            {"kind": "Lease", "spec.holderIdentity": "one"},
            {"kind": "Lease", "spec.holderIdentity": "one"},
            options("UpdateOptions", fieldManager="me"),
        ),
    ),
    "update in another version than the stored one": (
        "PATCH",
        f"{AUTOSCALERS}/web",
        {"spec": {"targetCPUUtilizationPercentage": 60}},
        MERGE,
        Seen(
            "UPDATE",
            "autoscaling/v1 HorizontalPodAutoscaler",
            "autoscaling/v1 horizontalpodautoscalers",
            "web",
            {"apiVersion": "autoscaling/v1", "spec.targetCPUUtilizationPercentage": 60},
            {"apiVersion": "autoscaling/v1", "spec.targetCPUUtilizationPercentage": 50},
            PATCH,
        ),
    ),
    "delete": (
        "DELETE",
        f"{MAPS}/m",
        {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 3},
        "",
        Seen("DELETE", "v1 ConfigMap", "v1 configmaps", "m", None, {"data.k": "1"}, options("DeleteOptions", gracePeriodSeconds=3)),
    ),
    "delete in another version than the stored one": (
        "DELETE",
        f"{AUTOSCALERS}/web",
        None,
        "",
        Seen(
            "DELETE",
            "autoscaling/v1 HorizontalPodAutoscaler",
            "autoscaling/v1 horizontalpodautoscalers",
            "web",
            None,
            {"apiVersion": "autoscaling/v1", "spec.targetCPUUtilizationPercentage": 50},
            DELETE,
        ),
    ),
    "deletecollection, object by object": (
        "DELETE",
        MAPS,
        None,
        "",
        Seen("DELETE", "v1 ConfigMap", "v1 configmaps", "m", None, {"data.k": "1"}, DELETE),
    ),
    "pods/status": (
        "PATCH",
        f"{PODS}/p/status",
        {"status": {"message": "said"}, "spec": {"hostname": "h"}},
        MERGE,
        Seen(
            "UPDATE",
            "v1 Pod",
            "v1 pods/status",
            "p",
            {"kind": "Pod", "status.message": "said", "spec.hostname": "h"},
            {"kind": "Pod", "status.message": None},
            PATCH,
        ),
    ),
    "nodes/status": (
        "PATCH",
        "/api/v1/nodes/n/status",
        {"status": {"phase": "Running"}},
        MERGE,
        Seen("UPDATE", "v1 Node", "v1 nodes/status", "n", {"status.phase": "Running"}, {"status.phase": None}, PATCH, namespace=""),
    ),
    "pods/binding": (
        "POST",
        f"{PODS}/p/binding",
        {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n"}},
        "",
        Seen("CREATE", "v1 Binding", "v1 pods/binding", "p", {"kind": "Binding", "target.name": "n"}, None, CREATE),
    ),
    "pods/eviction, and nothing about the deletion that follows": (
        "POST",
        f"{PODS}/p/eviction",
        {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}, "deleteOptions": {"gracePeriodSeconds": 7}},
        "",
        Seen(
            "CREATE",
            "policy/v1 Eviction",
            "v1 pods/eviction",
            "p",
            {"kind": "Eviction", "deleteOptions.gracePeriodSeconds": 7},
            None,
            CREATE,
        ),
    ),
    "pods/ephemeralcontainers": (
        "PATCH",
        f"{PODS}/p/ephemeralcontainers",
        {"spec": {"ephemeralContainers": [{"name": "debug", "image": "busybox"}]}},
        "application/strategic-merge-patch+json",
        Seen("UPDATE", "v1 Pod", "v1 pods/ephemeralcontainers", "p", {"kind": "Pod"}, {"spec.ephemeralContainers": None}, PATCH),
    ),
    "pods/resize": (
        "PATCH",
        f"{PODS}/p/resize",
        {"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}]}},
        "application/strategic-merge-patch+json",
        Seen("UPDATE", "v1 Pod", "v1 pods/resize", "p", {"kind": "Pod"}, {"kind": "Pod"}, PATCH),
    ),
    "pods/exec": (
        "POST",
        f"{PODS}/p/exec?command=ls&command=-l&container=c&stdin=true&tty=false",
        None,
        "",
        Seen(
            "CONNECT",
            "v1 PodExecOptions",
            "v1 pods/exec",
            "p",
            {
                "kind": "PodExecOptions",
                "apiVersion": "v1",
                "command": ["ls", "-l"],
                "container": "c",
                "stdin": True,
                "tty": False,
                "stdout": None,
            },
        ),
    ),
    "pods/attach": (
        "GET",
        f"{PODS}/p/attach?stdout=1",
        None,
        "",
        Seen("CONNECT", "v1 PodAttachOptions", "v1 pods/attach", "p", {"kind": "PodAttachOptions", "stdout": True}),
    ),
    "pods/portforward": (
        "POST",
        f"{PODS}/p/portforward?ports=80&ports=443",
        None,
        "",
        Seen("CONNECT", "v1 PodPortForwardOptions", "v1 pods/portforward", "p", {"kind": "PodPortForwardOptions", "ports": [80, 443]}),
    ),
    "deployments/scale": (
        "PUT",
        f"{DEPLOYMENTS}/web/scale",
        {"metadata": {"name": "web"}, "spec": {"replicas": 3}},
        "",
        Seen(
            "UPDATE",
            "autoscaling/v1 Scale",
            "apps/v1 deployments/scale",
            "web",
            {"kind": "Scale", "apiVersion": "autoscaling/v1", "spec.replicas": 3},
            {"kind": "Scale", "apiVersion": "autoscaling/v1", "spec.replicas": 1},
            UPDATE,
        ),
    ),
    "deployments/scale, patched": (
        "PATCH",
        f"{DEPLOYMENTS}/web/scale",
        {"spec": {"replicas": 3}},
        MERGE,
        Seen(
            "UPDATE",
            "autoscaling/v1 Scale",
            "apps/v1 deployments/scale",
            "web",
            {"kind": "Scale", "spec.replicas": 3},
            {"kind": "Scale", "spec.replicas": 1},
            PATCH,
        ),
    ),
    "namespaces/finalize": (
        "PUT",
        "/api/v1/namespaces/default/finalize",
        {"metadata": {"name": "default"}, "spec": {"finalizers": ["example.com/hold"]}},
        "",
        Seen(
            "UPDATE",
            "v1 Namespace",
            "v1 namespaces/finalize",
            "default",
            {"kind": "Namespace", "spec.finalizers": ["example.com/hold"]},
            {"kind": "Namespace"},
            UPDATE,
        ),
    ),
}


@pytest.mark.parametrize(("method", "path", "body", "media", "expected"), TABLE.values(), ids=TABLE)
async def test_admission_is_shown_the_request_as_it_was_made(
    asked: Asked, method: str, path: str, body: object, media: str, expected: Seen
):
    await asked.ask(method, path, body, **({"content_type": media} if media else {}))
    wanted = Seen(*_in_dialect(list(expected), asked.server.dialect.group_suffix))
    assert [seen(request, wanted) for request in asked.spy.admitted] == [wanted]
    assert [request.user for request in asked.spy.admitted] == [ADMIN]
    outcome = asked.spy.validated
    assert [(r.operation, r.kind, r.resource, r.subresource, r.name) for r in outcome] == [
        (r.operation, r.kind, r.resource, r.subresource, r.name) for r in asked.spy.admitted
    ]


@pytest.mark.parametrize("path", [f"{MAPS}/m", MAPS, f"{PODS}/p/log", f"{DEPLOYMENTS}/web/scale"])
async def test_nobody_is_asked_about_reading(asked: Asked, path: str):
    assert await asked.ask("GET", path) == 200
    assert asked.spy.admitted == asked.spy.validated == []


async def test_a_generated_name_is_known_to_those_who_validate(asked: Asked):
    assert await asked.ask("POST", MAPS, {"metadata": {"generateName": "a-"}}) == 201
    (admitted,), (validated,) = asked.spy.admitted, asked.spy.validated
    assert admitted.name == ""
    assert not {"name", "uid", "creationTimestamp"} & set(admitted.obj["metadata"])
    assert validated.name.startswith("a-")
    assert len(validated.name) == 7
    assert validated.obj["metadata"]["name"] == validated.name


async def test_what_is_reset_is_gone_when_the_outcome_is_validated(asked: Asked):
    await asked.ask("PATCH", f"{PODS}/p/status", {"status": {"message": "said"}, "spec": {"hostname": "h"}}, content_type=MERGE)
    (outcome,) = asked.spy.validated
    assert (get_path(outcome.obj, "status.message"), get_path(outcome.obj, "spec.hostname")) == ("said", None)


async def test_the_outcome_is_shown_in_the_version_of_the_request_and_the_stored_one_can_be_had(asked: Asked):
    await asked.ask("PATCH", f"{AUTOSCALERS}/web", {"spec": {"targetCPUUtilizationPercentage": 60}}, content_type=MERGE)
    (outcome,) = asked.spy.validated
    assert outcome.obj["apiVersion"] == "autoscaling/v1"
    stored = await to_stored(outcome.resource, outcome.obj, asked.server.core.context(), size_bytes=0)
    assert stored["apiVersion"] == "autoscaling/v2"
    assert stored["spec"]["metrics"][0]["resource"]["target"]["averageUtilization"] == 60


class Locking:
    """Lets nobody touch leases."""

    name = "Locking"
    rules = (Rule(("UPDATE",), ("leases",), "coordination", suffixed=True),)

    async def validate(self, request: AdmissionRequest) -> None:
        raise forbidden(request.resource.group_resource, request.name, "it is locked")


async def test_an_apply_that_changes_nothing_writes_nothing_and_gets_past_no_plugin(asked: Asked):
    path, revision = f"{LEASES}/applied?fieldManager=me", asked.server.core.store.revision
    for plugins in ((), (asked.spy,)):
        asked.server.core.admission = Chain(plugins)
        assert await asked.ask("PATCH", path, APPLIED, content_type=APPLY) == 200
    assert asked.server.core.store.revision == revision
    asked.server.core.admission = Chain((Locking(),))
    assert await asked.ask("PATCH", path, APPLIED, content_type=APPLY) == 403


class Changing:
    """Changes what is sent, whatever that is."""

    name = "Changing"
    rules = (
        Rule(("UPDATE",), ("deployments/scale", "deployments/status"), "apps"),
        Rule(("CREATE",), ("pods/binding",)),
        Rule(("UPDATE",), ("horizontalpodautoscalers",), "autoscaling"),
    )

    async def admit(self, request: AdmissionRequest) -> None:
        if request.subresource == "scale":
            request.obj["spec"]["replicas"] = 7
        elif request.subresource == "status":
            request.obj["spec"]["replicas"] = 9
            request.obj["status"]["replicas"] = 2
        elif request.subresource == "binding":
            request.obj["target"]["name"] = "elsewhere"
        else:
            request.obj["spec"]["targetCPUUtilizationPercentage"] = 70
        request.warn("changed")
        request.annotate("changing.example.com/done", "yes")


async def test_what_a_plugin_makes_of_a_request_is_what_is_done(asked: Asked):
    asked.server.core.admission = Chain((Changing(),))
    assert await asked.ask("PATCH", f"{DEPLOYMENTS}/web/scale", {"spec": {"replicas": 2}}, content_type=MERGE) == 200
    await asked.ask("PATCH", f"{DEPLOYMENTS}/web/status", {"status": {"replicas": 1}}, content_type=MERGE)
    deployment = await asked.server.get(f"{DEPLOYMENTS}/web")
    assert deployment["status"]["replicas"] == 2
    assert deployment["spec"]["replicas"] == 7, "a status doesn't write the spec, whoever changes it there"
    binding = {"metadata": {"name": "p"}, "target": {"name": "n"}}
    response = await asked.server.ask("POST", f"{PODS}/p/binding", binding)
    assert response.headers["Warning"] == '299 - "changed"'
    assert (await asked.server.get(f"{PODS}/p"))["spec"]["nodeName"] == "elsewhere"
    await asked.ask("PATCH", f"{AUTOSCALERS}/web", {"spec": {"maxReplicas": 5}}, content_type=MERGE)
    assert (await asked.server.get(f"{AUTOSCALERS}/web"))["spec"]["targetCPUUtilizationPercentage"] == 70
