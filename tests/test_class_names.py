"""No two public classes of one name within reach of each other: in one room, or where one's room imports the other, or a file both."""

import ast
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import svcsim
from tests.source_trees import Outline, outline

SOURCES = Path(svcsim.__file__).parent


def test_a_public_class_has_its_name_for_itself_within_reach():
    classes: dict[str, list[str]] = {}
    names_of: dict[str, set[str]] = {}
    for path in sorted(SOURCES.rglob("*.py")):
        module = ".".join(path.relative_to(SOURCES).with_suffix("").parts)
        found = outline(path)
        names_of[module] = set(imported(found))
        for name in found.classes:
            if not name.startswith("_"):
                classes.setdefault(name, []).append(module)
    shared = {
        name: (one, other)
        for name, modules in classes.items()
        for one, other in combinations(modules, 2)
        if within_reach(one, other, names_of)
    }
    assert shared == {}


def within_reach(one: str, other: str, names_of: dict[str, set[str]]) -> bool:
    rooms = {one: one.partition(".")[0], other: other.partition(".")[0]}
    if rooms[one] == rooms[other]:
        return True
    for module, names in names_of.items():
        room = module.partition(".")[0]
        if {one, other} <= names or (room == rooms[one] and other in names) or (room == rooms[other] and one in names):
            return True
    return False


def imported(module: Outline) -> Iterator[str]:
    """The modules of ours that a module imports, without ``svcsim.``."""
    for node in module.imports:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "svcsim":
            yield node.module.removeprefix("svcsim.")
            yield from (f"{node.module}.{one.name}".removeprefix("svcsim.") for one in node.names)
