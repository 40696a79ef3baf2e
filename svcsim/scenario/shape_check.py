"""What the shape of a scenario file says: every value is what `svcsim.scenario.format` wants in its place.

A value with holes is checked with its holes filled, as far as that is known before the run; so expressions are compiled here, and files of
objects are read. What a shape can't say follows in `svcsim.scenario.meaning`.
"""

import difflib
import re
from pathlib import Path

from svcsim.meta.types import Json, Object
from svcsim.scenario import interpolation
from svcsim.scenario.expressions import Expression, ExpressionError, Expressions, NeitherError, Unknown
from svcsim.scenario.load import Mistake, Node, Position, ScenarioError, as_node, read_nodes
from svcsim.scenario.scalars import describe, wrong
from svcsim.scenario.shapes import (
    Anything,
    ApiObject,
    Cel,
    Either,
    Field,
    KindName,
    ListOf,
    ManifestPath,
    MapOf,
    PluginName,
    SettingsFile,
    Shape,
    Struct,
)
from svcsim.scenario.suggestions import suggest

_VARIABLE = re.compile(r"(?<![\w.])vars\.\??([A-Za-z_]\w*)")
_SAVED = re.compile(r"(?<![\w.])saved\.\??([A-Za-z_]\w*)")


class ShapeCheck:
    """One pass over one file, and what it came upon."""

    def __init__(self, file: str, variables: Object, expressions: Expressions, *, filled: bool = False) -> None:
        self.mistakes: list[Mistake] = []
        self.made: dict[str, tuple[str, Position]] = {}
        """Kinds of the objects that the scenario and its manifests hold."""
        self.manifests: dict[str, None] = {}
        self.named: list[Node] = []
        """Where the scenario names a kind of objects to look at or to act on."""
        self.plugins: list[Node] = []
        """Where it names an admission plugin."""
        self.asked_for: list[tuple[str, Position]] = []
        """The names of what was saved, where they are used."""
        self._file = file
        self._variables = variables
        self._expressions = expressions
        self._has_holes = not filled

    def shape(self, node: Node, shape: Shape) -> None:
        """Check a value, and all that is in it, against its shape."""
        if self._has_holes and interpolation.has_holes(node.value) and not isinstance(shape, Cel):
            filled = self.filled(node)
            if filled is None:
                return
            node = filled
        match shape:
            case Struct():
                self._struct(node, shape)
            case ListOf():
                self._list(node, shape)
            case MapOf():
                self._map(node, shape)
            case Either(scalar, other):
                self.shape(node, other if isinstance(node.value, dict | list) else scalar)
            case Anything():
                self._anything(node)
            case ApiObject(names):
                self._object(node, names)
            case Cel(condition):
                self._expression(node, condition=condition)
            case _:
                self._scalar(node, shape)

    def report(self, position: Position, message: str) -> None:
        self.mistakes.append(Mistake(self._file, position, message))

    def _struct(self, node: Node, shape: Struct) -> None:
        if not isinstance(node.value, dict):
            hint = _sketch(shape)
            self.report(node.position, f"{shape.what} is a map{hint}, not {describe(node.value)}")
            return
        fields = {known.name: known for known in shape.fields}
        for name, child in node.value.items():
            if name in fields:
                self.shape(child, fields[name].shape)
            elif name in shape.later:
                if shape.exactly_one or child.value not in (None, [], {}):  # what says what to do can't be left out by being empty
                    instead = f"; {shape.later[name]}" if shape.later[name] else ""
                    self.report(node.keys[name], f"{name!r} is not supported yet{instead}")
            else:
                self.report(node.keys[name], f"{shape.what} has no field {name!r}{suggest(name, fields)}")
        self._presence(node, shape, fields)

    def _presence(self, node: Node, shape: Struct, fields: dict[str, Field]) -> None:
        strange = [name for name in node.value if name not in fields]
        mistyped = [close for name in strange for close in difflib.get_close_matches(name, list(fields), n=1)]
        for name in (known.name for known in fields.values() if known.required and known.name not in [*node.value, *mistyped]):
            self.report(node.position, f"{shape.what} needs {name!r}: {fields[name].doc}")
        chosen = [name for name in node.value if name in shape.exactly_one]
        if shape.exactly_one and not chosen and not strange:
            self.report(node.position, f"{shape.what} needs one of {', '.join(shape.exactly_one)}")
        for name in chosen[1:]:
            self.report(node.keys[name], f"{shape.what} takes one of {', '.join(shape.exactly_one)}; {chosen[0]!r} is there already")
        if shape.at_least_one and not strange and not any(name in node.value for name in shape.at_least_one):
            self.report(node.position, f"{shape.what} needs at least one of {', '.join(shape.at_least_one)}")

    def _list(self, node: Node, shape: ListOf) -> None:
        if not isinstance(node.value, list):
            self.report(node.position, f"expected a list (items begin with a dash), not {describe(node.value)}")
            return
        if not node.value and not shape.empty:
            self.report(node.position, "the list is empty, which says nothing; leave it out")
        for child in node.value:
            self.shape(child, shape.item)

    def _map(self, node: Node, shape: MapOf) -> None:
        if not isinstance(node.value, dict):
            self.report(node.position, f"expected a map (key: value), not {describe(node.value)}")
            return
        if not node.value and not shape.empty:
            self.report(node.position, "the map is empty, which says nothing; leave it out")
        for child in node.value.values():
            self.shape(child, shape.value)

    def _note_made(self, file: str, node: Node) -> None:
        if isinstance(node.value, dict) and "kind" in node.value:
            kind = node.value["kind"]
            self.made.setdefault(str(kind.value), (file, kind.position))

    def _object(self, node: Node, names: tuple[str, ...]) -> None:
        self._note_made(self._file, node)
        if missing := _incomplete(node, names):
            self.report(node.position, missing)
        self._anything(node)

    def _anything(self, node: Node) -> None:
        children = node.value.values() if isinstance(node.value, dict) else node.value if isinstance(node.value, list) else ()
        for child in children:
            self.shape(child, Anything())

    def _scalar(self, node: Node, shape: Shape) -> None:
        message = wrong(node.value, shape)
        if message:
            self.report(node.position, message)
        elif isinstance(shape, ManifestPath):
            self._file_of_objects(node, shape)
        elif isinstance(shape, KindName):
            self.named.append(node)
        elif isinstance(shape, PluginName):
            self.plugins.append(node)
        elif isinstance(shape, SettingsFile):
            self._file_of_settings(node)

    def _expression(self, node: Node, *, condition: bool) -> None:
        if isinstance(node.value, bool):
            return
        if not isinstance(node.value, str):
            self.report(node.position, f"expected an expression (CEL, in quotes), not {describe(node.value)}")
        elif found := interpolation.holes(node.value) if self._has_holes else []:
            for hole in found:
                self._compiled(node, hole.expression, hole.offset)
        else:
            expression = self._compiled(node, node.value, 0)
            if condition and expression is not None and not expression.may_be_condition:
                self.report(node.position, f"expression {node.value!r} is neither true nor false, whatever it is asked of")
            elif condition and expression is not None and self._has_holes and expression.needs_only_vars:
                self._holds(node, expression)

    def _holds(self, node: Node, expression: Expression) -> None:
        try:
            self._expressions.holds(expression, {"vars": self._variables})
        except NeitherError as error:
            self.report(node.text_position, str(error))

    def _compiled(self, node: Node, text: str, offset: int) -> Expression | None:
        try:
            expression = self._expressions.compile(text)
        except ExpressionError as error:
            self.report(node.place_of(offset + error.offset), f"expression {text!r}: {error}")
            return None
        self.asked_for += [(match.group(1), node.place_of(offset + match.start(1))) for match in _SAVED.finditer(text)]
        for match in _VARIABLE.finditer(text) if self._has_holes else ():
            if match.group(1) not in self._variables:
                hint = suggest(match.group(1), self._variables) or "; spec.vars has none"
                self.report(node.place_of(offset + match.start(1)), f"there is no variable {match.group(1)!r}{hint}")
                return None
        return expression

    def filled(self, node: Node) -> Node | None:
        """The value with its holes filled, as far as it is known before the run; None where it can't."""
        position = node.position
        compiled = {hole.expression: self._compiled(node, hole.expression, hole.offset) for hole in interpolation.holes(node.value)}
        if any(expression is None or expression.mentions("saved") for expression in compiled.values()):
            return None
        unknown: list[str] = []

        def evaluate(text: str) -> Json:
            expression = compiled[text]
            assert expression is not None, "what didn't compile was reported above"
            value = self._expressions.evaluate(expression, {"vars": self._variables})
            if isinstance(value, Unknown):
                unknown.append(f"${{{text}}}: {value.reason}")
                return None
            return value

        value = interpolation.expand(node.value, evaluate)
        for reason in unknown:
            self.report(position, reason)
        return None if unknown else as_node(value, position)

    def _file_of_settings(self, node: Node) -> None:
        """Only that it is there: what has to stand in it is for the cluster to say."""
        path = Path(self._file).parent / str(node.value)
        if path.is_file():
            self.manifests[str(path)] = None
        else:
            self.report(node.position, f"there is no file {path}")

    def _file_of_objects(self, node: Node, shape: ManifestPath) -> None:
        path = Path(self._file).parent / str(node.value)
        if not path.is_file():
            near = sorted(found.name for found in path.parent.glob("*.y*ml")) if path.parent.is_dir() else []
            self.report(node.position, f"there is no file {path}{suggest(path.name, near) if near else ''}")
            return
        self.manifests[str(path)] = None
        try:
            documents = list(read_nodes(str(path)))
        except ScenarioError as error:
            self.mistakes.extend(error.mistakes)
            return
        if not documents:
            self.report(node.position, f"{path} contains no objects")
        objects = [one for found in documents for one in _items(found)]
        if shape.single and len(objects) > 1:
            self.report(node.position, f"{path} contains {len(objects)} objects; a template is one")
        for one in objects:
            self._note_made(str(path), one)
            if missing := _incomplete(one, shape.names):
                self.mistakes.append(Mistake(str(path), one.position, missing))


def _incomplete(node: Node, names: tuple[str, ...]) -> str:
    """What an object lacks to be sent; nothing if it is whole."""
    if not isinstance(node.value, dict):
        return f"an object is a map (apiVersion, kind, metadata, …), not {describe(node.value)}"
    for name, is_right in (("apiVersion", str), ("kind", str), ("metadata", dict)):
        if name not in node.value:
            return f"an object needs {name!r}"
        value = node.value[name].value
        if not isinstance(value, is_right) or value == "":
            return f"an object's {name} is {'a map' if is_right is dict else 'a string'}, not {describe(value)}"
    metadata = node.value["metadata"].value
    if names and not any(name in metadata and metadata[name].value not in (None, "") for name in names):
        return f"an object needs metadata.{' or metadata.'.join(names)}"
    return ""


def _items(document: Node) -> list[Node]:
    """The objects of a document: itself, or what a List holds."""
    fields = document.value if isinstance(document.value, dict) else {}
    if "items" in fields and fields.get("kind") is not None and fields["kind"].value == "List" and isinstance(fields["items"].value, list):
        return list(fields["items"].value)
    return [document]


def _sketch(shape: Struct) -> str:
    names = [known.name for known in shape.fields][:3]
    return f" ({', '.join(names)}, …)" if len(shape.fields) > len(names) else f" ({', '.join(names)})"
