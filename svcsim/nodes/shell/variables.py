"""The variables of a shell: plain ones, arrays, those of functions, and those whose value the shell makes up."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from svcsim import limits
from svcsim.nodes.shell.arithmetic import SumError, evaluate
from svcsim.nodes.shell.expansion import NO_ROOM, ExpansionError
from svcsim.nodes.shell.fields import USUAL
from svcsim.nodes.shell.options import ALLEXPORT
from svcsim.nodes.shell.parameters import Parameters
from svcsim.nodes.shell.process import Work, World
from svcsim.nodes.shell.tree import FileError

_FIRST_KEY = "0"
_LARGEST_RANDOM = 0x7FFF
_SECONDS_DIGITS = 9


class _Former(NamedTuple):
    """What a variable was before a function or a command."""

    value: str | None
    is_integer: bool


@dataclass(slots=True)
class Variables:
    """The variables of one shell. A subshell begins with a copy."""

    parameters: Parameters
    world: World
    work: Work
    values: dict[str, str]
    """The variables that aren't arrays."""
    exported: dict[str, None]
    arrays: dict[str, dict[str, str]] = field(default_factory=dict)
    """The values of arrays by their keys, in order. The keys are indices as words, unless the array is associative."""
    associative: frozenset[str] = frozenset()
    """The names of the associative arrays."""
    integers: frozenset[str] = frozenset()
    """The names of those whose values are worked out when they are set (``declare -i``)."""
    _scopes: list[dict[str, _Former]] = field(default_factory=list)
    """What the local variables of each function that is running were before, the innermost last."""
    _held_bytes: int = 0
    """The memory that they take, without what they took at the beginning."""

    @classmethod
    def inherited(cls, environment: Mapping[str, str], parameters: Parameters, world: World, work: Work) -> "Variables":
        """The variables of a shell that is started with this environment."""
        return cls(parameters, world, work, dict(environment), dict.fromkeys(environment))

    def forked(self, parameters: Parameters) -> "Variables":
        """A copy for a subshell that has these parameters."""
        return Variables(
            parameters,
            self.world,
            self.work,
            dict(self.values),
            dict(self.exported),
            {name: dict(elements) for name, elements in self.arrays.items()},
            self.associative,
            self.integers,
            [*self._scopes],
        )

    def get(self, name: str) -> str | None:
        """The value of a variable, or of a positional or special parameter (``$?``, ``$#`` …)."""
        if name in self.values:
            return self.values[name]
        if name == "IFS":
            return USUAL
        if name in self.arrays:
            return self.arrays[name].get(_FIRST_KEY)
        match name:
            case "RANDOM":
                return str(self._random())
            case "SECONDS" if self.parameters.is_bash:
                return str(int(self.world.now() - self.parameters.started_at))
            case "@" | "*":
                return self.values.get("IFS", USUAL)[:1].join(self.parameters.arguments)
        return self.parameters.get(name)

    def _random(self) -> int:
        """A number that depends on the container, the time and the process, so that a replayed scenario has the same."""
        self.work.thrown += 1
        words = f"{self.world.hostname} {self.world.now()} {self.parameters.pid} {self.work.thrown}"
        return int.from_bytes(hashlib.blake2b(words.encode(), digest_size=2).digest()) & _LARGEST_RANDOM

    def set(self, name: str, value: str) -> None:
        """Raises `ExpansionError` if there is no memory for it, or if it is no number of a variable that has to be one."""
        value = self._worth(name, value)
        if len(value) > limits.SHELL_TEXT_CHARS or len(self.values) > limits.SHELL_WORDS:
            raise ExpansionError(NO_ROOM)
        if name == "SECONDS" and self.parameters.is_bash:
            elapsed_s = int(value[:_SECONDS_DIGITS]) if value.isdecimal() else 0
            self.parameters.started_at = self.world.now() - elapsed_s
            return
        if name in self.arrays:
            self.set_element(name, _FIRST_KEY, value)
            return
        self.hold(_size_bytes(value) - _size_bytes(self.values.get(name)))
        self.values[name] = value
        if ALLEXPORT in self.parameters.options:
            self.exported[name] = None

    def _worth(self, name: str, value: str) -> str:
        """What a variable becomes that is set to this."""
        if name not in self.integers:
            return value
        try:
            return str(evaluate(value, self))
        except SumError as error:
            raise ExpansionError(str(error)) from None

    def appended(self, name: str, former: str, value: str) -> str:
        """What a variable, or an element of an array, is set to by ``+=``."""
        return f"{former or 0}+({value.strip() or 0})" if name in self.integers else former + value

    def declare_integer(self, name: str, *, integer: bool) -> None:
        """Have the values of a variable worked out when they are set, or no longer."""
        self.integers = self.integers | {name} if integer else self.integers - {name}

    def unset(self, name: str) -> None:
        """Remove a variable, an array, or an element of one (``name[key]``)."""
        array, _, rest = name.partition("[")
        if rest and array in self.arrays:
            former = self.arrays[array].pop(rest.removesuffix("]"), None)
            self.hold(-_size_bytes(former) - _size_bytes(None if former is None else rest[:-1]))
            return
        for key, value in self.arrays.pop(name, {}).items():
            self.hold(-_size_bytes(value) - _size_bytes(key))
        self.associative -= {name}
        self.integers -= {name}
        self.hold(-_size_bytes(self.values.pop(name, None)))
        self.exported.pop(name, None)

    # Arrays.

    def elements(self, name: str) -> dict[str, str]:
        """The values of an array by their keys, in order. A variable that is no array has its value as the first element."""
        found = self.arrays.get(name)
        if found is None:
            value = self.get(name)
            return {} if value is None else {_FIRST_KEY: value}
        return found

    def is_associative(self, name: str) -> bool:
        return name in self.associative

    def set_element(self, name: str, key: str, value: str) -> None:
        """Raises `ExpansionError` as `set` does."""
        value = self._worth(name, value)
        before = self.values.pop(name, None)
        elements = self.arrays.setdefault(name, {} if before is None else {_FIRST_KEY: before})
        if len(value) > limits.SHELL_TEXT_CHARS or len(key) > limits.SHELL_TRIMMED_CHARS or len(elements) > limits.SHELL_WORDS:
            raise ExpansionError(NO_ROOM)
        former_bytes = _size_bytes(elements[key]) + _size_bytes(key) if key in elements else 0
        self.hold(_size_bytes(value) + _size_bytes(key) - former_bytes)
        is_between = name not in self.associative and key not in elements and bool(elements) and int(key) < int(next(reversed(elements)))
        elements[key] = value
        if is_between:
            self.work.looked_at_bytes += len(elements) * limits.SHELL_PIECE_COSTS_BYTES
            self.arrays[name] = {one: elements[one] for one in sorted(elements, key=int)}

    def set_array(self, name: str, values: Sequence[str]) -> None:
        """Make a variable an array of these values."""
        self.unset(name)
        self.arrays[name] = {}
        for place, value in enumerate(values):
            self.set_element(name, str(place), value)

    def assign_elements(self, name: str, found: Sequence[tuple[str | None, str]], *, appends: bool) -> None:
        """``name=(…)`` or ``name+=(…)``, with the key of each value, or None if it follows the value before."""
        is_associative, is_integer = self.is_associative(name), name in self.integers
        if not appends:
            self.unset(name)
            self.declare_integer(name, integer=is_integer)
        self.declare_array(name, associative=is_associative)
        place = 0 if is_associative else 1 + int(next(reversed(self.arrays[name]), -1))
        for key, value in found:
            self.set_element(name, str(place) if key is None else key, value)
            place = place + 1 if key is None or is_associative else int(key) + 1

    def declare_array(self, name: str, *, associative: bool) -> None:
        """Make a variable an array, unless it is one."""
        self.arrays.setdefault(name, {})
        if associative:
            self.associative |= {name}

    # Variables of functions, of single commands, and of the programs that are started.

    @property
    def in_function(self) -> bool:
        """Whether a function is running."""
        return bool(self._scopes)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """While a function runs: its local variables get their former values back at its end."""
        self._scopes.append({})
        try:
            yield
        finally:
            self._restore(self._scopes.pop())

    def make_local(self, name: str) -> None:
        """Declare a variable of the function that is running."""
        if name not in self._scopes[-1]:
            self._scopes[-1][name] = self._now(name)
            self.declare_integer(name, integer=False)

    @contextmanager
    def temporarily(self, values: Mapping[str, str]) -> Iterator[None]:
        """Set variables for as long as one command runs: ``IFS=: read a b``."""
        former = {name: self._now(name) for name in values}
        for name, value in values.items():
            self.set(name, value)
        try:
            yield
        finally:
            self._restore(former)

    def _now(self, name: str) -> _Former:
        return _Former(self.values.get(name), name in self.integers)

    def _restore(self, former: Mapping[str, _Former]) -> None:
        for name, (value, is_integer) in former.items():
            self.declare_integer(name, integer=False)
            if value is None:
                self.unset(name)
            else:
                self.set(name, value)
            self.declare_integer(name, integer=is_integer)

    def environment(self) -> dict[str, str]:
        """The exported variables."""
        return {name: self.values[name] for name in self.exported if name in self.values}

    # Memory.

    def hold(self, size_bytes: int) -> None:
        """Take memory, or give some back. What the shell began with isn't charged, and so isn't given back.

        Raises `ExpansionError` if there isn't so much left.
        """
        more = max(size_bytes, -self._held_bytes)
        if self._held_bytes + more > limits.SHELL_VARIABLES_BYTES:
            raise ExpansionError(NO_ROOM)
        try:
            self.work.memory.take(more)
        except FileError:
            raise ExpansionError(NO_ROOM) from None
        self._held_bytes += more

    def release(self) -> None:
        """Give all memory back, at the end of the shell."""
        self.work.memory.take(-self._held_bytes)
        self._held_bytes = 0


def _size_bytes(value: str | None) -> int:
    """Roughly the memory that a variable takes."""
    return 0 if value is None else limits.SHELL_PIECE_COSTS_BYTES + (len(value) if value.isascii() else 4 * len(value))
