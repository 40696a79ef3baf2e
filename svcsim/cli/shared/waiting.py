"""Following one object until something holds: what ``wait``, ``delete`` and ``rollout status`` have in common."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import orjson

from svcsim.cli.shared.listing import typed_items
from svcsim.cli.shared.outage import Outage, too_old
from svcsim.clock import stopwatch
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object

if TYPE_CHECKING:
    from svcsim.cli.shared.discovery import Resource
    from svcsim.cli.shared.session import Session

WEEK_S = 7 * 24 * 3600.0


def states(session: "Session", resource: "Resource", namespace: str, name: str, timeout_s: float) -> Iterator[Object | None]:
    """The object now and after every change, None while it isn't there; ends when the time is up.

    A watch that ends, breaks off or has become too old is begun again from what is there then.
    """
    deadline = stopwatch() + timeout_s
    outage = Outage(session, timeout_s)
    query = {"fieldSelector": f"metadata.name={name}"}
    while True:
        try:
            listed = session.get(resource.path(namespace), query)
            outage.over()
            yield next(iter(typed_items(listed)), None)
            left = deadline - stopwatch()
            if left <= 0:
                return
            yield from _changes(session, resource, namespace, query, listed["metadata"].get("resourceVersion", ""), left)
        except (ConnectionError, StatusError) as error:
            outage.wait(error)
        if stopwatch() >= deadline:
            return


def _changes(
    session: "Session", resource: "Resource", namespace: str, query: dict[str, str], revision: str, seconds: float
) -> Iterator[Object | None]:
    asked: dict[str, str | int | bool] = {**query, "watch": True, "resourceVersion": revision}
    asked["timeoutSeconds"] = math.ceil(min(seconds, WEEK_S))
    deadline = stopwatch() + seconds
    try:
        stream = session.stream(resource.path(namespace), asked)
    except StatusError as error:
        if too_old(error):
            return
        raise
    with stream:
        for line in stream:
            if not line:
                continue
            event = orjson.loads(line)
            if event["type"] == "ERROR":
                return
            if event["type"] != "BOOKMARK":
                yield None if event["type"] == "DELETED" else event["object"]
            if stopwatch() >= deadline:
                return
