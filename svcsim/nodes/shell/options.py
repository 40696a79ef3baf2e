"""Shell options: ``set -eu -o pipefail``, ``sh -x``."""

from collections.abc import Sequence
from typing import NamedTuple

ERREXIT, NOUNSET, XTRACE, NOGLOB, ALLEXPORT, PIPEFAIL = "e", "u", "x", "f", "a", "pipefail"
_NAMES = {
    "errexit": ERREXIT, "nounset": NOUNSET, "xtrace": XTRACE, "noglob": NOGLOB, "allexport": ALLEXPORT, "pipefail": PIPEFAIL,
    "hashall": "h", "ignoreeof": "I", "monitor": "m", "noclobber": "C", "noexec": "n", "notify": "b", "posix": "posix", "verbose": "v",
    "braceexpand": "B", "errtrace": "E", "functrace": "T", "physical": "P", "vi": "V", "emacs": "emacs", "nolog": "nolog", "debug": "debug",
}  # fmt: skip
_LETTERS = "euxfahmCnbvEBHITVPk"
_OF_SHELLS = "cils"
_LONG = ("--login", "--norc", "--noprofile", "--posix")


class OptionError(Exception):
    """An option is unknown; the message names it."""


class Chosen(NamedTuple):
    """The options that arguments turn on and off."""

    on: frozenset[str]
    off: frozenset[str]
    rest: tuple[str, ...]
    """The other arguments."""
    ended: bool
    """Whether ``--`` ends the options."""

    def of(self, before: frozenset[str]) -> frozenset[str]:
        """The options that are on after the change."""
        return (before - self.off) | self.on


def read_options(words: Sequence[str], *, of_shells: bool = False) -> Chosen:
    """The options at the beginning of the arguments of ``set``, or of a shell. Raises `OptionError`."""
    known = _LETTERS + (_OF_SHELLS if of_shells else "")
    rest, chosen = list(words), dict[str, bool]()
    while rest and rest[0][:1] in {"-", "+"} and len(rest[0]) > 1:
        word = rest.pop(0)
        if word == "--":
            return _chosen(chosen, rest, ended=True)
        if of_shells and word in _LONG:
            continue
        for letter in word[1:]:
            if letter == "o":
                name = rest.pop(0) if rest else ""
                if name and name not in _NAMES:
                    raise OptionError(f"Illegal option {word[0]}o {name}")
                chosen[_NAMES.get(name, "")] = word[0] == "-"
            elif letter in known:
                chosen[letter] = word[0] == "-"
            else:
                raise OptionError(f"Illegal option -{letter}")
    return _chosen(chosen, rest, ended=False)


def read_letters(args: Sequence[str], with_value: str = "") -> tuple[str, list[str]]:
    """The option letters at the beginning of a builtin's arguments, and the other arguments.

    The word behind an option ``with_value`` is its value, and left out.
    """
    letters, rest = "", list(args)
    while rest and rest[0].startswith("-") and len(rest[0]) > 1:
        word = rest.pop(0)
        if word == "--":
            break
        letters += word[1:]
        if word[-1] in with_value and rest:
            rest.pop(0)
    return letters, rest


def _chosen(chosen: dict[str, bool], rest: Sequence[str], *, ended: bool) -> Chosen:
    on = frozenset(option for option, is_on in chosen.items() if is_on and option)
    return Chosen(on, frozenset(chosen) - on, tuple(rest), ended)


def letters_of(options: frozenset[str]) -> str:
    """The options as ``$-`` shows them."""
    return "".join(sorted(option for option in options if len(option) == 1 and option not in _OF_SHELLS))
