"""What is mounted into a container: config maps, secrets, fields of its pod, tokens, and directories that its pod's containers share."""

import posixpath
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from svcsim.meta.claims import pod_claims
from svcsim.meta.objects import uid_of
from svcsim.meta.pods import node_of
from svcsim.meta.types import Object
from svcsim.nodes.containers.environment import expanded
from svcsim.nodes.containers.sources import Keys, Sources
from svcsim.nodes.images.users import user_of_all
from svcsim.nodes.shell.tree import SETGID, STICKY, Disk, Node, Tree, directory
from svcsim.nodes.streams.lasting import on_volume
from svcsim.nodes.streams.node_disks import has_room
from svcsim.nodes.streams.pod_files import PodFiles

GetToken = Callable[[str, int], Awaitable[bytes]]
"""A token of the pod's service account for an audience, good for so many seconds."""
_TOKEN_S = 3600
_DEFAULT_MODE = 0o644
_OWNERS_MODE = 0o600
_FOR_ALL = 0o777
_GROUP_READS, _GROUP_WRITES = 0o440, 0o660
"""What a volume's group may do with its files, whatever their modes are: read them, and write them where the volume may be written."""
_GROUP_ENTERS = SETGID | 0o110
"""The same of its directories."""


class VolumeMakers(NamedTuple):
    """Where what is in volumes comes from."""

    token: GetToken
    kept: PodFiles
    persistent_volume: Callable[[str], Awaitable[Object | None]]
    """What a claim of the pod's namespace is bound to, by its name."""


class VolumeSources(NamedTuple):
    """What volumes are filled from."""

    at_start: Sources
    """As it was when the container was started: so parts of volumes stay that are mounted by themselves."""
    now: Sources
    """As it is now, or was before it went."""
    there: Sources
    """As it is now: nothing where it went. Only volumes that do without it follow so far."""


class Volumes:
    """Makes the volumes of one pod. Each of those that are filled is made once for a command, so that it has what is in it now."""

    def __init__(self, pod: Object, sources: VolumeSources, makers: VolumeMakers, now: float) -> None:
        self._pod = pod
        self._by_name: dict[str, Object] = {volume["name"]: volume for volume in pod["spec"].get("volumes") or ()}
        self._sources = sources
        self._claims = {used.volume: used for used in pod_claims(pod)}
        self._makers = makers
        self._now = now
        self._user = user_of_all(pod["spec"])
        """Whose the tokens are."""
        self._group: int | None = (pod["spec"].get("securityContext") or {}).get("fsGroup")

    async def mount_all(self, tree: Tree, container: Object, environment: dict[str, str]) -> None:
        """Mount what a container mounts, outer directories before those within."""
        mounts = sorted(container.get("volumeMounts") or (), key=lambda mount: mount["mountPath"].count("/"))
        for mount in mounts:
            volume = self._by_name.get(mount["name"])
            if volume is None:
                continue
            within = mount.get("subPath") or expanded(mount.get("subPathExpr") or "", environment)
            root = await self._filled(volume, self._sources.at_start if within else self._sources.now) or await self._kept(volume)
            node = self._within(root, within, root.disk, lambda parent: replace(parent, children={}, mount=False)) if within else root
            claim = self._claims.get(volume["name"])
            if node is not None:
                read_only = root.read_only or bool(mount.get("readOnly") or (claim and claim.read_only))
                mounted = replace(node, mount=True, read_only=read_only, in_memory=root.in_memory, disk=root.disk)
                tree.mounted(mount["mountPath"], mounted)

    async def _filled(self, volume: Object, sources: Sources) -> Node | None:
        """A volume whose content comes from elsewhere; None for one that begins empty."""
        if volume.get("configMap") is not None or volume.get("secret") is not None or volume.get("downwardAPI") is not None:
            source = volume.get("configMap") or volume.get("secret") or volume.get("downwardAPI") or {}
            return self._volume(await self._files(volume, sources, source.get("defaultMode")))
        if volume.get("projected") is not None:
            mode, files = volume["projected"].get("defaultMode"), list[tuple[str, Node]]()
            for source in volume["projected"].get("sources") or ():
                files += await self._files(source, sources, mode)
            return self._volume(files)
        return None

    async def _kept(self, volume: Object) -> Node:
        """A volume in which is what commands have left there."""
        claim, kept = self._claims.get(volume["name"]), self._makers.kept
        found = await self._makers.persistent_volume(claim.name) if claim is not None else None
        source = volume if found is None else found["spec"]
        path = (source.get("hostPath") or source.get("local") or {}).get("path")
        if path:
            node = node_of(self._pod)
            there = kept.nodes.reached(node, path, (source.get("hostPath") or {}).get("type") or "", self._now)
            if there is not None:
                return replace(there, disk=kept.nodes.root(node, self._now).disk)
        make = partial(self._empty, volume)
        return kept.lasting.of(on_volume(uid_of(found)), make) if found is not None and not path else kept.volume(volume["name"], make)

    def _empty(self, volume: Object) -> Node:
        """A volume that nothing is in yet."""
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

    async def _files(self, source: Object, sources: Sources, mode: int | None) -> list[tuple[str, Node]]:
        default = _DEFAULT_MODE if mode is None else mode
        if source.get("configMap") is not None:
            data = await self._followed(source["configMap"], sources).data("configmaps", source["configMap"].get("name") or "")
            return self._of_keys(data, source["configMap"], default)
        if source.get("secret") is not None:
            secret = source["secret"]
            data = await self._followed(secret, sources).data("secrets", secret.get("secretName") or secret.get("name") or "")
            return self._of_keys(data, secret, default)
        if source.get("downwardAPI") is not None:
            return [
                (item["path"], self._file(_downward(item, sources), item.get("mode", default)))
                for item in source["downwardAPI"].get("items") or ()
            ]
        wanted = source.get("serviceAccountToken")
        if wanted is not None:
            audience, lifetime_s = wanted.get("audience") or "", int(wanted.get("expirationSeconds") or _TOKEN_S)

            async def load() -> bytes:
                return await self._makers.token(audience, lifetime_s)

            is_private = self._user is not None or self._group is not None
            return [(wanted["path"], Node(_OWNERS_MODE if is_private else default, self._now, load=load, uid=self._user or 0))]
        return []

    def _followed(self, wanted: Object, sources: Sources) -> Sources:
        """What a volume follows, which can't be set up anew without what it needs, and keeps what it has then."""
        return self._sources.there if wanted.get("optional") and sources is self._sources.now else sources

    def _of_keys(self, data: Keys, source: Object, default: int) -> list[tuple[str, Node]]:
        items = source.get("items")
        if not items:
            return [(key, self._file(content, default)) for key, content in data.items()]
        return [(item["path"], self._file(data[item["key"]], item.get("mode", default))) for item in items if item["key"] in data]

    def _file(self, content: bytes, mode: int) -> Node:
        return Node(mode, self._now, content)

    def _within(self, node: Node, path: str, disk: Disk | None, make: Callable[[Node], Node]) -> Node | None:
        """A part of a volume; a directory that isn't there yet is made in its parent, where that may be written and there is room."""
        for part in posixpath.normpath(path).strip("/").split("/"):
            if node.children is None or part in {"", ".", ".."}:
                return None
            child = node.children.get(part)
            if child is None:
                if node.read_only or not has_room(disk):
                    return None
                child = node.children[part] = make(node)
            node = child
        return node


def _downward(item: Object, sources: Sources) -> bytes:
    if item.get("fieldRef"):
        return sources.field(item["fieldRef"].get("fieldPath") or "").encode()
    return sources.amount({}, item.get("resourceFieldRef") or {}).encode()
