"""Users who may do what a test says, and nothing else."""

from svcsim.meta.types import Object
from tests.wire.raw import Wire


def allowed(wire: Wire, *rules: Object, namespace: str = "", name: str = "") -> dict[str, str]:
    """The headers to ask as somebody with these rights: everywhere, or in one namespace. A new user, unless it has a name."""
    user, rbac = name or wire.fresh("user"), wire.dialect.group("rbac.authorization")
    grant(wire, {"kind": "User", "name": user, "apiGroup": rbac}, *rules, namespace=namespace)
    return {"Impersonate-User": user}


def grant(wire: Wire, subject: Object, *rules: Object, namespace: str = "") -> None:
    """Give rights to a subject of bindings."""
    rbac, role = wire.dialect.group("rbac.authorization"), wire.fresh("role")
    roles, binding = f"/apis/{rbac}/v1", "rolebindings" if namespace else "clusterrolebindings"
    wire.create(f"{roles}/clusterroles", {"metadata": {"name": role}, "rules": list(rules)})
    reference = {"apiGroup": rbac, "kind": "ClusterRole", "name": role}
    where = f"{roles}/namespaces/{namespace}" if namespace else roles
    wire.create(f"{where}/{binding}", {"metadata": {"name": role}, "roleRef": reference, "subjects": [subject]})
