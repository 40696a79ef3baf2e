"""What tables show of roles and bindings."""

from svcsim.kinds.shared.columns import AGE, text_at
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Cell, Column, Context

CREATED_AT = Column("Created At", text_at("metadata.creationTimestamp"), "date", doc="Time at which the role was created")


def _role(binding: Object, context: Context) -> Json:
    return f"{binding['roleRef']['kind']}/{binding['roleRef']['name']}"


def _subjects(kind: str) -> Cell:
    """The names of the subjects of a kind; those of accounts with their namespaces."""

    def cell(binding: Object, context: Context) -> Json:
        found = [subject for subject in binding.get("subjects") or () if subject["kind"] == kind]
        return ", ".join(f"{one.get('namespace', '')}/{one['name']}" if kind == "ServiceAccount" else one["name"] for one in found)

    return cell


BINDING_COLUMNS = (
    Column("Role", _role, doc="Kind and name of the role"),
    AGE,
    Column("Users", _subjects("User"), priority=1, doc="Users who are given the role"),
    Column("Groups", _subjects("Group"), priority=1, doc="Groups that are given the role"),
    Column("ServiceAccounts", _subjects("ServiceAccount"), priority=1, doc="ServiceAccounts that are given the role"),
)
