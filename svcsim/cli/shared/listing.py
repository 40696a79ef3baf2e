"""Reading collections: in chunks, with visible progress where they are long, and with kubectl's words for what goes wrong."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from svcsim.cli.shared.discovery import Resource
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object

if TYPE_CHECKING:
    from svcsim.cli.shared.session import Query, Session

PROGRESS_OBJECTS = 1_000
"""From so many objects on, a person at a terminal sees how far the reading has got."""


def list_pages(
    session: "Session",
    resource: Resource,
    namespace: str,
    *,
    selector: str = "",
    field_selector: str = "",
    chunk_size: int = 500,
    query: "Query | None" = None,
    accept: str = "application/json",
) -> Iterator[Object]:
    """The answers that make up a collection, each as the server sent it."""
    asked: dict[str, str | int | bool] = {**(query or {}), "labelSelector": selector, "fieldSelector": field_selector, "limit": chunk_size}
    progress = Progress(session)
    try:
        while True:
            page = _page(session, resource, namespace, asked, accept)
            yield page
            metadata = page.get("metadata") or {}
            if not metadata.get("continue"):
                return
            progress.add(len(page.get("rows") or page.get("items") or []), metadata.get("remainingItemCount"))
            asked["continue"] = metadata["continue"]
    finally:
        progress.clear()


def list_objects(
    session: "Session", resource: Resource, namespace: str, *, selector: str = "", field_selector: str = "", chunk_size: int = 500
) -> list[Object]:
    """All objects of a collection, each with its kind and version."""
    objects: list[Object] = []
    for page in list_pages(session, resource, namespace, selector=selector, field_selector=field_selector, chunk_size=chunk_size):
        objects += typed_items(page)
    return objects


def typed_items(page: Object) -> list[Object]:
    """A list's items with the kind and version that the wire leaves out."""
    kind, version = str(page.get("kind", "")).removesuffix("List"), page.get("apiVersion", "")
    return [item if "kind" in item else {"apiVersion": version, "kind": kind, **item} for item in page.get("items") or []]


def _page(session: "Session", resource: Resource, namespace: str, query: "Query", accept: str) -> Object:
    try:
        return session.get(resource.path(namespace), query, accept)
    except StatusError as error:
        if error.code not in (400, 404) or error.reason == "Expired":
            raise
        subject = f"{resource.group}/{resource.version}, Resource={resource.plural}"
        labels, fields = query["labelSelector"], query["fieldSelector"]
        text = f'Unable to list "{subject}": {error.message}'
        if labels or fields:
            text = f'Unable to find "{subject}" that match label selector "{labels}", field selector "{fields}": {error.message}'
        raise StatusError(error.code, error.reason, text, error.details) from error


class Progress:
    """How much of a long list is here already: one line on a terminal's stderr, gone when all is here."""

    def __init__(self, session: "Session") -> None:
        self._err = session.err
        self._shown = False
        self._count = 0

    def add(self, count: int, remaining: int | None) -> None:
        """So many more are here, and so many are still to come, if that is known."""
        self._count += count
        if self._count < PROGRESS_OBJECTS or not self._err.isatty():
            return
        total = f" of {self._count + remaining:,}" if remaining is not None else ""
        self._err.write(f"\rreading {self._count:,}{total} objects\x1b[K")
        self._err.flush()
        self._shown = True

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self._err.write("\r\x1b[K")
            self._err.flush()
