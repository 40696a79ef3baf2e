"""``create rolebinding`` and ``create clusterrolebinding``: who may do what a role says."""

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag
from svcsim.cli.shared.arguments import require
from svcsim.cli.shared.command import Call
from svcsim.cli.verbs.create.from_flags import creator, new
from svcsim.meta.types import Object


def _role_binding(call: Call, name: str) -> Object:
    cluster_role, role = call.options.text("clusterrole"), call.options.text("role")
    if bool(cluster_role) == bool(role):
        raise CommandError("exactly one of clusterrole or role must be specified")
    return _binding(call, "RoleBinding", name, "Role" if role else "ClusterRole", role or cluster_role)


def _cluster_role_binding(call: Call, name: str) -> Object:
    require(call, "clusterrole")
    return _binding(call, "ClusterRoleBinding", name, "ClusterRole", call.options.text("clusterrole"))


def _binding(call: Call, kind: str, name: str, role_kind: str, role: str) -> Object:
    group = call.session.dialect.group("rbac.authorization")
    named = (("User", "user"), ("Group", "group"))
    subjects: list[Object] = [
        {"kind": subject, "apiGroup": group, "name": value} for subject, flag in named for value in call.options.items(flag)
    ]
    subjects += (_account(text) for text in call.options.items("serviceaccount"))
    obj = new(f"{group}/v1", kind, name)
    if subjects:
        obj["subjects"] = subjects
    return {**obj, "roleRef": {"apiGroup": group, "kind": role_kind, "name": role}}


def _account(text: str) -> Object:
    namespace, colon, name = text.partition(":")
    if not colon or not namespace or not name or ":" in name:
        raise CommandError("serviceaccount must be <namespace>:<name>")
    return {"kind": "ServiceAccount", "name": name, "namespace": namespace}


_SUBJECT_FLAGS = (
    Flag("user", "array", [], "A user who has the role."),
    Flag("group", "array", [], "A group whose members have the role."),
    Flag("serviceaccount", "array", [], "A service account that has the role, as NAMESPACE:NAME."),
)

ROLE_BINDING = creator(
    "rolebinding NAME --clusterrole=NAME|--role=NAME [--user=USER] [--group=GROUP] [--serviceaccount=NAMESPACE:NAME] [flags]",
    "Give a role to users, groups or service accounts in one namespace.",
    (
        Flag("clusterrole", doc="The cluster-wide role that they have."),
        Flag("role", doc="The role of the namespace that they have."),
        *_SUBJECT_FLAGS,
    ),
    _role_binding,
    failed="failed to create rolebinding:",
)
CLUSTER_ROLE_BINDING = creator(
    "clusterrolebinding NAME --clusterrole=NAME [--user=USER] [--group=GROUP] [--serviceaccount=NAMESPACE:NAME] [flags]",
    "Give a cluster-wide role to users, groups or service accounts everywhere.",
    (Flag("clusterrole", doc="The cluster-wide role that they have."), *_SUBJECT_FLAGS),
    _cluster_role_binding,
    failed="failed to create clusterrolebinding:",
    namespaced=False,
)
