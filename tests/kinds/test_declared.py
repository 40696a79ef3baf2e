"""What the kinds declare is what they have always declared, and each of them is served."""

import importlib
import pkgutil
from difflib import unified_diff
from pathlib import Path

import pytest

from svcsim import kinds
from svcsim.kinds.all import KINDS
from svcsim.registry.kind import Kind
from tests.kinds.declared import declared

KNOWN = Path(__file__).with_name("declared.txt")


def test_nothing_that_clients_rely_on_has_changed():
    changes = unified_diff(KNOWN.read_text().splitlines(), [*declared().splitlines()], "declared.txt", "svcsim/kinds", lineterm="", n=1)
    found = "\n".join(changes)
    assert not found, f"if this is meant, run: python -m tests.kinds.declared > tests/kinds/declared.txt\n{found}"


def test_every_kind_there_is_is_listed():
    modules = [importlib.import_module(module.name) for module in pkgutil.walk_packages(kinds.__path__, f"{kinds.__name__}.")]
    found = {f"{module.__name__}.{name}": value for module in modules for name, value in vars(module).items() if isinstance(value, Kind)}
    assert [name for name, kind in found.items() if not any(kind is listed for listed in KINDS)] == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.name}-{kind.group.version}")
def test_a_kind_with_a_field_for_it_has_a_status(kind: Kind):
    assert (kind.status is not None) == (kind.schema.field("status") is not None)
