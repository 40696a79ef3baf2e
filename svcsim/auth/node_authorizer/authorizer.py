"""The Node authorizer: what an agent of a node may, which is known by its name and its group.

Rights that all nodes have are in rules. Objects that concern only some nodes (the Secrets of pods, the pods themselves) may be read by a
node if the `Graph` says that they concern it. Whether a node's write is about itself isn't known before the body is read, and so is the
business of admission.

What follows from the request alone is said for good, so that nodes needn't be judged anew for each event and each sign of life. What is
said of one of many pods isn't: it would be remembered for next to nothing.

It only ever allows: what it has no reason for, another authorizer may still allow.
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import Final, TypeAlias

from svcsim.auth.attributes import Attributes
from svcsim.auth.authorization import ALLOWED, ALLOWED_FOR_GOOD, NO_OPINION, NO_OPINION_EVER, Decision, ResourceRule, Rules, Verdict
from svcsim.auth.node_authorizer.graph import Graph
from svcsim.dialect import Dialect
from svcsim.meta.quoting import quoted
from svcsim.meta.types import GroupResource, Key, User
from svcsim.storage.contract import Store

NODES: Final = "system:nodes"
NODE_PREFIX: Final = "system:node:"

_OWN_VERBS: Final = ("get", "create", "update", "patch", "delete")
_CHANGING: Final = ("update", "patch")
_READING: Final = ("get", "list", "watch")

_Answer: TypeAlias = Callable[[str, Attributes], Awaitable[Decision]]


class NodeAuthorizer:
    """Decides for members of ``system:nodes`` that are named ``system:node:NAME``."""

    def __init__(self, store: Store, dialect: Dialect, rules: Iterable[ResourceRule]) -> None:
        """``rules`` say what every node may, where nothing closer is known of a resource: without wildcards and names."""
        self._graph = Graph(store, dialect)
        self._lease_namespace = dialect.node_lease_namespace
        self._allowed = frozenset(
            (verb, group, resource) for rule in rules for verb in rule.verbs for group in rule.groups for resource in rule.resources
        )
        storage, resource = dialect.group("storage"), dialect.group("resource")
        self._closer: dict[tuple[str, str], _Answer] = {
            ("", "secrets"): self._read_one,
            ("", "configmaps"): self._read_one,
            ("", "persistentvolumeclaims"): self._claims,
            ("", "persistentvolumes"): self._get,
            ("", "serviceaccounts"): self._service_accounts,
            ("", "nodes"): self._nodes,
            ("", "pods"): self._pods,
            (resource, "resourceclaims"): self._get,
            (resource, "resourceslices"): self._resource_slices,
            (storage, "volumeattachments"): self._get,
            (storage, "csinodes"): self._csi_nodes,
            (dialect.group("coordination"), "leases"): self._leases,
        }

    async def authorize(self, attributes: Attributes) -> Decision:
        """Allow nodes what concerns them; no opinion on others."""
        user = attributes.user
        if not is_node(user):
            return NO_OPINION_EVER
        node = user.name.removeprefix(NODE_PREFIX)
        if not node:
            return _no(f"unknown node for user {quoted(user.name)}")
        closer = self._closer.get((attributes.group, attributes.resource))
        if closer is not None:
            return await closer(node, attributes)
        resource = f"{attributes.resource}/{attributes.subresource}" if attributes.subresource else attributes.resource
        return ALLOWED_FOR_GOOD if (attributes.verb, attributes.group, resource) in self._allowed else NO_OPINION

    async def rules_for(self, user: User, _namespace: str) -> Rules:
        """What a node may depends on what is on it: that can't be listed."""
        return Rules(incomplete=True, error="node authorizer does not support user rule resolution") if is_node(user) else Rules()

    async def _related(self, node: str, asked: Attributes) -> Decision:
        if not asked.name:
            return _no("No Object name found")
        key = Key(str(GroupResource(asked.group, asked.resource)), asked.namespace, asked.name)
        if await self._graph.leads(node, key):
            return ALLOWED
        return _no(f"no relationship found between node '{node}' and this object")

    async def _get(self, node: str, asked: Attributes) -> Decision:
        if asked.verb != "get":
            return _no("can only get individual resources of this type")
        if asked.subresource:
            return _no("cannot get subresource")
        return await self._related(node, asked)

    async def _read_one(self, node: str, asked: Attributes) -> Decision:
        """Read an object, or follow a collection that is narrowed to it."""
        if asked.verb not in _READING:
            return _no("can only read resources of this type")
        if asked.subresource:
            return _no("cannot read subresource")
        if not asked.namespace:
            return _no("can only read namespaced object of this type")
        return await self._related(node, asked)

    async def _claims(self, node: str, asked: Attributes) -> Decision:
        if asked.subresource != "status":
            return await self._get(node, asked)
        return await self._related(node, asked) if asked.verb in _CHANGING else _no("can only get/update/patch this type")

    async def _service_accounts(self, node: str, asked: Attributes) -> Decision:
        """Make tokens for the accounts of the node's pods, and read those accounts."""
        if asked.verb == "get" and not asked.subresource:
            return await self._related(node, asked)
        if asked.verb != "create" or not asked.name:
            return _no("can only create tokens for individual service accounts")
        return (
            await self._related(node, asked) if asked.subresource == "token" else _no("can only create token subresource of serviceaccount")
        )

    async def _leases(self, node: str, asked: Attributes) -> Decision:
        if asked.verb not in _OWN_VERBS:
            return _no("can only get, create, update, patch, or delete a node lease")
        if asked.namespace != self._lease_namespace:
            return _no(f"can only access leases in the {quoted(self._lease_namespace)} system namespace")
        return _own(node, asked, "node lease")

    async def _csi_nodes(self, node: str, asked: Attributes) -> Decision:
        if asked.verb not in _OWN_VERBS:
            return _no("can only get, create, update, patch, or delete a CSINode")
        return _no("cannot authorize CSINode subresources") if asked.subresource else _own(node, asked, "CSINode")

    async def _resource_slices(self, node: str, asked: Attributes) -> Decision:
        if asked.subresource:
            return _no("cannot authorize ResourceSlice subresources")
        if asked.verb == "create":
            return ALLOWED  # for whom it is, the body says
        if asked.verb in _OWN_VERBS:
            return await self._related(node, asked)
        if asked.verb in {"watch", "list", "deletecollection"}:
            if _narrowed(asked, "spec.nodeName", node):
                return ALLOWED
            return _no("can only list/watch/deletecollection resourceslices with nodeName field selector")
        allowed = "get, watch, list, create, update, patch, delete, deletecollection"
        return _no(f"only the following verbs are allowed for a ResourceSlice: {allowed}")

    async def _nodes(self, node: str, asked: Attributes) -> Decision:
        """Write Nodes, which admission narrows to its own; read its own, be it there yet or not."""
        if asked.subresource:
            return ALLOWED_FOR_GOOD if asked.subresource == "status" and asked.verb in _CHANGING else NO_OPINION
        if asked.verb in {"create", *_CHANGING}:
            return ALLOWED_FOR_GOOD
        if asked.verb not in _READING:
            return NO_OPINION
        if asked.name == node:
            return ALLOWED_FOR_GOOD
        what = f"'{asked.name}'" if asked.name else "all nodes"
        return _no(f"node '{node}' cannot read {what}, only its own Node object")

    async def _pods(self, node: str, asked: Attributes) -> Decision:
        """Report on pods, evict, create and delete them, which admission narrows to its own; read those that are on it."""
        if asked.subresource:
            return ALLOWED if asked.verb in _POD_PARTS.get(asked.subresource, ()) else NO_OPINION
        if asked.verb in {"create", "delete"}:
            return ALLOWED
        if asked.verb not in _READING:
            return NO_OPINION
        if asked.verb != "get" and _narrowed(asked, "spec.nodeName", node):
            return ALLOWED
        if asked.verb != "get" and not asked.name:
            return _no("can only list/watch pods with spec.nodeName field selector")
        return await self._related(node, asked)


_POD_PARTS: Final = {"status": _CHANGING, "eviction": ("create",)}


def is_node(user: User) -> bool:
    """Whether this is the agent of a node."""
    return user.name.startswith(NODE_PREFIX) and NODES in user.groups


def _own(node: str, asked: Attributes, what: str) -> Decision:
    """What bears the node's name; of one that is to be created, only the body tells the name."""
    if asked.verb == "create" or asked.name == node:
        return ALLOWED_FOR_GOOD
    return _no(f"can only access {what} with the same name as the requesting node")


def _narrowed(asked: Attributes, field: str, node: str) -> bool:
    return any(each.field == field and each.operator == "=" and each.value == node for each in asked.field_requirements)


def _no(reason: str) -> Decision:
    return Decision(Verdict.NO_OPINION, reason)
