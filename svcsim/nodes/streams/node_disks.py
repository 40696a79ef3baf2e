"""The disks of nodes, as pods see them that mount parts of them (``hostPath``): what is there at first, and what pods have had made there.

Most of what is mounted nobody ever looks into. So of a disk that nobody has looked into only those paths are kept that had to be made.
"""

import posixpath

from svcsim import limits
from svcsim.nodes.images.base_image import HOSTS
from svcsim.nodes.shell.devices import all_devices
from svcsim.nodes.shell.tree import STICKY, Disk, FileError, Node, Tree, directory
from svcsim.nodes.streams.lasting import LastingFiles, on_node

_DIRECTORIES = (
    "/boot", "/dev/disk", "/dev/mapper", "/dev/net", "/dev/pts", "/etc/cni/net.d", "/etc/containerd",
    "/etc/kubernetes/manifests", "/etc/kubernetes/pki", "/etc/ssl/certs", "/etc/systemd/system", "/home", "/media", "/mnt",
    "/opt/cni/bin", "/proc/1", "/proc/sys", "/root", "/run/containerd", "/run/dbus", "/run/lock", "/run/log/journal", "/run/netns",
    "/run/systemd", "/run/udev", "/run/user", "/srv", "/sys/block", "/sys/bus", "/sys/class", "/sys/devices", "/sys/fs/bpf",
    "/sys/fs/cgroup", "/sys/kernel/debug", "/sys/kernel/security", "/sys/kernel/tracing", "/usr/bin", "/usr/lib/modules",
    "/usr/lib64", "/usr/libexec/kubernetes", "/usr/local/bin", "/usr/sbin", "/usr/share/ca-certificates", "/usr/src", "/var/cache",
    "/var/lib/cni", "/var/lib/containerd", "/var/lib/kubelet/device-plugins", "/var/lib/kubelet/plugins",
    "/var/lib/kubelet/plugins_registry", "/var/lib/kubelet/pods", "/var/log/containers", "/var/log/journal", "/var/log/pods",
    "/var/spool",
)  # fmt: skip
_FOR_ALL = ("/dev/shm", "/tmp", "/var/tmp")  # noqa: S108 - of a node that there isn't
_LINKS = (
    ("/bin", "/usr/bin"), ("/lib", "/usr/lib"), ("/lib64", "/usr/lib64"), ("/sbin", "/usr/sbin"), ("/var/run", "/run"),
    ("/var/lock", "/run/lock"),
)  # fmt: skip
_FILES = (
    ("/etc/hosts", HOSTS), ("/etc/hostname", ""), ("/etc/localtime", ""), ("/etc/machine-id", ""), ("/etc/os-release", ""),
    ("/etc/passwd", ""), ("/etc/group", ""), ("/etc/resolv.conf", ""), ("/etc/fstab", ""), ("/etc/containerd/config.toml", ""),
    ("/run/xtables.lock", ""), ("/proc/cmdline", ""), ("/proc/cpuinfo", ""), ("/proc/meminfo", ""), ("/proc/mounts", ""),
    ("/proc/stat", ""), ("/proc/version", ""), ("/var/lib/kubelet/config.yaml", ""),
)  # fmt: skip
_SOCKETS = ("/run/containerd/containerd.sock", "/run/dbus/system_bus_socket", "/var/lib/kubelet/device-plugins/kubelet.sock")
_CHARACTER_DEVICES = (
    "/dev/console", "/dev/full", "/dev/fuse", "/dev/kmsg", "/dev/net/tun", "/dev/null", "/dev/ptmx", "/dev/random", "/dev/tty",
    "/dev/urandom", "/dev/zero",
)  # fmt: skip
_BLOCK_DEVICES = ("/dev/sda", "/dev/sda1")
_FILE, _DIRECTORY = "File", "Directory"
_KINDS = {
    **dict.fromkeys(_SOCKETS, "Socket"),
    **dict.fromkeys(_CHARACTER_DEVICES, "CharDevice"),
    **dict.fromkeys(_BLOCK_DEVICES, "BlockDevice"),
}
"""What stands on a node that is neither a file nor a directory, and as what type of ``hostPath`` it counts."""
_CALLED = {
    _DIRECTORY: "a directory",
    _FILE: "a file",
    "Socket": "a socket file",
    "CharDevice": "a character device",
    "BlockDevice": "a block device",
}
_MADE = {"DirectoryOrCreate": _DIRECTORY, "FileOrCreate": _FILE, "": _DIRECTORY}
"""What is made where nothing is."""
_NO_SUCH = "open {}: no such file or directory"


class NodeDisks:
    """Those of all nodes."""

    def __init__(self, lasting: LastingFiles) -> None:
        self._lasting = lasting
        self._at_first = Tree(Disk(0), first_disk(0.0))
        self._made: dict[str, dict[str, bool]] = {}
        """By node and path: whether a directory was made there, on disks that nobody has looked into; a file otherwise."""
        self._made_paths = 0

    def root(self, node: str, now: float) -> Node:
        """The disk of a node."""
        return self._lasting.of(on_node(node), lambda: self._made_disk(node, now), charged=False)

    def reached(self, node: str, path: str, kind: str, now: float) -> Node | None:
        """What is there, which is made if nothing is; None where that can't be."""
        root = self.root(node, now)
        if not path.strip("/"):
            return root
        return _reached(root, path, now, is_directory=_MADE.get(kind, kind) != _FILE)

    def wrong(self, node: str, path: str, kind: str, now: float) -> str:
        """What keeps a path from being mounted as one of this type, as a kubelet says it; empty if nothing does.

        What is to be made is made.
        """
        found = self._kind_at(node, path)
        wanted = _MADE.get(kind, kind)
        if found is None and kind in _MADE:
            if kind == "FileOrCreate" and self._kind_at(node, posixpath.dirname(path.rstrip("/"))) != _DIRECTORY:
                return _NO_SUCH.format(path)
            self._make(node, path, wanted, now)
            return ""
        return "" if found == wanted or not kind else f"hostPath type check failed: {path} is not {_CALLED[wanted]}"

    def has(self, node: str, path: str) -> bool:
        """Whether there is anything at a path: it was there at first, or a pod has had it made, or what it mounts below it."""
        return self._kind_at(node, path) is not None

    def forget(self, node: str) -> None:
        """It is gone."""
        self._lasting.forget(on_node(node))
        self._made_paths -= len(self._made.pop(node, ()))

    def _kind_at(self, node: str, path: str) -> str | None:
        """As what type a path counts; None where there is nothing."""
        root = self._lasting.get(on_node(node))
        made = self._made.get(node, {}) if root is None else {}
        real = _real(self._at_first if root is None else Tree(Disk(0), root), path)
        if real is not None:
            there, is_directory = real
            return _DIRECTORY if is_directory else _KINDS.get(there, _FILE)
        where = posixpath.normpath(path)
        if where in made:
            return _DIRECTORY if made[where] else _FILE
        return _DIRECTORY if any(one.startswith(f"{where}/") for one in made) else None

    def _make(self, node: str, path: str, kind: str, now: float) -> None:
        root = self._lasting.get(on_node(node))
        if root is not None:
            _reached(root, path, now, is_directory=kind == _DIRECTORY)
        elif self._made_paths < limits.NODE_PATHS_MADE:
            self._made.setdefault(node, {})[posixpath.normpath(path)] = kind == _DIRECTORY
            self._made_paths += 1

    def _made_disk(self, node: str, now: float) -> Node:
        root = first_disk(now)
        for path, is_directory in self._made.get(node, {}).items():
            _reached(root, path, now, is_directory=is_directory)
        return root


def first_disk(now: float) -> Node:
    """The disk of a node, as it is at first."""
    tree = Tree(Disk(1 << 40), directory(0o755, now))
    for path in _DIRECTORIES:
        tree.make_directory(path, now, parents=True)
    for path in _FOR_ALL:
        tree.mounted(path, directory(0o777 | STICKY, now))
    for path, target in _LINKS:
        tree.mounted(path, Node(0o777, now, target=target))
    for path, content in (*_FILES, *((path, "") for path in _KINDS)):
        tree.mounted(path, Node(0o644, now, content.encode()))
    for made in all_devices(now):
        tree.mounted(made.path, made.node)
    return tree.root


def _real(tree: Tree, path: str) -> tuple[str, bool] | None:
    """A path without symbolic links, and whether it is a directory; None where nothing is."""
    try:
        return tree.real_path(path), tree.find(path).is_directory
    except FileError:
        return None


def _reached(root: Node, path: str, now: float, *, is_directory: bool) -> Node | None:
    """What stands at a path, on the way to which directories are made that aren't there yet, as long as there is room."""
    names, node, links = [name for name in posixpath.normpath(path).split("/") if name], root, 0
    while names:
        name = names.pop(0)
        if node.children is None or name in {".", ".."}:
            return None
        children = node.children
        child = children.get(name)
        if child is not None and child.target:
            links += 1
            if links > limits.SIMULATED_LINKS:
                return None
            names = [part for part in child.target.split("/") if part] + names
            node = root if child.target.startswith("/") else node
            continue
        if child is None:
            if not has_room(root.disk):
                return None
            child = children[name] = directory(0o755, now) if names or is_directory else Node(0o644, now)
        node = child
    return node


def has_room(disk: Disk | None) -> bool:
    """Take what a directory takes of a disk that lasts."""
    try:
        if disk is not None:
            disk.take(limits.SIMULATED_FILE_COSTS_BYTES)
    except FileError:
        return False
    return True
