"""The environment of a container: what its image sets, its spec, and the services of its namespace."""

import re
from collections import ChainMap
from collections.abc import Iterable, Mapping

from svcsim import limits
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import name_of
from svcsim.meta.types import Object
from svcsim.nodes.containers.sources import Sources
from svcsim.nodes.shell.execution import DEFAULT_PATH
from svcsim.nodes.shell.expansion import ARGUMENTS_TOO_LONG

_REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_.\-][A-Za-z0-9_.\-]*)\)")


class TooLongError(StatusError):
    """What a process would be given is more than a kernel hands over, so that it can't be started."""

    def __init__(self) -> None:
        super().__init__(500, "InternalError", f"Internal error occurred: error executing command in container: {ARGUMENTS_TOO_LONG}")


async def environment(container: Object, sources: Sources, services: Iterable[Object], hostname: str) -> dict[str, str]:
    """The variables of a container's process. Raises `TooLongError`."""
    found = {"PATH": DEFAULT_PATH, "HOSTNAME": hostname}
    linked = {name: value for service in services for name, value in service_variables(service).items()}
    for source in container.get("envFrom") or ():
        for field, plural in (("configMapRef", "configmaps"), ("secretRef", "secrets")):
            if source.get(field):
                data = await sources.data(plural, source[field].get("name") or "")
                found |= {f"{source.get('prefix') or ''}{key}": text.decode("utf-8", "replace") for key, text in data.items()}
                _check(sum(map(len, found.values())), *found.values())
    size, before = sum(map(len, found.values())), ChainMap(found, linked)
    for variable in container.get("env") or ():
        value = await _value(variable, container, sources, before)
        if value is not None:
            found[variable["name"]] = value
            size += len(value)
            _check(size, value)
    return {**found, **{name: value for name, value in linked.items() if name not in found}, "HOME": found.get("HOME", "/root")}


async def _value(variable: Object, container: Object, sources: Sources, before: Mapping[str, str]) -> str | None:
    """The value of a variable; None where it is to be found in what isn't there."""
    source = variable.get("valueFrom")
    if not source:
        return expanded(variable.get("value") or "", before)
    for field, plural in (("configMapKeyRef", "configmaps"), ("secretKeyRef", "secrets")):
        if source.get(field):
            data = await sources.data(plural, source[field].get("name") or "")
            content = data.get(source[field]["key"])
            return None if content is None else content.decode("utf-8", "replace")
    if source.get("fieldRef"):
        return sources.field(source["fieldRef"].get("fieldPath") or "")
    if source.get("resourceFieldRef"):
        return sources.amount(container, source["resourceFieldRef"])
    return None


def expanded(text: str, values: Mapping[str, str]) -> str:
    """With the values of what stands there as ``$(NAME)``, where it is known; ``$$`` is a dollar sign. Raises `TooLongError`."""
    size = len(text)

    def meant(found: re.Match[str]) -> str:
        nonlocal size
        value = "$" if found[0] == "$$" else values.get(found[1], found[0])
        size += len(value)
        _check(size)
        return value

    return _REFERENCE.sub(meant, text) if "$" in text else text


def expanded_words(words: Iterable[str], values: Mapping[str, str]) -> list[str]:
    """All words of a command line so. Raises `TooLongError`."""
    found: list[str] = []
    size = 0
    for word in words:
        found.append(expanded(word, values))
        size += len(found[-1])
        _check(size, found[-1])
    return found


def is_too_long(container: Object) -> bool:
    """Whether what a container's own spec says is more already, whatever config maps, secrets and services add to it."""
    known: dict[str, str] = {}
    size = 0
    try:
        for variable in container.get("env") or ():
            known[variable["name"]] = expanded(variable.get("value") or "", known)
            size += len(known[variable["name"]])
            _check(size, known[variable["name"]])
        expanded_words((*(container.get("command") or ()), *(container.get("args") or ())), known)
    except TooLongError:
        return True
    return False


def _check(size_chars: int, *texts: str) -> None:
    """Raises `TooLongError` where all of them are too much, or one of these."""
    if size_chars > limits.ENVIRONMENT_CHARS or any(len(text) > limits.ENVIRONMENT_TEXT_CHARS for text in texts):
        raise TooLongError


def missing_in(text: str, values: dict[str, str]) -> str:
    """The first name that stands in it as ``$(NAME)`` and isn't known; empty if all are."""
    return next((name for name in _REFERENCE.findall(text) if name and name not in values), "")


def service_variables(service: Object) -> dict[str, str]:
    """What tells containers of a service."""
    spec = service.get("spec") or {}
    address, ports = spec.get("clusterIP"), spec.get("ports") or []
    if not address or address == "None" or not ports:
        return {}
    name = name_of(service).upper().replace("-", "_")
    found = {f"{name}_SERVICE_HOST": address, f"{name}_SERVICE_PORT": str(ports[0]["port"])}
    found |= {f"{name}_SERVICE_PORT_{port['name'].upper().replace('-', '_')}": str(port["port"]) for port in ports if port.get("name")}
    for index, port in enumerate(ports):
        number, protocol = port["port"], port.get("protocol") or "TCP"
        url = f"{protocol.lower()}://{address}:{number}"
        prefix = f"{name}_PORT_{number}_{protocol}"
        if index == 0:
            found[f"{name}_PORT"] = url
        found |= {prefix: url, f"{prefix}_PROTO": protocol.lower(), f"{prefix}_PORT": str(number), f"{prefix}_ADDR": address}
    return found
