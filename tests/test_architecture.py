"""What the map of the code says of rooms, layers and libraries is so."""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.source_trees import outline

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "svcsim"
PAGE = (ROOT / "docs/architecture.md").read_text()
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def first_cells(table: str) -> list[str]:
    """The names in the first column of a table, in their order."""
    return [name.rstrip("/") for cell in re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE) for name in re.findall(r"`([^`]+)`", cell)]


def parts_of(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if not path.name.startswith("__")}


@cache
def libraries() -> dict[str, set[str]]:
    """The rooms that import each library of the page; to parse all files would take seconds, and most have none of them in any import."""
    named = "|".join(re.escape(library) for library, _ in LIBRARIES)
    line = re.compile(rf"^.*\b(?:import|from)\b.*\b(?:{named})\b", re.MULTILINE)
    found: dict[str, set[str]] = {}
    for path in SOURCES.rglob("*.py"):
        if not line.search(path.read_text()):
            continue
        for node in outline(path).imports:
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else [node.module]
            for name in names:
                found.setdefault(str(name).partition(".")[0], set()).add(path.relative_to(SOURCES).parts[0])
    return found


def test_the_table_of_rooms_names_every_room_and_no_other():
    rooms = first_cells(section("The rooms"))
    assert len(rooms) == len(set(rooms))
    assert set(rooms) == parts_of(SOURCES)


def test_the_table_of_the_command_line_names_all_its_parts():
    assert {name.removeprefix("cli/") for name in first_cells(section("The command line"))} == parts_of(SOURCES / "cli")


def test_the_row_of_the_server_names_all_its_parts():
    row = next(line for line in PAGE.splitlines() if line.startswith("| `server/` |"))
    named = {name.removeprefix("server/").rstrip("/") for name in re.findall(r"`([^`]+)`", row.split("|")[2])}
    assert parts_of(SOURCES / "server") - named <= {"standard_paths.py"}


def test_the_layers_are_those_of_the_contract():
    written = re.findall(r"`([^`]+)`", section("The layers").split("\n\n")[1])
    assert [layer.split(" | ") for layer in written] == layers("svcsim")


def test_the_server_has_all_its_rooms_in_a_contract():
    assert {name for layer in layers("svcsim.server") for name in layer} == {
        name.removesuffix(".py") for name in parts_of(SOURCES / "server")
    }


def layers(container: str) -> list[list[str]]:
    (contract,) = (one for one in CONTRACTS if one["type"] == "layers" and one["containers"] == [container])
    return [layer.split(" | ") for layer in contract["layers"]]


LIBRARIES = [
    (library, tuple(re.findall(r"`([^`]+)`", rooms)))
    for clause in re.split(r",\s", re.search(r"^- (`\w+` is imported in .+?)\.$", PAGE, re.MULTILINE | re.DOTALL)[1])  # type: ignore[index]
    for named, _, rooms in [" ".join(clause.split()).rpartition(" in ")]
    for library in re.findall(r"`([^`]+)`", named)
]


@pytest.mark.parametrize(("library", "rooms"), LIBRARIES)
def test_a_library_is_imported_where_the_page_says_and_nowhere_else(library: str, rooms: tuple[str, ...]):
    assert libraries()[library] == set(rooms) != set()


def test_init_files_hold_a_docstring_and_nothing_else():
    bodies = {path: ast.parse(path.read_text()).body for path in SOURCES.rglob("__init__.py")}
    assert [path for path, body in bodies.items() if len(body) != 1 or not isinstance(body[0], ast.Expr)] == []


def test_a_word_of_the_glossary_is_one_of_the_code_and_they_are_few():
    words = re.findall(r"^- \*\*(.+?)\*\*: .+$", (ROOT / "docs/glossary.md").read_text(), re.MULTILINE)
    assert 0 < len(words) <= 40
    assert sorted(words) == words
    missing = {part for word in words for part in word.lower().split()}
    for path in SOURCES.rglob("*.py"):
        text = f"{path.stem} {path.read_text()}".lower()
        if any(part in text for part in missing):
            missing -= {part.lower() for name in identifiers(path) for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}
    assert missing == set()


def identifiers(path: Path) -> set[str]:
    """The names of modules, classes, functions, arguments and attributes, and of what is named by being assigned."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    defined = {node.name for node in nodes if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)}
    return (
        defined
        | {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        | {node.arg for node in nodes if isinstance(node, ast.arg)}
        | {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        | {path.stem}
    )
