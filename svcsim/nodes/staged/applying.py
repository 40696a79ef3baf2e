"""Objects that stages bring about beside those that they are played on: each is applied, as ``kubectl apply --server-side`` does."""

from collections.abc import Callable

from svcsim.client.api import Client
from svcsim.client.discovery import ServedTypes, group_of
from svcsim.meta.types import Json
from svcsim.nodes.staged.stage import ObjectKind
from svcsim.nodes.staged.templates import StageError
from svcsim.nodes.staged.texts import check_texts

_MANAGER = "svcsim-stages-apply"
"""Another one than that of the objects that stages are played on: these need not live by stages themselves."""


class Applying:
    """Applies objects of any kind that is served. ``acting_as`` gives the client of a user, that of all stages for ``""``."""

    def __init__(self, acting_as: Callable[[str], Client], served_types: ServedTypes) -> None:
        self._acting_as = acting_as
        self._served_types = served_types

    async def apply(self, made: Json, namespace: str, as_user: str = "") -> None:
        """Apply what a template has made; ``namespace`` is where it belongs if it doesn't say. Raises `StageError` and `StatusError`."""
        metadata = made.get("metadata") if isinstance(made, dict) else None
        if not isinstance(metadata, dict):
            raise StageError("the template doesn't make an object")
        texts = {"apiVersion": made.get("apiVersion"), "kind": made.get("kind"), "metadata.name": metadata.get("name")}
        for path, text in texts.items():
            if not isinstance(text, str) or not text:
                raise StageError(f"the template doesn't make an object: {path} must be a text")
        check_texts(made)
        api_version, kind = made["apiVersion"], made["kind"]
        resources = (await self._served_types.current()).resources
        found = next((one for one in resources if (one.group, one.kind) == (group_of(api_version), kind)), None)
        if found is None:
            raise StageError(f"no {ObjectKind(api_version, kind).words} is served")
        within = str(metadata.get("namespace") or namespace or "default") if found.namespaced else ""
        collection = self._acting_as(as_user).resource(api_version, found.plural, within)
        await collection.patch(metadata["name"], made, "apply", field_manager=_MANAGER, force=True)
