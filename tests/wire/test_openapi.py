"""OpenAPI over the wire: what clients check, explain and are generated from."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import kubernetes.client
import pytest

from svcsim.meta.objects import condition_is
from svcsim.meta.types import Object
from tests.kinds.helpers import KINDS
from tests.kinds.samples.every import FULL
from tests.process import environment, ran
from tests.wire.raw import Wire
from tests.wire.samples import filled
from tests.wire.test_kubectl import Kubectl
from tests.yardsticks import yardstick

pytestmark = pytest.mark.usefixtures("left_to_the_collector")

OLDER_PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
needs_kubectl = pytest.mark.skipif(shutil.which("kubectl") is None, reason="no kubectl on the PATH")


def operations(document: Object) -> list[Object]:
    return [operation for item in document["paths"].values() for method, operation in item.items() if method != "parameters"]


def test_every_version_has_its_document_and_all_its_kinds(wire: Wire) -> None:
    index = wire.get("/openapi/v3")["paths"]
    mark = f"{wire.dialect.extension_prefix}group-version-kind"
    found = set()
    for entry in index.values():
        schemas = wire.get(entry["serverRelativeURL"])["components"]["schemas"]
        found |= {(gvk["group"], gvk["version"], gvk["kind"]) for schema in schemas.values() for gvk in schema.get(mark, ())}
    assert {(kind.group.name(wire.dialect), kind.group.version, kind.name) for kind in KINDS} <= found


def test_a_document_is_kept_by_who_has_it(wire: Wire) -> None:
    url = wire.get("/openapi/v3")["paths"]["api/v1"]["serverRelativeURL"]
    document = wire.ask("GET", url)
    assert document.headers["cache-control"] == "public, immutable"
    assert document.headers["expires"].endswith("GMT")
    again = wire.ask("GET", url, headers={"If-None-Match": document.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    stale = wire.ask("GET", "/openapi/v3/api/v1?hash=0")
    assert (stale.status, stale.headers["location"]) == (301, url)
    assert wire.ask("GET", "/openapi/v3/api/v1").headers["cache-control"] == "no-cache, private"


def test_a_type_has_one_name_in_all_documents(kubernetes_server: Wire) -> None:
    whole = kubernetes_server.get("/openapi/v2")["definitions"]
    documents = [kubernetes_server.get(entry["serverRelativeURL"]) for entry in kubernetes_server.get("/openapi/v3")["paths"].values()]
    assert {name for document in documents for name in document["components"]["schemas"]} == set(whole)
    apps = kubernetes_server.get("/openapi/v3/apis/apps/v1")["components"]["schemas"]
    assert {"io.k8s.api.core.v1.PodSpec", "io.k8s.api.core.v1.Container", "io.k8s.api.apps.v1.DeploymentSpec"} <= set(apps)
    library = "io.k8s.apimachinery.pkg"
    known = {"util.intstr.IntOrString", "api.resource.Quantity", "apis.meta.v1.ObjectMeta", "apis.meta.v1.Time"}
    assert {f"{library}.{name}" for name in known} <= set(whole)
    assert [name for name in whole if re.search("[a-z][0-9]$", name)] == [], "none has a number behind its name to tell it from another"
    claim = whole["io.k8s.api.core.v1.PersistentVolumeSpec"]["properties"]["claimRef"]
    assert (claim["$ref"], claim["x-kubernetes-map-type"]) == ("#/definitions/io.k8s.api.core.v1.ObjectReference", "granular")


def test_types_are_named_as_clients_know_them(kubernetes_server: Wire) -> None:
    document = kubernetes_server.get("/openapi/v2")
    assert {"io.k8s.api.core.v1.TopologySelectorTerm", "io.k8s.api.core.v1.TopologySelectorLabelRequirement"} <= set(
        document["definitions"]
    )
    answered = document["paths"]["/apis/storage.k8s.io/v1/storageclasses"]["get"]["responses"]["200"]["schema"]["$ref"]
    assert answered == "#/definitions/io.k8s.api.storage.v1.StorageClassList"
    assert [name for name in document["definitions"] if name.endswith(("ReviewList", "BindingList")) and "Role" not in name] == [
        "io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyBindingList",
        "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBindingList",
        "io.k8s.api.admissionregistration.v1beta1.MutatingAdmissionPolicyBindingList",
    ], "what can't be listed has no lists"
    pods = "/api/v1/namespaces/{namespace}/pods/{name}"
    for path in (pods, f"{pods}/status"):
        (sent,) = [one["schema"] for one in document["paths"][path]["patch"]["parameters"] if one["name"] == "body"]
        assert sent == {"$ref": "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Patch"}
    newer = kubernetes_server.get("/openapi/v3/api/v1")
    sent = {shape["schema"]["$ref"] for shape in newer["paths"][pods]["patch"]["requestBody"]["content"].values()}
    assert sent == {"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Patch"}
    assert newer["components"]["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Patch"]["type"] == "object"


ENUMERATIONS = {
    "PodSpec.restartPolicy": ["Always", "Never", "OnFailure"],
    "Container.imagePullPolicy": ["Always", "IfNotPresent", "Never"],
    "ServiceSpec.type": ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"],
    "Toleration.effect": ["NoExecute", "NoSchedule", "PreferNoSchedule"],
    "PodStatus.phase": ["Failed", "Pending", "Running", "Succeeded", "Unknown"],
}


@pytest.mark.parametrize("name", ENUMERATIONS)
def test_words_to_choose_from_are_listed(wire: Wire, name: str) -> None:
    type_name, _, field = name.partition(".")
    for document in (wire.get("/openapi/v2")["definitions"], wire.get("/openapi/v3/api/v1")["components"]["schemas"]):
        (found,) = [schema for full, schema in document.items() if full.endswith(f".core.v1.{type_name}")]
        assert found["properties"][field]["enum"] == ENUMERATIONS[name]


def test_documents_say_how_clients_say_who_they_are(wire: Wire) -> None:
    whole, group = wire.get("/openapi/v2"), wire.get("/openapi/v3/apis/apps/v1")
    for document, schemes in ((whole, whole["securityDefinitions"]), (group, group["components"]["securitySchemes"])):
        assert [(scheme["type"], scheme["in"], scheme["name"]) for scheme in schemes.values()] == [("apiKey", "header", "authorization")]
        assert document["security"] == [{"BearerToken": []}]


def test_version_2_comes_as_protobuf_too(wire: Wire) -> None:
    answer = wire.ask("GET", "/openapi/v2", headers={"Accept": f"{OLDER_PROTOBUF},application/json"})
    assert answer.headers["content-type"] == "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
    assert answer.body.startswith(b"\x0a\x032.0")
    assert b"ConfigMapList" in answer.body
    token = b"\x0a\x0bBearerToken\x12"
    assert answer.body.count(token) == 2, "what is asked for, and what that is"
    assert wire.ask("GET", "/openapi/v2", headers={"Accept": "application/yaml"}).status == 406
    assert wire.ask("GET", "/openapi/v3", headers={"Accept": OLDER_PROTOBUF}).status == 406
    assert wire.ask("POST", "/openapi/v2", {}).status == 405


def test_all_that_a_schema_can_say_is_told_in_every_form(wire: Wire) -> None:
    dialect = wire.dialect
    name = wire.fresh()
    obj = filled(FULL["apiextensions/v1 CustomResourceDefinition"], name=name, extension=dialect.extension_prefix)
    path = f"/apis/{dialect.group('apiextensions')}/v1/customresourcedefinitions"
    created = wire.create(path, {"kind": "CustomResourceDefinition", "apiVersion": f"{dialect.group('apiextensions')}/v1", **obj})
    with wire.watch(path, fieldSelector=f"metadata.name={created['metadata']['name']}") as events:
        events.until(lambda event: condition_is(event["object"], "Established"))
    told = next(one for full, one in wire.get("/openapi/v2")["definitions"].items() if full.endswith(f".{name}") and ".v1." in full)
    assert told["properties"]["spec"]["properties"]["amount"]["multipleOf"] == 0.5
    answer = wire.ask("GET", "/openapi/v2", headers={"Accept": OLDER_PROTOBUF})
    assert answer.status == 200
    assert b"https://example.com/amounts" in answer.body
    assert b"json-schema.org" not in answer.body, "version 2 has no word for it"
    newer = wire.get("/openapi/v3/apis/full.example.com/v1")["components"]["schemas"]
    assert next(one for full, one in newer.items() if full.endswith(f".{name}"))["properties"]["spec"]["maxProperties"] == 20
    wire.gone(f"{path}/{name}.full.example.com", wire.delete(f"{path}/{name}.full.example.com"))


def _is_defined(path: str) -> bool:
    """Whether a path belongs to a group of somebody's own domain."""
    group = path.split("/")[2] if path.startswith("/apis/") else ""
    return "." in group and not group.endswith(".k8s.io")


OF_OTHERS = ("policy_v1beta1", "metrics", "metrics_v1beta1")
"""What the Python client no longer has, or never had."""


def test_operations_are_called_as_clients_call_them(kubernetes_server: Wire) -> None:
    """The Python client is generated from a description like ours: it has a method for every operation but older watches, groups and kinds.

    What other tests have defined on this server it can't know.
    """
    document = kubernetes_server.get("/openapi/v2")
    own = {path: item for path, item in document["paths"].items() if not _is_defined(path)}
    for operation in operations({**document, "paths": own}):
        (tag,) = operation["tags"]
        called = operation["operationId"]
        older = tag in OF_OTHERS or (tag == "admissionregistration_v1beta1" and "WebhookConfiguration" in called)
        if called.startswith("watch") or older:
            continue
        api = "".join(word[:1].upper() + word[1:] for word in tag.split("_"))
        name = operation["operationId"].replace(api, "", 1)
        method = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
        assert hasattr(getattr(kubernetes.client, f"{api}Api"), method), operation["operationId"]


def test_what_is_described_is_there(wire: Wire, ns: str) -> None:
    """Every path that can be read answers, with an object of the schema it names; every other says that there is no such object."""
    document = wire.get("/openapi/v2")
    for path, item in document["paths"].items():
        if "get" not in item or "/watch/" in path:
            continue
        answer = wire.ask("GET", path.format(namespace=ns, name="none", path="some"))
        reference = item["get"]["responses"]["200"]["schema"].get("$ref", "")
        if "{name}" in path:
            assert answer.status in (400, 404, 405), (path, answer.body)
        else:
            described = "Info" if path == "/version/" else answer.json["kind"]  # the one answer without a kind
            assert described == reference.rpartition(".")[2]


OLDER_WATCHES = {
    "/api/v1/watch/namespaces/{namespace}/pods": ("watchlist", "watchCoreV1NamespacedPodList"),
    "/api/v1/watch/namespaces/{namespace}/pods/{name}": ("watch", "watchCoreV1NamespacedPod"),
    "/api/v1/watch/pods": ("watchlist", "watchCoreV1PodListForAllNamespaces"),
    "/api/v1/watch/nodes": ("watchlist", "watchCoreV1NodeList"),
    "/api/v1/watch/nodes/{name}": ("watch", "watchCoreV1Node"),
    "/api/v1/watch/namespaces/{name}": ("watch", "watchCoreV1Namespace"),
    "/apis/apps/v1/watch/namespaces/{namespace}/deployments": ("watchlist", "watchAppsV1NamespacedDeploymentList"),
}


def test_the_older_paths_of_watches_are_described(wire: Wire) -> None:
    prefix = wire.dialect.extension_prefix
    listed = {"allowWatchBookmarks", "fieldSelector", "labelSelector", "limit", "resourceVersion", "timeoutSeconds", "watch"}
    whole = wire.get("/openapi/v2")["paths"]
    groups = {**wire.get("/openapi/v3/api/v1")["paths"], **wire.get("/openapi/v3/apis/apps/v1")["paths"]}
    for path, (action, called) in OLDER_WATCHES.items():
        for item in (whole[path], groups[path]):
            operation = item["get"]
            assert (operation[f"{prefix}action"], operation["operationId"]) == (action, called)
            assert "deprecated" in operation["description"]
            named = {parameter["name"] for parameter in item["parameters"]}
            assert named >= listed | set(re.findall(r"\{(\w+)\}", path))
    answered = whole["/api/v1/watch/pods"]["get"]["responses"]["200"]["schema"]["$ref"]
    assert answered.endswith(".apis.meta.v1.WatchEvent")


def verbs_of_core(wire: Wire) -> dict[str, list[str]]:
    return {resource["name"]: resource["verbs"] for resource in wire.get("/api/v1")["resources"]}


def test_all_that_is_listed_has_an_older_path_of_a_watch_that_answers(wire: Wire, ns: str) -> None:
    called = {path: item["get"]["operationId"] for path, item in wire.get("/openapi/v2")["paths"].items() if "get" in item}
    described = [path for path in called if "/watch/" in path]
    unwatched = [f"/{name}" for name, verbs in verbs_of_core(wire).items() if "watch" not in verbs]
    unwatched += [path for path in called if path.startswith("/apis/metrics.")]
    lists = [path for path, operation in called.items() if operation.startswith("list") and not path.endswith(tuple(unwatched))]
    assert [path for path in lists if not {re.sub(r"/(v[1-9]\w*)/", r"/\1/watch/", path, count=1)} & set(described)] == []
    now = str(wire.revision())
    for path in described:
        with wire.watch(path.format(namespace=ns, name="none"), watch=None, resourceVersion=now) as events:
            assert (events.status, events.headers["content-type"]) == (200, "application/json"), path


def test_fields_are_those_of_the_public_api(kubernetes_server: Wire) -> None:
    check = yardstick("checks/fields.py")
    names = []
    for kind in KINDS:
        group = kind.group.name(kubernetes_server.dialect)
        names.append(f"{group}/{kind.group.version}/{kind.name}" if group else f"{kind.group.version}/{kind.name}")
    command = [sys.executable, str(check), str(kubernetes_server.server.kubeconfig), "--kinds", ",".join(names)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "0 missing, 0 differ" in done.stdout


EXPLAINED = (
    "pod",
    "deployment --recursive",
    "pods.spec.containers",
    "deployments.apps.status",
    "service.spec.ports.targetPort",
    "pod.metadata.labels",
    "pod.spec.restartPolicy",
    "pod.spec.tolerations.effect",
    "pvc.spec.accessModes",
    "pod.spec.volumes.hostPath.type",
    "pv.spec.claimRef",
    "pod.spec.containers.resources.limits",
    "pods.spec.nope",
    "pods.spec.containers.name.nope",
    "horizontalpodautoscalers --api-version=autoscaling/v1",
    "pod -o plaintext-openapiv2",
    "deployment.spec --recursive -o plaintext-openapiv2",
    "cm.binaryData -o=plaintext-openapiv2",
)


@needs_kubectl
@pytest.mark.parametrize("words", EXPLAINED)
def test_svcsim_explains_as_kubectl_does(kubernetes_server: Wire, tmp_path: Path, words: str) -> None:
    theirs = Kubectl(kubernetes_server, tmp_path, "default").start("explain", *words.split())
    told = theirs.communicate(timeout=60)
    ours = ran("explain", *words.split(), "--kubeconfig", str(kubernetes_server.server.kubeconfig), env=environment(tmp_path))
    assert (ours.stdout, ours.stderr, ours.returncode) == (*told, theirs.returncode)


@needs_kubectl
def test_explain_tells_words_and_default_once(kubernetes_server: Wire, tmp_path: Path) -> None:
    told = Kubectl(kubernetes_server, tmp_path, "default").run("explain", "pod.spec.restartPolicy")
    assert [told.count(word) for word in ("Always", "Never", "OnFailure", "defaults to Always")] == [2, 1, 1, 1]


@needs_kubectl
def test_kubectl_checks_and_compares_before_it_applies(kubernetes_server: Wire, tmp_path: Path) -> None:
    kubectl = Kubectl(kubernetes_server, tmp_path, kubernetes_server.namespace())
    sent: Object = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": "1"}}
    assert kubectl.run("apply", "-f", "-", "--validate=strict", sent=sent) == "configmap/a created\n"
    wrong = {**sent, "dada": {"x": "1"}}
    assert 'unknown field "dada"' in kubectl.run("apply", "-f", "-", "--validate=strict", sent=wrong, fails=True)
    assert '+  x: "2"' in kubectl.run("diff", "-f", "-", sent={**sent, "data": {"x": "2"}}, fails=True)
    assert kubectl.run("apply", "-f", "-", sent={**sent, "data": {"x": "2"}}) == "configmap/a configured\n"


OBJECTS_ANSWERED = (
    "CSIDriver CSINode DeviceClass PersistentVolume PersistentVolumeClaim Pod PodSecurityPolicy PodTemplate ResourceClaim "
    "ResourceClaimTemplate ResourceQuota ResourceSlice Service ServiceAccount StorageClass VolumeAttachment VolumeAttributesClass"
)
"""Kinds whose delete answers the object that was there, as published."""


def test_deletes_say_what_they_answer_and_take(wire: Wire) -> None:
    document = wire.get("/openapi/v2")
    prefix = wire.dialect.extension_prefix
    answered: dict[str, str] = {}
    many: dict[str, str] = {}
    for item in document["paths"].values():
        operation = item.get("delete", {})
        if operation.get(f"{prefix}action") in ("delete", "deletecollection"):
            kind = operation[f"{prefix}group-version-kind"]["kind"]
            found = answered if operation[f"{prefix}action"] == "delete" else many
            found[kind] = operation["responses"]["200"]["schema"]["$ref"].rpartition(".")[2]
            names = {parameter["name"] for parameter in operation["parameters"]}
            assert {"dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy", "body"} <= names
            assert "ignoreStoreReadErrorWithClusterBreakingPotential" in names
            assert not names & {"fieldManager", "fieldValidation", "force", "watch"}
            assert ("labelSelector" in names) == (found is many)
    assert {kind for kind, type_ in answered.items() if type_ != "Status"} == set(OBJECTS_ANSWERED.split())
    assert all(type_ in (kind, "Status") for kind, type_ in answered.items())
    assert set(many.values()) == {"Status"}


def test_a_quota_that_is_deleted_is_answered(wire: Wire, maps: str) -> None:
    quotas = maps.replace("configmaps", "resourcequotas")
    created = wire.create(quotas, {"metadata": {"name": "a"}, "spec": {"hard": {"pods": "1"}}})
    assert wire.delete(f"{quotas}/a")["metadata"]["uid"] == created["metadata"]["uid"]


def test_proxies_take_every_method_and_logs_what_clients_send(wire: Wire) -> None:
    paths = wire.get("/openapi/v2")["paths"]
    for path in ("namespaces/{namespace}/pods", "namespaces/{namespace}/services", "nodes"):
        for below in ("", "/{path}"):
            item = paths[f"/api/v1/{path}/{{name}}/proxy{below}"]
            assert set(item) == {"get", "head", "options", "post", "put", "patch", "delete", "parameters"}
            assert {
                operation[f"{wire.dialect.extension_prefix}action"] for method, operation in item.items() if method != "parameters"
            } == {"connect"}
    log = {parameter["name"] for parameter in paths["/api/v1/namespaces/{namespace}/pods/{name}/log"]["get"]["parameters"]}
    assert {"insecureSkipTLSVerifyBackend", "pretty"} <= log


def test_the_lists_of_resource_types_are_described(wire: Wire) -> None:
    whole = wire.get("/openapi/v2")["paths"]
    assert whole["/api/v1/"]["get"]["operationId"] == "getCoreV1APIResources"
    for path, operation, document in (
        ("/api/v1/", "getCoreV1APIResources", "/openapi/v3/api/v1"),
        ("/apis/apps/v1/", "getAppsV1APIResources", "/openapi/v3/apis/apps/v1"),
    ):
        get = wire.get(document)["paths"][path]["get"]
        assert get["operationId"] == whole[path]["get"]["operationId"] == operation
        assert get["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].endswith("apis.meta.v1.APIResourceList")
        assert wire.get(path)["kind"] == "APIResourceList"
