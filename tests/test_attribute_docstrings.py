"""A string that says what a field is stands below that field, and not below something else."""

import ast
from collections.abc import Iterator
from pathlib import Path

import svcsim
from tests.source_trees import BLOCKS, statements

ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)
SOURCES = Path(svcsim.__file__).parent
STRAY = '''"""A module."""
X = 1
"""Of X."""
print(X)
"""Of nothing."""

def f():
    """What it does."""
    """Of nothing."""
'''


def test_what_is_said_of_a_field_stands_below_it():
    stray = {path.name: lines for path in sorted(SOURCES.rglob("*.py")) if (lines := list(strays(ast.parse(path.read_text()))))}
    assert stray == {}


def test_a_stray_one_is_found():
    tree = ast.parse(STRAY)
    assert list(strays(tree)) == [5, 9]


def strays(tree: ast.Module) -> Iterator[int]:
    """The lines of strings that stand neither first in a module, class or function nor below an assignment."""
    for owner in (tree, *statements(tree)):
        for block in BLOCKS:
            before: ast.AST | None = None
            for node in getattr(owner, block, ()):
                if is_text(node) and not (isinstance(before, ASSIGNMENTS) if before else is_documented(owner)):
                    yield node.lineno
                before = node


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def is_documented(owner: ast.AST) -> bool:
    return isinstance(owner, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
