"""Reading a scenario file so that every value remembers where it stands.

The checker tells mistakes by line and column, and so do reports of failed steps. Plain JSON values can't carry positions; a tree of
`Node` can, and `Node.plain` gives the values once the checker has seen them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import yaml

from svcsim.meta import yaml_scalars
from svcsim.meta.types import Json


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
    """Of a map: where each key stands."""

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
        text = Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise ScenarioError([Mistake(file, Position(1, 1), f"can't be read: {error.strerror or error}")]) from None
    except UnicodeDecodeError as error:
        raise ScenarioError([Mistake(file, Position(1, 1), f"is not UTF-8 at byte {error.start}")]) from None
    mistakes: list[Mistake] = []
    try:
        for document in yaml.compose_all(text, Loader=yaml.CSafeLoader):
            if document is not None:
                yield _node(document, file, mistakes)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        position = Position(mark.line + 1, mark.column + 1) if mark else Position(1, 1)
        mistakes.append(Mistake(file, position, f"not YAML: {error.problem or error.context}"))
    except yaml.reader.ReaderError as error:
        mistakes.append(Mistake(file, Position(1, 1), f"not YAML: {error.reason}"))
    if mistakes:
        raise ScenarioError(mistakes)


def _node(source: yaml.Node, file: str, mistakes: list[Mistake]) -> Node:
    position = Position(source.start_mark.line + 1, source.start_mark.column + 1)
    if isinstance(source, yaml.SequenceNode):
        return Node([_node(child, file, mistakes) for child in source.value], position, position)
    if isinstance(source, yaml.MappingNode):
        return _map(source, position, file, mistakes)
    assert isinstance(source, yaml.ScalarNode), "there are no other nodes"
    quoted = source.style in {"'", '"'}
    plain = not source.style and source.tag != "tag:yaml.org,2002:str"
    value = yaml_scalars.resolve(source.value) if plain else source.value
    return Node(value, position, Position(position.line, position.column + 1) if quoted else position)


def _map(source: yaml.MappingNode, position: Position, file: str, mistakes: list[Mistake]) -> Node:
    node = Node({}, position, position)
    for key_source, value_source in source.value:
        key_position = Position(key_source.start_mark.line + 1, key_source.start_mark.column + 1)
        if not isinstance(key_source, yaml.ScalarNode):
            mistakes.append(Mistake(file, key_position, "a map or a list can't be a key"))
            continue
        key = str(key_source.value)
        if key in node.value:
            mistakes.append(Mistake(file, key_position, f"{key!r} is given twice; first in line {node.keys[key].line}"))
        node.value[key] = _node(value_source, file, mistakes)
        node.keys[key] = key_position
    return node
