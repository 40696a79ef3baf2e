"""How ownership requests objects in other versions of the API.

Pure functions call no impure ones: conversion may take a webhook, and has to be awaited. So `update` and `apply` are generators. Each value
they yield is a request. A `ConversionRequest` is a batch of objects to be converted to another version; the caller sends back the batch as
`Converted`, or None if the version no longer exists. A write all of whose managers wrote in its own version never makes one, and no object
is converted for a write that changes nothing. A `KeptRequest` is about an object in the version it is written in.
"""

from collections.abc import Generator
from typing import NamedTuple, TypeAlias, TypeVar

from svcsim.apply.reset_fields import ALL_FIELDS, FieldFilter
from svcsim.apply.topology import Node
from svcsim.meta.types import Object

T = TypeVar("T")


class ConversionRequest(NamedTuple):
    """Whole objects of one version that are wanted in another. Without objects, how they merge there is all that is asked."""

    objects: tuple[Object, ...]
    source: str
    target: str


class KeptRequest(NamedTuple):
    """An object as an applier wants it, asked for as it will be kept: what the write may not change is there as it was."""

    obj: Object


class Converted(NamedTuple):
    """The objects as that version shows them, how they merge there, and which fields the write in question may change there."""

    objects: tuple[Object, ...]
    node: Node
    written: FieldFilter = ALL_FIELDS


Conversions: TypeAlias = Generator[ConversionRequest | KeptRequest, Converted | None, T]
"""What asks for conversions on its way to a result."""


def converted(objects: tuple[Object, ...], source: str, target: str) -> Conversions[Converted]:
    """Objects in a version that is known to be there: it was when the write began."""
    answer = yield ConversionRequest(objects, source, target)
    assert answer is not None, "the version was there a moment ago"
    return answer


def kept(obj: Object) -> Conversions[Converted]:
    """An object as it will be kept."""
    answer = yield KeptRequest(obj)
    assert answer is not None, "the write is in this version"
    return answer
