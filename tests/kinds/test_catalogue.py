"""The catalogue says of every kind what the kind says itself."""

import pytest

from svcsim.dialect import KUBERNETES, SVCAPI
from svcsim.kinds.all import CATALOGUE, kinds_of
from svcsim.registry.kind_entry import KindEntry


@pytest.mark.parametrize("dialect", [KUBERNETES, SVCAPI], ids=lambda dialect: dialect.name)
def test_the_catalogue_is_current(dialect):
    """Each entry beside its kind."""
    entries = kinds_of(dialect)
    assert len(entries) == len(CATALOGUE)
    for entry in entries:
        kind = entry.load()
        said = (entry.group, entry.plural, entry.name, entry.namespaced, entry.served)
        assert said == (kind.group, kind.plural, kind.name, kind.namespaced, kind.served)
        assert _identity(entry.stored_as) == (None if kind.conversion is None else id(kind.conversion.stored_as))


def _identity(entry: KindEntry | None) -> int | None:
    return None if entry is None else id(entry.load())
