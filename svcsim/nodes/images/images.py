"""Container images: their full names, how large they are, and what is on a node already.

No image is ever pulled; but the second container of an image starts faster than the first on its node, and a large image takes longer,
because that is what people see.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from svcsim import limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MEBIBYTE = 1024 * 1024
PULL_MIN_S = 0.5
PULL_MAX_S = 3.0
_PULL_BYTES_PER_S = 60 * MEBIBYTE
_RECHECK_S = (0.2, 0.5)
"""How long it takes to see that an image that is always pulled is there already."""

_SIZES = {
    "nginx": 72, "httpd": 59, "redis": 53, "postgres": 162, "mysql": 226, "mariadb": 127, "mongo": 298, "busybox": 2, "alpine": 4,
    "python": 366, "node": 394, "golang": 300, "ubuntu": 29, "debian": 49, "memcached": 33, "rabbitmq": 99, "traefik": 52, "hello-world": 1,
    "pause": 1, "perl": 339, "wordpress": 267, "caddy": 21, "haproxy": 42, "registry": 18, "grafana": 204, "prometheus": 139,
}  # fmt: skip
"""Mebibytes to pull, by the last part of the name."""
_TAKING_COMMANDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("busybox", "alpine"), ("sh",)),
    **dict.fromkeys(("bash", "debian", "golang", "ubuntu"), ("bash",)),
    **dict.fromkeys(("node", "perl", "python"), ()),
}
"""Images that start of themselves what takes commands, and what that is, where it is simulated."""
_ENDING = ("hello-world", *_TAKING_COMMANDS)
"""Images that, started without a command and a terminal, end at once."""

_STARTED = {"agnhost": (("/agnhost",), ("pause",))}
"""What images start of themselves, and the arguments it has where nobody gives it others."""
_SAME_AS = {"nginx-slim": "nginx", "nginx-unprivileged": "nginx"}
"""Images that have in them what a well-known one has."""

_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_HOST = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_COMPONENT = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_DIGEST = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_REFERENCE = re.compile(rf"(?:{_HOST}/)?{_COMPONENT}(?:/{_COMPONENT})*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{{0,127}})?(?:@{_DIGEST})?", re.ASCII)
_REFERENCE_CHARS = 512
_DOCKER_HUB = "docker.io"


class Pull(NamedTuple):
    """A pull under way: when it is done, how long it takes by itself, and with the time spent waiting for another one's."""

    done_at: float
    takes_s: float
    waits_s: float


@dataclass(slots=True)
class _Stored:
    available_at: float
    used: int = 0


class ImageStore:
    """The images on one node."""

    def __init__(self, from_the_start: "Iterable[str]" = ()) -> None:
        """``from_the_start``: full names of what has always been there."""
        self._from_the_start = frozenset(from_the_start)
        self._images: dict[str, _Stored] = {}
        self.on_pull: Callable[[float], None] = _nobody
        """Told when an image will have come."""

    def has(self, image: str, now: float) -> bool:
        """Whether the image is there."""
        stored = self._stored(full_name(image))
        return stored is not None and stored.available_at <= now

    def put(self, image: str) -> None:
        """The image was there before we looked."""
        name = full_name(image)
        if name not in self._from_the_start:
            self._images.setdefault(name, _Stored(0.0))

    def pull(self, image: str, now: float, luck: float) -> Pull:
        """Begin to pull. ``luck`` between 0 and 1 says how fast it goes. One that is being pulled already is waited for."""
        name = full_name(image)
        stored = self._stored(name)
        if stored is not None:
            checks_s = _RECHECK_S[0] + luck * (_RECHECK_S[1] - _RECHECK_S[0])
            waits_s = max(stored.available_at - now, 0.0)
            return Pull(now + waits_s + checks_s, checks_s, waits_s + checks_s)
        takes_s = min(max(size_bytes(image) / _PULL_BYTES_PER_S, PULL_MIN_S) * (0.8 + 0.7 * luck), PULL_MAX_S)
        self._images[name] = _Stored(now + takes_s)
        self.on_pull(now + takes_s)
        return Pull(now + takes_s, takes_s, takes_s)

    def next_at(self, now: float) -> float | None:
        """When the next image will have come, of those that are being pulled."""
        return min((stored.available_at for stored in self._images.values() if stored.available_at > now), default=None)

    def names(self, now: float, most: int) -> list[str]:
        """Full names of what has come, the largest first, at most so many: what a node reports beside what was there from the start."""
        present = [name for name, stored in self._images.items() if stored.available_at <= now]
        return sorted(present, key=lambda name: (-size_bytes(name), name))[:most]

    def _stored(self, name: str) -> _Stored | None:
        return _Stored(0.0) if name in self._from_the_start else self._images.get(name)


def _nobody(_at: float) -> None:
    pass


@lru_cache(maxsize=limits.IMAGE_NAMES)
def full_name(image: str) -> str:
    """``nginx`` → ``docker.io/library/nginx:latest``."""
    name, at, digest = image.partition("@")
    path, colon, tag = name.rpartition(":")
    if not colon or "/" in tag:
        path, tag = name, ""
    first, slash, _ = path.partition("/")
    if not slash:
        path = f"{_DOCKER_HUB}/library/{path}"
    elif not _is_registry(first):
        path = f"{_DOCKER_HUB}/{path}"
    if at:
        return f"{path}@{digest}"
    return f"{path}:{tag or 'latest'}"


def _is_registry(first: str) -> bool:
    """Whether the first part of a name is a registry: others begin with a part of their path."""
    return "." in first or ":" in first or first == "localhost"


def registry_of(image: str) -> str:
    """The registry an image comes from, with its port if it names one."""
    first, slash, _ = image.partition("/")
    return first if slash and _is_registry(first) else _DOCKER_HUB


def repository_of(image: str) -> str:
    """Where in its registry an image stands: ``nginx:1`` → ``library/nginx``."""
    path = full_name(image).partition("/")[2]
    return path.partition("@")[0] if "@" in path else path.rpartition(":")[0]


@lru_cache(maxsize=limits.IMAGE_NAMES)
def is_reference(image: str) -> bool:
    """Whether it is the name of an image at all."""
    return len(image) <= _REFERENCE_CHARS and _REFERENCE.fullmatch(image) is not None


@lru_cache(maxsize=limits.IMAGE_NAMES)
def image_id(image: str) -> str:
    """The name with the digest of what was pulled."""
    name = full_name(image)
    if "@" in name:
        return name
    return f"{name.rpartition(':')[0]}@sha256:{hashlib.sha256(name.encode()).hexdigest()}"


@lru_cache(maxsize=limits.IMAGE_NAMES)
def size_bytes(image: str) -> int:
    """How large an image is; the same for the same name always."""
    name = full_name(image)
    digest = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
    known = _SIZES.get(base_name(image))
    if known is not None:
        return known * MEBIBYTE + digest % MEBIBYTE
    return 20 * MEBIBYTE + digest % (180 * MEBIBYTE)


@lru_cache(maxsize=limits.IMAGE_NAMES)
def base_name(image: str) -> str:
    """``registry.example:5000/team/web:1.2`` → ``web``."""
    return full_name(image).partition("@")[0].rpartition("/")[2].partition(":")[0]


def known_name(image: str) -> str:
    """The well-known image whose programs and files an image has, or else its own name: ``registry.k8s.io/nginx-slim:1`` → ``nginx``."""
    name = base_name(image)
    return _SAME_AS.get(name, name)


def tag_of(image: str) -> str:
    """``registry.example:5000/team/web:1.2`` → ``1.2``."""
    return full_name(image).partition("@")[0].rpartition("/")[2].partition(":")[2]


def ends_at_once(image: str) -> bool:
    """Whether a container of this image, with no command of its own, has nothing to do."""
    return base_name(image) in _ENDING


def waits_for_commands(image: str) -> tuple[str, ...] | None:
    """What takes commands in a container of this image, with no command of its own; empty where that isn't simulated, None for nothing."""
    return _TAKING_COMMANDS.get(base_name(image))


def command_line(image: str, command: tuple[str, ...], args: tuple[str, ...]) -> tuple[str, ...]:
    """What a container of this image starts; no more than its arguments where nobody says what it starts of itself."""
    program, usual = _STARTED.get(base_name(image), ((), ()))
    return (*command, *args) if command else (*program, *(args or usual))


def default_pull_policy(image: str) -> str:
    """The pull policy of a container that names none: ``Always`` for ``latest``, as the API defaults it."""
    return "Always" if full_name(image).endswith(":latest") and "@" not in image else "IfNotPresent"
