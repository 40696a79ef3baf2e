"""A scenario must not delete objects that were in a running cluster before, or that others have made meanwhile.

Most conflicts are found before it begins (`there_before.py`). The rest shows only during the run: an object gets the label by which all are
deleted in the end, its name is saved and used later, another group serves it too, or another client made it first. So every request of a
scenario passes here, and its writes to objects that are older than the run are recorded. Objects that it has tried to create aren't
deleted, nor, by a selector, those that it has changed or that are older. Other objects that it names are used as they are.
"""

from urllib.parse import parse_qsl, urlencode

from svcsim import limits
from svcsim.client.answers import refuses
from svcsim.client.transport import Stream, Transport
from svcsim.meta.http import Request, Response
from svcsim.meta.objects import metadata_of, name_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.scenario.answers import Answer, TargetClusterError, body_of

_API = ("/api/", "/apis/")
_WRITES = ("POST", "PUT", "PATCH")
_EVICTION = "/eviction"
_APPLY = "application/apply-patch"
_SELECTORS = ("labelSelector", "fieldSelector")
_CREATED, _CONFLICT = 201, 409


class Others:
    """Whose objects are whose, as far as one run has to do with them."""

    def __init__(self, looking: Transport, begins_at: float) -> None:
        """``looking`` asks in the name of who may see all; what was created before ``begins_at``, by the cluster's clock, is older."""
        self._looking = looking
        self._begins_at = begins_at
        self._ours: dict[str, None] = {}
        """UIDs of what the run has made, the oldest first."""
        self._theirs: dict[str, bool] = {}
        """UIDs of what it has written to and has not made, each with whether it was to be made: then it isn't meant by its name either."""
        self._in_the_way: list[str] = []
        """UIDs of what kept the action under way from making something."""

    def action_begins(self) -> None:
        """What is in the way from now on is in the way of this one."""
        self._in_the_way.clear()

    def way_was_meant(self) -> None:
        """What was in the way of the action was expected there: the scenario knows that it isn't its own."""
        for uid in self._in_the_way:
            self._theirs.pop(uid, None)

    async def written(self, request: Request, response: Response) -> None:
        """Take note of what a write was answered. Raises `TargetClusterError` where there is too much of it."""
        if response.status == _CONFLICT and request.method == "POST":
            name = name_of(body_of(Answer(body=request.body)))
            there = await self._found(f"{request.path}/{name}") if name else {}
        else:
            there = _told_in(response)
        uid = metadata_of(there).get("uid")
        if not uid or uid in self._ours:
            return
        if response.status == _CREATED:
            self._ours[uid] = None
            if len(self._ours) > limits.SPARED_OBJECTS:
                del self._ours[next(iter(self._ours))]
        elif response.status == _CONFLICT or self._is_older(there):
            if len(self._theirs) >= limits.SPARED_OBJECTS:
                raise TargetClusterError(f"a scenario can write to no more than {limits.SPARED_OBJECTS} objects that were there before")
            if response.status == _CONFLICT and uid not in self._theirs:
                self._in_the_way.append(uid)
            self._theirs[uid] = self._theirs.get(uid, False) or _makes(request)

    async def spare(self, path: str, query: str) -> None:
        """Look at what a deletion would take. Raises `TargetClusterError` where something of it isn't the scenario's."""
        selectors = [(name, value) for name, value in parse_qsl(query) if name in _SELECTORS]
        found = await self._found(path, urlencode(selectors))
        if "items" not in found:
            if self._theirs.get(metadata_of(found).get("uid", "")):
                raise TargetClusterError(_refusal(path, found))
            return
        uids = [metadata_of(obj).get("uid", "") for obj in found["items"]]
        # With what it made itself, or with all there is, what others have isn't meant.
        means_own = not selectors or any(uid in self._ours for uid in uids)
        for uid, obj in zip(uids, found["items"], strict=True):
            if uid in self._theirs or (means_own and uid not in self._ours and self._is_older(obj)):
                raise TargetClusterError(_refusal(path, obj))

    def _is_older(self, obj: Object) -> bool:
        created = metadata_of(obj).get("creationTimestamp")
        return created is not None and parse_time(created) < self._begins_at

    async def _found(self, path: str, query: str = "") -> Object:
        return _told_in(await self._looking.send(Request("GET", path, query, {"accept": "application/json"})))


class Sparing:
    """A transport that deletes nothing of others. See `svcsim.client.transport.Transport`."""

    hands_over = False

    def __init__(self, transport: Transport, others: Others) -> None:
        self._transport = transport
        self._others = others

    async def send(self, request: Request) -> Response:
        """Ask, unless that would take what isn't the scenario's. Raises `TargetClusterError`."""
        is_about_objects = request.path.startswith(_API) and "dryRun" not in dict(parse_qsl(request.query))
        deleted = _deleted(request) if is_about_objects else ""
        if deleted:
            await self._others.spare(deleted, request.query)
        response = await self._transport.send(request)
        if is_about_objects and not deleted and request.method in _WRITES:
            await self._others.written(request, response)
        return response

    def stream(self, request: Request) -> Stream:
        """Ask for an answer that goes on."""
        return self._transport.stream(request)

    async def close(self) -> None:
        await self._transport.close()


def _deleted(request: Request) -> str:
    """The path of what a request deletes; empty where it deletes nothing."""
    if request.method == "POST" and request.path.endswith(_EVICTION):
        return request.path.removesuffix(_EVICTION)
    return request.path if request.method == "DELETE" else ""


def _makes(request: Request) -> bool:
    """Whether a write makes an object where there is none."""
    return request.method == "POST" or request.headers.get("content-type", "").startswith(_APPLY)


def _told_in(response: Response) -> Object:
    """The object, or the list of them, that is answered; an empty one where the answer refuses."""
    return {} if refuses(response.status) else body_of(Answer(response.status, response.body))


def _refusal(path: str, obj: Object) -> str:
    where = f" in the namespace {obj['metadata']['namespace']}" if obj["metadata"].get("namespace") else ""
    what = obj.get("kind") or path.rstrip("/").rpartition("/")[2]
    return (
        f"{what} {name_of(obj)}{where} was not made by this scenario, which would take it for its own; "
        "it is left alone: give what the scenario makes another name, label or namespace"
    )
