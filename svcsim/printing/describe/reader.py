"""How a describer reads related objects from the cluster: its caller supplies the implementation."""

from collections.abc import Mapping
from typing import Protocol

from svcsim.dialect import Dialect
from svcsim.meta.types import Object


class Reader(Protocol):
    """Reads from one cluster, waiting for the answer."""

    @property
    def dialect(self) -> Dialect:
        """The words the cluster uses."""
        ...

    def get(self, path: str, query: Mapping[str, str | int | bool] | None = None) -> Object:
        """The JSON map at a path. Raises `StatusError` and `ConnectionError`."""
        ...
