"""The files that a simulated container begins with: those an image brings, and those a node puts into every container."""

import posixpath
import re
from collections.abc import Iterable

from svcsim.nodes.images.images import known_name
from svcsim.nodes.shell.devices import all_devices
from svcsim.nodes.shell.programs.agnhost import AGNHOST
from svcsim.nodes.shell.programs.shells import PROGRAMS
from svcsim.nodes.shell.tree import Disk, Node, Tree, directory

_SMALL = ("busybox", "alpine")
_LACKS = {
    "busybox": ("bash", "curl", "getent"),
    "alpine": ("bash", "curl"),
    "redis": ("bash", "curl"),
    "nginx": ("wget", "nslookup", "nc"),
    "httpd": ("wget", "curl", "nslookup", "nc"),
}
"""Programs that well-known images are known not to have, by the name of the image."""
_EMPTY = ("pause", "distroless", "scratch")
"""In the name of an image: there is no shell in it."""
_FILLED = "debug"
"""In the tag of such an image: there is one all the same."""
_SAID_TO_BE_MISSING = re.compile(r"non[-_]?existent|not[-_]existing|no[-_]such|does[-_]?n[o']?t[-_]?exist", re.IGNORECASE)
"""In the name of a program: nobody who calls one so has an image that has it."""
_NO_FILE = re.compile(rf"{_SAID_TO_BE_MISSING.pattern}|/(?:nope|missing)(?:/|$)", re.IGNORECASE)
"""The same of a path."""
_PLACES = ("", "/bin/", "/usr/bin/")
_DIRECTORIES = ("/bin", "/dev", "/etc", "/home", "/opt", "/proc", "/root", "/run", "/srv", "/sys", "/usr/bin", "/usr/local/bin", "/var/log")
_OF_IMAGE = frozenset(("/", "/usr", "/usr/local", "/var", *_DIRECTORIES))
"""Directories in which images have more than is known."""
_FOR_ALL = "/tmp"  # noqa: S108 - of a container that there isn't
_PASSWD = b"root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/sbin/nologin\n"
_GROUP = b"root:x:0:\nnogroup:x:65534:\n"
_RELEASE = b'NAME="svcsim Linux"\nID=svcsim\nVERSION_ID="1.0"\nPRETTY_NAME="svcsim Linux 1.0"\n'
FIRST_PAGE = b"<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><h1>Welcome</h1></body></html>\n"
"""What a web server shows where nobody has given it anything else."""
WEB_ROOTS = {"nginx": "/usr/share/nginx/html", "httpd": "/usr/local/apache2/htdocs", "caddy": "/usr/share/caddy"}
"""Where web servers look for files, by the name of their image."""
INDEX = "index.html"


def base_image(image: str, at: float) -> Node:
    """What an image brings. ``at`` is when the container was made."""
    tree = Tree(Disk(1 << 40), directory(0o755, at))
    for path in _DIRECTORIES:
        tree.mounted(path, directory(0o755, at))
    tree.mounted(_FOR_ALL, directory(0o1777, at))
    tree.mounted("/var/run", Node(0o777, at, target="/run"))
    files = {"/etc/passwd": _PASSWD, "/etc/group": _GROUP, "/etc/os-release": _RELEASE}
    root = WEB_ROOTS.get(known_name(image))
    if root is not None:
        files[f"{root}/{INDEX}"] = FIRST_PAGE
    for path, content in files.items():
        tree.mounted(path, Node(0o644, at, content))
    for made in all_devices(at):
        tree.mounted(made.path, made.node)
    for name in programs(image):
        if name in AGNHOST:
            tree.mounted(f"/{name}", Node(0o755, at, program=True))
            continue
        tree.mounted(f"/bin/{name}", Node(0o755, at, program=True))
        tree.mounted(f"/usr/bin/{name}", Node(0o777, at, target=f"/bin/{name}"))
    return tree.root


def programs(image: str) -> Iterable[str]:
    """The commands that an image has."""
    if is_empty(image):
        return ()
    name, missing = known_name(image), lacking(image)
    return [one for one, program in PROGRAMS.items() if one not in missing and program.image in {"", name}]


def lacking(image: str) -> tuple[str, ...]:
    """Commands that a well-known image is known not to have."""
    return _LACKS.get(known_name(image), ())


def is_empty(image: str) -> bool:
    """Whether an image has nothing but the one program that it is made for."""
    return any(word in image for word in _EMPTY) and _FILLED not in image.rpartition(":")[2]


def may_be_in_image(tree: Tree, path: str) -> bool:
    """Whether a file that isn't there may be in the real image, of which nobody knows what else is in it.

    So may what is looked for where no command has made a directory, and no volume brought one.
    """
    place = posixpath.dirname(path)
    while not tree.has(place):
        place = posixpath.dirname(place)
    return tree.real_path(place) in _OF_IMAGE and not tree.find(place).mount and not _NO_FILE.search(path)


def is_missing(program: str, image: str) -> bool:
    """Whether an image is known to have no such program: one that others have, or that is called what isn't there (`/nonexistent`).

    What else is in an image nobody knows.
    """
    if _SAID_TO_BE_MISSING.search(program):
        return True
    known = next((program.removeprefix(place) for place in reversed(_PLACES) if program.startswith(place)), "")
    if is_empty(image):
        return known in PROGRAMS and known not in AGNHOST
    return known_name(image) in _SMALL and known in lacking(image)


def not_there(program: str) -> str:
    """What a runtime says of a program that it is to start, and doesn't find."""
    return f"stat {program}: no such file or directory" if "/" in program else "executable file not found in $PATH"


def not_started(program: str, wrong: str) -> str:
    """What a runtime says of a command that it can't start in a container that runs."""
    return f'OCI runtime exec failed: exec failed: unable to start container process: exec: "{program}": {wrong}: unknown'


def exec_error(program: str) -> str:
    """What a node's own commands, for probes and hooks, come back with where the image hasn't the program."""
    return f"rpc error: code = Unknown desc = failed to exec in container: failed to start exec: {not_started(program, not_there(program))}"


HOSTS = "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n"
"""What every host knows of itself."""


def node_files(tree: Tree, hostname: str, hosts: str, resolver: str, at: float) -> None:
    """What the node puts into every container."""
    for path, content in (("/etc/hostname", f"{hostname}\n"), ("/etc/hosts", hosts), ("/etc/resolv.conf", resolver)):
        tree.mounted(path, Node(0o644, at, content.encode(), mount=True))
