"""Server-side apply: the server merges, by who owns which field. What was applied from the client before is brought over.

Objects that were applied from the client have their fields owned by an updating manager, and an annotation that holds what was applied.
Left so, a field dropped from the file would stay, because that manager still owns it. So its ownership is joined to the applier's, and
the annotation gets an owner of its own, which keeps it there for those who still apply from the client.
"""

from typing import TYPE_CHECKING, NamedTuple

from svcsim import limits
from svcsim.cli.failure import CommandError
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.last_applied import last_applied_key
from svcsim.cli.shared.retry import retry_on_conflict
from svcsim.client.paths import PATCH_TYPES
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import annotations_of, metadata_of
from svcsim.meta.types import Object

if TYPE_CHECKING:
    from svcsim.apply.fieldset import FieldSet
    from svcsim.cli.shared.session import Query, Session

MANAGER = "kubectl"
"""The applier's name unless another is given."""
ANNOTATION_MANAGER = "kubectl-last-applied"
_LATER = "This is non-fatal and will be retried next time you apply. Error: "

CONFLICT_ADVICE = """
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts"""


class Applier(NamedTuple):
    """How to apply: as whom, and with which parameters of the query."""

    session: "Session"
    query: "Query"
    manager: str = MANAGER
    force: bool = False
    subresource: str = ""

    def apply(self, item: Item) -> Object:
        """Apply one object; the object then. Raises `CommandError` with advice where others own what it would change."""
        try:
            obj = self.send(item, item.obj)
        except StatusError as error:
            if error.reason != "Conflict":
                raise
            raise CommandError(f"{error.message}{CONFLICT_ADVICE}") from error
        if not self.subresource:
            return self._migrated(item, obj)
        return obj

    def send(self, item: Item, obj: Object) -> Object:
        return self._patch(item, obj, PATCH_TYPES["apply"], self.manager, force=self.force)

    def _patch(self, item: Item, body: object, media_type: str, manager: str, *, force: bool = False) -> Object:
        query = {**self.query, "fieldManager": manager, "force": force}
        path = item.resource.path(item.namespace, item.name, self.subresource)
        return self.session.write("PATCH", path, body, query, media_type)

    def _migrated(self, item: Item, obj: Object) -> Object:
        """Bring over what was applied from the client. What goes wrong here is a warning: the object was applied."""
        key = last_applied_key(self.session)
        try:
            obj = self._keep_annotation(item, obj, key)
        except StatusError as error:
            self._warn(f"failed to migrate {key} for Server-Side Apply. {_LATER}{error.message}")
            return obj
        try:
            upgraded = self._upgraded(item, obj, key)
        except StatusError as error:
            self._warn(f"server rejected managed fields migration to Server-Side Apply. {_LATER}{error.message}")
            return obj
        if upgraded is None:
            return obj
        try:
            return self.send(item, item.obj)  # now that they are the applier's, fields dropped from the file can go
        except StatusError as error:
            self._warn(f"failed to re-apply configuration after performing Server-Side Apply migration. {_LATER}{error.message}")
            return upgraded

    def _keep_annotation(self, item: Item, obj: Object, key: str) -> Object:
        note = annotations_of(obj).get(key)
        if self.manager != MANAGER or note is None or owners(managed(obj), "Apply", key):
            return obj
        metadata = {"name": item.name, "annotations": {key: note}}
        if item.namespace:
            metadata["namespace"] = item.namespace
        alone = {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": metadata}
        return self._patch(item, alone, PATCH_TYPES["apply"], ANNOTATION_MANAGER)

    def _upgraded(self, item: Item, obj: Object, key: str) -> Object | None:
        """The object with the fields of those who applied from the client joined to ours; None where there are none."""
        names = owners(managed(obj), "Update", key)

        def upgraded(current: Object) -> Object | None:
            joined = entries = managed(current)
            for name in names:
                joined = upgrade(joined, name, self.manager)
            if joined == entries:
                return None
            patch = [
                {"op": "replace", "path": "/metadata/managedFields", "value": joined},
                # Not a test: where it fails, a replaced revision is a conflict, which says that another try makes sense.
                {"op": "replace", "path": "/metadata/resourceVersion", "value": metadata_of(current)["resourceVersion"]},
            ]
            return self._patch(item, patch, PATCH_TYPES["json"], self.manager)

        return retry_on_conflict(upgraded, obj, lambda: self.session.get(item.path), tries=limits.MIGRATION_TRIES)

    def _warn(self, text: str) -> None:
        self.session.err.write(f"Warning: {text}\n")


def managed(obj: Object) -> list[Object]:
    """The entries of managed fields."""
    entries: list[Object] = metadata_of(obj).get("managedFields") or []
    return entries


def owners(entries: list[Object], operation: str, key: str) -> list[str]:
    """Managers that own an annotation, by the operation that made them so."""
    found = []
    for entry in entries:
        fields = entry.get("fieldsV1") or {}
        if entry.get("operation") == operation and f"f:{key}" in (fields.get("f:metadata") or {}).get("f:annotations", {}):
            found.append(str(entry.get("manager", "")))
    return sorted(dict.fromkeys(found))


def upgrade(entries: list[Object], updater: str, applier: str) -> list[Object]:
    """The entries with those of a manager that updated joined to the entry of one that applies."""
    from svcsim.apply.fieldset import canonical, union

    mine = next((entry for entry in entries if _is(entry, applier, "Apply")), None)
    theirs = [entry for entry in entries if _is(entry, updater, "Update")]
    if mine is None:
        if not theirs:
            return entries
        mine = theirs[0]
    same_version = next((entry for entry in theirs if entry.get("apiVersion") == mine.get("apiVersion")), None)
    fields: FieldSet = mine.get("fieldsV1") or {}
    if same_version is not None and same_version is not mine:
        fields = canonical(union(fields, same_version.get("fieldsV1") or {}))
    joined = {**mine, "manager": applier, "operation": "Apply", "fieldsV1": fields}
    return [joined if entry is mine else entry for entry in entries if entry is mine or not _is(entry, updater, "Update")]


def _is(entry: Object, manager: str, operation: str) -> bool:
    return entry.get("manager") == manager and entry.get("operation") == operation and not entry.get("subresource")
