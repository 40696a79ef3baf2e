"""A kind's file is tables alone; its rules, defaults, columns and hooks stand in files beside it."""

import ast
from pathlib import Path

import svcsim.kinds
from tests.kinds.helpers import CATALOGUED

ROOM = Path(svcsim.kinds.__file__).parent
TABLES = ("Kind", "Subresource", "earlier_version")


def declares(tree: ast.Module) -> bool:
    values = (node.value for node in tree.body if isinstance(node, ast.Assign))
    return any(isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in TABLES for value in values)


def test_the_file_of_a_kind_or_a_subresource_holds_no_function():
    trees = {path.relative_to(ROOM).as_posix(): ast.parse(path.read_text()) for path in sorted(ROOM.rglob("*.py"))}
    found = {name: tree for name, tree in trees.items() if declares(tree)}
    assert len(found) >= len(CATALOGUED)
    functions = {
        f"{name}:{node.lineno}"
        for name, tree in found.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    assert functions == set()
