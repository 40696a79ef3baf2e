"""Roles and bindings in a store of their own, and an authorizer that goes by them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from svcsim.auth.attributes import Attributes
from svcsim.auth.authorization import Decision, Verdict
from svcsim.auth.rbac.authorizer import Rbac
from svcsim.auth.rbac.bindings import Bindings
from svcsim.dialect import KUBERNETES
from svcsim.meta.codec import encode
from svcsim.meta.types import Json, Object, User
from svcsim.registry.lister import Listers
from svcsim.storage.contract import Body, Envelope, Key
from svcsim.storage.store import LmdbStore

NO_ENVELOPE = Envelope("", {}, {}, ())
GROUP = "rbac.authorization.k8s.io"


def rule(verbs: str, resources: str = "", groups: str = "", names: str = "", paths: str = "") -> Object:
    """A rule; each list with spaces, ``core`` being the core group."""
    lists = {"verbs": verbs, "resources": resources, "resourceNames": names, "nonResourceURLs": paths}
    found: Object = {name: text.split() for name, text in lists.items() if text}
    if resources:
        found["apiGroups"] = [group.replace("core", "") for group in (groups or "core").split()]
    return found


def subject(text: str) -> Object:
    """``User:jane``, ``Group:dev``, ``ServiceAccount:space/name`` or, of the binding's own namespace, ``ServiceAccount:name``."""
    kind, _, name = text.partition(":")
    if kind != "ServiceAccount":
        return {"kind": kind, "name": name, "apiGroup": GROUP}
    space, _, name = name.rpartition("/")
    return {"kind": kind, "name": name, **({"namespace": space} if space else {})}


class Access:
    """A cluster's roles and bindings."""

    def __init__(self, store: LmdbStore) -> None:
        self._store = store
        self._listers = Listers(store)
        self.bindings = Bindings(self._listers, KUBERNETES)
        self.authorizer = Rbac(self.bindings)

    async def start(self) -> None:
        await self._listers.start()

    async def put(self, plural: str, namespace: str, name: str, **fields: Json) -> None:
        """Have an object as it is said, whatever was there."""
        key = Key(f"{plural}.{GROUP}", namespace, name)
        obj = {"metadata": {"name": name, **({"namespace": namespace} if namespace else {})}, **fields}
        body = Body(b'{"revision":"', b'",' + encode(obj)[1:])
        current = self._store.latest(key)
        if current is None:
            await self._store.create(key, NO_ENVELOPE, body)
        else:
            await self._store.update(key, NO_ENVELOPE, body, expected=current.revision)

    async def drop(self, plural: str, namespace: str, name: str) -> None:
        key = Key(f"{plural}.{GROUP}", namespace, name)
        current = self._store.latest(key)
        assert current is not None
        await self._store.delete(key, NO_ENVELOPE, Body(b'{"revision":"', b'"}'), expected=current.revision)

    async def role(self, name: str, *rules: Object, namespace: str = "") -> None:
        await self.put("roles" if namespace else "clusterroles", namespace, name, rules=list(rules))

    async def bind(self, name: str, role: str, *subjects: str, namespace: str = "", kind: str = "ClusterRole") -> None:
        bound = [subject(one) for one in subjects]
        plural = "rolebindings" if namespace else "clusterrolebindings"
        await self.put(plural, namespace, name, roleRef={"kind": kind, "name": role, "apiGroup": GROUP}, subjects=bound)

    async def decide(self, user: User, verb: str, what: str, namespace: str = "", name: str = "") -> Decision:
        """About ``pods/log``, ``deployments.apps/scale`` or, with a slash first, a path."""
        if what.startswith("/"):
            return await self.authorizer.authorize(Attributes(user, verb, path=what))
        full, _, subresource = what.partition("/")
        resource, _, group = full.partition(".")
        return await self.authorizer.authorize(
            Attributes(user, verb, group, "v1", resource, subresource, namespace, name, path="/apis/whatever")
        )

    async def may(self, user: User, verb: str, what: str, namespace: str = "", name: str = "") -> bool:
        return (await self.decide(user, verb, what, namespace, name)).verdict is Verdict.ALLOW


@asynccontextmanager
async def access(directory: Path) -> AsyncIterator[Access]:
    """Nobody's yet."""
    store = LmdbStore.open(directory / "store", dialect="kubernetes", durability="none")
    found = Access(store)
    await found.start()
    yield found
    await store.close()
