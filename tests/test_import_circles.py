"""No module imports itself, over however many others: not at its top, and not later from within a function.

A lazy import hides a circle from Python, not from whoever wants to understand or move one of the modules, and so does an import
for the type checker alone.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.source_trees import outline

PACKAGE = Path(__file__).resolve().parents[1] / "svcsim"


def _modules(package: Path) -> dict[str, Path]:
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _imports(path: Path) -> Iterator[str]:
    for node in outline(path).imports:
        if isinstance(node, ast.ImportFrom):
            assert node.module, f"line {node.lineno}: modules are imported by their full names"
            assert not node.level, f"line {node.lineno}: modules are imported by their full names"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        else:
            yield from (alias.name for alias in node.names)


def import_graph(package: Path) -> dict[str, list[str]]:
    """Every module of a package with the modules of it that it imports, in the order it does."""
    modules = _modules(package)
    graph = {}
    for name, path in modules.items():
        meant = (target if target in modules else target.rpartition(".")[0] for target in _imports(path))
        graph[name] = list(dict.fromkeys(target for target in meant if target in modules))
    return graph


def circle(graph: dict[str, list[str]]) -> list[str]:
    """A circle, from a module back to itself; empty where there is none."""
    done: dict[str, None] = {}
    for start, targets in graph.items():
        way, open_ = [start], [iter(targets)]
        while way and start not in done:
            following = next(open_[-1], None)
            if following is None:
                done[way.pop()] = None
                open_.pop()
            elif following in way:
                return [*way[way.index(following) :], following]
            elif following not in done:
                way.append(following)
                open_.append(iter(graph[following]))
    return []


def test_no_module_imports_itself_over_others():
    graph = import_graph(PACKAGE)
    assert "svcsim.cli.start" in graph["svcsim.__main__"]
    found = circle(graph)
    assert not found, "an import circle: " + " -> ".join(found)


def test_a_circle_is_found_wherever_its_imports_stand(tmp_path):
    package = tmp_path / "house"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "roof.py").write_text("from house import wall\n")
    (package / "wall.py").write_text("def stand():\n    from house.floor import ground\n    return ground\n")
    (package / "floor.py").write_text("if True:\n    import house.roof\nground = 0\n")
    assert circle(import_graph(package)) == ["house.floor", "house.roof", "house.wall", "house.floor"]


def test_imports_for_the_type_checker_alone_make_a_circle_too(tmp_path):
    package = tmp_path / "house"
    package.mkdir()
    (package / "roof.py").write_text("from house import wall\n")
    (package / "wall.py").write_text("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from house import roof\n")
    assert circle(import_graph(package)) == ["house.roof", "house.wall", "house.roof"]
