"""Which ports are forwarded: from ``[LOCAL:]REMOTE`` words, of a pod or of a service, whose ports lead to those of its pods.

As in kubectl, all names are looked up first, and numbers are read when every word has two.
"""

from typing import NamedTuple

from svcsim.cli.failure import CommandError
from svcsim.meta.objects import gvk_of, name_of
from svcsim.meta.types import Object

_LAST = 65535
_LARGEST = 2**63 - 1
"""What is a number to kubectl where a port may have a name."""


class PortPair(NamedTuple):
    """0 is any local port."""

    local: int
    remote: int


def read_ports(words: list[str], obj: Object, pod: Object) -> list[PortPair]:
    """Raises `CommandError`."""
    of_service = gvk_of(obj).kind == "Service"
    for word in words:
        _check_protocol(_halves(word)[1], obj if of_service else pod, of_service=of_service)
    pairs = [_translated(word, obj, pod) if of_service else _named(word, pod) for word in words]
    return [_read(local, remote) for local, remote in pairs]


def _check_protocol(remote: str, obj: Object, *, of_service: bool) -> None:
    """Raises `CommandError` for a port that there is for UDP alone, and for a name that none has."""
    spec = obj.get("spec") or {}
    ports = spec.get("ports") or () if of_service else [port for one in spec.get("containers") or () for port in one.get("ports") or ()]
    number = "port" if of_service else "containerPort"
    found = remote if _is_number(remote) else next((str(port[number]) for port in ports if port.get("name", "") == remote), None)
    if found is None:
        raise CommandError(f"{gvk_of(obj).kind} '{name_of(obj)}' does not have a named port '{remote}'")
    protocols = [port.get("protocol") or "TCP" for port in ports if str(port[number]) == found]
    if "UDP" in protocols and "TCP" not in protocols:
        raise CommandError(f"UDP protocol is not supported for {remote}")


def _halves(word: str) -> tuple[str, str]:
    parts = word.split(":")
    return (parts[0], parts[1]) if len(parts) == 2 else (parts[0], parts[0])


def _split(word: str) -> tuple[str, str]:
    local, remote = _halves(word)
    if not remote:
        raise CommandError("remote port cannot be empty")
    return local, remote


def _read(local: str, remote: str) -> PortPair:
    pair = PortPair(_number(local or "0", "local"), _number(remote, "remote"))
    if not pair.remote:
        raise CommandError("remote port must be > 0")
    return pair


def _named(word: str, pod: Object) -> tuple[str, str]:
    """The local and the remote port, which may have been named as the pod names it."""
    local, remote = _split(word)
    if _is_number(remote):
        return local, remote
    number = str(_number_of(pod, remote))
    return number if local == remote else local, number


def _translated(word: str, service: Object, pod: Object) -> tuple[str, str]:
    """The local port, and that of the pod behind the one of the service."""
    local, remote = _split(word)
    ports = (service.get("spec") or {}).get("ports") or []
    if _is_number(remote):
        port = next((one for one in ports if str(one["port"]) == remote), None)
        missing = f"Service {name_of(service)} does not have a service port {remote}"
    else:
        port = next((one for one in ports if one.get("name") == remote), None)
        missing = f"Service '{name_of(service)}' does not have a named port '{remote}'"
    if port is None:
        raise CommandError(missing)
    number = _behind(service, port, pod)
    if local != remote:
        return local, str(number)
    return local if _is_number(local) else str(number), str(number)


def _behind(service: Object, port: Object, pod: Object) -> int:
    if (service["spec"] or {}).get("clusterIP") == "None":
        return int(port["port"])
    target = str(port.get("targetPort", port["port"]))
    return int(target) or int(port["port"]) if target.isdigit() else _number_of(pod, target)


def _number_of(pod: Object, name: str) -> int:
    containers = (pod.get("spec") or {}).get("containers") or ()
    found = (port["containerPort"] for one in containers for port in one.get("ports") or () if port.get("name") == name)
    number = next((int(port) for port in found), None)
    if number is None:
        raise CommandError(f"Pod '{name_of(pod)}' does not have a named port '{name}'")
    return number


def _is_number(text: str) -> bool:
    digits = text.removeprefix("-") if text.startswith("-") else text.removeprefix("+")
    return digits.isascii() and digits.isdigit() and int(digits) <= _LARGEST


def _number(text: str, which: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise CommandError(f"error parsing {which} port '{text}': strconv.ParseUint: parsing \"{text}\": invalid syntax")
    if int(text) > _LAST:
        raise CommandError(f"error parsing {which} port '{text}': strconv.ParseUint: parsing \"{text}\": value out of range")
    return int(text)
