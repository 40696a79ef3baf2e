"""A very small API server in memory, for testing clients against failures a real one is hard to bring to.

It keeps objects of any type under their paths, lists them in pages, and lets watches follow. It has no schemas, no admission and no
finalizers. `break_watches` and `forget` do to a client what bad networks and compaction do.
"""

import asyncio
from collections.abc import AsyncIterator
from urllib.parse import parse_qs

import orjson

from svcsim.chance import Chance
from svcsim.meta import errors
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request, Response
from svcsim.meta.objects import copy_json
from svcsim.meta.types import Object


class SmallServer:
    """Call `handle` as the pipeline's handler."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.objects: dict[str, Object] = {}
        self.history: list[tuple[int, str, str, Object]] = []
        self.revision = 100
        self.forgotten = 0
        self.failures: list[StatusError | ConnectionError] = []
        self._changed = asyncio.Condition()
        self._chance = Chance("small server")
        self._generation_of_watches = 0
        self._manner = "end"

    async def handle(self, request: Request) -> Response:
        self.requests.append(request)
        query = {name: values[-1] for name, values in parse_qs(request.query).items()}
        try:
            if self.failures:
                raise self.failures.pop(0)
            return await self._route(request, query)
        except StatusError as error:
            return Response(error.code, orjson.dumps(error.status()))

    async def put(self, path: str, obj: Object) -> Object:
        """Write an object behind the clients' backs."""
        change = "MODIFIED" if path in self.objects else "ADDED"
        obj = copy_json(obj)
        self.revision += 1
        uid = self.objects[path]["metadata"]["uid"] if path in self.objects else self._chance.uid()
        obj["metadata"] = {"uid": uid, **obj["metadata"], "resourceVersion": str(self.revision)}
        self.objects[path] = obj
        await self._record(change, path, obj)
        return obj

    async def remove(self, path: str) -> Object:
        """Delete an object behind the clients' backs."""
        obj = copy_json(self.objects.pop(path))
        self.revision += 1
        obj["metadata"]["resourceVersion"] = str(self.revision)
        await self._record("DELETED", path, obj)
        return obj

    def forget(self) -> None:
        """Compact: no revision before now can be watched from."""
        self.forgotten = self.revision
        self.history.clear()

    async def break_watches(self, manner: str = "break") -> None:
        """End every watch: ``break`` as a broken connection does, ``end`` as a server does whose time is up."""
        self._generation_of_watches += 1
        self._manner = manner
        async with self._changed:
            self._changed.notify_all()

    async def _record(self, change: str, path: str, obj: Object) -> None:
        self.history.append((self.revision, change, path, obj))
        async with self._changed:
            self._changed.notify_all()

    async def _route(self, request: Request, query: dict[str, str]) -> Response:
        path = request.path
        body = orjson.loads(request.body) if request.body else request.handed
        if request.method == "GET":
            if "watch" in query:
                return self._watch(path, query)
            if path in self.objects:
                return _answer(self.objects[path])
            if _names_object(path):
                raise errors.not_found(errors.GroupResource("", path.split("/")[-2]), path.rpartition("/")[2])
            return self._list(path, query)
        if request.method == "POST":
            target = f"{path}/{body['metadata']['name']}"
            if target in self.objects:
                raise errors.already_exists(errors.GroupResource("", path.rpartition("/")[2]), body["metadata"]["name"])
            return _answer(await self.put(target, body), 201)
        if path not in self.objects:
            raise errors.not_found(errors.GroupResource("", path.split("/")[-2]), path.rpartition("/")[2])
        current = self.objects[path]
        if request.method == "PUT":
            sent = body["metadata"].get("resourceVersion")
            if sent and sent != current["metadata"]["resourceVersion"]:
                raise errors.conflict(errors.GroupResource("", path.split("/")[-2]), body["metadata"]["name"], errors.MODIFIED)
            return _answer(await self.put(path, body))
        if request.method == "PATCH":
            return _answer(await self.put(path, _merged(current, body)))
        return _answer(await self.remove(path))

    def _under(self, path: str) -> dict[str, Object]:
        return {key: obj for key, obj in sorted(self.objects.items()) if key.startswith(path + "/")}

    def _list(self, path: str, query: dict[str, str]) -> Response:
        found = self._under(path)
        names = [name for name in found if name > query.get("continue", "")]
        limit = int(query.get("limit", "0")) or len(names)
        meta: Object = {"resourceVersion": str(self.revision)}
        if len(names) > limit:
            meta["continue"] = names[limit - 1]
            meta["remainingItemCount"] = len(names) - limit
        return _answer({"kind": "ThingList", "apiVersion": "v1", "metadata": meta, "items": [found[name] for name in names[:limit]]})

    def _watch(self, path: str, query: dict[str, str]) -> Response:
        since = int(query.get("resourceVersion") or self.revision)
        if since < self.forgotten:
            raise errors.expired(f"too old resource version: {since} ({self.forgotten})")
        return Response(200, stream=self._events(path, since))

    async def _events(self, path: str, since: int) -> AsyncIterator[bytes]:
        generation = self._generation_of_watches
        while generation == self._generation_of_watches:
            fresh = [entry for entry in self.history if entry[0] > since]
            for revision, change, key, obj in fresh:
                since = revision
                if key.startswith(path + "/"):
                    line = orjson.dumps({"type": change, "object": obj}) + b"\n"
                    yield line[:10]
                    yield line[10:]
            async with self._changed:
                while generation == self._generation_of_watches and self.revision <= since:
                    await self._changed.wait()
        if self._manner == "break":
            raise ConnectionResetError("the connection was reset")


def _names_object(path: str) -> bool:
    parts = path.removeprefix("/api/v1/").removeprefix("namespaces/").split("/")
    return len(parts) == (3 if "/namespaces/" in path else 2)


def _answer(obj: Object, status: int = 200) -> Response:
    return Response(status, orjson.dumps(obj))


def _merged(current: Object, patch: Object) -> Object:
    merged = dict(current)
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = _merged(merged.get(name) or {}, value) if isinstance(value, dict) else value
    return merged
