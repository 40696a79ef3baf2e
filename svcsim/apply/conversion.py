"""How ownership asks for objects in other versions of the API.

What is pure calls nothing that isn't: conversion may be a webhook's, and have to be awaited. So `update` and `apply` are generators. Each
value they yield is a `ConversionRequest`, a batch of objects that is wanted in another version; what is to be sent back is the batch as
`Converted`, or None for a version that is there no more. A write all of whose managers wrote in its own version never asks.
"""

from collections.abc import Generator
from typing import NamedTuple, TypeAlias, TypeVar

from svcsim.apply.reset_fields import ALL_FIELDS, FieldFilter
from svcsim.apply.topology import Node
from svcsim.meta.types import Object

T = TypeVar("T")


class ConversionRequest(NamedTuple):
    """Whole objects of one version that are wanted in another."""

    objects: tuple[Object, ...]
    source: str
    target: str


class Converted(NamedTuple):
    """The objects as that version shows them, how they merge there, and which fields the write in question may change there."""

    objects: tuple[Object, ...]
    node: Node
    written: FieldFilter = ALL_FIELDS


Conversions: TypeAlias = Generator[ConversionRequest, Converted | None, T]
"""What asks for conversions on its way to a result."""
