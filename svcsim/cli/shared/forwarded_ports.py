"""Which ports are forwarded: from ``[LOCAL:]REMOTE`` words, of a pod or of a service, whose ports lead to those of its pods."""

from typing import NamedTuple

from svcsim.cli.failure import CommandError
from svcsim.meta.objects import gvk_of, name_of
from svcsim.meta.types import Object

_LAST = 65535


class PortPair(NamedTuple):
    """0 is any local port."""

    local: int
    remote: int


def read_ports(words: list[str], obj: Object, pod: Object) -> list[PortPair]:
    """Raises `CommandError`."""
    return [_read(word, obj, pod) for word in words]


def _read(word: str, obj: Object, pod: Object) -> PortPair:
    local, colon, remote = word.partition(":")
    if not colon:
        local = remote = word
    if ":" in remote or not remote:
        raise CommandError(f"invalid port format '{word}'")
    of_service = gvk_of(obj).kind == "Service"
    number = _of_service(remote, obj, pod) if of_service else _of_pod(remote, pod)
    if not colon:
        return PortPair(_number(local, "local") if local.isdigit() else number, number)
    return PortPair(_number(local, "local") if local else 0, number)


def _of_pod(remote: str, pod: Object) -> int:
    if remote.isdigit():
        return _number(remote, "remote")
    found = _named(pod, remote)
    if found is None:
        raise CommandError(f"Pod '{name_of(pod)}' does not have a named port '{remote}'")
    return found


def _of_service(remote: str, service: Object, pod: Object) -> int:
    ports = (service.get("spec") or {}).get("ports") or []
    if remote.isdigit():
        port = next((one for one in ports if one["port"] == _number(remote, "remote")), None)
        missing = f"Service {name_of(service)} does not have a service port {remote}"
    else:
        port = next((one for one in ports if one.get("name") == remote), None)
        missing = f"Service '{name_of(service)}' does not have a named port '{remote}'"
    if port is None:
        raise CommandError(missing)
    if (service["spec"] or {}).get("clusterIP") == "None":
        return int(port["port"])
    target = port.get("targetPort", port["port"])
    if isinstance(target, int) or str(target).isdigit():
        return int(target) or int(port["port"])
    found = _named(pod, target)
    if found is None:
        raise CommandError(f"Pod '{name_of(pod)}' does not have a named port '{target}'")
    return found


def _named(pod: Object, name: str) -> int | None:
    containers = (pod.get("spec") or {}).get("containers") or ()
    found = (port["containerPort"] for one in containers for port in one.get("ports") or () if port.get("name") == name)
    return next((int(port) for port in found), None)


def _number(text: str, which: str) -> int:
    if not text.isdigit():
        raise CommandError(f"error parsing {which} port '{text}': strconv.ParseUint: parsing \"{text}\": invalid syntax")
    if int(text) > _LAST:
        raise CommandError(f"error parsing {which} port '{text}': strconv.ParseUint: parsing \"{text}\": value out of range")
    if which == "remote" and int(text) == 0:
        raise CommandError("remote port must be > 0")
    return int(text)
