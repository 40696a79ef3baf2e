"""The check of a whole scenario file before anything of it runs.

All mistakes are reported at once, each with its place and with what was meant. The shape of the file is checked against
`svcsim.scenario.format`; what a shape can't say (names that must differ, files that must be there, pairs that don't go together) follows
below it.
"""

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from svcsim.meta.types import Json, Object
from svcsim.scenario import interpolation
from svcsim.scenario.expressions import Expression, ExpressionError, Expressions, NeitherError, Unknown
from svcsim.scenario.fault_rules import wrong_fault
from svcsim.scenario.format import SCENARIO
from svcsim.scenario.load import Mistake, Node, Position, ScenarioError, read_nodes
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
    Shape,
    Struct,
)

DEFINES_KINDS = "CustomResourceDefinition"
"""The kind whose objects make others: a scenario that has them may name any kind."""
_VARIABLE = re.compile(r"(?<![\w.])vars\.\??([A-Za-z_]\w*)")
_SAVED = re.compile(r"(?<![\w.])saved\.\??([A-Za-z_]\w*)")
_WHILE_IT_RUNS = ("steps", "invariants", "finally")
"""The parts of a spec in which what was saved can be used."""


class Findings(NamedTuple):
    """Everything that is wrong with a scenario, in the order it stands in the file, and the files it reads."""

    mistakes: list[Mistake]
    manifests: tuple[str, ...]


def check(file: str, root: Node, variables: Object, expressions: Expressions, kinds: Sequence[str] = ()) -> Findings:
    """What there is to say of a scenario. ``variables`` are those of one run of it.

    ``kinds`` are those the cluster has; empty where that isn't known before the run.
    """
    checker = _Checker(file, variables, expressions)
    checker.shape(root, SCENARIO)
    if kinds and DEFINES_KINDS not in checker.made:
        checker.kinds(kinds)
    if not checker.mistakes:
        checker.meaning(root)
    unique = dict.fromkeys(checker.mistakes)
    return Findings(sorted(unique, key=lambda mistake: mistake.position), tuple(checker.manifests))


def check_filled(file: str, value: Json, shape: Shape, expressions: Expressions) -> list[str]:
    """What is wrong with a value into which something was put while the scenario runs."""
    checker = _Checker(file, {}, expressions, filled=True)
    checker.shape(_as_node(value, Position(1, 1)), shape)
    return [mistake.message for mistake in checker.mistakes]


def suggest(word: str, known: Iterable[str]) -> str:
    """``, did you mean 'x'?``, or what there is to choose from."""
    options = list(known)
    close = difflib.get_close_matches(word, options, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known: {', '.join(options)}" if options else ""


class _Checker:
    """One pass over one file."""

    def __init__(self, file: str, variables: Object, expressions: Expressions, *, filled: bool = False) -> None:
        self.mistakes: list[Mistake] = []
        self.made: dict[str, None] = {}
        """Kinds of the objects that the scenario and its manifests hold."""
        self.manifests: dict[str, None] = {}
        self._named: list[Node] = []
        """Where the scenario names a kind of objects to look at or to act on."""
        self._file = file
        self._variables = variables
        self._expressions = expressions
        self._has_holes = not filled
        self._asked_for: list[tuple[str, Position]] = []
        """The names of what was saved, where they are used."""

    def shape(self, node: Node, shape: Shape) -> None:
        """Check a value, and all that is in it, against its shape."""
        if self._has_holes and interpolation.has_holes(node.value) and not isinstance(shape, Cel):
            filled = self._filled(node)
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

    def kinds(self, known: Sequence[str]) -> None:
        """Check that what the scenario looks at can be there at all."""
        for node in self._named:
            if node.value not in known:
                self._report(node.position, f"the cluster has no kind {node.value!r}{suggest(str(node.value), known)}")

    def meaning(self, root: Node) -> None:
        """What the shape of a file can't say."""
        steps = root.find("spec", "steps")
        if not steps.value:
            self._report(steps.position, "there are no steps, so nothing would be checked; a step is {id: NAME, do: […], expect: […]}")
        seen: dict[str, Position] = {}
        for step in root.find("spec", "steps").value:
            step_id = step.value["id"]
            if str(step_id.value) in seen:
                self._report(step_id.position, f"a second step {step_id.value!r}; the first is in line {seen[step_id.value].line}")
            seen.setdefault(str(step_id.value), step_id.position)
            for expectation in _listed(step, "expect"):
                self._expectation(expectation)
                for moment in _listed(expectation, "order"):
                    self._moment(moment)
            for fault in _listed(step, "faults"):
                self._fault(fault)
        spec = root.find("spec").value
        declared = list(spec["vars"].value) if "vars" in spec else []
        for row in spec["matrix"].value if "matrix" in spec else []:
            self._known_variables(row, declared)
        self._saved_names(root)
        clock = root.find("spec", "clock").value
        if isinstance(clock, dict) and "speed" in clock and "mode" in clock and clock["mode"].value == "virtual":
            self._report(clock["speed"].position, "virtual time has no speed; leave mode out, or set mode: real")

    def _report(self, position: Position, message: str) -> None:
        self.mistakes.append(Mistake(self._file, position, message))

    def _struct(self, node: Node, shape: Struct) -> None:
        if not isinstance(node.value, dict):
            hint = _sketch(shape)
            self._report(node.position, f"{shape.what} is a map{hint}, not {describe(node.value)}")
            return
        fields = {known.name: known for known in shape.fields}
        for name, child in node.value.items():
            if name in fields:
                self.shape(child, fields[name].shape)
            elif name in shape.later:
                if shape.exactly_one or child.value not in (None, [], {}):  # what says what to do can't be left out by being empty
                    instead = f"; {shape.later[name]}" if shape.later[name] else ""
                    self._report(node.keys[name], f"{name!r} is not supported yet{instead}")
            else:
                self._report(node.keys[name], f"{shape.what} has no field {name!r}{suggest(name, fields)}")
        self._presence(node, shape, fields)

    def _presence(self, node: Node, shape: Struct, fields: dict[str, Field]) -> None:
        strange = [name for name in node.value if name not in fields]
        mistyped = [close for name in strange for close in difflib.get_close_matches(name, list(fields), n=1)]
        for name in (known.name for known in fields.values() if known.required and known.name not in [*node.value, *mistyped]):
            self._report(node.position, f"{shape.what} needs {name!r}: {fields[name].doc}")
        chosen = [name for name in node.value if name in shape.exactly_one]
        if shape.exactly_one and not chosen and not strange:
            self._report(node.position, f"{shape.what} needs one of {', '.join(shape.exactly_one)}")
        for name in chosen[1:]:
            self._report(node.keys[name], f"{shape.what} takes one of {', '.join(shape.exactly_one)}; {chosen[0]!r} is there already")
        if shape.at_least_one and not strange and not any(name in node.value for name in shape.at_least_one):
            self._report(node.position, f"{shape.what} needs at least one of {', '.join(shape.at_least_one)}")

    def _list(self, node: Node, shape: ListOf) -> None:
        if not isinstance(node.value, list):
            self._report(node.position, f"expected a list (items begin with a dash), not {describe(node.value)}")
            return
        if not node.value and not shape.empty:
            self._report(node.position, "the list is empty, which says nothing; leave it out")
        for child in node.value:
            self.shape(child, shape.item)

    def _map(self, node: Node, shape: MapOf) -> None:
        if not isinstance(node.value, dict):
            self._report(node.position, f"expected a map (key: value), not {describe(node.value)}")
            return
        if not node.value and not shape.empty:
            self._report(node.position, "the map is empty, which says nothing; leave it out")
        for child in node.value.values():
            self.shape(child, shape.value)

    def _note_made(self, node: Node) -> None:
        if isinstance(node.value, dict) and "kind" in node.value:
            self.made[str(node.value["kind"].value)] = None

    def _object(self, node: Node, names: tuple[str, ...]) -> None:
        self._note_made(node)
        if missing := _incomplete(node, names):
            self._report(node.position, missing)
        self._anything(node)

    def _anything(self, node: Node) -> None:
        children = node.value.values() if isinstance(node.value, dict) else node.value if isinstance(node.value, list) else ()
        for child in children:
            self.shape(child, Anything())

    def _scalar(self, node: Node, shape: Shape) -> None:
        message = wrong(node.value, shape)
        if message:
            self._report(node.position, message)
        elif isinstance(shape, ManifestPath):
            self._file_of_objects(node, shape)
        elif isinstance(shape, KindName):
            self._named.append(node)

    def _expression(self, node: Node, *, condition: bool) -> None:
        if isinstance(node.value, bool):
            return
        if not isinstance(node.value, str):
            self._report(node.position, f"expected an expression (CEL, in quotes), not {describe(node.value)}")
        elif found := interpolation.holes(node.value) if self._has_holes else []:
            for hole in found:
                self._compiled(node, hole.expression, hole.offset)
        else:
            expression = self._compiled(node, node.value, 0)
            if condition and expression is not None and not expression.may_be_condition:
                self._report(node.position, f"expression {node.value!r} is neither true nor false, whatever it is asked of")
            elif condition and expression is not None and self._has_holes and expression.needs_only_vars:
                self._holds(node, expression)

    def _holds(self, node: Node, expression: Expression) -> None:
        try:
            self._expressions.holds(expression, {"vars": self._variables})
        except NeitherError as error:
            self._report(node.text_position, str(error))

    def _compiled(self, node: Node, text: str, offset: int) -> Expression | None:
        line, column = node.text_position
        try:
            expression = self._expressions.compile(text)
        except ExpressionError as error:
            self._report(Position(line, column + offset + error.offset), f"expression {text!r}: {error}")
            return None
        self._asked_for += [(match.group(1), Position(line, column + offset + match.start(1))) for match in _SAVED.finditer(text)]
        for match in _VARIABLE.finditer(text) if self._has_holes else ():
            if match.group(1) not in self._variables:
                hint = suggest(match.group(1), self._variables) or "; spec.vars has none"
                self._report(Position(line, column + offset + match.start(1)), f"there is no variable {match.group(1)!r}{hint}")
                return None
        return expression

    def _filled(self, node: Node) -> Node | None:
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
            self._report(position, reason)
        return None if unknown else _as_node(value, position)

    def _file_of_objects(self, node: Node, shape: ManifestPath) -> None:
        path = Path(self._file).parent / str(node.value)
        if not path.is_file():
            near = sorted(found.name for found in path.parent.glob("*.y*ml")) if path.parent.is_dir() else []
            self._report(node.position, f"there is no file {path}{suggest(path.name, near) if near else ''}")
            return
        self.manifests[str(path)] = None
        try:
            documents = list(read_nodes(str(path)))
        except ScenarioError as error:
            self.mistakes.extend(error.mistakes)
            return
        if not documents:
            self._report(node.position, f"{path} contains no objects")
        objects = [one for found in documents for one in _items(found)]
        if shape.single and len(objects) > 1:
            self._report(node.position, f"{path} contains {len(objects)} objects; a template is one")
        for one in objects:
            self._note_made(one)
            if missing := _incomplete(one, shape.names):
                self.mistakes.append(Mistake(str(path), one.position, missing))

    def _expectation(self, node: Node) -> None:
        given = node.value
        mode = next(name for name in ("eventually", "always", "never", "order") if name in given)
        if "within" in given and mode not in {"eventually", "order"}:
            self._report(node.keys["within"], f"within is how long something may take to become true; {mode!r} takes for")
        if "for" in given and mode not in {"always", "never"}:
            self._report(node.keys["for"], f"for is how long something must stay true; {mode!r} takes within")

    def _moment(self, node: Node) -> None:
        """What Events say can't be said of other writes, nor when an Event goes."""
        said = next((name for name in ("reason", "message") if name in node.value), "")
        if not said:
            return
        if "kind" in node.value and self._known(node.value["kind"]) not in (None, "Event"):
            self._report(node.keys["kind"], f"only an Event has a {said}; leave kind out, and name what it is about with on")
        if "type" in node.value and self._known(node.value["type"]) == "DELETED":
            self._report(node.keys["type"], f"a {said} is told when its Event is written, not when it is deleted")

    def _fault(self, node: Node) -> None:
        fault = {name: self._known(child) for name, child in node.value.items()}
        if any(value is None for value in fault.values()):
            return  # it is asked again when all of it is known
        for path, message in wrong_fault(fault):
            place = node.find(*path[:-1])
            self._report(place.keys.get(path[-1], place.position), message)

    def _known(self, node: Node) -> Json:
        """A value with its holes filled; None where that takes something saved."""
        if isinstance(node.value, dict):
            values = {name: self._known(child) for name, child in node.value.items()}
            return None if any(value is None for value in values.values()) else values
        if not interpolation.has_holes(node.value):
            return node.plain()
        filled = self._filled(node)
        return None if filled is None else filled.plain()

    def _saved_names(self, root: Node) -> None:
        """What was saved has a name that some action gives it, and can be used only while the scenario runs."""
        spec = root.find("spec")
        actions = [action for step in _listed(spec, "steps") for action in _listed(step, "do")] + _listed(spec, "finally")
        given = [name for action in actions if "save" in action.value for name in action.value["save"].value]
        for name, position in self._asked_for:
            if name not in given:
                self._report(position, f"nothing is saved as {name!r}{suggest(name, given) or '; no action has save'}")
        early = [root.find("metadata"), *(child for name, child in spec.value.items() if name not in _WHILE_IT_RUNS)]
        for node in (found for part in early for found in _strings(part)):
            for hole in interpolation.holes(node.value):
                if self._expressions.compile(hole.expression).mentions("saved"):
                    self._report(node.position, f"${{{hole.expression}}}: nothing is saved before the scenario runs")

    def _known_variables(self, row: Node, declared: list[str]) -> None:
        for name in row.value:
            if name not in declared:
                self._report(row.keys[name], f"there is no variable {name!r} in spec.vars{suggest(name, declared)}")


def _listed(node: Node, name: str) -> list[Node]:
    """What a list of a map holds; nothing if it isn't there."""
    return list(node.value[name].value) if name in node.value else []


def _strings(node: Node) -> Iterator[Node]:
    """All strings in a value."""
    if isinstance(node.value, dict | list):
        for child in node.value.values() if isinstance(node.value, dict) else node.value:
            yield from _strings(child)
    elif isinstance(node.value, str):
        yield node


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


def _as_node(value: Json, position: Position) -> Node:
    """A value that was put in, all of it standing where its hole stands."""
    if isinstance(value, dict):
        return Node({key: _as_node(child, position) for key, child in value.items()}, position, position, dict.fromkeys(value, position))
    if isinstance(value, list):
        return Node([_as_node(child, position) for child in value], position, position)
    return Node(value, position, position)
