"""Where a webhook is: by its URL, or as a service. The rules are the same for all that call webhooks."""

from collections.abc import Iterator

from svcsim.meta.errors import FieldError, invalid_value, required
from svcsim.meta.go_urls import parse_url
from svcsim.meta.names import dns_subdomain, port_number
from svcsim.meta.types import Object

_FORM = "; desired format: https://host[/path]"


def webhook_address_rules(config: Object, path: str) -> Iterator[FieldError]:
    """Exactly one of the two, and that in order."""
    url, service = config.get("url"), config.get("service")
    if (url is None) == (service is None):
        yield required(path, "exactly one of url or service is required")
    elif url is not None:
        yield from _url(url, f"{path}.url")
    else:
        yield from _service(config["service"], f"{path}.service")


def _url(url: str, path: str) -> Iterator[FieldError]:
    """HTTPS, a host, and nothing beside them but a path."""
    try:
        parts = parse_url(url)
    except ValueError as error:
        yield required(path, f"url must be a valid URL: {error}{_FORM}")
        return
    if parts.scheme != "https":
        yield invalid_value(path, parts.scheme, f"'https' is the only allowed URL scheme{_FORM}")
    if not parts.host:
        yield invalid_value(path, parts.host, f"host must be provided{_FORM}")
    if parts.user is not None:
        yield invalid_value(path, parts.user, "user information is not permitted in the URL")
    if parts.fragment:
        yield invalid_value(path, parts.fragment, "fragments are not permitted in the URL")
    if parts.query:
        yield invalid_value(path, parts.query, "query parameters are not permitted in the URL")


def _service(service: Object, path: str) -> Iterator[FieldError]:
    """A service in a namespace, a port, and a path of plain segments."""
    if not service.get("name"):
        yield required(f"{path}.name", "service name is required")
    if not service.get("namespace"):
        yield required(f"{path}.namespace", "service namespace is required")
    if findings := port_number(service["port"]):
        yield invalid_value(f"{path}.port", service["port"], f"port is not valid: {', '.join(findings)}")
    yield from _path(service.get("path") or "/", f"{path}.path")


def _path(value: str, path: str) -> Iterator[FieldError]:
    if value == "/":
        return
    if value == "//":
        yield invalid_value(path, value, "segment[0] may not be empty")
        return
    if not value.startswith("/"):
        yield invalid_value(path, value, "must start with a '/'")
    for index, segment in enumerate(value[1:].removesuffix("/").split("/")):
        if not segment:
            yield invalid_value(path, value, f"segment[{index}] may not be empty")
        else:
            yield from (invalid_value(path, value, f"segment[{index}]: {finding}") for finding in dns_subdomain(segment))
