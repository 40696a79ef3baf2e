"""Reading a scenario file so that every value remembers where it stands.

The checker tells mistakes by line and column, and so do reports of failed steps. Plain JSON values can't carry positions; a tree of
`Node` can, and `Node.plain` gives the values once the checker has seen them.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import yaml

from svcsim import limits
from svcsim.meta import yaml_scalars
from svcsim.meta.types import Json
from svcsim.scenario.files import STANDARD_INPUT


class Position(NamedTuple):
    """Where something begins in a file, both counted from 1."""

    line: int
    column: int


class Mistake(NamedTuple):
    """One thing that is wrong with a scenario, and what was meant."""

    file: str
    position: Position
    message: str

    def __str__(self) -> str:
        """As editors and terminals let one jump to it."""
        return f"{self.file}:{self.position.line}:{self.position.column}: {self.message}"


class ScenarioError(Exception):
    """A scenario that can't be run; holds everything that is wrong with it."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        super().__init__("\n".join(str(mistake) for mistake in mistakes))
        self.mistakes = mistakes


@dataclass(slots=True)
class Node:
    """A value with its place: a scalar, a list of nodes or a map of nodes."""

    value: Json
    position: Position
    text_position: Position
    """Where a scalar's own text begins, past the quote."""
    keys: dict[str, Position] = field(default_factory=dict)
    """The position of each key, for a map."""
    written: str = ""
    """How a text of several lines stands in the file from there on."""

    def place_of(self, offset: int) -> Position:
        """Where a character of its text stands. Lines may have been folded and indented: what can be seen is counted."""
        line, column = self.text_position
        if not self.written:
            return Position(line, column + offset)
        left = sum(not char.isspace() for char in str(self.value)[:offset])
        for char in self.written:
            if not char.isspace():
                if not left:
                    break
                left -= 1
            line, column = (line + 1, 1) if char == "\n" else (line, column + 1)
        return Position(line, column)

    def plain(self) -> Json:
        """The JSON value without positions."""
        if isinstance(self.value, dict):
            return {key: child.plain() for key, child in self.value.items()}
        if isinstance(self.value, list):
            return [child.plain() for child in self.value]
        return self.value

    def find(self, *path: str | int) -> "Node":
        """The node at a path below this one, or the closest one above it that is there."""
        node = self
        for step in path:
            children = node.value
            if isinstance(children, dict) and step in children:
                node = children[str(step)]
            elif isinstance(children, list) and isinstance(step, int) and step < len(children):
                node = children[step]
            else:
                return node
        return node


def as_node(value: Json, position: Position) -> Node:
    """A value that was put in, all of it standing where its hole stands."""
    if isinstance(value, dict):
        return Node({key: as_node(child, position) for key, child in value.items()}, position, position, dict.fromkeys(value, position))
    if isinstance(value, list):
        return Node([as_node(child, position) for child in value], position, position)
    return Node(value, position, position)


def read_scenario(file: str) -> Node:
    """The one document of a scenario file. Raises `ScenarioError`."""
    documents = list(read_nodes(file))
    if not documents:
        raise ScenarioError([Mistake(file, Position(1, 1), "the file is empty; a scenario begins with `apiVersion: svcsim.dev/v1`")])
    if len(documents) > 1:
        raise ScenarioError([Mistake(file, documents[1].position, "a second document: a file holds one scenario")])
    return documents[0]


def read_nodes(file: str) -> Iterator[Node]:
    """The documents of a YAML file, with positions. Raises `ScenarioError`."""
    try:
        text = (sys.stdin.buffer.read() if file == STANDARD_INPUT else Path(file).read_bytes()).decode("utf-8")
    except IsADirectoryError:
        raise ScenarioError([Mistake(file, Position(1, 1), "the directory holds no scenarios")]) from None
    except OSError as error:
        raise ScenarioError([Mistake(file, Position(1, 1), f"can't be read: {error.strerror or error}")]) from None
    except UnicodeDecodeError as error:
        raise ScenarioError([Mistake(file, Position(1, 1), f"is not UTF-8 at byte {error.start}")]) from None
    mistakes: list[Mistake] = []
    try:
        for document in yaml.compose_all(text, Loader=yaml.CSafeLoader):
            if document is not None:
                yield _Reader(file, text, mistakes).node(document)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        position = Position(mark.line + 1, mark.column + 1) if mark else Position(1, 1)
        mistakes.append(Mistake(file, position, f"not YAML: {error.problem or error.context}"))
    except yaml.reader.ReaderError as error:
        found = yaml.reader.Reader.NON_PRINTABLE.search(text)
        before = text[: found.start()] if found else ""
        place = Position(before.count("\n") + 1, len(before) - before.rfind("\n"))
        mistakes.append(Mistake(file, place, f"not YAML: {error.reason}"))
    if mistakes:
        raise ScenarioError(mistakes)


class _Reader:
    """Brings a document into nodes with positions. What aliases stand for is written out, so it counts what that comes to."""

    def __init__(self, file: str, text: str, mistakes: list[Mistake]) -> None:
        self._file = file
        self._text = text
        self._mistakes = mistakes
        self._left = limits.SCENARIO_VALUES
        self._around: list[yaml.Node] = []

    def node(self, source: yaml.Node) -> Node:
        """A node and all in it. Raises `ScenarioError` where it contains itself, or aliases make too much of it."""
        position = _position(source)
        self._left -= 1
        if self._left < 0:
            raise self._error(position, f"too much: aliases and all, a file may hold {limits.SCENARIO_VALUES} values")
        if isinstance(source, yaml.ScalarNode):
            return self._scalar(source, position)
        if any(source is outer for outer in self._around):
            raise self._error(position, "an alias stands for what it is a part of")
        self._around.append(source)
        if isinstance(source, yaml.MappingNode):
            node = self._map(source, position)
        else:
            node = Node([self.node(child) for child in source.value], position, position)
        self._around.pop()
        return node

    def _error(self, position: Position, message: str) -> ScenarioError:
        return ScenarioError([Mistake(self._file, position, message)])

    def _map(self, source: yaml.MappingNode, position: Position) -> Node:
        node = Node({}, position, position)
        for key_source, value_source in source.value:
            key_position = _position(key_source)
            if not isinstance(key_source, yaml.ScalarNode):
                self._mistakes.append(Mistake(self._file, key_position, "a map or a list can't be a key"))
                continue
            key = str(key_source.value)
            if key in node.value:
                self._mistakes.append(Mistake(self._file, key_position, f"{key!r} is given twice; first in line {node.keys[key].line}"))
            node.value[key] = self.node(value_source)
            node.keys[key] = key_position
        return node

    def _scalar(self, source: yaml.ScalarNode, position: Position) -> Node:
        quoted, block = source.style in {"'", '"'}, source.style in {"|", ">"}
        plain = not source.style and source.tag != "tag:yaml.org,2002:str"
        value = yaml_scalars.resolve(source.value) if plain else source.value
        begins = Position(position.line, position.column + 1) if quoted else Position(position.line + 1, 1) if block else position
        if source.end_mark.line == source.start_mark.line or not isinstance(value, str):
            return Node(value, position, begins if quoted else position)
        written = self._text[source.start_mark.index : source.end_mark.index]
        return Node(value, position, begins, written=written.partition("\n")[2] if block else written[quoted:])


def _position(source: yaml.Node) -> Position:
    return Position(source.start_mark.line + 1, source.start_mark.column + 1)
