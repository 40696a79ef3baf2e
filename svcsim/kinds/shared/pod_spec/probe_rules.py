"""What makes probes and lifecycle hooks right: one action each, which can be taken."""

from collections.abc import Iterator

from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required
from svcsim.meta.names import http_header
from svcsim.meta.types import Json, Object

_PROBES = ("exec", "httpGet", "tcpSocket", "grpc")
_HOOKS = ("exec", "httpGet", "tcpSocket", "sleep")


def _one_handler(value: Json, path: str, names: tuple[str, ...]) -> list[FieldError]:
    given = [name for name in names if name in value]
    if len(given) == 1:
        return []
    if not given:
        return [required(path, "must specify a handler type")]
    return [forbidden_field(f"{path}.{name}", "may not specify more than 1 handler type") for name in given[1:]]


def probe_rules(value: Json, path: str) -> list[FieldError]:
    return _one_handler(value, path, _PROBES)


def hook_rules(value: Json, path: str) -> list[FieldError]:
    return _one_handler(value, path, _HOOKS)


def command_needed(value: Json, path: str) -> Iterator[FieldError]:
    if not value.get("command"):
        yield required(f"{path}.command")


def header_names(headers: Json, path: str) -> Iterator[FieldError]:
    for header in headers:
        name = header.get("name") or ""
        if name:
            yield from (invalid_value(path, name, finding) for finding in http_header(name))


def naps_fit(lifecycle: Object, grace_s: int, path: str) -> Iterator[FieldError]:
    """A hook that sleeps wakes up before the time to stop is over."""
    for hook in ("postStart", "preStop"):
        nap = (lifecycle.get(hook) or {}).get("sleep")
        if nap is not None and not 0 <= (nap.get("seconds") or 0) <= grace_s:
            detail = f"must be non-negative and less than terminationGracePeriodSeconds ({grace_s})"
            yield invalid_value(f"{path}.{hook}.sleep", nap.get("seconds") or 0, detail)
