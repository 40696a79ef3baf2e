"""The fields of objects that this process keeps in memory, by resource: only those that controllers look up.

Caches are shared (`svcsim.client.informers`), so there is one rule for each resource, the union of its followers' needs. Resources that
aren't named here are kept without managed fields, and only if a controller looks them up. A rule is worth its line if there may be tens of
thousands of objects, or if few of them are ever looked up. Name, namespace, UID and revision are always kept.
"""

from svcsim.client.cache import Trim
from svcsim.client.informers import FollowedResource
from svcsim.dialect import Dialect
from svcsim.meta.node_affinity import node_affinity_of
from svcsim.meta.objects import name_of, unmanaged
from svcsim.meta.types import Object

_POD_METADATA = (
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "deletionTimestamp",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
)
_POD_SPEC = ("nodeName", "hostname", "subdomain")
_POD_STATUS = ("phase", "podIP")
_CONDITIONS = {
    "Ready": ("type", "status", "lastTransitionTime"),
    "DisruptionTarget": ("type", "status", "lastTransitionTime", "reason"),
}


def trims(dialect: Dialect) -> dict[FollowedResource, Trim]:
    return {
        FollowedResource("v1", "pods"): _pod,
        FollowedResource("v1", "nodes"): _node,
        FollowedResource("v1", "configmaps"): _only(dialect.root_ca_config_map, dialect.token_tracking_config_map),
        FollowedResource("v1", "serviceaccounts"): _account,
        FollowedResource("v1", "secrets"): _of_types(dialect.key("service-account-token"), dialect.key("token", "bootstrap")),
    }


def _pod(pod: Object) -> Object:
    """Who owns it, what selects it, where it is or is pinned to, where it serves, which claims it uses, and how far it is."""
    given, spec, status = pod["metadata"], pod.get("spec") or {}, pod.get("status") or {}
    kept_spec = {name: spec[name] for name in _POD_SPEC if name in spec}
    for field in ("initContainers", "containers"):
        ports = [port for container in spec.get(field) or () for port in container.get("ports") or () if port.get("name")]
        if ports:
            kept_spec[field] = [{"ports": ports}]
    pinned = _pinned_to(spec)
    if pinned:
        kept_spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": pinned}}}
    claims = [volume for volume in spec.get("volumes") or () if "persistentVolumeClaim" in volume or "ephemeral" in volume]
    if claims:
        kept_spec["volumes"] = claims
    if spec.get("resourceClaims"):
        kept_spec["resourceClaims"] = spec["resourceClaims"]
    kept_status = {name: status[name] for name in _POD_STATUS if name in status}
    if len(status.get("podIPs") or ()) > 1:  # one alone is the podIP
        kept_status["podIPs"] = status["podIPs"]
    if status.get("resourceClaimStatuses"):
        kept_status["resourceClaimStatuses"] = status["resourceClaimStatuses"]
    conditions = [item for item in status.get("conditions") or () if item["type"] in _CONDITIONS]
    if conditions:
        kept_status["conditions"] = [{name: item.get(name) for name in _CONDITIONS[item["type"]]} for item in conditions]
    if any(reference["kind"] == "Job" for reference in given.get("ownerReferences") or ()):
        kept_status |= _how_it_ended(status)
        return {"metadata": _metadata_of_a_job(given), "spec": kept_spec, "status": kept_status}
    restarts = max((item.get("restartCount") or 0 for item in status.get("containerStatuses") or ()), default=0)
    if restarts:
        kept_status["containerStatuses"] = [{"restartCount": restarts}]
    return {"metadata": {name: given[name] for name in _POD_METADATA if name in given}, "spec": kept_spec, "status": kept_status}


def _pinned_to(spec: Object) -> list[Object]:
    """The terms that name the node of a pod that isn't there yet."""
    if spec.get("nodeName") or not spec.get("affinity"):
        return []
    required = node_affinity_of(spec).get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    return [{"matchFields": term["matchFields"]} for term in required.get("nodeSelectorTerms") or () if term.get("matchFields")]


def _metadata_of_a_job(given: Object) -> Object:
    return {name: given[name] for name in (*_POD_METADATA, "deletionGracePeriodSeconds") if name in given}


def _how_it_ended(status: Object) -> Object:
    """What a Job asks of a pod of its own: the ends of its containers, how often they were restarted, and all conditions."""
    kept: Object = {}
    for field in ("initContainerStatuses", "containerStatuses"):
        if status.get(field):
            kept[field] = [_container_end(one) for one in status[field]]
    if status.get("conditions"):
        kept["conditions"] = [{name: item.get(name) for name in _CONDITIONS["DisruptionTarget"]} for item in status["conditions"]]
    return kept


def _container_end(container: Object) -> Object:
    kept: Object = {"name": container["name"], "restartCount": container.get("restartCount") or 0}
    terminated = (container.get("state") or {}).get("terminated")
    if terminated is not None:
        kept["state"] = {"terminated": {name: terminated[name] for name in ("exitCode", "finishedAt") if name in terminated}}
    return kept


def _node(node: Object) -> Object:
    """All but its long list of images, and who owns which field."""
    return {**unmanaged(node), "status": {name: value for name, value in (node.get("status") or {}).items() if name != "images"}}


def _account(account: Object) -> Object:
    """That it is there."""
    return {
        "metadata": {name: value for name, value in account["metadata"].items() if name in ("name", "namespace", "uid", "resourceVersion")}
    }


def _of_types(*types: str) -> Trim:
    """Secrets of some types, whole."""
    return lambda secret: secret if secret.get("type") in types else None


def _only(*names: str) -> Trim:
    """Objects of some names, whole."""
    return lambda obj: obj if name_of(obj) in names else None
