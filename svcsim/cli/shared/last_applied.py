"""The annotation in which client-side apply keeps what was applied last; ``--save-config`` writes it too."""

from typing import TYPE_CHECKING

import orjson

from svcsim.meta.objects import annotations_of, metadata_of
from svcsim.meta.types import Object
from svcsim.printing.values import compact_json

if TYPE_CHECKING:
    from svcsim.cli.shared.session import Session


def last_applied_key(session: "Session") -> str:
    """The annotation that holds what was applied last."""
    return session.dialect.key("last-applied-configuration", "kubectl")


def with_last_applied(obj: Object, key: str) -> Object:
    """The object with an annotation that holds the object itself."""
    plain = without_last_applied(obj, key)
    annotations = {**annotations_of(plain), key: compact_json(plain) + "\n"}
    return {**obj, "metadata": {**metadata_of(plain), "annotations": annotations}}


def without_last_applied(obj: Object, key: str) -> Object:
    """The object as that annotation holds it: with annotations, be they empty, but not the one itself."""
    metadata = obj.get("metadata") or {}
    annotations = {name: value for name, value in (metadata.get("annotations") or {}).items() if name != key}
    return {**obj, "metadata": {**metadata, "annotations": annotations}}


def parse_last_applied(text: str | None) -> Object:
    """What was applied last; empty where nothing was, or the annotation can't be read."""
    try:
        value = orjson.loads(text or "{}")
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}
