"""The options of programs that have long names for them as well."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from svcsim.nodes.shell.process import Usage


class Option(NamedTuple):
    """What one is called: in one letter, if it has one, and in words; one that has none for it has the letter twice."""

    letter: str
    word: str
    takes_value: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """What was given, by the words for it."""

    values: Mapping[str, tuple[str, ...]]
    """One for each time an option was given; empty texts for those that take none."""
    rest: tuple[str, ...]

    def __contains__(self, word: object) -> bool:
        return word in self.values

    def last(self, word: str, otherwise: str = "") -> str:
        """The value that was given last."""
        return self.values[word][-1] if word in self.values else otherwise

    def all(self, word: str) -> tuple[str, ...]:
        return self.values.get(word, ())


def read_options(args: Sequence[str], known: Sequence[Option], *, leading: bool = False) -> Options:
    """``-ab VALUE``, ``-bVALUE``, ``--long VALUE``, ``--long=VALUE``, and the rest, in any order. Raises `Usage` for others.

    ``leading``: the rest begins with the first word that is no option, as it does where that is a command with options of its own.
    """
    values: dict[str, tuple[str, ...]] = {}
    rest: list[str] = []
    left = iter(args)
    for word in left:
        if word == "--":
            rest += left
        elif not word.startswith("-") or word == "-":
            rest += (word, *left) if leading else (word,)
        else:
            for option, value in _read(word, left, known):
                values[option.word] = (*values.get(option.word, ()), value)
    return Options(values, tuple(rest))


def is_read(read: Callable[[Sequence[str]], object], args: Sequence[str]) -> bool:
    """Whether a program does what is simulated of it when it is called so: ``read`` raises `Usage` where it doesn't."""
    try:
        read(args)
    except Usage:
        return False
    return True


def _read(word: str, left: Iterator[str], known: Sequence[Option]) -> Iterator[tuple[Option, str]]:
    if word.startswith("--"):
        name, equals, value = word[2:].partition("=")
        option = next((one for one in known if one.word == name != one.letter), None)
        if option is None:
            raise Usage(f"unrecognized option '--{name}'")
        yield option, value if equals else _value(option, "", left, f"option '--{name}' requires an argument")
        return
    letters = word[1:]
    while letters:
        letter, letters = letters[0], letters[1:]
        option = next((one for one in known if one.letter == letter), None)
        if option is None:
            raise Usage(f"invalid option -- '{letter}'")
        if option.takes_value:
            yield option, _value(option, letters, left, f"option requires an argument -- '{letter}'")
            return
        yield option, ""


def _value(option: Option, text: str, left: Iterator[str], wrong: str) -> str:
    """What stands behind it, in the same word or in the next one; ``wrong`` is what to say where there is nothing."""
    if text or not option.takes_value:
        return text
    value = next(left, None)
    if value is None:
        raise Usage(wrong)
    return value
