"""Text made to fit: the two ways in which explanations are broken into lines."""

import re
from collections.abc import Iterator

_LISTED = re.compile(r"(\d+\.?|-|\*)\s")
_CODE = "    "


def wrapped(text: str, width: int) -> str:
    """Lines of at most so many characters, where words allow it. Line breaks and spaces that are there stay."""
    return "\n".join(_wrapped_line(line, width) for line in text.split("\n"))


def _wrapped_line(line: str, width: int) -> str:
    done, length = "", 0
    for space, word in re.findall(r"(\s*)(\S+)", line):
        if length + len(space) + len(word) > width and len(word) < width and length:
            done, length = f"{done}\n{word}", len(word)
        else:
            done, length = done + space + word, length + len(space) + len(word)
    return done


def indented(text: str, amount: int) -> str:
    """Every line further to the right, the empty ones too."""
    pad = " " * amount
    return pad + text.replace("\n", f"\n{pad}")


def filled_lines(text: str, width: int) -> Iterator[str]:
    """Lines filled up as far as words allow: line breaks go, unless they set apart a list, an example or a paragraph."""
    words: list[str] = []
    begun = False
    for line in text.split("\n"):
        apart = line.startswith(_CODE) or (begun and not line.strip())
        if words and (apart or words[-1].endswith(":") or not line.strip() or _LISTED.match(line.strip())):
            yield " ".join(words)
            words, begun = [], True
        if apart:
            yield line if line.strip() else ""
            begun = True
            continue
        for word in line.split():
            if words and len(" ".join([*words, word]).encode()) > width:
                yield " ".join(words)
                words, begun = [], True
            words.append(word)
    if words:
        yield " ".join(words)
