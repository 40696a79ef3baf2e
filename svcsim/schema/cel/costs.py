"""What it costs to evaluate an expression, told beforehand from how large the values in hand are, or may be by a schema.

It is told twice: in the time that the CEL library needs, and in the units that bound what rules may cost (`svcsim.schema.cel.charges`).
The library counts the steps of loops and nothing else: neither how large texts and lists become, nor that a list which a loop makes is
copied at each step, nor how long a search takes. An expression can double a text with every word of it, and what it has cost once it has
been evaluated is of no use. So its tree is walked with the shapes of values in place of the values. Where it isn't known what comes
of a branch, or of an item, the larger is taken.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import NamedTuple

from svcsim import limits
from svcsim.schema.cel import charges
from svcsim.schema.cel.calls import is_own
from svcsim.schema.cel.conversions import CONVERSIONS
from svcsim.schema.cel.shapes import SCALAR, Shape, anything_of, larger, list_of, part_of, text
from svcsim.schema.cel.trees import Call, Entries, Loop, Name, Scalar, Selected, Text, Tree, Written
from svcsim.schema.cel.written_out import WRITTEN_OUT

Scope = Mapping[str, Shape]
_STEP, _CALL, _OWN_CALL = 1.0, 10.0, 100.0
"""The cost of any step, of a function of the library, and of one that is written in Python."""
SMALL_WEIGHT = 500.0
"""The weight of values that most objects consist of: a hundred numbers, say."""
_NUMBER_CHARS = 32
_PATTERN = 0.025
_SEARCH = 0.001
_FOUND = 20.0
"""What looking for what a pattern matches costs, for each of the text's characters and of the pattern's: that is done in Python."""
_CHAR_OF_LIST, _CHAR_OF_TEXT, _CHAR_OF_PATTERN = 3.0, 2.0, 3.0
"""What a character costs where each becomes a text of its own, where a text is made anew piece by piece, and where it is a pattern's."""


class Cost(NamedTuple):
    """What asking something costs."""

    time: float = 0.0
    """1 is about 50 ns."""
    units: float = 0.0
    steps: float = 0.0
    """The steps of loops."""

    @property
    def fits(self) -> bool:
        """Whether the library can be asked in one go."""
        return self.time <= limits.CEL_TURN_COST and self.steps <= limits.CEL_TURN_STEPS


class Costs:
    """What one expression costs."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    @cached_property
    def least(self) -> Cost:
        """What it costs about next to nothing."""
        return self.of({})

    @cached_property
    def of_small(self) -> Cost:
        """The cost for values that weigh at most `SMALL_WEIGHT`, whatever they are."""
        return self.of({}, anything_of(SMALL_WEIGHT))

    def of(self, scope: Scope, other: Shape = SCALAR) -> Cost:
        """What it costs in a scope; of a variable that isn't there it is known only that it's no larger than ``other``."""
        walk = _Walk(other)
        walk.shape(self._tree, scope)
        return walk.cost


class _Walk:
    """Once through a tree, with all that has been spent so far."""

    def __init__(self, other: Shape) -> None:
        self._time = self._units = self._steps = 0.0
        self._other = other

    @property
    def cost(self) -> Cost:
        return Cost(self._time, self._units, self._steps)

    def shape(self, tree: Tree, scope: Scope) -> Shape:
        """The shape of what a tree comes to."""
        self._time += _STEP
        match tree:
            case Name(name):
                self._units += charges.NAME
                return scope.get(name, self._other)
            case Selected(of, name, asked):
                whole = self.shape(of, scope)
                self._units += 0.0 if asked else charges.NAME
                return SCALAR if asked else part_of(whole, name)
            case Text(value):
                return text(len(value))
            case Scalar():
                return SCALAR
            case Call("_?_:_", (condition, one, other)):
                return self._either(condition, one, other, scope)
            case Call(function, arguments):
                return self._call(function, tree, [self.shape(argument, scope) for argument in arguments])
            case Written(items):
                self._units += charges.LIST
                return _together([self.shape(item, scope) for item in items])
            case Entries():
                self._units += charges.MESSAGE if tree.message else charges.MAP
                return self._entries(tree, scope)
            case Loop():
                return self._loop(tree, scope)

    def _either(self, condition: Tree, one: Tree, other: Tree, scope: Scope) -> Shape:
        """The costlier of two branches."""
        self.shape(condition, scope)
        before = self.cost
        first = self.shape(one, scope)
        after = self.cost
        self._time, self._units, self._steps = before
        second = self.shape(other, scope)
        self._time, self._units, self._steps = map(max, after, self.cost)
        return larger(first, second)

    def _entries(self, tree: Entries, scope: Scope) -> Shape:
        keys = [self.shape(entry.key, scope) for entry in tree.entries]
        values = [self.shape(entry.value, scope) for entry in tree.entries]
        fields = {entry.key.value: value for entry, value in zip(tree.entries, values, strict=True) if isinstance(entry.key, Text)}
        both = _together(values)
        return Shape(both.weight + _together(keys).weight, len(values), fields=fields, item=both.item, key=_together(keys).item)

    def _loop(self, tree: Loop, scope: Scope) -> Shape:
        over = self.shape(tree.range, scope)
        start = self.shape(tree.start, scope)
        before = self.cost
        within = {**scope, **_variables(tree, over), tree.name: start}
        self.shape(tree.condition, within)
        once = self.shape(tree.step, within)
        steps = over.items
        self._time = before.time + (self._time - before.time) * steps
        self._units = before.units + (self._units - before.units) * steps
        self._steps = before.steps + (self._steps - before.steps + 1) * steps
        end = start
        if steps and once.items > start.items:  # a list that grows, and is copied at each step
            self._time += steps * steps
            end = Shape(SCALAR.weight + steps * once.weight, steps * once.items, item=once.item, key=once.key)
        elif steps:
            end = larger(start, once)
        return self.shape(tree.result, {**scope, tree.name: end})

    def _call(self, function: str, tree: Call, given: list[Shape]) -> Shape:
        self._time += _OWN_CALL if is_own(tree) else _CALL
        cost, shape = _FUNCTIONS.get(function, (_looked_at, _as_large))
        self._time += cost(given, tree)
        made = shape(given, tree)
        self._units += charges.charge(function, given, made)
        self._time += max(0.0, made.weight - sum(one.weight for one in given)) if shape is not _part else 0.0
        return made


def _variables(tree: Loop, over: Shape) -> dict[str, Shape]:
    item = over.item or part_of(over)
    if tree.second:
        return {tree.item: over.key or SCALAR, tree.second: item}
    return {tree.item: over.key or item}


def _together(shapes: list[Shape]) -> Shape:
    item: Shape | None = None
    for shape in shapes:
        item = shape if item is None else larger(item, shape)
    return list_of(len(shapes), item, sum(shape.weight for shape in shapes))


_Cost = Callable[[list[Shape], Call], float]
_Made = Callable[[list[Shape], Call], Shape]


def _nothing(_given: list[Shape], _call: Call) -> float:
    return 0.0


def _looked_at(given: list[Shape], _call: Call) -> float:
    return sum(one.weight for one in given)


def _smaller(given: list[Shape], _call: Call) -> float:
    return min(one.weight for one in given)


def _member(given: list[Shape], _call: Call) -> float:
    """Keys are found at once."""
    return given[0].weight if given[1].fields is not None else given[1].weight


def _size(given: list[Shape], _call: Call) -> float:
    return 0.0 if given[0].items else given[0].weight


def _searched(given: list[Shape], call: Call) -> float:
    return _looked_at(given, call) + given[0].chars * given[-1].chars * _SEARCH


def _matched(given: list[Shape], _call: Call) -> float:
    """As a pattern may have to be followed in all its parts at every character."""
    return given[0].weight + given[-1].chars * _CHAR_OF_PATTERN + given[0].chars * given[-1].chars * _PATTERN


def _found(given: list[Shape], _call: Call) -> float:
    return given[0].chars * given[1].chars * _FOUND


def _split(given: list[Shape], _call: Call) -> float:
    return given[0].chars * _CHAR_OF_LIST


def _replaced(given: list[Shape], call: Call) -> float:
    return (given[0].chars + _after_replacement(given, call).chars) * _CHAR_OF_TEXT


def _crossed(given: list[Shape], _call: Call) -> float:
    """Every item of a list beside every item of another."""
    one, other = given
    return 2 * one.items * other.items + one.weight * other.weight * _SEARCH


def _scalar(_given: list[Shape], _call: Call) -> Shape:
    return SCALAR


def _as_large(given: list[Shape], _call: Call) -> Shape:
    """As large as all that it is made of."""
    chars = sum(one.chars for one in given)
    first = given[0] if given else SCALAR
    if len(given) == 1 and not chars:
        return first
    item: Shape | None = None
    for one in given:
        item = one.item if item is None else item if one.item is None else larger(item, one.item)
    weight = sum(one.weight for one in given)
    return Shape(weight, sum(one.items for one in given), chars + _NUMBER_CHARS if chars else 0, first.fields, item, first.key)


def _grown(given: list[Shape], _call: Call) -> Shape:
    """Written with marks and escapes."""
    return text(_NUMBER_CHARS + int(4 * sum(one.weight for one in given) / 0.1))


def _encoded(given: list[Shape], _call: Call) -> Shape:
    return text(2 * given[0].chars + _NUMBER_CHARS)


def _sum(given: list[Shape], _call: Call) -> Shape:
    one, other = given if len(given) == 2 else (SCALAR, given[0])
    if not (one.items or other.items or one.item or other.item):
        return text(one.chars + other.chars) if one.chars or other.chars else SCALAR
    item = one.item if other.item is None else other.item if one.item is None else larger(one.item, other.item)
    return Shape(one.weight + other.weight, one.items + other.items, one.chars + other.chars, item=item)


def _inserted(given: list[Shape], _call: Call) -> Shape:
    """A map with one entry more."""
    whole, key, value = given
    return _with_entries(whole, 1, key, value, key.weight + value.weight)


def _merged(given: list[Shape], _call: Call) -> Shape:
    """A map with all entries of another, too."""
    whole, other = given
    return _with_entries(whole, max(1, other.items), other.key or SCALAR, part_of(other), other.weight)


def _with_entries(whole: Shape, more: int, key: Shape, value: Shape, weight: float) -> Shape:
    item = value if whole.item is None else larger(whole.item, value)
    return Shape(whole.weight + weight, whole.items + more, item=item, key=key if whole.key is None else larger(whole.key, key))


def _part(given: list[Shape], call: Call) -> Shape:
    name = call.arguments[-1]
    return part_of(given[0], name.value if isinstance(name, Text) else None)


def _either(given: list[Shape], _call: Call) -> Shape:
    return larger(given[-2], given[-1])


def _after_replacement(given: list[Shape], call: Call) -> Shape:
    whole, _old, new = given[:3]
    old = call.arguments[1]
    width = len(old.value) if isinstance(old, Text) else 0
    times = whole.chars // width if width else whole.chars + 1
    return text(whole.chars + times * new.chars)


def _all_found(given: list[Shape], _call: Call) -> Shape:
    return list_of(given[0].chars + 1, given[0], (given[0].chars + 1) * SCALAR.weight + given[0].weight)


def _after_split(given: list[Shape], call: Call) -> Shape:
    between = call.arguments[1]
    width = max(1, len(between.value) if isinstance(between, Text) else 1)
    pieces = given[0].chars // width + 1
    return list_of(pieces, text(given[0].chars), pieces * SCALAR.weight + given[0].weight)


def _joined(given: list[Shape], _call: Call) -> Shape:
    between = given[1].chars if len(given) > 1 else 0
    return text(int((given[0].weight - given[0].items * SCALAR.weight) / 0.1) + given[0].items * between)


_FUNCTIONS: dict[str, tuple[_Cost, _Made]] = {
    **dict.fromkeys(("_&&_", "_||_", "!_", "@not_strictly_false", "hasValue", "@has"), (_nothing, _scalar)),
    **dict.fromkeys(("_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_"), (_smaller, _scalar)),
    **dict.fromkeys(("startsWith", "endsWith"), (_smaller, _scalar)),
    **dict.fromkeys(("@indexOf", "@lastIndexOf"), (_looked_at, _scalar)),
    "contains": (_searched, _scalar),
    **dict.fromkeys(("sets.contains", "sets.equivalent", "sets.intersects"), (_crossed, _scalar)),
    **dict.fromkeys(("_[_]", "_[?_]", "_?._", "@select", "@field"), (_nothing, _part)),
    **dict.fromkeys(("optional.of", "optional.ofNonZeroValue", "value", "dyn"), (_nothing, _as_large)),
    **dict.fromkeys((conversion.name for conversion in (*CONVERSIONS, *WRITTEN_OUT)), (_looked_at, _as_large)),
    **dict.fromkeys(("or", "orValue"), (_nothing, _either)),
    "@in": (_member, _scalar),
    "size": (_size, _scalar),
    "matches": (_matched, _scalar),
    "find": (_found, lambda given, _call: given[0]),
    "findAll": (_found, _all_found),
    "_+_": (_looked_at, _sum),
    "@inserted": (_nothing, _inserted),
    "@merged": (_nothing, _merged),
    "@same": (_smaller, _scalar),
    "@union": (_looked_at, _sum),
    "@overlaid": (_looked_at, lambda given, call: _sum(given[:2], call)),
    **dict.fromkeys(("split", "@split"), (_split, _after_split)),
    "@substring": (_looked_at, lambda given, _call: given[0]),
    "join": (_looked_at, _joined),
    "replace": (_replaced, _after_replacement),
    "format": (_looked_at, _grown),
    "strings.quote": (_looked_at, _encoded),
    "base64.encode": (_looked_at, _encoded),
}
