"""Classes that are data and never change, of which there are many: nobody but the type checker keeps them from being changed.

A frozen dataclass takes four times as long to be defined, which every start of a server waits for, and several times as long to be made.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(*, kw_only: bool = False, init: bool = True, eq: bool = True) -> Callable[[type[T]], type[T]]:
    """A decorator, as `dataclass` is."""
    return dataclass(eq=eq, unsafe_hash=eq, repr=False, slots=True, kw_only=kw_only, init=init)
