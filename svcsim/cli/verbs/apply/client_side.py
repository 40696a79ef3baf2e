"""Client-side apply: what was applied last is kept in an annotation, and a patch is made of that, the file and what the server has.

Where the server tells a kind's schema it is a strategic merge patch, which merges lists item by item; else a JSON merge patch.
"""

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from svcsim import limits
from svcsim.cli.failure import CommandError, with_source
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.last_applied import last_applied_key, parse_last_applied
from svcsim.cli.shared.retry import retry_on_conflict
from svcsim.client.paths import PATCH_TYPES
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import annotations_of
from svcsim.meta.types import Object
from svcsim.printing.values import compact_json

if TYPE_CHECKING:
    from svcsim.cli.shared.openapi_schema import OpenApi
    from svcsim.cli.shared.session import Query, Session

_PAUSE_S = 1.0


class Patch(NamedTuple):
    """A change to be sent."""

    body: Object
    media_type: str


class Patched(NamedTuple):
    """What became of an object, and the patch that was sent; an empty one wasn't."""

    obj: Object
    patch: Object


class Patcher:
    """Changes objects to what files say."""

    def __init__(self, session: "Session", openapi: "OpenApi", query: "Query", *, overwrite: bool = True) -> None:
        self._session = session
        self._openapi = openapi
        self._query = query
        self._overwrite = overwrite
        self._key = last_applied_key(session)

    def patch(self, item: Item, wanted: Object, current: Object) -> Patched:
        """Bring an object to its wanted state. Starts anew from what is there then where it changes meanwhile."""
        once, again = partial(self._once, item, wanted), partial(self._session.get, item.path)
        try:
            return retry_on_conflict(once, current, again, tries=limits.APPLY_TRIES, pause_s=_PAUSE_S)
        except StatusError as error:
            if error.reason != "Conflict":
                raise
            raise with_source(error, "patching", item.source) from error

    def _once(self, item: Item, wanted: Object, current: Object) -> Patched:
        made = self._made(item, wanted, current)
        if not made.body:
            return Patched(current, {})
        try:
            return Patched(self._session.write("PATCH", item.path, made.body, self._query, made.media_type), made.body)
        except StatusError as error:
            if error.reason == "Conflict":
                raise
            raise with_source(with_source(error, "patching", item.source), _applying(item, made.body), item.source) from error

    def _made(self, item: Item, wanted: Object, current: Object) -> Patch:
        original = parse_last_applied(annotations_of(current).get(self._key))
        struct = self._openapi.struct(item.resource)
        if struct is None:
            from svcsim.cli.verbs.apply.merge_patch import merge_patch_of

            return Patch(_checked(merge_patch_of(original, wanted, current)), PATCH_TYPES["merge"])
        from svcsim.schema.three_way import conflicting, three_way_patch

        patch = three_way_patch(original, wanted, current, struct)
        if not self._overwrite and conflicting(patch, original, current, struct):
            raise CommandError(
                f"patch:\n{compact_json(patch)}\nconflicts with changes made from original to current; "
                "without --overwrite=false the file wins"
            )
        return Patch(_checked(patch), PATCH_TYPES["strategic"])


def _applying(item: Item, patch: Object) -> str:
    resource = item.resource
    where = f"{resource.group}/{resource.version}"
    namespace = item.namespace if resource.namespaced else ""
    return (
        f'applying patch:\n{compact_json(patch)}\nto:\nResource: "{where}, Resource={resource.plural}", '
        f'GroupVersionKind: "{where}, Kind={resource.kind}"\nName: "{item.name}", Namespace: "{namespace}"\nfor:'
    )


def _checked(patch: Object) -> Object:
    """What an object is can't be patched."""
    for key in ("apiVersion", "kind"):
        if key in patch:
            raise CommandError("At least one of apiVersion, kind and name was changed")
    if "name" in (patch.get("metadata") or {}):
        raise CommandError("At least one of apiVersion, kind and name was changed")
    return patch
