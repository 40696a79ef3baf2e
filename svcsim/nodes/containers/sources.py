"""What a pod's spec says of other objects and of the pod itself: keys of config maps and secrets, fields of the pod, amounts of resources.

Environments and volumes are filled from the same sources. Each object is asked for once.
"""

import base64
import math
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, TypeAlias

from svcsim.meta import quantity
from svcsim.meta.objects import get_path
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object

Keys: TypeAlias = Mapping[str, bytes]
"""What is in a config map or a secret."""
Read = Callable[[str, str], Awaitable[Keys]]
"""The same of one of the pod's namespace, by its plural and its name; nothing if it isn't there. Raises `StatusError`."""
Named: TypeAlias = tuple[str, ...]
"""What a text comes from: a field of the pod, or an amount."""
_KEYED = re.compile(r"metadata\.(labels|annotations)\['([^']*)'\]")


class Settled(NamedTuple):
    """What is as it once was, whatever has become of it since."""

    objects: Mapping[tuple[str, str], Keys]
    """By plural and name."""
    texts: Mapping[Named, str]


NOTHING_SETTLED = Settled({}, {})


def keys_of(plural: str, obj: Object | None) -> dict[str, bytes]:
    """What is in a config map or a secret; nothing if there is none."""
    if obj is None:
        return {}
    encoded = obj.get("data") or {} if plural == "secrets" else obj.get("binaryData") or {}
    plain = {} if plural == "secrets" else obj.get("data") or {}
    return {**{key: text.encode() for key, text in plain.items()}, **{key: base64.b64decode(text) for key, text in encoded.items()}}


def named_field(path: str) -> Named:
    return ("field", path)


def named_amount(own: Object, wanted: Object) -> Named:
    """Of the container that is meant, ``own`` where no other is named."""
    container = wanted.get("containerName") or own.get("name") or ""
    return ("amount", container, str(wanted.get("resource", "")), str(wanted.get("divisor") or "1"))


class Sources:
    """Those of one pod, as they are now but for what is ``settled``."""

    def __init__(self, pod: Object, read: Read, allocatable: dict[str, str], settled: Settled = NOTHING_SETTLED) -> None:
        self._pod = pod
        self._read = read
        self._allocatable = allocatable
        self._found = dict(settled.objects)
        self._texts = settled.texts

    async def data(self, plural: str, name: str) -> Keys:
        """What is in a config map or a secret; nothing if it isn't there."""
        found = self._found.get((plural, name))
        if found is None:
            found = self._found[plural, name] = await self._read(plural, name)
        return found

    def field(self, path: str) -> str:
        """A field of the pod, as the downward API gives it."""
        known = self._texts.get(named_field(path))
        return self._field(path) if known is None else known

    def _field(self, path: str) -> str:
        keyed = _KEYED.fullmatch(path)
        if keyed is not None:
            return str(((self._pod["metadata"].get(keyed[1])) or {}).get(keyed[2], ""))
        if path in {"metadata.labels", "metadata.annotations"}:
            values = get_path(self._pod, path) or {}
            return "\n".join(f"{key}={quoted(value)}" for key, value in sorted(values.items()))
        if path in {"status.podIPs", "status.hostIPs"}:
            return ",".join(item["ip"] for item in get_path(self._pod, path) or ())
        value = get_path(self._pod, path)
        return "" if value is None else str(value)

    def amount(self, own: Object, wanted: Object) -> str:
        """A limit or request of a container, ``own`` where no other is named; of one without a limit what the node has."""
        known = self._texts.get(named_amount(own, wanted))
        return self._amount(own, wanted) if known is None else known

    def _amount(self, own: Object, wanted: Object) -> str:
        container = container_of(self._pod, wanted.get("containerName") or "") or own
        part, _, resource = str(wanted.get("resource", "")).partition(".")
        given = ((container.get("resources") or {}).get(part) or {}).get(resource)
        if given is None and part == "limits":
            given = self._allocatable.get(resource)
        whole = quantity.of(given if given is not None else "0")
        divisor = quantity.of(wanted.get("divisor") or "1")
        return str(math.ceil(whole.number / (divisor.number or 1)))


def container_of(pod: Object, name: str) -> Object:
    """A container's spec; nothing for a name that none has."""
    spec = pod["spec"]
    every = (one for field in ("initContainers", "containers", "ephemeralContainers") for one in spec.get(field) or ())
    return next((one for one in every if one["name"] == name), {})
