"""The body of a collection, built from the bytes of its records.

Nothing is decoded and encoded again: an item is its record's body without the kind and version it begins with, which lists of built-in
kinds leave out. A long list is handed on in pieces of known total length, so that 50 MB of pods never stand in memory twice.
"""

from collections.abc import AsyncIterator, Iterator

from svcsim import limits
from svcsim.meta.codec import encode
from svcsim.meta.http import Response
from svcsim.meta.types import Object
from svcsim.registry.registry import Listing
from svcsim.registry.scheme import Resource
from svcsim.storage.contract import Record


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
    head = {"kind": f"{resource.kind.name}List", "apiVersion": resource.api_version, "metadata": metadata}
    opening = encode(head)[:-1] + b',"items":['
    skipped = len(resource.prefix)
    size = len(opening) + 2 + sum([len(record.body) for record in records]) - len(records) * (skipped - 2)
    size -= 1 if records else 0  # no comma before the first
    if size <= limits.WHOLE_BODY_BYTES:
        return Response(200, b"".join([opening, *_items(records, skipped), b"]}"]))
    return Response(200, headers={"Content-Length": str(size)}, stream=_pieces(opening, records, skipped))


def _items(records: list[Record], skipped: int) -> Iterator[bytes]:
    """The items between the brackets."""
    if records:
        yield b"{"
        yield b",{".join([record.body[skipped:] for record in records])


async def _pieces(opening: bytes, records: list[Record], skipped: int) -> AsyncIterator[bytes]:
    """The same in pieces of about `limits.LIST_PIECE_BYTES`."""
    batch = [opening]
    size = 0
    separator = b"{"
    for record in records:
        batch.append(separator)
        batch.append(record.body[skipped:])
        separator = b",{"
        size += len(record.body)
        if size >= limits.LIST_PIECE_BYTES:
            yield b"".join(batch)
            batch = []
            size = 0
    batch.append(b"]}")
    yield b"".join(batch)
