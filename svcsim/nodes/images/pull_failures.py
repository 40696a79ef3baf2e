"""The catalogue of what can't be pulled, and how a container runtime words it.

An image can't be had for what its name says (a tag such as ``404``, a registry that can't exist), because an annotation says so, or because
a scenario breaks it. Each failure has a name, by which annotations and faults may call it; they may also say in words of their own what
goes wrong. What any of them says becomes the message that a runtime gives to its kubelet.
"""

import ipaddress
from functools import lru_cache
from typing import NamedTuple

from svcsim import limits
from svcsim.nodes.images.images import full_name, is_reference, registry_of, repository_of


class PullFailure(NamedTuple):
    """One way to fail: the runtime's code, and what it says, with the image's parts filled in."""

    code: str
    says: str
    takes_s: tuple[float, float] = (0.3, 1.5)
    """How long it takes until that is known, at the least and at the most."""


NOT_FOUND = "not-found"
_HEAD = 'failed to do request: Head "{url}"'
CATALOGUE = {
    NOT_FOUND: PullFailure("NotFound", "{name}: not found"),
    "unauthorized": PullFailure(
        "Unknown",
        "pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: "
        "authorization failed",
    ),
    "forbidden": PullFailure("Unknown", "unexpected status from HEAD request to {url}: 403 Forbidden"),
    "too-many-requests": PullFailure(
        "Unknown",
        "unexpected status from HEAD request to {url}: 429 Too Many Requests - Server message: toomanyrequests: You have reached your "
        "unauthenticated pull rate limit",
    ),
    "server-error": PullFailure("Unknown", "unexpected status from HEAD request to {url}: 500 Internal Server Error"),
    "unavailable": PullFailure("Unknown", "unexpected status from HEAD request to {url}: 503 Service Unavailable"),
    "no-such-host": PullFailure("Unknown", f"{_HEAD}: dial tcp: lookup {{host}}: no such host", (0.1, 0.5)),
    "invalid-port": PullFailure("Unknown", f"{_HEAD}: dial tcp: address {{port}}: invalid port", (0.1, 0.5)),
    "connection-refused": PullFailure("Unknown", f"{_HEAD}: dial tcp 192.0.2.1:{{port}}: connect: connection refused", (0.1, 0.5)),
    "timeout": PullFailure("DeadlineExceeded", f"{_HEAD}: dial tcp 192.0.2.1:{{port}}: i/o timeout", (30.0, 31.0)),
    "bad-certificate": PullFailure("Unknown", f"{_HEAD}: tls: failed to verify certificate: x509: certificate signed by unknown authority"),
}
"""By the name that annotations and faults call it by."""
_TAGS = {
    "401": "unauthorized", "403": "forbidden", "404": NOT_FOUND, "429": "too-many-requests", "500": "server-error", "503": "unavailable",
}  # fmt: skip
"""Tags that can't be pulled, after the statuses with which registries refuse."""
_REPOSITORY_CHARS = 255
_NOWHERE = ("example", "invalid", "test")
"""The top-level domains that are kept free so that nobody ever has a host in them. ``localhost`` is, too, but there may be a registry."""
_NO_HOST = "invalid"
_HTTPS, _LAST_PORT = 443, 65_535


@lru_cache(maxsize=limits.IMAGE_NAMES)
def failure_in(image: str) -> str:
    """The failure that an image's name asks for; empty if it can be pulled."""
    host, port = _host_and_port(registry_of(image))
    if port > _LAST_PORT:
        return "invalid-port"
    if not _is_there(host):
        return "no-such-host"
    if port == 0:
        return "connection-refused"
    name = full_name(image)
    return "" if "@" in name else _TAGS.get(name.rpartition(":")[2], "")


def _host_and_port(registry: str) -> tuple[str, int]:
    """Of a registry, as a runtime looks for them; that of HTTPS where none is named."""
    host, colon, port = registry.rpartition(":")
    if colon and port.isdecimal():
        return host.strip("[]"), int(port)
    return registry.strip("[]"), _HTTPS


def _is_there(host: str) -> bool:
    """Whether there is a host of that name: not below ``.invalid`` and its like, too long, or with numbers that are no address.

    One that is called invalid, as in ``invalid.example.com``, is meant to be none.
    """
    parts = host.split(".")
    if ":" in host or parts[-1].isdecimal():
        try:
            ipaddress.ip_address(host)
        except ValueError:
            return False
        return True
    too_long = len(host) > limits.DNS_SUBDOMAIN_CHARS or any(len(part) > limits.DNS_LABEL_CHARS for part in parts)
    return not too_long and parts[-1].lower() not in _NOWHERE and _NO_HOST not in map(str.lower, parts)


def takes_s(failure: str) -> tuple[float, float]:
    """How long it takes, at the least and at the most, until a pull has failed so."""
    return CATALOGUE.get(failure, CATALOGUE[NOT_FOUND]).takes_s


def runtime_message(image: str, failure: str) -> str:
    """What the runtime says of a pull that fails: for a failure of the catalogue, or one in words of its own."""
    name, registry = full_name(image), registry_of(image)
    tag = name.partition("@")[2] or name.rpartition(":")[2]
    api = "registry-1.docker.io" if registry == "docker.io" else registry
    host, port = _host_and_port(api)
    url = f"https://{api}/v2/{repository_of(image)}/manifests/{tag}"
    found = CATALOGUE.get(failure)
    code, says = (found.code, found.says.format(name=name, url=url, host=host, port=port)) if found else ("NotFound", failure)
    return f'rpc error: code = {code} desc = failed to pull and unpack image "{name}": failed to resolve reference "{name}": {says}'


def name_error(image: str) -> str:
    """What is wrong with the name of an image, as a kubelet says it; empty if nothing is."""
    if is_reference(image):
        if len(repository_of(image)) <= _REPOSITORY_CHARS:
            return ""
        why = f"repository name must not be more than {_REPOSITORY_CHARS} characters"
    else:
        lower = is_reference(image.lower())
        why = "invalid reference format" + (f": repository name ({_path(image)}) must be lowercase" if lower else "")
    return f'Failed to apply default image tag "{image}": couldn\'t parse image name "{image}": {why}'


def _path(image: str) -> str:
    """The repository in a name that isn't in lower case."""
    name = image.partition("@")[0]
    head, colon, tag = name.rpartition(":")
    name = head if colon and "/" not in tag else name
    return name if "/" in name else f"library/{name}"
