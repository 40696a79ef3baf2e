"""What a container would do, guessed from its command: how long it runs, how it ends and what it says.

No container ever runs here, so its command line is all there is to go by. A server goes on for ever; what plainly ends (``sleep 30``,
``echo done``, ``exit 1``, ``true``) ends as it would. A small part of the shell's language is understood, enough for the commands people
write into examples and tests. Annotations say it where the command doesn't (`behaviour`).
"""

import math
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from svcsim import limits
from svcsim.nodes.images.images import command_line, ends_at_once
from svcsim.nodes.shell.devices import ENDLESS
from svcsim.nodes.shell.options import OptionError, read_options
from svcsim.nodes.shell.process import Usage
from svcsim.nodes.shell.programs.starting import STARTED

_SHELLS = ("sh", "bash", "ash", "dash", "/bin/sh", "/bin/bash", "/bin/ash", "/usr/bin/bash", "/usr/bin/sh")
_QUICK = {
    **dict.fromkeys(
        ("true", ":", "ls", "cat", "env", "printenv", "pwd", "id", "whoami", "hostname", "uname", "touch", "mkdir", "cp"), 0.05
    ),
    **dict.fromkeys(
        ("mv", "rm", "chmod", "chown", "ln", "set", "export", "cd", "date", "test", "[", "[[", "tar", "sed", "grep", "seq"), 0.05
    ),
    **dict.fromkeys(
        ("awk", "basename", "base64", "dd", "dirname", "find", "head", "hexdump", "kill", "md5sum", "nmeter", "nproc", "ps", "readlink"),
        0.05,
    ),
    **dict.fromkeys(("cut", "expr", "let", "mktemp", "rev", "stat", "sync", "tac", "tr", "uniq", "xargs"), 0.05),
    **dict.fromkeys(("trap", "wait"), 0.0),
    **dict.fromkeys(("rmdir", "sha1sum", "sha256sum", "sort", "stty", "sysctl", "tail", "tee", "unset", "wc", "which"), 0.05),
    **dict.fromkeys(("wget", "curl", "nslookup", "nc", "getent", "git", "pip", "npm", "apt-get", "apk"), 1.0),
    "perl": 5.0,
    "python": 2.0,
    "python3": 2.0,
}
"""Commands that come to an end, and the seconds they take."""
_AT_ONCE = {
    **dict.fromkeys(("python", "python3"), re.compile(r"-c|-V|-h|--version|--help|pip|compileall|pytest|unittest|venv")),
    "perl": re.compile(r"-[A-Za-z]*[eEcv].*"),
    "npm": re.compile(r"(?!start$|run$|run-script$|exec$|dev$|serve$|-).*"),
    "git": re.compile(r"(?!daemon$|-).*"),
}
"""Commands that may be servers, and which argument says that they are none."""
_READERS = ("base64", "cat", "dd", "md5sum", "sha1sum", "sha256sum", "sort", "wc")
_FOLLOWING = frozenset(("-f", "-F", "--follow"))
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_ENDLESS = ("inf", "infinity")
_ERREXIT = re.compile(r"-[A-Za-z]*e[A-Za-z]*|errexit")
_FILLED_IN = re.compile(r"[$`]")
"""In a word: the shell puts something in its place."""
_WORKED_OUT = re.compile(r"`|\$[\w({?#$!@*-]")
"""In what is said: nobody knows what a shell would put in its place."""
_DATE = "$(date)"
_DOCUMENT = re.compile(r"<<-?[ \t]*(?P<quote>[\"']?)\\?(?P<delimiter>\w+)(?P=quote)")
"""Announces lines that are no commands, up to this one."""
_STARTERS = ("timeout", "nohup", "nice")
_TIMED_OUT = 124
_REFUSED = 2
"""How a shell ends a command whose arguments it can't make use of."""
_NUMBER = re.compile(r"[0-9]{1,9}")
_CONNECTORS = ("&&", "||", ";", "\n", "&")
_BETWEEN = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*"|\\.|(&&|\|\||;|\n|(?<=\s)&(?=\s|$))""", re.DOTALL)
"""What stands between commands, and what is quoted, in which it stands for itself."""
_FUNCTION = re.compile(r"\b\w+[ \t]*\(\)\s*\{[^{}]*\}\s*;?")
"""A function, which is only called by what is no simple command line."""
_REDIRECTION = re.compile(r"1?>{1,2}([^&]*)")
_OF_ERRORS = re.compile(r"2>{1,2}([^&]*)|[12]?>&[12]")
"""Where errors go, which is the log as well: a file, or where the output goes, or the other way round."""
_FILE_MAKERS = {"touch": True, "mkdir": True, "rm": False}
"""Commands that make the files they are given (true), or take them away."""
_LOOP = re.compile(r"^\s*while\s+(?:true|:|\[\s*1\s*\])\s*;?\s*do\b(.*?);?\s*\bdone\b", re.DOTALL)


class Written(NamedTuple):
    """What a command writes into a file, and when, in seconds after the start."""

    at: float
    path: str
    text: str
    appends: bool


class Program(NamedTuple):
    """How a container behaves. ``runs_s`` is None for one that never ends by itself."""

    runs_s: float | None = None
    exit_code: int = 0
    lines: tuple[tuple[float, str], ...] = ()
    """What it prints, and when, in seconds after its start. ``$(date)`` in a line stands for the time."""
    repeats_s: float | None = None
    """A loop says its lines again after so many seconds."""
    slept_s: float = 0.0
    """How long it sleeps in all."""
    files: tuple[tuple[float, str, bool], ...] = ()
    """Files it makes and takes away, and when, in seconds after its start."""
    talks: bool = False
    """Whether it goes on saying something until it ends, as what never ends by itself does that isn't told what to say."""
    written: tuple[Written, ...] = ()
    """What it writes into files instead of saying it."""
    unknown: bool = False
    """Whether nobody knows what it does, so that it may as well end: what others wait for is taken to do that."""
    may_serve: bool = False
    """Whether it may as well be a server, which never ends: where it is started again whenever it does, it is taken for one."""
    healthy_s: float | None = None
    """How long it is well, of a server that says so of itself; None for one that stays so."""
    listens: bool = False
    """Whether it waits for what comes in, and says only what that has it say."""


FOREVER = Program()
LISTENING = Program(listens=True)
_SICKENING: dict[tuple[str, ...], Program] = {("agnhost", "liveness"): Program(healthy_s=10.0)}
"""Servers that are there to show what becomes of those that don't stay well."""


@lru_cache(maxsize=limits.PROGRAMS)
def read_program(image: str, command: tuple[str, ...], args: tuple[str, ...]) -> Program:
    """What a container with this command line does."""
    words = command_line(image, command, args)
    if not words:
        return Program(0.1) if ends_at_once(image) else FOREVER
    return _SICKENING.get((words[0].rpartition("/")[2], *words[1:])) or _read_command(words)


def script_of(words: Sequence[str]) -> str | None:
    """The script that a command line gives to a shell; None for any other command."""
    if not words or words[0] not in _SHELLS:
        return None
    try:
        chosen = read_options(words[1:], of_shells=True)
    except OptionError:
        return None
    return chosen.rest[0] if "c" in chosen.on and chosen.rest else None


def _read_command(words: Sequence[str]) -> Program:
    script = script_of(words)
    if script is not None:
        return _read_script(script, stops_at_failures=_stops_at_failures(words[1 : words.index(script)]))
    if words[0] in _SHELLS:  # one without a script finds that no commands come in, and ends
        return Program(unknown=True) if any(not word.startswith("-") for word in words[1:]) else Program(0.05)
    return _read_statements([_Statement(";", list(words))])


def _stops_at_failures(options: Sequence[str]) -> bool:
    """Whether a shell with these options ends with the first command that fails."""
    return any(_ERREXIT.fullmatch(option) for option in options)


def _read_script(text: str, *, stops_at_failures: bool) -> Program:
    script = _without_documents(text)
    loop = _LOOP.search(script)
    if loop is not None:
        turn = _read_statements(_statements(loop[1]))
        return Program(lines=turn.lines, repeats_s=max(turn.runs_s or 0.0, 0.1)) if turn.runs_s is not None else FOREVER
    return _read_statements(_statements(script), stops_at_failures=stops_at_failures)


def _without_documents(script: str) -> str:
    """A script without its here-documents."""
    if "<<" not in script:
        return script
    kept, delimiters = list[str](), list[str]()
    for line in script.split("\n"):
        if not delimiters:
            kept.append(_DOCUMENT.sub("", line))
            delimiters = [found["delimiter"] for found in _DOCUMENT.finditer(line)]
        elif line.lstrip("\t") == delimiters[0]:
            del delimiters[0]
    return script if delimiters else "\n".join(kept)


class _Statement(NamedTuple):
    """One command of a script. After ``&&`` it runs if the one before succeeded, after ``||`` if that failed."""

    after: str
    words: list[str]


def _parted(script: str) -> Iterator[str]:
    """Its commands, with what stands between them."""
    at = 0
    for found in _BETWEEN.finditer(script):
        if found[1]:
            yield from (script[at : found.start()], found[1])
            at = found.end()
    yield script[at:]


def _statements(script: str) -> list[_Statement]:
    statements: list[_Statement] = []
    after = ";"
    for part in _parted(_FUNCTION.sub("", script)):
        if part in _CONNECTORS:
            after = ";" if part == "&" else part
            continue
        try:
            words = shlex.split(part, comments=True)
        except ValueError:
            words = part.split()
        if words:
            statements.append(_Statement(after, words))
    return statements


@dataclass(slots=True)
class _Reading:
    """How far a script has been read."""

    now: float = 0.0
    code: int = 0
    stops_at_failures: bool = False
    may_serve: bool = False
    """Of the last command."""
    slept_s: float = 0.0
    lines: list[tuple[float, str]] = field(default_factory=list)
    files: list[tuple[float, str, bool]] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)

    def stops(self, following: Sequence["_Statement"]) -> bool:
        """Whether the script ends with the statement before these, because it failed and nothing makes use of that."""
        return self.stops_at_failures and self.code != 0 and not (following and following[0].after in {"&&", "||"})

    def skips(self, statement: _Statement) -> bool:
        return (statement.after == "&&" and self.code != 0) or (statement.after == "||" and self.code == 0)

    def ended(self, code: int) -> Program:
        return self.endless()._replace(runs_s=self.now + 0.05, exit_code=code, may_serve=self.may_serve)

    def endless(self) -> Program:
        return Program(lines=tuple(self.lines), slept_s=self.slept_s, files=tuple(self.files), written=tuple(self.written))

    def goes_into(self, target: "_Target", text: str, heard: int) -> None:
        """What was said since so many lines were heard goes into a file instead, as this text."""
        del self.lines[heard:]
        self.written.append(Written(self.now, target.path, text, target.appends))


def _read_statements(statements: Sequence[_Statement], *, stops_at_failures: bool = False) -> Program:
    """Statement by statement, until one that doesn't end or that ends it all."""
    reading = _Reading(stops_at_failures=stops_at_failures)
    for index, statement in enumerate(statements):
        if reading.skips(statement):
            continue
        (words, target), heard = _redirected(_without_errors(statement.words), reading), len(reading.lines)
        name, rest = words[0].rpartition("/")[2], words[1:]
        if name == "exec" and rest:
            name, rest = rest[0].rpartition("/")[2], rest[1:]
        if name == "exit":
            return reading.ended(_exit_code(rest, reading.code))
        if not _read_one(name, rest, reading):
            return reading.endless()._replace(unknown=not _is_known_to_go_on(name, rest))
        if target is not None:
            reading.goes_into(target, _as_written(name, rest, [line for _, line in reading.lines[heard:]]), heard)
        if reading.stops(statements[index + 1 :]):
            break
    return reading.ended(reading.code)


def _read_one(name: str, rest: Sequence[str], reading: _Reading) -> bool:
    """Read one command into what was read before it; False if it doesn't end."""
    reading.code, reading.may_serve = int(name == "false"), _may_serve(name, rest)
    if name == "sleep":
        return _sleep(rest, reading)
    if name in _STARTERS:
        return _read_started(name, rest, reading)
    words = [name, *rest]
    if script_of(words) is not None:
        return _read_inner(_read_command(words), reading)
    if name == "set":
        _set_options(rest, reading)
    if name in {"echo", "printf"}:
        reading.lines += [(reading.now, line) for line in _said(name, rest)]
    elif name in _QUICK:
        if name == "date":
            reading.lines.append((reading.now, _DATE))
        if name in _FILE_MAKERS:
            reading.files += [(reading.now, path, _FILE_MAKERS[name]) for path in rest if not path.startswith("-")]
        reading.now += _QUICK[name]
    if _goes_on(name, rest):
        return False
    return name in {"echo", "printf", "false"} or name in _QUICK


def _may_serve(name: str, rest: Sequence[str]) -> bool:
    """Whether a command runs a program of somebody's own, which nobody knows."""
    return name in _AT_ONCE and bool(rest) and not any(_AT_ONCE[name].fullmatch(word) for word in rest[:2])


def _is_known_to_go_on(name: str, rest: Sequence[str]) -> bool:
    return name == "sleep" or name in _STARTERS or _goes_on(name, rest)


def _goes_on(name: str, rest: Sequence[str]) -> bool:
    """Whether a command that usually ends doesn't with these arguments: what follows a file, listens, or reads what has no end."""
    if name == "tail":
        return not _FOLLOWING.isdisjoint(rest)
    if name == "nc":
        return any(word.startswith("-") and "l" in word for word in rest)
    given = [word.removeprefix("if=") for word in rest]
    ends = name not in _READERS or "|" in rest or any(word.startswith(("count=", "-c", "-n")) for word in rest)
    return not ends and any(word in ENDLESS for word in given)


def _read_inner(program: Program, reading: _Reading) -> bool:
    """Read what a script of its own does, which another shell runs."""
    began_at = reading.now
    reading.code, reading.may_serve = program.exit_code, program.may_serve
    reading.slept_s += program.slept_s
    reading.lines += [(began_at + at, line) for at, line in program.lines]
    reading.files += [(began_at + at, path, made) for at, path, made in program.files]
    reading.written += [one._replace(at=began_at + one.at) for one in program.written]
    reading.now += program.runs_s or 0.0
    return program.runs_s is not None


def _read_started(name: str, rest: Sequence[str], reading: _Reading) -> bool:
    """What ``timeout``, ``nohup`` and ``nice`` have another command do."""
    try:
        inner = STARTED[name](rest)
    except Usage:
        inner = []
    if not inner:
        return True
    began_at, slept_s = reading.now, reading.slept_s
    ends = _read_one(inner[0].rpartition("/")[2], inner[1:], reading)
    limit_s = _seconds(rest[len(rest) - len(inner) - 1 : len(rest) - len(inner)]) if name == "timeout" else None
    if not limit_s or limit_s == math.inf:
        return ends
    if not ends or reading.now - began_at > limit_s:
        reading.now, reading.code = began_at + limit_s, _TIMED_OUT
        reading.slept_s = min(reading.slept_s, slept_s + limit_s)
    return True


def _said(name: str, rest: Sequence[str]) -> list[str]:
    """The lines of what is said, but for those in which only a shell would know what stands there; none of what another command hears."""
    text = " ".join(word for word in rest if word not in {"-n", "-e"})
    if "|" in rest:
        return []
    if name == "printf":
        return [] if "%" in text else [line for line in text.replace("\\n", "\n").splitlines() if _is_known(line)]
    return [text] if _is_known(text) else []


def _is_known(line: str) -> bool:
    return not _WORKED_OUT.search(line.replace(_DATE, ""))


def _sleep(rest: Sequence[str], reading: _Reading) -> bool:
    seconds = _seconds(rest)
    if seconds is None:
        reading.code = 1
        return True
    reading.slept_s += seconds
    reading.now += 0.0 if seconds == math.inf else seconds
    return seconds != math.inf


def _set_options(rest: Sequence[str], reading: _Reading) -> None:
    if _stops_at_failures(rest):
        reading.stops_at_failures = True
    elif any(word.startswith("+") and "e" in word for word in rest):
        reading.stops_at_failures = False


def _without_errors(words: Sequence[str]) -> list[str]:
    """A command without where its errors go: there are none."""
    kept, following = list(words[:1]), iter(words[1:])
    for word in following:
        found = _OF_ERRORS.fullmatch(word)
        if found is None:
            kept.append(word)
        elif found[1] == "":
            next(following, "")  # the file
    return kept


class _Target(NamedTuple):
    """The file that the output of a command goes to."""

    path: str
    appends: bool


def _redirected(words: list[str], reading: _Reading) -> tuple[list[str], _Target | None]:
    """A command without where its output goes, which is a file from then on."""
    for index, word in enumerate(words):
        found = _REDIRECTION.fullmatch(word)
        if found is not None and index:
            path = found[1] or next(iter(words[index + 1 : index + 2]), "")
            if not path.startswith("/dev/"):
                reading.files.append((reading.now, path, True))
            return words[:index], _Target(path, ">>" in word)
    return words, None


def _as_written(name: str, rest: Sequence[str], lines: Sequence[str]) -> str:
    """What a command has said, with the line ends that it writes."""
    text = "".join(f"{line}\n" for line in lines)
    if name == "printf":
        return text if rest and rest[-1].endswith("\\n") else text.removesuffix("\n")
    return text.removesuffix("\n") if name == "echo" and "-n" in rest else text


def _seconds(words: Sequence[str]) -> float | None:
    """The seconds given to ``sleep``: for ever also where only the shell would know. None for what is no time."""
    total = 0.0
    for word in words:
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", word)
        if match is not None:
            total += float(match[1]) * _UNITS[match[2]]
        elif word in _ENDLESS or _FILLED_IN.search(word):
            total = math.inf
        else:
            return None
    return total if words else None


def _exit_code(words: Sequence[str], otherwise: int) -> int:
    """What ``exit`` ends with; shells refuse what is no number."""
    if not words or _FILLED_IN.search(words[0]):
        return otherwise
    return int(words[0]) & 0xFF if _NUMBER.fullmatch(words[0]) else _REFUSED
