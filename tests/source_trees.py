"""Our source as trees, and the short way to what stands in statements: expressions are ten times as many, and hold none."""

import ast
from collections.abc import Iterator

BLOCKS = ("body", "handlers", "cases", "orelse", "finalbody")
"""Where statements hold other statements, in the order they are written."""


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements below, as they are written, those of functions and classes too, with the heads of handlers and cases."""
    for block in BLOCKS:
        for node in getattr(tree, block, ()):
            yield node
            yield from statements(node)


def imports(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports of a module, wherever they stand."""
    return (node for node in statements(tree) if isinstance(node, ast.Import | ast.ImportFrom))
