"""What bindings leave to be filled in: API groups of roles and subjects."""

from svcsim.dialect import Dialect
from svcsim.kinds.groups import RBAC_V1
from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def subject_group(kind: str, dialect: Dialect) -> str:
    """The API group of subjects of a kind."""
    return RBAC_V1.name(dialect) if kind in ("User", "Group") else ""


def fill(binding: Object, context: Context) -> None:
    role = binding["roleRef"]
    role["apiGroup"] = role.get("apiGroup") or RBAC_V1.name(context.dialect)
    for subject in binding.get("subjects") or ():
        group = subject.get("apiGroup") or subject_group(subject["kind"], context.dialect)
        if group:
            subject["apiGroup"] = group
