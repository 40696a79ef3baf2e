"""Who owns which fields: ``metadata.managedFields``, between the shape the API shows and the one apply works with."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from svcsim.apply.fieldset import FieldSet, canonical, checked, union_of
from svcsim.meta import errors
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json, Object

APPLY = "Apply"
UPDATE = "Update"
FIELDS_TYPE = "FieldsV1"
BEFORE_FIRST_APPLY = "before-first-apply"
ANCIENT_CHANGES = "ancient-changes"


class Manager(NamedTuple):
    """Who wrote, by apply or otherwise, in which version of the API, and to which subresource."""

    name: str
    operation: str
    api_version: str
    subresource: str = ""

    def __str__(self) -> str:
        return f"{quoted(self.name)} with subresource {quoted(self.subresource)}" if self.subresource else quoted(self.name)


class ManagedFields(NamedTuple):
    """What a manager owns, and since when it has been just this."""

    fields: FieldSet
    time: str = ""


Managers: TypeAlias = dict[Manager, ManagedFields]


def name_in_conflicts(manager: Manager, owned: ManagedFields) -> str:
    """A manager as conflict messages name it."""
    if manager.operation == APPLY:
        return str(manager)
    since = f" at {owned.time}" if owned.time else ""
    return f"{manager} using {manager.api_version}{since}"


def read(entries: Iterable[Json]) -> Managers:
    """Managers from ``managedFields`` that a client sent. Raises ValueError for what can't be read."""
    found: dict[Manager, list[ManagedFields]] = {}
    for entry in entries:
        operation = entry.get("operation") if isinstance(entry, dict) else None
        if operation not in (APPLY, UPDATE):
            raise ValueError(f"operation {operation!r} is neither Apply nor Update")
        if (entry.get("fieldsType") or FIELDS_TYPE) != FIELDS_TYPE:
            raise ValueError(f"fieldsType {entry['fieldsType']!r} is not {FIELDS_TYPE}")
        manager = Manager(entry.get("manager") or "", operation, entry.get("apiVersion") or "", entry.get("subresource") or "")
        owned = ManagedFields(canonical(checked(entry.get("fieldsV1") or {})), entry.get("time") or "")
        found.setdefault(manager, []).append(owned)
    return {manager: _together(owned) for manager, owned in found.items()}


def read_stored(entries: Iterable[Object]) -> Managers:
    """Managers from ``managedFields`` that this cluster has written itself: nothing needs checking."""
    return {
        Manager(entry.get("manager", ""), entry["operation"], entry.get("apiVersion", ""), entry.get("subresource", "")): ManagedFields(
            entry.get("fieldsV1") or {}, entry.get("time", "")
        )
        for entry in entries
    }


def write(managers: Managers) -> list[Object]:
    """``managedFields``, appliers first, each half by time and name; managers of nothing are left out."""
    entries = []
    for manager, owned in sorted(managers.items(), key=_order):
        if not owned.fields:
            continue
        entry: Object = {"manager": manager.name, "operation": manager.operation, "apiVersion": manager.api_version}
        if owned.time:
            entry["time"] = owned.time
        entry["fieldsType"] = FIELDS_TYPE
        entry["fieldsV1"] = owned.fields
        if manager.subresource:
            entry["subresource"] = manager.subresource
        entries.append(entry)
    return entries


def same_but_for_times(entries: Sequence[Object], others: Sequence[Object]) -> bool:
    """Whether two lists of ``managedFields`` tell of the same owners, in whatever order."""
    if len(entries) != len(others):
        return False
    these, those = _without_times(entries), _without_times(others)
    return all(entry in those for entry in these) and all(entry in these for entry in those)


def _without_times(entries: Sequence[Object]) -> list[Object]:
    return [{name: value for name, value in entry.items() if name != "time"} for entry in entries]


def _order(item: tuple[Manager, ManagedFields]) -> tuple[str, str, str, str, str]:
    manager, owned = item
    return manager.operation, owned.time, manager.name, manager.api_version, manager.subresource


def fold_oldest(managers: Managers, keep: int) -> Managers:
    """At most ``keep`` managers by update: the oldest beyond that become one that stands for ancient changes."""
    if len(managers) <= keep:
        return managers
    updates = [item for item in sorted(managers.items(), key=_order) if item[0].operation == UPDATE and not item[0].subresource]
    surplus = dict([item for item in updates if item[0].name != ANCIENT_CHANGES][: max(len(updates) - keep, 0)])
    if not surplus:
        return managers
    folded = {manager: owned for manager, owned in managers.items() if manager not in surplus}
    ancient: dict[Manager, list[ManagedFields]] = {}
    for manager, owned in surplus.items():
        ancient.setdefault(Manager(ANCIENT_CHANGES, UPDATE, manager.api_version), []).append(owned)
    for manager, parts in ancient.items():
        folded[manager] = _together([folded[manager], *parts] if manager in folded else parts)
    return folded


def _together(parts: Sequence[ManagedFields]) -> ManagedFields:
    """All of at least one part as one."""
    return parts[0] if len(parts) == 1 else ManagedFields(union_of([part.fields for part in parts]), max(part.time for part in parts))


class Conflict(NamedTuple):
    """One field that another manager owns."""

    owner: str
    field: str


def conflict_error(conflicts: list[Conflict]) -> errors.StatusError:
    """409 that names every field and its owner."""
    if len(conflicts) == 1:
        owner, field = conflicts[0]
        message = f"Apply failed with 1 conflict: conflict with {owner}: {field}"
    else:
        fields_by_owner: dict[str, list[str]] = {}
        for owner, field in conflicts:
            fields_by_owner.setdefault(owner, []).append(field)
        lines = []
        for owner in sorted(fields_by_owner):
            lines.append(f"conflicts with {owner}:")
            lines += [f"- {field}" for field in fields_by_owner[owner]]
        message = f"Apply failed with {len(conflicts)} conflicts: " + "\n".join(lines)
    causes = [{"reason": "FieldManagerConflict", "message": f"conflict with {owner}", "field": field} for owner, field in conflicts]
    return errors.StatusError(409, "Conflict", message, {"causes": causes})
