"""The check of a whole scenario file before anything of it runs.

All mistakes are reported at once, each with its place and with what was meant. The shape of the file is checked against
`svcsim.scenario.format`; what a shape can't say (names that must differ, files that must be there, pairs that don't go together) follows
below it.
"""

import difflib
import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from svcsim.cluster.settings import Setting, SettingError
from svcsim.meta.times import parse_duration, parse_time
from svcsim.meta.types import Json, Object
from svcsim.scenario import interpolation
from svcsim.scenario.expressions import Expression, ExpressionError, Expressions, Unknown
from svcsim.scenario.format import SCENARIO
from svcsim.scenario.load import Mistake, Node, Position, ScenarioError, read_nodes
from svcsim.scenario.shapes import (
    Anything,
    Cel,
    Either,
    Field,
    Flag,
    KindName,
    ListOf,
    ManifestPath,
    MapOf,
    Moment,
    Number,
    Rate,
    SettingOf,
    Shape,
    Span,
    Struct,
    Text,
)

DEFINES_KINDS = "CustomResourceDefinition"
"""The kind whose objects make others: a scenario that has them may name any kind."""
RATE = re.compile(r"(\d+(?:\.\d+)?)/(ms|s|m|h)\Z")
_VARIABLE = re.compile(r"(?<![\w.])vars\.\??([A-Za-z_]\w*)")


def check(file: str, root: Node, variables: Object, expressions: Expressions, kinds: Sequence[str] = ()) -> list[Mistake]:
    """Everything that is wrong with a scenario, in the order it stands in the file. ``variables`` are those of one run of it.

    ``kinds`` are those the cluster has; empty where that isn't known before the run.
    """
    checker = _Checker(file, variables, expressions)
    checker.shape(root, SCENARIO)
    if kinds and DEFINES_KINDS not in checker.made:
        checker.kinds(kinds)
    if not checker.mistakes:
        checker.meaning(root)
    unique = dict.fromkeys(checker.mistakes)
    return sorted(unique, key=lambda mistake: mistake.position)


def suggest(word: str, known: Iterable[str]) -> str:
    """``, did you mean 'x'?``, or what there is to choose from."""
    options = list(known)
    close = difflib.get_close_matches(word, options, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known: {', '.join(options)}" if options else ""


class _Checker:
    """One pass over one file."""

    def __init__(self, file: str, variables: Object, expressions: Expressions) -> None:
        self.mistakes: list[Mistake] = []
        self.made: dict[str, None] = {}
        """Kinds of the objects that the scenario and its manifests hold."""
        self._named: list[Node] = []
        """Where the scenario names a kind of objects to look at or to act on."""
        self._file = file
        self._variables = variables
        self._expressions = expressions

    def shape(self, node: Node, shape: Shape) -> None:
        """Check a value, and all that is in it, against its shape."""
        if interpolation.has_holes(node.value) and not isinstance(shape, Cel):
            node = self._filled(node)
            if node.value is None:
                return
        match shape:
            case Struct():
                self._struct(node, shape)
            case ListOf(item):
                self._list(node, item)
            case MapOf(value):
                self._map(node, value)
            case Either(scalar, other):
                self.shape(node, other if isinstance(node.value, dict | list) else scalar)
            case Anything():
                self._anything(node)
            case Cel():
                self._expression(node)
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
            for expectation in step.value["expect"].value if "expect" in step.value else []:
                self._expectation(expectation)
        spec = root.find("spec").value
        declared = list(spec["vars"].value) if "vars" in spec else []
        for row in spec["matrix"].value if "matrix" in spec else []:
            self._known_variables(row, declared)
        clock = root.find("spec", "clock").value
        if isinstance(clock, dict) and "speed" in clock and "mode" in clock and clock["mode"].value == "virtual":
            self._report(clock["speed"].position, "virtual time has no speed; leave mode out, or set mode: real")

    def _report(self, position: Position, message: str) -> None:
        self.mistakes.append(Mistake(self._file, position, message))

    def _struct(self, node: Node, shape: Struct) -> None:
        if not isinstance(node.value, dict):
            hint = _sketch(shape)
            self._report(node.position, f"{shape.what} is a map{hint}, not {_describe(node.value)}")
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

    def _list(self, node: Node, item: Shape) -> None:
        if not isinstance(node.value, list):
            self._report(node.position, f"expected a list (items begin with a dash), not {_describe(node.value)}")
            return
        for child in node.value:
            self.shape(child, item)

    def _map(self, node: Node, value: Shape) -> None:
        if not isinstance(node.value, dict):
            self._report(node.position, f"expected a map (key: value), not {_describe(node.value)}")
            return
        self._note_made(node)
        for child in node.value.values():
            self.shape(child, value)

    def _note_made(self, node: Node) -> None:
        if isinstance(node.value, dict) and "kind" in node.value:
            self.made[str(node.value["kind"].value)] = None

    def _anything(self, node: Node) -> None:
        children = node.value.values() if isinstance(node.value, dict) else node.value if isinstance(node.value, list) else ()
        for child in children:
            self.shape(child, Anything())

    def _scalar(self, node: Node, shape: Shape) -> None:
        message = _wrong(node.value, shape)
        if message:
            self._report(node.position, message)
        elif isinstance(shape, ManifestPath):
            self._file_of_objects(node)
        elif isinstance(shape, KindName):
            self._named.append(node)

    def _expression(self, node: Node) -> None:
        if isinstance(node.value, bool):
            return
        if not isinstance(node.value, str):
            self._report(node.position, f"expected an expression (CEL, in quotes), not {_describe(node.value)}")
        elif found := interpolation.holes(node.value):
            for hole in found:
                self._compiled(node, hole.expression, hole.offset)
        else:
            self._compiled(node, node.value, 0)

    def _compiled(self, node: Node, text: str, offset: int) -> Expression | None:
        line, column = node.text_position
        try:
            expression = self._expressions.compile(text)
        except ExpressionError as error:
            self._report(Position(line, column + offset + error.offset), f"expression {text!r}: {error}")
            return None
        for match in _VARIABLE.finditer(text):
            if match.group(1) not in self._variables:
                hint = suggest(match.group(1), self._variables) or "; spec.vars has none"
                self._report(Position(line, column + offset + match.start(1)), f"there is no variable {match.group(1)!r}{hint}")
                return None
        return expression

    def _filled(self, node: Node) -> Node:
        """The value with its holes filled, as far as it is known before the run; None where it can't."""
        position = node.position
        compiled = {hole.expression: self._compiled(node, hole.expression, hole.offset) for hole in interpolation.holes(node.value)}
        nothing = Node(None, position, position)
        if any(expression is None or expression.mentions("saved") for expression in compiled.values()):
            return nothing
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
        return nothing if unknown else _as_node(value, position)

    def _file_of_objects(self, node: Node) -> None:
        path = Path(self._file).parent / str(node.value)
        if not path.is_file():
            near = sorted(found.name for found in path.parent.glob("*.y*ml")) if path.parent.is_dir() else []
            self._report(node.position, f"there is no file {path}{suggest(path.name, near) if near else ''}")
            return
        try:
            documents = list(read_nodes(str(path)))
        except ScenarioError as error:
            self.mistakes.extend(error.mistakes)
            return
        if not documents:
            self._report(node.position, f"{path} contains no objects")
        for found in documents:
            for one in _items(found):
                self._note_made(one)
                missing = [name for name in ("apiVersion", "kind", "metadata") if not isinstance(one.value, dict) or name not in one.value]
                if missing:
                    self.mistakes.append(Mistake(str(path), one.position, f"an object needs {missing[0]!r}"))

    def _expectation(self, node: Node) -> None:
        given = node.value
        mode = next(name for name in ("eventually", "always", "never", "order") if name in given)
        if "within" in given and mode not in {"eventually", "order"}:
            self._report(node.keys["within"], f"within is how long something may take to become true; {mode!r} takes for")
        if "for" in given and mode not in {"always", "never"}:
            self._report(node.keys["for"], f"for is how long something must stay true; {mode!r} takes within")

    def _known_variables(self, row: Node, declared: list[str]) -> None:
        for name in row.value:
            if name not in declared:
                self._report(row.keys[name], f"there is no variable {name!r} in spec.vars{suggest(name, declared)}")


def _wrong(value: Json, shape: Shape) -> str:
    """What is wrong with a scalar; nothing if it fits."""
    match shape:
        case Text(choices, later):
            return _wrong_text(value, choices, later)
        case Number():
            return _wrong_number(value, shape)
        case Flag():
            return "" if isinstance(value, bool) else f"expected true or false, not {_describe(value)}"
        case Span():
            return "" if is_span(value) else f"expected a duration such as 30s or 1h30m, not {_describe(value)}"
        case Moment():
            return "" if _is_moment(value) else f"expected a time such as 2026-01-01T00:00:00Z, not {_describe(value)}"
        case Rate():
            return "" if isinstance(value, str) and RATE.match(value) else f"expected a rate such as 50/s, not {_describe(value)}"
        case SettingOf(setting):
            return _wrong_setting(value, setting)
        case ManifestPath():
            return "" if isinstance(value, str) and value else f"expected the path of a file, not {_describe(value)}"
        case _:
            raise AssertionError(f"no scalar: {shape}")


def _wrong_text(value: Json, choices: tuple[str, ...], later: tuple[str, ...]) -> str:
    if isinstance(value, str) and value in later:
        return f"{value!r} is not supported yet; known: {', '.join(choices)}"
    if choices and value not in choices:
        close = difflib.get_close_matches(str(value), [*choices, *later], n=1) if len(choices) > 1 else []
        return f"{value!r} is none of {', '.join(choices)}" + (f"; did you mean {close[0]!r}?" if close else "")
    if isinstance(value, dict | list) or value is None:
        return f"expected a string, not {_describe(value)}"
    if not isinstance(value, str):
        return f"expected a string, not {_describe(value)}; put it in quotes"
    return ""


def _wrong_number(value: Json, shape: Number) -> str:
    wanted = "a number" if shape.fraction else "a whole number"
    if isinstance(value, bool) or not isinstance(value, int | float) or (isinstance(value, float) and not shape.fraction):
        return f"expected {wanted}, not {_describe(value)}"
    if not math.isfinite(value):
        return f"expected {wanted}, not {value}"
    if shape.minimum is not None and shape.maximum is not None and not shape.minimum <= value <= shape.maximum:
        return f"expected {wanted} from {shape.minimum:g} to {shape.maximum:g}, not {value}"
    if shape.minimum is not None and value < shape.minimum:
        return f"expected {wanted} of {shape.minimum:g} or more, not {value}"
    if shape.maximum is not None and value > shape.maximum:
        return f"expected {wanted} of {shape.maximum:g} or less, not {value}"
    return ""


def _wrong_setting(value: Json, setting: Setting) -> str:
    try:
        setting.from_json(value)
    except SettingError as error:
        return str(error)
    return ""


def _items(document: Node) -> list[Node]:
    """The objects of a document: itself, or what a List holds."""
    fields = document.value if isinstance(document.value, dict) else {}
    if "items" in fields and fields.get("kind") is not None and fields["kind"].value == "List" and isinstance(fields["items"].value, list):
        return list(fields["items"].value)
    return [document]


def is_span(value: Json) -> bool:
    """Whether it is a span of time, zero or more."""
    try:
        return isinstance(value, str) and parse_duration(value) >= 0
    except ValueError:
        return False


def _is_moment(value: Json) -> bool:
    try:
        return isinstance(value, str) and parse_time(value) >= 0
    except ValueError:
        return False


def _describe(value: Json) -> str:
    if isinstance(value, dict):
        return "a map"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    return f"the string {value!r}" if isinstance(value, str) else f"{interpolation.as_text(value)}"


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
