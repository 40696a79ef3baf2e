"""The VolumeAttributesClass protection controller: a deleted class is removed once no claim and no volume names it."""

from collections.abc import Callable, Iterable

from svcsim.client.controller import Controller, ControllerContext, Keys, Source, itself
from svcsim.meta.claims import attributes_class, attributes_classes_of
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.protection import protected
from svcsim.meta.types import Object


class AttributesClassProtection(Controller):
    """Puts a finalizer on classes, and takes it off those that are deleted and not in use."""

    def __init__(self, context: ControllerContext) -> None:
        api_version = f"{context.dialect.group('storage')}/v1"
        self._finalizer = context.dialect.key("vac-protection")
        self._api = context.client.resource(api_version, "volumeattributesclasses")
        self._classes = context.informers.cache(api_version, "volumeattributesclasses")
        self._claims = context.informers.cache("v1", "persistentvolumeclaims", attributes_classes_of)
        self._volumes = context.informers.cache("v1", "persistentvolumes", _class_of_volume)
        sources = (
            Source(self._classes, itself),
            Source(self._claims, _let_go(attributes_classes_of)),
            Source(self._volumes, _let_go(_class_of_volume)),
        )
        super().__init__("volume attributes class protection", context.clock, sources)

    async def reconcile(self, key: ObjectKey) -> None:
        found = self._classes.get(key.name)
        if found is None:
            return
        changed = protected(found, self._finalizer, is_used=self._is_used(key.name))
        if changed is not None:
            await self._api.update(changed)

    def _is_used(self, name: str) -> bool:
        return bool(self._claims.find(attributes_classes_of, name) or self._volumes.find(_class_of_volume, name))


def _class_of_volume(volume: Object) -> list[str]:
    """An indexer: the class that a volume names."""
    name = attributes_class(volume)
    return [name] if name else []


def _let_go(classes_of: Callable[[Object], list[str]]) -> Keys:
    """The classes that an object named and doesn't any more."""

    def keys(change: str, obj: Object, before: Object | None) -> Iterable[ObjectKey]:
        named = () if change == "DELETED" else classes_of(obj)
        formerly = classes_of(obj if before is None else before)
        return [ObjectKey("", name) for name in formerly if name not in named]

    return keys
