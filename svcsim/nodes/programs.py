"""What a container would do, guessed from its command: how long it runs, how it ends and what it says.

No container ever runs here, so its command line is all there is to go by. A server goes on for ever; what plainly ends (``sleep 30``,
``echo done``, ``exit 1``, ``true``) ends as it would. A small part of the shell's language is understood, enough for the commands people
write into examples and tests. Annotations say it where the command doesn't.
"""

import re
import shlex
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from svcsim import limits
from svcsim.nodes.images import ends_at_once

RUN_TIME_ANNOTATION = "svcsim.dev/run-seconds"
"""Seconds a container runs before it ends."""
EXIT_CODE_ANNOTATION = "svcsim.dev/exit-code"
"""How a container ends that the other annotation, or its command, lets end."""

_SHELLS = ("sh", "bash", "ash", "dash", "/bin/sh", "/bin/bash", "/bin/ash", "/usr/bin/bash", "/usr/bin/sh")
_QUICK = {
    **dict.fromkeys(
        ("true", ":", "ls", "cat", "env", "printenv", "pwd", "id", "whoami", "hostname", "uname", "touch", "mkdir", "cp"), 0.05
    ),
    **dict.fromkeys(("mv", "rm", "chmod", "chown", "ln", "set", "export", "cd", "date", "test", "[", "tar", "sed", "grep", "seq"), 0.05),
    **dict.fromkeys(("wget", "curl", "nslookup", "nc", "git", "pip", "npm", "apt-get", "apk"), 1.0),
    "perl": 5.0,
    "python": 2.0,
    "python3": 2.0,
}
"""Commands that come to an end, and the seconds they take."""
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_NUMBER = re.compile(r"[0-9]{1,9}")
_LOOP = re.compile(r"^\s*while\s+(?:true|:|\[\s*1\s*\])\s*;?\s*do\b(.*?);?\s*\bdone\b", re.DOTALL)


class Program(NamedTuple):
    """How a container behaves. ``runs_s`` is None for one that never ends by itself."""

    runs_s: float | None = None
    exit_code: int = 0
    lines: tuple[tuple[float, str], ...] = ()
    """What it prints, and when, in seconds after its start. ``$(date)`` in a line stands for the time."""
    repeats_s: float | None = None
    """A loop says its lines again after so many seconds."""


FOREVER = Program()


@lru_cache(maxsize=limits.PROGRAMS)
def read_program(image: str, command: tuple[str, ...], args: tuple[str, ...], run_s: str = "", exit_code: str = "") -> Program:
    """What a container with this command line does. The last two are the annotations, where there are any."""
    program = _read_command((*command, *args)) if command or args else Program(0.1) if ends_at_once(image) else FOREVER
    try:
        if run_s:
            program = program._replace(runs_s=max(float(run_s), 0.0))
        if exit_code:
            program = program._replace(exit_code=int(exit_code), runs_s=program.runs_s if program.runs_s is not None else 1.0)
    except ValueError:
        return program  # an annotation that is no number says nothing
    return program


def _read_command(words: Sequence[str]) -> Program:
    if words[0] in _SHELLS:
        for index, word in enumerate(words[1:], 1):
            if word.startswith("-") and word.endswith("c") and index + 1 < len(words):
                return _read_script(words[index + 1])
        return FOREVER
    return _read_statements([list(words)])


def _read_script(script: str) -> Program:
    loop = _LOOP.search(script)
    if loop is not None:
        turn = _read_statements(_statements(loop[1]))
        return Program(lines=turn.lines, repeats_s=max(turn.runs_s or 0.0, 0.1)) if turn.runs_s is not None else FOREVER
    return _read_statements(_statements(script))


def _statements(script: str) -> list[list[str]]:
    statements: list[list[str]] = []
    for part in re.split(r"&&|\|\||;|\n", script):
        try:
            words = shlex.split(part, comments=True)
        except ValueError:
            words = part.split()
        if words:
            statements.append(words)
    return statements


def _read_statements(statements: Sequence[Sequence[str]]) -> Program:
    """Statement by statement, until one that doesn't end or that ends it all."""
    lines: list[tuple[float, str]] = []
    now, code = 0.0, 0
    for words in statements:
        name, rest = words[0].rpartition("/")[2], words[1:]
        if name == "exec" and rest:
            name, rest = rest[0].rpartition("/")[2], rest[1:]
        if name == "sleep":
            seconds = _seconds(rest)
            if seconds is None:
                return Program(lines=tuple(lines))
            now += seconds
            code = 0
        elif name in {"echo", "printf"}:
            lines.append((now, " ".join(word for word in rest if word not in {"-n", "-e"})))
            code = 0
        elif name == "exit":
            return Program(now + 0.05, _whole(rest, code), tuple(lines))
        elif name == "false":
            code = 1
        elif name in _QUICK:
            if name == "date":
                lines.append((now, "$(date)"))
            now += _QUICK[name]
            code = 0
        else:
            return Program(lines=tuple(lines))
    return Program(now + 0.05, code, tuple(lines))


def _seconds(words: Sequence[str]) -> float | None:
    """The seconds given to ``sleep``; None for ever."""
    total = 0.0
    for word in words:
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", word)
        if match is None:
            return None
        total += float(match[1]) * _UNITS[match[2]]
    return total if words else None


def _whole(words: Sequence[str], otherwise: int) -> int:
    return int(words[0]) & 0xFF if words and _NUMBER.fullmatch(words[0]) else otherwise
