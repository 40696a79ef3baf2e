"""A thin client: the verbs of the API on untyped objects, over any transport.

``client.resource("apps/v1", "deployments", "default")`` is one collection; its methods are the verbs. Every error the server tells is
raised as `StatusError`; `ConnectionError` means there was no answer.
"""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self, TypeAlias

import orjson

from svcsim import limits
from svcsim.client.answers import error_from, read_answer, read_list_metadata, refuses
from svcsim.client.paths import PATCH_TYPES, Options, path_within, query_string, resource_path, watch_options
from svcsim.client.transport import Stream, Transport
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request
from svcsim.meta.types import Json, Object

Objects: TypeAlias = list[Object]
_OF_OBJECTS = {"accept": "application/json", "content-type": "application/json"}
_OF_PATCHES = {"accept": "application/json", "content-type": PATCH_TYPES["merge"]}


class Page(NamedTuple):
    """A part of a collection as of one revision. Items carry ``kind`` and ``apiVersion``, which the wire leaves out in lists."""

    items: Objects
    revision: str
    continue_token: str
    remaining: int | None


class WatchEvent(NamedTuple):
    """``type`` is ADDED, MODIFIED, DELETED or BOOKMARK."""

    type: str
    object: Object


class Client:
    """One user's access to one cluster."""

    def __init__(self, transport: Transport, dialect: Dialect) -> None:
        self.transport = transport
        self.dialect = dialect

    def resource(self, api_version: str, plural: str, namespace: str = "") -> "Collection":
        """The collection of a resource type, in one namespace, or in all (or cluster-wide) for ``""``."""
        return Collection(self, api_version, plural, namespace)

    async def get_json(self, path: str, query: str = "") -> Json:
        """Whatever stands at a path: discovery, version."""
        return await self.request("GET", path, query)

    async def get_body(self, path: str, query: str = "") -> bytes:
        """The JSON at a path, for callers that decode it themselves."""
        return await self._send(Request("GET", path, query, {"accept": "application/json"}))

    async def request(
        self,
        method: str,
        path: str,
        query: str = "",
        body: Json = None,
        content_type: str = "application/json",
        made_at: float | None = None,
        read: Callable[[bytes], Json] = read_answer,
    ) -> Json:
        """Send a request with a JSON body and give back the answer's, or what ``read`` makes of that."""
        headers = {"accept": "application/json"}
        content = b""
        if body is not None:
            headers["content-type"] = content_type
            content = orjson.dumps(body)
        answered = await self._send(Request(method, path, query, headers, content, made_at=made_at))
        return read(answered) if answered else {}

    async def tell(self, method: str, path: str, body: Json, headers: dict[str, str], made_at: float | None = None) -> None:
        """Send a request, and leave its answer unread but for whether it refuses."""
        await self._send(Request(method, path, "", headers, b"" if body is None else orjson.dumps(body), made_at=made_at))

    async def hand_over(
        self, method: str, path: str, obj: Object, headers: dict[str, str], *, for_good: bool = True, made_at: float | None = None
    ) -> bytes:
        """Have a new object, or a patch, taken that needs no reading, and hardly an answer (`Request.handed`, `Request.for_good`)."""
        if not self.transport.hands_over:
            return await self._send(Request(method, path, "", headers, orjson.dumps(obj), made_at=made_at))
        return await self._send(Request(method, path, headers=headers, handed=obj, for_good=for_good, made_at=made_at))

    async def _send(self, request: Request) -> bytes:
        response = await self.transport.send(request)
        if refuses(response.status):
            raise error_from(response.status, response.body)
        return response.body


@dataclass(slots=True)
class Collection:
    """The verbs on one resource type. ``namespace`` is empty for all namespaces and for cluster-wide types."""

    client: Client
    api_version: str
    plural: str
    namespace: str = ""
    path: str = field(init=False)
    """Where the server has it."""

    def __post_init__(self) -> None:
        self.path = resource_path(self.api_version, self.plural, self.namespace)

    def within(self, namespace: str) -> "Collection":
        """The collection of the same resource type in one namespace."""
        return replace(self, namespace=namespace)

    async def get(self, name: str, subresource: str = "", resource_version: str = "") -> Object:
        """One object. Raises `StatusError` 404."""
        return await self._send("GET", name, subresource, {"resourceVersion": resource_version})

    async def find(self, name: str) -> Object | None:
        """One object, if it is there."""
        try:
            return await self.get(name)
        except StatusError as error:
            if error.code != 404:
                raise
            return None

    async def list(
        self,
        *,
        label_selector: str = "",
        field_selector: str = "",
        resource_version: str = "",
        limit: int = 0,
        continue_token: str = "",
    ) -> Page:
        """The objects, or the first ``limit`` of them."""
        options: Options = {
            "labelSelector": label_selector,
            "fieldSelector": field_selector,
            "resourceVersion": resource_version,
            "limit": limit,
            "continue": continue_token,
        }
        body = await self._send("GET", "", "", options)
        meta = body.get("metadata") or {}
        items: Objects = body.get("items") or []
        kind, api_version = str(body.get("kind", "")).removesuffix("List"), body.get("apiVersion", self.api_version)
        items = [item if "kind" in item else {"kind": kind, "apiVersion": api_version, **item} for item in items]
        return Page(items, meta.get("resourceVersion", ""), meta.get("continue", ""), meta.get("remainingItemCount"))

    async def pages(self, *, label_selector: str = "", field_selector: str = "") -> AsyncIterator[Page]:
        """The whole collection in pages of `limits.RELIST_PAGE_OBJECTS`, all as of one revision."""
        token = ""
        while True:
            page = await self.list(
                label_selector=label_selector,
                field_selector=field_selector,
                limit=limits.RELIST_PAGE_OBJECTS,
                continue_token=token,
            )
            yield page
            token = page.continue_token
            if not token:
                return

    async def encoded_pages(self) -> AsyncIterator[bytes]:
        """`pages` as the server encoded them, for who only looks whether there is something in them."""
        token = ""
        while True:
            body = await self.client.get_body(self.path, query_string({"limit": limits.RELIST_PAGE_OBJECTS, "continue": token}))
            yield body
            token = read_list_metadata(body).get("continue", "")
            if not token:
                return

    async def list_all(self, *, label_selector: str = "", field_selector: str = "") -> Objects:
        """The whole collection, read in pages."""
        return [item async for page in self.pages(label_selector=label_selector, field_selector=field_selector) for item in page.items]

    async def create(self, obj: Object, *, dry_run: bool = False, strict: bool = False, made_at: float | None = None) -> Object:
        """A new object, as the server made it; ``made_at`` as in `patch`. Raises `StatusError` 409 if the name is taken.

        ``strict`` refuses fields that the kind doesn't have.
        """
        options = {"dryRun": "All" if dry_run else "", "fieldValidation": "Strict" if strict else ""}
        return await self._send("POST", "", "", options, obj, made_at=made_at)

    async def hand_over(self, obj: Object, made_at: float | None = None) -> str:
        """A new object that nobody else keeps, made in the form its kind is stored in: fields in declared order, none that says nothing.

        In this process it is stored without being read again; whatever is checked of any other new object is checked. Gives its name.
        ``made_at`` as in `patch`. Raises as `create`.
        """
        answer: Object = read_answer(await self.client.hand_over("POST", self.path, obj, _OF_OBJECTS, made_at=made_at))
        return str(answer["metadata"]["name"])

    async def drop_off(self, obj: Object) -> None:
        """`hand_over` of an object that may be lost: this waits only until it is on its way to disk, not until it is there."""
        await self.client.hand_over("POST", self.path, obj, _OF_OBJECTS, for_good=False)

    async def hand_over_patch(self, name: str, patch: Object, subresource: str) -> str:
        """A merge patch whose fields are as `hand_over` wants them; gives the version of the object that came of it. Raises as `patch`.

        It has the version that it was made for, and of all beside the metadata each field it names as a whole, with what stays in it.
        """
        answer: Object = read_answer(await self.client.hand_over("PATCH", self._path(name, subresource), patch, _OF_PATCHES))
        return str(answer["metadata"]["resourceVersion"])

    async def hand_over_to(self, name: str, subresource: str, body: Object) -> None:
        """Post to a subresource a body that is as `hand_over` wants it, and wait until what comes of it is on disk. Raises as `create`."""
        await self.client.hand_over("POST", self._path(name, subresource), body, _OF_OBJECTS)

    async def create_subresource(self, name: str, subresource: str, body: Object) -> Object:
        """Post to a subresource: a binding, an eviction, a token request."""
        return await self._send("POST", name, subresource, {}, body)

    async def update(self, obj: Object, subresource: str = "") -> Object:
        """Replace an object. Raises `StatusError` 409 if it carries a resourceVersion that isn't the newest."""
        return await self._send("PUT", obj["metadata"]["name"], subresource, {}, obj)

    async def patch(
        self,
        name: str,
        patch: Json,
        kind: str = "merge",
        *,
        subresource: str = "",
        field_manager: str = "",
        force: bool = False,
        strict: bool = False,
        made_at: float | None = None,
    ) -> Object:
        """Change parts of an object; ``kind`` is merge, json, strategic or apply; ``made_at`` is `Request.made_at`.

        ``strict`` is as in `create`.
        """
        options: Options = {"fieldManager": field_manager, "force": force, "fieldValidation": "Strict" if strict else ""}
        return await self._send("PATCH", name, subresource, options, patch, PATCH_TYPES[kind], made_at)

    async def change(self, name: str, patch: Object, *, made_at: float | None = None) -> None:
        """As `patch` with a merge patch, for who doesn't ask what comes of it."""
        await self.client.tell("PATCH", self._path(name), patch, _OF_PATCHES, made_at)

    async def delete(
        self, name: str, *, grace_period_s: int | None = None, propagation: str = "", uid: str = "", resource_version: str = ""
    ) -> Object:
        """Delete an object; gives its last state or a Status. Raises `StatusError` 404, and 409 if the preconditions don't hold."""
        return await self._send("DELETE", name, "", {}, delete_options(grace_period_s, propagation, uid, resource_version))

    async def remove(self, name: str, *, grace_period_s: int | None = None, propagation: str = "", uid: str = "") -> None:
        """As `delete`, for who doesn't ask what is left of it."""
        await self.client.tell("DELETE", self._path(name), delete_options(grace_period_s, propagation, uid), _OF_OBJECTS)

    async def delete_collection(
        self, *, label_selector: str = "", field_selector: str = "", grace_period_s: int | None = None, propagation: str = ""
    ) -> Object:
        """Delete all objects that the selectors match."""
        options = {"labelSelector": label_selector, "fieldSelector": field_selector}
        return await self._send("DELETE", "", "", options, delete_options(grace_period_s, propagation))

    async def delete_all(self, *, propagation: str = "") -> None:
        """Delete all objects, a page of `limits.RELIST_PAGE_OBJECTS` at a time: an answer tells of all it has deleted."""
        token = ""
        while True:
            options: Options = {"limit": limits.RELIST_PAGE_OBJECTS, "continue": token}
            deleted = await self._send("DELETE", "", "", options, delete_options(None, propagation), read=read_list_metadata)
            token = deleted.get("continue", "")
            if not token:
                return

    def watch(
        self, resource_version: str = "", *, label_selector: str = "", field_selector: str = "", timeout_s: int = 0, bookmarks: bool = True
    ) -> "Watch":
        """Follow the collection from a revision: ``async with collection.watch(rv) as events: async for event in events``."""
        options = watch_options(resource_version, label_selector, field_selector, timeout_s, bookmarks=bookmarks)
        return Watch(self.client, Request("GET", self.path, query_string(options), {"accept": "application/json"}))

    def _path(self, name: str, subresource: str = "") -> str:
        return path_within(self.path, name, subresource)

    async def _send(
        self,
        method: str,
        name: str,
        subresource: str,
        options: Options,
        body: Json = None,
        content_type: str = "application/json",
        made_at: float | None = None,
        read: Callable[[bytes], Json] = read_answer,
    ) -> Object:
        answer: Object = await self.client.request(
            method, self._path(name, subresource), query_string(options), body, content_type, made_at, read
        )
        return answer


class Watch:
    """A running watch. Iterating raises `StatusError` for an ERROR event; ends when the server ends the watch."""

    def __init__(self, client: Client, request: Request) -> None:
        self._stream: Stream = client.transport.stream(request)

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        if refuses(self._stream.status):
            try:
                raise error_from(self._stream.status, await self._stream.read())
            finally:
                await self._stream.__aexit__()
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self._stream.__aexit__(*raised)

    async def __aiter__(self) -> AsyncIterator[WatchEvent]:
        async for event in self._stream.events():
            yield WatchEvent(event["type"], event["object"])


def delete_options(grace_period_s: int | None = None, propagation: str = "", uid: str = "", resource_version: str = "") -> Object | None:
    """The body of a delete; None where there is nothing to say."""
    options: Object = {}
    if grace_period_s is not None:
        options["gracePeriodSeconds"] = grace_period_s
    if propagation:
        options["propagationPolicy"] = propagation
    preconditions = {"uid": uid, "resourceVersion": resource_version}
    if uid or resource_version:
        options["preconditions"] = {name: value for name, value in preconditions.items() if value}
    return {"kind": "DeleteOptions", "apiVersion": "v1", **options} if options else None
