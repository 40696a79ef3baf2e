"""How errors in svcsim's annotations are reported: the messages, and how many at a time.

The code that reads an annotation ignores invalid values. Their owner is told with these messages, by an event on the object.
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from svcsim import limits

INVALID_REASON = "InvalidAnnotation"
_AT_MOST_MEANT = 3


def mistake(key: str, why: str) -> str:
    """What is wrong with one annotation."""
    return f"annotation {key}: {why}"


def unreadable(error: ValueError) -> str:
    """Why the value of an annotation isn't one."""
    return f"{error}; it counts for nothing"


def unknown(key: str, name: str, known: Iterable[str]) -> str:
    """Nothing is called so: what may have been meant, or what there is."""
    names = list(known)
    if not names:
        return "nothing is known by that name"
    alike = [one for one in names if name and one.startswith(name)]
    near = list(dict.fromkeys((*alike, *get_close_matches(name, names))))[:_AT_MOST_MEANT]
    if not near:
        return f"nothing is known by that name; there {'is' if len(names) == 1 else 'are'} {listed(names)}"
    before = key.removesuffix(name)
    *others, last = [f"{before}{one}" for one in near]
    meant = f"{', '.join(others)} or {last}" if others else last
    return f"nothing is known by that name; did you mean {meant}?"


def listed(names: Iterable[str]) -> str:
    """Names in a sentence."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def together(mistakes: Sequence[str]) -> list[str]:
    """Mistakes in few messages, so that each stays readable: what is told by many events that are alike shows as one."""
    if len(mistakes) <= limits.MISTAKES_APART:
        return list(mistakes)
    messages = [""]
    for number, one in enumerate(mistakes):
        longer = f"{messages[-1]} | {one}" if messages[-1] else one
        if len(longer) <= limits.MISTAKES_CHARS:
            messages[-1] = longer
        elif len(messages) < limits.MISTAKES_TOGETHER:
            messages.append(one)
        else:
            messages[-1] += f" | and {len(mistakes) - number} more"
            break
    return messages
