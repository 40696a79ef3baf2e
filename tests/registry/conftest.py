"""A real store for what the registry rests on."""

from tests.storage.conftest import opened, store

__all__ = ["opened", "store"]
