"""What is mounted into a container: config maps, secrets, fields of its pod, tokens, and directories that its pod's containers share."""

import posixpath
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial

from svcsim.meta.types import Object
from svcsim.nodes.shell.tree import SETGID, STICKY, Node, Tree, directory
from svcsim.nodes.streams.environment import expanded
from svcsim.nodes.streams.sources import Sources

GetToken = Callable[[str, int], Awaitable[bytes]]
"""A token of the pod's service account for an audience, good for so many seconds."""
Shared = Callable[[str, Callable[[], Node]], Node]
"""A volume that a pod's containers share, by its name, and how it is made."""
_TOKEN_S = 3600
_DEFAULT_MODE = 0o644
_FOR_ALL = 0o777
_HOST_PATHS = {"/tmp": 0o1777, "/var/tmp": 0o1777}  # noqa: S108 - of a node that there isn't
"""Directories of a node that anybody may write."""
_GROUP_READS, _GROUP_WRITES = 0o440, 0o660
"""What a volume's group may do with its files, whatever their modes are: read them, and write them where the volume may be written."""
_GROUP_ENTERS = SETGID | 0o110
"""The same of its directories."""


class Volumes:
    """Makes the volumes of one pod. Each of those that are filled is made once for a command, so that it has what is in it now."""

    def __init__(self, pod: Object, sources: Sources, token: GetToken, shared: Shared, now: float) -> None:
        self._by_name: dict[str, Object] = {volume["name"]: volume for volume in pod["spec"].get("volumes") or ()}
        self._sources = sources
        self._token = token
        self._shared = shared
        self._now = now
        self._group: int | None = (pod["spec"].get("securityContext") or {}).get("fsGroup")

    async def mount_all(self, tree: Tree, container: Object, environment: dict[str, str]) -> None:
        """Mount what a container mounts, outer directories before those within."""
        mounts = sorted(container.get("volumeMounts") or (), key=lambda mount: mount["mountPath"].count("/"))
        for mount in mounts:
            volume = self._by_name.get(mount["name"])
            if volume is None:
                continue
            node = await self._filled(volume)
            if node is None:
                node = self._shared(mount["name"], partial(self._empty, volume))
            within = mount.get("subPath") or expanded(mount.get("subPathExpr") or "", environment)
            if within:
                node = self._within(node, within)
            if node is not None:
                tree.mounted(mount["mountPath"], _mounted(node, read_only=bool(mount.get("readOnly"))))

    async def _filled(self, volume: Object) -> Node | None:
        """A volume whose content comes from elsewhere; None for one that begins empty."""
        if volume.get("configMap") is not None or volume.get("secret") is not None or volume.get("downwardAPI") is not None:
            source = volume.get("configMap") or volume.get("secret") or volume.get("downwardAPI") or {}
            return self._volume(await self._files(volume, source.get("defaultMode")))
        if volume.get("projected") is not None:
            mode, files = volume["projected"].get("defaultMode"), list[tuple[str, Node]]()
            for source in volume["projected"].get("sources") or ():
                files += await self._files(source, mode)
            return self._volume(files)
        return None

    def _empty(self, volume: Object) -> Node:
        """A volume that nothing is in yet."""
        host_path = volume.get("hostPath")
        if host_path is not None:
            return directory(_HOST_PATHS.get(host_path["path"].rstrip("/"), 0o755), self._now, mount=True)
        in_memory = (volume.get("emptyDir") or {}).get("medium") == "Memory"
        made = directory(_FOR_ALL | (STICKY if in_memory else 0), self._now, mount=True)
        made.in_memory = in_memory
        return self._grouped(made, _GROUP_WRITES)

    def _grouped(self, node: Node, may: int) -> Node:
        """A file, or a directory, as it is once it is the group's that the pod's volumes belong to."""
        if self._group is not None:
            node.gid, node.mode = self._group, node.mode | may | (_GROUP_ENTERS if node.is_directory else 0)
        return node

    def _volume(self, files: list[tuple[str, Node]]) -> Node:
        """One that is filled, which is kept in memory."""
        root = self._directory()
        root.mount = root.read_only = root.in_memory = True
        for path, node in files:
            at = root
            *before, name = [part for part in path.split("/") if part] or ["?"]
            for part in before:
                assert at.children is not None, "only directories are gone into"
                at = at.children.setdefault(part, self._directory())
                if at.children is None:
                    break
            if at.children is not None:
                at.children[name] = self._grouped(node, _GROUP_READS)
        return root

    def _directory(self) -> Node:
        return self._grouped(directory(_FOR_ALL, self._now), _GROUP_READS)

    async def _files(self, source: Object, mode: int | None) -> list[tuple[str, Node]]:
        default = _DEFAULT_MODE if mode is None else mode
        if source.get("configMap") is not None:
            return await self._of_keys("configmaps", source["configMap"].get("name") or "", source["configMap"], default)
        if source.get("secret") is not None:
            secret = source["secret"]
            return await self._of_keys("secrets", secret.get("secretName") or secret.get("name") or "", secret, default)
        if source.get("downwardAPI") is not None:
            return [
                (item["path"], self._file(self._downward(item), item.get("mode", default)))
                for item in source["downwardAPI"].get("items") or ()
            ]
        wanted = source.get("serviceAccountToken")
        if wanted is not None:
            audience, lifetime_s = wanted.get("audience") or "", int(wanted.get("expirationSeconds") or _TOKEN_S)

            async def load() -> bytes:
                return await self._token(audience, lifetime_s)

            return [(wanted["path"], Node(default, self._now, load=load))]
        return []

    async def _of_keys(self, plural: str, name: str, source: Object, default: int) -> list[tuple[str, Node]]:
        data = await self._sources.data(plural, name)
        items = source.get("items")
        if not items:
            return [(key, self._file(content, default)) for key, content in data.items()]
        return [(item["path"], self._file(data[item["key"]], item.get("mode", default))) for item in items if item["key"] in data]

    def _file(self, content: bytes, mode: int) -> Node:
        return Node(mode, self._now, content)

    def _downward(self, item: Object) -> bytes:
        if item.get("fieldRef"):
            return self._sources.field(item["fieldRef"].get("fieldPath") or "").encode()
        return self._sources.amount({}, item.get("resourceFieldRef") or {}).encode()

    def _within(self, node: Node, path: str) -> Node | None:
        """A part of a volume; a directory that isn't there yet is made, in one that may be written."""
        for part in posixpath.normpath(path).split("/"):
            if node.children is None or part in {"", ".", ".."}:
                return None
            child = node.children.get(part)
            if child is None:
                if node.read_only:
                    return None
                child = node.children[part] = replace(node, children={}, mount=False)
            node = child
        return node


def _mounted(node: Node, *, read_only: bool) -> Node:
    """A node as it is mounted: the same content, which may not be written through this mount."""
    return replace(node, mount=True, read_only=read_only or node.read_only)
