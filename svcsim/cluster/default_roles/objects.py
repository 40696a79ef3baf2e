"""The default roles and bindings as objects, in the order they are made: each role before what binds it.

They have the form in which they are stored, down to the order of their fields, so that they needn't be read when they are handed over.
"""

from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import TypeAlias

from svcsim.auth.authorization import ResourceRule
from svcsim.auth.rbac.rules import resource_rules
from svcsim.cluster.default_roles import components, controllers, own_controllers, users
from svcsim.cluster.default_roles.lines import Line, rule
from svcsim.dialect import Dialect
from svcsim.meta.objects import copy_json
from svcsim.meta.types import Object

Default: TypeAlias = tuple[str, Object]
"""The plural of the type, and an object of it."""

_CONTROLLER = "system:controller:"
_OWN_CONTROLLER = "svcsim:controller:"


def default_roles(dialect: Dialect) -> Iterator[Default]:
    """All of them."""
    make = _Maker(dialect)
    for name, lines in (*users.ROLES, *components.ROLES, *_of_signers(dialect)):
        yield make.cluster_role(name, make.rules(lines))
    yield from make.aggregated()
    for name, subjects in (*users.BOUND, *components.BOUND):
        yield make.cluster_binding(name, subjects)
    for account, lines in (*controllers.KUBERNETES, *controllers.dialect_controllers(dialect)):
        yield make.cluster_role(f"{_CONTROLLER}{account}", make.rules(lines))
        yield make.cluster_binding(f"{_CONTROLLER}{account}", (f"ServiceAccount:{account}",))
    for account, lines in own_controllers.BESIDES:
        yield make.cluster_role(f"{_OWN_CONTROLLER}{account}", make.rules(lines))
        yield make.cluster_binding(f"{_OWN_CONTROLLER}{account}", (f"ServiceAccount:{account}",))
    for namespace, roles in ((dialect.system_namespace, components.IN_SYSTEM), (dialect.public_namespace, components.IN_PUBLIC)):
        for name, lines, binding, subjects in roles:
            yield make.role(namespace, name, make.rules(lines))
            yield make.binding(namespace, binding or name, name, subjects)


def rules_of_nodes(dialect: Dialect) -> Iterator[ResourceRule]:
    """What every node may, for who decides about nodes without any binding."""
    return resource_rules({"rules": [rule(line, dialect) for line in dict(components.ROLES)["system:node"]]})


def _of_signers(dialect: Dialect) -> Iterator[tuple[str, tuple[Line, ...]]]:
    """Who may ask for certificates of nodes, and who may approve those of each signer."""
    group = dialect.group("certificates")
    for kind in components.JOINING:
        yield f"system:{group}:certificatesigningrequests:{kind}", (("create", "certificates.", f"certificatesigningrequests/{kind}"),)
    for signer in (dialect.signer_client, dialect.signer_node_client, dialect.signer_node_serving, dialect.signer_legacy):
        yield f"system:{group}:{signer.partition('/')[2]}-approver", (("approve", "certificates.", "signers", signer),)


class _Maker:
    """Makes objects of the dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._group = dialect.group("rbac.authorization")

    def rules(self, lines: Iterable[Line]) -> list[Object]:
        return [rule(line, self._dialect) for line in lines]

    def cluster_role(self, name: str, rules: list[Object], labels: dict[str, str] | None = None) -> Default:
        return "clusterroles", {**self._about("ClusterRole", name, labels=labels), "rules": rules}

    def role(self, namespace: str, name: str, rules: list[Object]) -> Default:
        return "roles", {**self._about("Role", name, namespace), "rules": rules}

    def cluster_binding(self, name: str, subjects: tuple[str, ...]) -> Default:
        return "clusterrolebindings", {**self._about("ClusterRoleBinding", name), **self._binds("ClusterRole", name, subjects)}

    def binding(self, namespace: str, name: str, role: str, subjects: tuple[str, ...]) -> Default:
        return "rolebindings", {**self._about("RoleBinding", name, namespace), **self._binds("Role", role, subjects)}

    def aggregated(self) -> Iterator[Default]:
        """The parts, and the roles that gather them, with what they have gathered: it is known from the start."""
        parts: dict[str, list[tuple[str, list[Object]]]] = {}
        for name, gatherers, lines in users.PARTS:
            rules = self.rules(lines)
            for gatherer in gatherers:
                parts.setdefault(gatherer, []).append((name, rules))
            yield self.cluster_role(name, rules, {self._gathered_by(gatherer): "true" for gatherer in gatherers})
        for name, gatherer in reversed(users.AGGREGATED):
            rules = _each_once(rule for _, rules in sorted(parts[name], key=itemgetter(0)) for rule in rules)
            if gatherer:
                parts[gatherer].append((name, rules))
            plural, role = self.cluster_role(name, rules, {self._gathered_by(gatherer): "true"} if gatherer else None)
            yield plural, {**role, "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {self._gathered_by(name): "true"}}]}}

    def _gathered_by(self, name: str) -> str:
        return f"{self._group}/aggregate-to-{name}"

    def _about(self, kind: str, name: str, namespace: str = "", labels: dict[str, str] | None = None) -> Object:
        metadata: Object = {
            "name": name,
            **({"namespace": namespace} if namespace else {}),
            "labels": {self._dialect.key("bootstrapping"): "rbac-defaults", **(labels or {})},
            "annotations": {self._dialect.key("autoupdate", "rbac.authorization"): "true"},
        }
        return {"kind": kind, "apiVersion": f"{self._group}/v1", "metadata": metadata}

    def _binds(self, kind: str, role: str, subjects: tuple[str, ...]) -> Object:
        bound = [self._subject(one) for one in subjects]
        return {**({"subjects": bound} if bound else {}), "roleRef": {"apiGroup": self._group, "kind": kind, "name": role}}

    def _subject(self, written: str) -> Object:
        kind, _, name = written.partition(":")
        if kind == "ServiceAccount":
            return {"kind": kind, "name": name, "namespace": self._dialect.system_namespace}
        return {"kind": kind, "apiGroup": self._group, "name": name}


def _each_once(rules: Iterable[Object]) -> list[Object]:
    """Copies, since what is handed over is kept by nobody else."""
    found: list[Object] = []
    for one in rules:
        if one not in found:
            found.append(copy_json(one))
    return found
