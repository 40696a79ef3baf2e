"""Our source as trees, and the short way to what stands in statements: expressions are ten times as many, and hold none.

To parse all of it takes seconds, and the trees a quarter of a gigabyte: of each file what several tests ask for is kept, and no more.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

BLOCKS = ("body", "handlers", "cases", "orelse", "finalbody")
"""Where statements hold other statements, in the order they are written."""


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements below, as they are written, those of functions and classes too, with the heads of handlers and cases."""
    for block in BLOCKS:
        for node in getattr(tree, block, ()):
            yield node
            yield from statements(node)


class Outline(NamedTuple):
    """What a module imports, wherever that stands, and the names of the classes it defines for others to see."""

    imports: tuple[ast.Import | ast.ImportFrom, ...]
    classes: tuple[str, ...]


@cache
def outline(path: Path) -> Outline:
    tree = ast.parse(path.read_text())
    return Outline(tuple(imports(tree)), tuple(node.name for node in tree.body if isinstance(node, ast.ClassDef)))


def imports(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports of a module, wherever they stand."""
    return (node for node in statements(tree) if isinstance(node, ast.Import | ast.ImportFrom))
