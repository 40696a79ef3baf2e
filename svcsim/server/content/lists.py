"""The body of a collection, built from the bytes of its records.

Nothing is decoded and encoded again: an item is its record's body without the kind and version it begins with, which lists of built-in
kinds leave out. A long list is handed on in pieces of known total length, so that 50 MB of pods never stand in memory twice.
"""

from collections.abc import AsyncIterator

from svcsim import limits
from svcsim.meta.codec import encode
from svcsim.meta.http import Response
from svcsim.meta.types import Object
from svcsim.registry.listings import Listing, WholeList
from svcsim.registry.resource import Resource
from svcsim.server.content.json_form import END
from svcsim.storage.contract import Record

_CLOSING = b"]}" + END


def list_metadata(listing: Listing) -> Object:
    """The ``metadata`` of a collection, in whatever form it is served."""
    metadata: Object = {"resourceVersion": str(listing.revision)}
    if listing.continue_token:
        metadata["continue"] = listing.continue_token
        if listing.remaining is not None:
            metadata["remainingItemCount"] = listing.remaining
    return metadata


def list_response(resource: Resource, listing: Listing) -> Response:
    """A collection as plain JSON."""
    return records_response(resource, list_metadata(listing), listing.records)


def records_response(resource: Resource, metadata: Object, records: list[Record]) -> Response:
    """Any records of one kind as its list kind, as plain JSON."""
    opening = _opening(resource, metadata)
    skipped = _skipped(resource)
    if not records:
        return Response(200, opening + _CLOSING)
    # Every item takes its body, less what it begins with, a brace and a comma; the last has no comma, but the end of the list.
    size = len(opening) + sum([len(record.body) for record in records]) + len(records) * (2 - skipped) - 1 + len(_CLOSING)
    if size <= limits.WHOLE_BODY_BYTES:
        return Response(200, b"".join([opening, b"{", b",{".join([record.body[skipped:] for record in records]), _CLOSING]))
    return Response(200, headers={"Content-Length": str(size)}, stream=_pieces(opening, records, skipped))


def streamed_response(resource: Resource, whole: WholeList) -> Response:
    """A long list as plain JSON, sent while it is being read. If that fails, the answer breaks off, so that it isn't taken for complete."""
    opening = _opening(resource, {"resourceVersion": str(whole.revision)})
    return Response(200, stream=_streamed(opening, whole, _skipped(resource)), expected_bytes=limits.WHOLE_BODY_BYTES)


def _skipped(resource: Resource) -> int:
    """How much of an item's body the list leaves out: the brace, and of built-in kinds what is the same of all items."""
    return 1 if resource.kind.custom else len(resource.prefix)


def _opening(resource: Resource, metadata: Object) -> bytes:
    return encode({"kind": resource.kind.list_name, "apiVersion": resource.api_version, "metadata": metadata})[:-1] + b',"items":['


async def _streamed(opening: bytes, whole: WholeList, skipped: int) -> AsyncIterator[bytes]:
    yield opening + b",".join([b"{" + body[skipped:] for body in whole.first])
    async for _, bodies in whole.rest:
        yield b",{" + b",{".join([body[skipped:] for body in bodies])
    yield _CLOSING


async def _pieces(opening: bytes, records: list[Record], skipped: int) -> AsyncIterator[bytes]:
    """A list in pieces of about `limits.LIST_PIECE_BYTES`."""
    separator = opening + b"{"
    items: list[bytes] = []
    size = 0
    for record in records:
        items.append(record.body[skipped:])
        size += len(record.body)
        if size >= limits.LIST_PIECE_BYTES:
            yield separator + b",{".join(items)
            separator = b",{"
            items = []
            size = 0
    yield (separator + b",{".join(items) if items else b"") + _CLOSING
