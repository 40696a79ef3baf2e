"""What ``find`` is told to look for: tests of files, with ``!``, ``-a``, ``-o`` and brackets between them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from svcsim import limits
from svcsim.nodes.shell.devices import is_stream
from svcsim.nodes.shell.globs import Glob
from svcsim.nodes.shell.process import Process, Usage, base
from svcsim.nodes.shell.tree import Node, naming

_DEEPEST = 10**6
_MINUTE_S, _DAY_S = 60, 86_400
_KINDS = "fdlcp"


@dataclass(slots=True)
class FoundFile:
    """Something that stands there, and what comes of looking at it."""

    path: str
    node: Node
    depth: int
    """How far it is from where the search began."""
    said: list[str] = field(default_factory=list)
    pruned: bool = False
    """Whether it isn't to be gone into."""


Holds = Callable[[FoundFile], bool]


class Seeking(NamedTuple):
    holds: Holds
    least_depth: int
    most_depth: int
    stays_on_disk: bool
    """Whether what is mounted below isn't gone into."""


class Seeker:
    """Reads what is looked for."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._words = list(process.args)
        self._at = 0
        self._level = 0
        self._prints = False
        self._depths = {"-mindepth": 0, "-maxdepth": _DEEPEST}
        self._stays_on_disk = False

    def read(self) -> tuple[list[str], Seeking]:
        """Where to begin, and what is looked for. Raises `Usage`, and `FileError` for a file that isn't there to compare with."""
        while self._next_is_path():
            self._at += 1
        starts = self._words[: self._at] or ["."]
        holds = self._either() if self._at < len(self._words) else _always
        if self._at < len(self._words):
            raise Usage(f"unrecognized: {self._words[self._at]}")
        if not self._prints:
            holds = _both(holds, _printing("\n"))
        return starts, Seeking(holds, self._depths["-mindepth"], self._depths["-maxdepth"], self._stays_on_disk)

    def _next_is_path(self) -> bool:
        word = self._peek()
        return bool(word) and not word.startswith("-") and word not in {"(", "!", ")"}

    def _peek(self) -> str:
        return self._words[self._at] if self._at < len(self._words) else ""

    def _take(self) -> str:
        self._at += 1
        return self._words[self._at - 1]

    def _value(self, word: str) -> str:
        if self._at >= len(self._words):
            raise Usage(f"{word} requires an argument")
        return self._take()

    def _either(self) -> Holds:
        self._level += 1
        if self._level > limits.SHELL_LEVELS or len(self._words) > limits.SHELL_LEVELS * 4:
            raise Usage("such a long expression isn't simulated here")
        found = self._all()
        while self._peek() in {"-o", "-or"}:
            self._take()
            found = _one_of(found, self._all())
        self._level -= 1
        return found

    def _all(self) -> Holds:
        found = self._one()
        while self._peek() not in {"", "-o", "-or", ")"}:
            if self._peek() in {"-a", "-and"}:
                self._take()
            found = _both(found, self._one())
        return found

    def _one(self) -> Holds:
        if not self._peek():
            raise Usage("an expression is missing")
        word, negated = self._take(), False
        while word in {"!", "-not"}:
            negated, word = not negated, self._value(word)
        found = self._bracket() if word == "(" else self._test(word)
        return _not(found) if negated else found

    def _bracket(self) -> Holds:
        found = self._either()
        if self._peek() != ")":
            raise Usage("missing ')'")
        self._take()
        return found

    def _test(self, word: str) -> Holds:
        """Raises `Usage`."""
        if word in {"-print", "-print0"}:
            self._prints = True
            return _printing("\n" if word == "-print" else "\0")
        if word in _WITHOUT_VALUE:
            return _WITHOUT_VALUE[word]
        if word in {"-xdev", "-mount"}:
            self._stays_on_disk = True
            return _always
        if word in self._depths:
            self._depths[word] = _whole(self._value(word))
            return _always
        if word in _PATTERNS:
            return _named(word, self._value(word))
        if word == "-type":
            return _of_kind(self._value(word))
        if word in {"-mtime", "-mmin"}:
            return self._aged(self._value(word), _DAY_S if word == "-mtime" else _MINUTE_S)
        if word == "-newer":
            path = self._value(word)
            with naming(path):
                moment = self._process.world.tree.find(self._process.path(path)).changed_at
            return lambda found: found.node.changed_at > moment
        raise Usage(f"unrecognized: {word}")

    def _aged(self, text: str, unit_s: int) -> Holds:
        """Whether something was changed so many units of time ago: more (``+2``), fewer (``-2``), or just as many."""
        number, now = _whole(text.lstrip("+-")), self._process.world.now()
        sign = text[:1]

        def aged(found: FoundFile) -> bool:
            age = int((now - found.node.changed_at) // unit_s)
            return age > number if sign == "+" else age < number if sign == "-" else age == number

        return aged


def _whole(text: str) -> int:
    if not text.isdecimal() or len(text) > len(str(_DEEPEST)):
        raise Usage(f"invalid number '{text}'")
    return int(text)


def _always(_found: FoundFile) -> bool:
    return True


def _both(one: Holds, other: Holds) -> Holds:
    return lambda found: one(found) and other(found)


def _one_of(one: Holds, other: Holds) -> Holds:
    return lambda found: one(found) or other(found)


def _not(one: Holds) -> Holds:
    return lambda found: not one(found)


def _printing(end: str) -> Holds:
    def printed(found: FoundFile) -> bool:
        found.said.append(f"{found.path}{end}")
        return True

    return printed


def _pruned(found: FoundFile) -> bool:
    found.pruned = True
    return True


def _is_empty(found: FoundFile) -> bool:
    node = found.node
    return not node.children if node.is_directory else not (node.target or node.data or node.load or node.device)


_WITHOUT_VALUE: dict[str, Holds] = {"-empty": _is_empty, "-prune": _pruned, "-true": _always, "-false": lambda _: False}
_PATTERNS = ("-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename")


def _named(word: str, pattern: str) -> Holds:
    if len(pattern) > limits.SHELL_TRIMMED_CHARS:
        raise Usage("such a long pattern isn't simulated here")
    glob = Glob(pattern, ignores_case=word.startswith("-i"))
    by_name = word.endswith("name") and not word.endswith("wholename")
    return lambda found: glob.matches(base(found.path) if by_name else found.path)


def _of_kind(text: str) -> Holds:
    kinds = text.split(",")
    if any(one not in _KINDS or not one for one in kinds):
        raise Usage(f"invalid argument '{text}' to '-type'")
    return lambda found: _kind(found.node) in kinds


def _kind(node: Node) -> str:
    """The letter that ``-type`` has for it."""
    if node.device:
        return "p" if is_stream(node) else "c"
    return "d" if node.is_directory else "l" if node.target else "f"
