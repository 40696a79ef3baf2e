"""NodeRestriction: the agent of a node touches its own node, and what runs on that.

The Node authorizer says what an agent may see and write at all; here is what may stand in it. An agent that was taken over must not be able
to draw other work to its node, nor to act on that of others.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Final

from svcsim.admission.node_audiences import audiences_of
from svcsim.admission.node_certificates import wrong_certificate
from svcsim.admission.plugin import Rule
from svcsim.auth.attributes import Attributes
from svcsim.auth.authorization import Authorizer, Verdict, decided
from svcsim.auth.node_authorizer.references import names_secrets
from svcsim.auth.signing import NODE_PREFIX, NODES
from svcsim.dialect import Dialect
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import not_found
from svcsim.meta.objects import annotations_of, get_path, labels_of, uid_of
from svcsim.meta.pods import containers_of, node_of
from svcsim.meta.quoting import quoted
from svcsim.meta.types import GroupResource, Key, Object
from svcsim.registry.admission import AdmissionRequest, Operation
from svcsim.storage.contract import Store

_CHANGES: Final[tuple[Operation, ...]] = ("CREATE", "UPDATE", "DELETE")
_CONFIG: Final = "spec.configSource"
"""Where an agent's configuration once stood. Which one that is isn't for the agent to say: it may have been taken over."""
_REPORTED_OF_CLAIMS: Final = ("capacity", "conditions", "allocatedResources", "allocatedResourceStatuses")
_FOR_AUDIENCE: Final = "request-serviceaccounts-token-audience"
_ZONE_PREFIXES = ("failure-domain.beta", "topology")


class NodeRestriction:
    """Whoever is no agent of a node passes."""

    name = "NodeRestriction"
    rules = (
        Rule(_CHANGES, ("nodes", "nodes/status", "pods", "pods/*", "persistentvolumeclaims", "persistentvolumeclaims/*")),
        Rule(("CREATE",), ("serviceaccounts/token",)),
        Rule(_CHANGES, ("leases",), "coordination", suffixed=True),
        Rule(_CHANGES, ("csinodes",), "storage", suffixed=True),
        Rule(_CHANGES, ("resourceslices",), "resource", suffixed=True),
        Rule(("CREATE",), ("certificatesigningrequests",), "certificates", suffixed=True),
    )

    def __init__(self, store: Store, dialect: Dialect, authorizer: Authorizer) -> None:
        self._store = store
        self._authorizer = authorizer
        self._dialect = dialect
        self._mirror = dialect.key("config.mirror")
        self._labels = _node_labels(dialect)
        self._checks: dict[str, Callable[[AdmissionRequest, str], str]] = {
            "pods": self._pod,
            "nodes": self._node,
            "persistentvolumeclaims": _claim,
            "leases": self._lease,
            "csinodes": _csi_node,
            "resourceslices": _resource_slice,
        }
        self._awaited: dict[str, Callable[[AdmissionRequest, str], Awaitable[str]]] = {
            "serviceaccounts": self._token,
            "certificatesigningrequests": self._certificate,
        }

    async def check(self, request: AdmissionRequest) -> None:
        user = request.user
        if NODES not in user.groups or not user.name.startswith(NODE_PREFIX):
            return
        node = user.name.removeprefix(NODE_PREFIX)
        if why := await self._why(request, node):
            raise request.refusal(why)

    async def _why(self, request: AdmissionRequest, node: str) -> str:
        plural = request.resource.plural
        if not node:
            return f"could not determine node from user {quoted(request.user.name)}"
        if plural in self._awaited:
            return await self._awaited[plural](request, node)
        return self._checks[plural](request, node)

    def _node(self, request: AdmissionRequest, node: str) -> str:
        if request.name != node:
            return f"node {quoted(node)} is not allowed to modify node {quoted(request.name)}"
        match request.operation:
            case "CREATE":
                assert request.obj is not None
                return self._registered(request.obj, node)
            case "UPDATE":
                assert request.obj is not None
                assert request.old is not None
                return self._updated(request.obj, request.old, node)
            case _:
                return f"node {quoted(node)} is not allowed to delete its own node"

    def _registered(self, new: Object, node: str) -> str:
        if get_path(new, _CONFIG) is not None:
            return f"node {quoted(node)} is not allowed to create pods with a non-nil configSource"
        if wrong := self._forbidden_labels(labels_of(new)):
            return f"node {quoted(node)} is not allowed to set the following labels: {', '.join(wrong)}"
        return ""

    def _updated(self, new: Object, old: Object, node: str) -> str:
        source = get_path(new, _CONFIG)
        if source is not None and source != get_path(old, _CONFIG):
            return f"node {quoted(node)} is not allowed to update configSource to a new non-nil configSource"
        if (get_path(new, "spec.taints") or []) != (get_path(old, "spec.taints") or []):
            return f"node {quoted(node)} is not allowed to modify taints"
        before, after = labels_of(old), labels_of(new)
        changed = [key for key in {**before, **after} if before.get(key) != after.get(key)]
        if wrong := self._forbidden_labels(changed):
            return f"is not allowed to modify labels: {', '.join(wrong)}"
        if new["metadata"].get("ownerReferences") != old["metadata"].get("ownerReferences"):
            return f"node {quoted(node)} is not allowed to modify ownerReferences"
        return ""

    def _forbidden_labels(self, keys: Iterable[str]) -> list[str]:
        return sorted(key for key in keys if self._is_forbidden(key))

    def _is_forbidden(self, key: str) -> bool:
        """Whether a label is for administrators: what keeps nodes for some work, and what the cluster may come to mean something by."""
        prefix = key.rpartition("/")[0]
        if _within(prefix, f"node-restriction.{self._dialect.domain}"):
            return True
        if not any(_within(prefix, domain) for domain in (self._dialect.domain, self._dialect.group_suffix)):
            return False
        own = (f"{self._dialect.node_agent}.{self._dialect.domain}", f"node.{self._dialect.domain}")
        return key not in self._labels and not any(_within(prefix, domain) for domain in own)

    def _pod(self, request: AdmissionRequest, node: str) -> str:
        match request.subresource, request.operation:
            case "", "CREATE":
                assert request.obj is not None
                return self._mirror_pod(request.obj, node)
            case "", "DELETE":
                own = request.old is None or node_of(request.old) == node
                return "" if own else f"node {quoted(node)} can only delete pods with spec.nodeName set to itself"
            case "", operation:
                return f"unexpected operation {quoted(operation)}, node {quoted(node)} can only create and delete mirror pods"
            case "status", "UPDATE":
                return _pod_status(request, node)
            case "eviction", "CREATE":
                own = node_of(self._stored("pods", request.target.namespace, request.target.name)) == node
                return "" if own else f"node {node} can only evict pods with spec.nodeName set to itself"
            case "status" | "eviction", operation:
                return f"unexpected operation {quoted(operation)}"
            case subresource, _:
                return f"unexpected pod subresource {quoted(subresource)}, only 'status' and 'eviction' are allowed"

    def _mirror_pod(self, pod: Object, node: str) -> str:
        """Why an agent may not create a pod. It may only mirror static pods, which must not give it access to anything."""
        itself = f"node {quoted(node)} can only create pods with"
        if self._mirror not in annotations_of(pod):
            return f"pod does not have {quoted(self._mirror)} annotation, node {quoted(node)} can only create mirror pods"
        if node_of(pod) != node:
            return f"{itself} spec.nodeName set to itself"
        owners = pod["metadata"].get("ownerReferences") or []
        if len(owners) != 1:
            return f"{itself} {'a single' if owners else 'an'} owner reference set to itself"
        return self._owner_of_mirror(owners[0], node) or next(_drawn(pod["spec"], node), "")

    def _owner_of_mirror(self, owner: Object, node: str) -> str:
        itself = f"node {quoted(node)} can only create pods with"
        if (owner.get("apiVersion"), owner.get("kind"), owner.get("name")) != ("v1", "Node", node):
            return f"{itself} an owner reference set to itself"
        if not owner.get("controller"):
            return f"{itself} a controller owner reference set to itself"
        if owner.get("blockOwnerDeletion"):
            return f"node {quoted(node)} must not set blockOwnerDeletion on an owner reference"
        uid = uid_of(self._stored("nodes", "", node))
        return "" if owner.get("uid") == uid else f"node {node} UID mismatch: expected {owner.get('uid')} got {uid}"

    async def _certificate(self, request: AdmissionRequest, node: str) -> str:
        return await wrong_certificate(request.obj or {}, node, self._dialect)

    async def _token(self, request: AdmissionRequest, node: str) -> str:
        return self._binding(request, node) or await self._audience(request)

    def _binding(self, request: AdmissionRequest, node: str) -> str:
        """An agent has tokens for the pods on its node alone."""
        ref = get_path(request.obj or {}, "spec.boundObjectRef") or {}
        if (ref.get("apiVersion"), ref.get("kind")) != ("v1", "Pod") or not ref.get("name"):
            return "node requested token not bound to a pod"
        if not ref.get("uid"):
            return "node requested token with a pod binding without a uid"
        pod = self._stored("pods", request.target.namespace, ref["name"])
        if ref["uid"] != uid_of(pod):
            gone = "The object might have been deleted and then recreated"
            return f"the UID in the bound object reference ({ref['uid']}) does not match the UID in record. {gone}"
        return "" if node_of(pod) == node else "node requested token bound to a pod scheduled on a different node"

    async def _audience(self, request: AdmissionRequest) -> str:
        """The audiences of a token must be those that the pod uses, or those that a role allows the agent."""
        spec = (request.obj or {}).get("spec") or {}
        audiences: list[str] = spec.get("audiences") or [""]
        if len(audiences) > 1:
            return "node may only request 0 or 1 audiences"
        pod = self._stored("pods", request.target.namespace, spec["boundObjectRef"]["name"])
        if audiences[0] in audiences_of(pod, self._latest, self._dialect):
            return ""
        asked = Attributes(request.user, _FOR_AUDIENCE, "", "v1", audiences[0], "", request.target.namespace, request.target.name)
        if (await decided(self._authorizer, asked)).verdict is Verdict.ALLOW:
            return ""
        told = f"{request.user.name} is not authorized to request tokens for this audience"
        return f"audience {quoted(audiences[0])} not found in pod spec volume, {told}"

    def _lease(self, request: AdmissionRequest, node: str) -> str:
        space = self._dialect.node_lease_namespace
        if request.target.namespace != space:
            return f"can only access leases in the {quoted(space)} system namespace"
        return "" if request.name == node else "can only access node lease with the same name as the requesting node"

    def _stored(self, resource: str, namespace: str, name: str) -> Object:
        """An object as it is stored. Raises 404."""
        found = self._latest(resource, namespace, name)
        if found is None:
            raise not_found(GroupResource("", resource), name)
        return found

    def _latest(self, resource: str, namespace: str, name: str) -> Object | None:
        record = self._store.latest(Key(resource, namespace, name))
        return None if record is None else decode_json(record.body)


def _node_labels(dialect: Dialect) -> frozenset[str]:
    """The labels by which an agent says what its node is."""
    key = dialect.key
    places = [key(name, prefix) for prefix in _ZONE_PREFIXES for name in ("zone", "region")]
    return frozenset(
        (
            *(key(name) for name in ("hostname", "os", "arch", "instance-type")),
            *(key(name, "beta") for name in ("os", "arch", "instance-type")),
            *places,
        )
    )


def _within(prefix: str, domain: str) -> bool:
    return prefix == domain or prefix.endswith(f".{domain}")


def _pod_status(request: AdmissionRequest, node: str) -> str:
    assert request.old is not None
    assert request.obj is not None
    if node_of(request.old) != node:
        own = "pods with spec.nodeName set to itself"
        return f"node {quoted(node)} can only update pod status for {own}"
    if labels_of(request.old) != labels_of(request.obj):
        return f"node {quoted(node)} cannot update labels through pod status"
    claims = "status.resourceClaimStatuses"
    same = (get_path(request.old, claims) or []) == (get_path(request.obj, claims) or [])
    return "" if same else f"node {quoted(node)} cannot update resource claim statuses"


def _drawn(spec: Object, node: str) -> Iterator[str]:
    """What a mirror pod must not refer to: it would let its node see that."""
    refers = f"node {quoted(node)} can not create pods that reference"
    if spec.get("serviceAccountName"):
        yield f"{refers} a service account"
    volumes = spec.get("volumes") or []
    projected = [source for volume in volumes for source in (volume.get("projected") or {}).get("sources") or ()]
    named = [source for container in containers_of(spec) for source in _sources(container)]
    if names_secrets(spec):
        yield f"{refers} secrets"
    if any("configMap" in one for one in (*volumes, *projected)) or any("configMapRef" in one for one in named):
        yield f"{refers} configmaps"
    for field, what in (("serviceAccountToken", "serviceaccount tokens"), ("clusterTrustBundle", "clustertrustbundles")):
        if any(field in one for one in projected):
            yield f"{refers} {what}"
    if any("persistentVolumeClaim" in one for one in volumes):
        yield f"{refers} persistentvolumeclaims"
    if spec.get("resourceClaims"):
        yield f"{refers} resourceclaims"


def _sources(container: Object) -> Iterator[Object]:
    """Where a container's environment comes from; single variables as if all of it did."""
    yield from container.get("envFrom") or ()
    for variable in container.get("env") or ():
        if "configMapKeyRef" in (variable.get("valueFrom") or {}):
            yield {"configMapRef": {}}


def _claim(request: AdmissionRequest, node: str) -> str:
    """Why an agent may not change a claim. It may only report the size of the volume, in the status."""
    if request.subresource != "status":
        return "may only update PVC status"
    if request.operation != "UPDATE":
        return f"unexpected operation {quoted(request.operation)}"
    assert request.old is not None
    assert request.obj is not None
    same = _unreported(request.old) == _unreported(request.obj)
    told = "status.quantity, status.capacity and status.conditions"
    return "" if same else f"node {quoted(node)} is not allowed to update fields other than {told}"


def _unreported(claim: Object) -> Object:
    status = {name: value for name, value in (claim.get("status") or {}).items() if name not in _REPORTED_OF_CLAIMS}
    metadata = {name: value for name, value in claim["metadata"].items() if name not in ("managedFields", "resourceVersion")}
    return {**claim, "status": status, "metadata": metadata}


def _csi_node(request: AdmissionRequest, node: str) -> str:
    return "" if request.name == node else "can only access CSINode with the same name as the requesting node"


def _resource_slice(request: AdmissionRequest, node: str) -> str:
    found = request.obj if request.operation == "CREATE" else request.old
    own = found is None or get_path(found, "spec.nodeName") == node
    return "" if own else f"can only {request.operation.lower()} ResourceSlice with the same NodeName as the requesting node"
