"""What a container would do, guessed from its command: how long it runs, how it ends and what it says.

No container ever runs here, so its command line is all there is to go by. A server goes on for ever; what plainly ends (``sleep 30``,
``echo done``, ``exit 1``, ``true``) ends as it would. Of a shell's script the simple commands are read, one after the other, and loops that
never end; of what else it may do, nobody knows what becomes. Annotations say it where the command doesn't (`behaviour`).
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile, zip_longest
from typing import Literal, NamedTuple

from svcsim import limits
from svcsim.nodes.containers.invocations import has_no_end, program_of, started
from svcsim.nodes.containers.scripts import DATE, is_fixed, is_known, parsed, referring, script_of, shell_command, told
from svcsim.nodes.images.images import command_line, ends_at_once
from svcsim.nodes.shell.durations import sleep_seconds
from svcsim.nodes.shell.options import ERREXIT, OptionError, read_options
from svcsim.nodes.shell.process import FOR_EVER_S, Usage, base
from svcsim.nodes.shell.programs.shells import PROGRAMS, SHELLS
from svcsim.nodes.shell.scanner import ShellSyntaxError
from svcsim.nodes.shell.syntax import (
    AndOrItem,
    ArithmeticCommand,
    Command,
    ConditionalCommand,
    FunctionDefinition,
    Group,
    Redirection,
    Script,
    SimpleCommand,
    WhileClause,
)
from svcsim.nodes.shell.traversal import always_holds, literals, within

_TAKE_S = {
    **dict.fromkeys(("trap", "wait"), 0.0),
    **dict.fromkeys((":", "cd", "export", "let", "set", "unset", "sed"), 0.05),
    **dict.fromkeys(("apk", "apt-get", "git", "npm", "pip"), 1.0),
    **dict.fromkeys(("python", "python3"), 2.0),
}
"""Commands of the shell, and programs that aren't simulated, that come to an end, and the seconds they take."""
_AT_ONCE = {
    **dict.fromkeys(("python", "python3"), re.compile(r"-c|-V|-h|--version|--help|pip|compileall|pytest|unittest|venv")),
    "perl": re.compile(r"-[A-Za-z]*[eEcv].*"),
    "npm": re.compile(r"(?!start$|run$|run-script$|exec$|dev$|serve$|-).*"),
    "git": re.compile(r"(?!daemon$|-).*"),
}
"""Commands that may be servers, and which argument says that they are none."""
_FOLLOWS = re.compile(r"-[0-9A-Za-z]*[fF][0-9A-Za-z]*|--follow")
_PASSING_ON = (("cat",), ("tee",))
"""Commands that say what they hear."""
_ENDING = (("exit",), ("return",))
"""Commands that end a script, or a function."""
_LEAVING = (("break",), ("exit",), ("return",), ("exec",))
"""Commands by which a loop may be left that goes on otherwise."""
_SURE_CODES = {"true": 0, ":": 0, "false": 1, "echo": 0, "printf": 0, "sleep": 0}
"""Commands of which it is known how they end."""
_CHECKS = frozenset(("[", "test", "grep", "egrep", "fgrep", "nc", "cmp", "diff", "pgrep", "pidof", "which", "command", "type", "getent"))
"""Commands that are there to find out something."""
_TIMED_OUT = 124
_REFUSED = 2
"""How a shell ends a command whose arguments it can't make use of."""
_NUMBER = re.compile(r"[0-9]{1,9}")
_QUICK_S = 0.05
"""How long it takes a shell to work something out, and to end."""
_FILE_MAKERS = {"touch": True, "mkdir": True, "rm": False}
"""Commands that make the files they are given (true), or take them away."""
_Outcome = Literal["over", "left", "goes on", "unknown"]
"""Of a command: the next one comes; its shell ends with it; it never ends; nobody knows what it does."""


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
    return _SICKENING.get((words[0].rpartition("/")[2], *words[1:])) or _read_command(tuple(map(referring, words)))


def _read_command(words: Sequence[str]) -> Program:
    given = shell_command(words)
    if given is None:
        reading = _Reading()
        return reading.program(reading.simple(words))
    try:
        script = parsed(given.text, bash=given.bash)
    except ShellSyntaxError:
        return Program(unknown=True)
    reading = _Reading(stops_at_failures=ERREXIT in given.options)
    return reading.program(reading.script(script))


@dataclass(slots=True)
class _Reading:
    """How far a script has been read."""

    now: float = 0.0
    code: int = 0
    """Of the last command."""
    is_sure: bool = True
    """Whether that is known. What isn't is taken for a success."""
    is_check: bool = False
    """Whether it was to find out something, which isn't known. What would end a script behind such a one isn't done."""
    is_tested: bool = False
    """Whether a command that fails has no effect on the shell."""
    stops_at_failures: bool = False
    may_serve: bool = False
    """Of the last command."""
    slept_s: float = 0.0
    lines: list[tuple[float, str]] = field(default_factory=list)
    files: list[tuple[float, str, bool]] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)
    repeats_s: float | None = None
    functions: set[str] = field(default_factory=set)
    """The script's own, by their names."""

    def program(self, outcome: _Outcome) -> Program:
        """What was read, which has come to this."""
        ends = outcome in {"over", "left"}
        return Program(
            runs_s=self.now + _QUICK_S if ends else None,
            exit_code=self.code if ends and self.is_sure else 0,
            lines=tuple(self.lines),
            repeats_s=self.repeats_s,
            slept_s=self.slept_s,
            files=tuple(self.files),
            written=tuple(self.written),
            unknown=outcome == "unknown",
            may_serve=self.may_serve and ends,
        )

    def script(self, script: Script) -> _Outcome:
        """Command by command, until one that doesn't end or that ends it all."""
        was_tested = self.is_tested
        for index, (step, following) in enumerate(zip_longest(script, script[1:])):
            if self.skips(step):
                continue
            if step.operator == "&&" and self.is_check and _leaves(script[index:]):
                self.code = 1  # it was a check for what mustn't be
                continue
            is_used = step.pipeline.negated or (following is not None and following.operator != ";")
            was_sure, self.is_tested = self.is_sure or step.operator == ";", was_tested or is_used
            outcome = self.step(step)
            self.is_tested = was_tested
            if outcome != "over":
                return outcome
            self.is_sure = self.is_sure and was_sure
            if self.stops_at_failures and self.is_sure and self.code != 0 and not (is_used or was_tested):
                return "left"
        return "over"

    def finds(self, code: int | None, *, is_check: bool = False) -> None:
        """A command has come to its end; None where nobody knows to which."""
        self.code, self.is_sure, self.is_check = code or 0, code is not None, is_check

    def skips(self, step: AndOrItem) -> bool:
        return (step.operator == "&&" and self.code != 0) or (step.operator == "||" and self.code == 0)

    def step(self, step: AndOrItem) -> _Outcome:
        commands = step.pipeline.commands
        outcome = self.command(commands[0]) if len(commands) == 1 else self.piped(commands)
        if step.in_background:
            self.finds(0)
        elif step.pipeline.negated:
            self.code, self.is_check = int(self.code == 0 and self.is_sure), not self.is_sure
        return "over" if step.in_background and outcome == "left" else outcome

    def piped(self, commands: Sequence[Command]) -> _Outcome:
        """Commands at work at the same time: of those behind the first, one that isn't known ends when nothing comes in any more."""
        began_at, latest, heard = self.now, self.now, len(self.lines)
        for command in commands:
            self.now = began_at
            if literals(command)[:1] not in _PASSING_ON:
                del self.lines[heard:]
            outcome = self.command(command, piped=command is not commands[-1])
            if outcome == "goes on" or (outcome == "unknown" and command is commands[0]):
                return outcome
            latest = max(latest, self.now)
        self.now = latest
        return "over"

    def command(self, command: Command, *, piped: bool = False) -> _Outcome:
        """Any command, whose output goes into a file if it says so."""
        target, heard = self.opened(command.redirections), len(self.lines)
        outcome = self.carried_out(command, piped=piped)
        if target is not None:
            lines = [line for _, line in self.lines[heard:]]
            del self.lines[heard:]
            self.written.append(Written(self.now, told(target.target), _as_written(command, lines), target.operator == ">>"))
        return outcome

    def opened(self, redirections: Sequence[Redirection]) -> Redirection | None:
        """Where the output of a command goes, where that is a file, which is there from then on."""
        found = [one for one in redirections if one.stream == 1 and one.operator in {">", ">>"}]
        self.files += [(self.now, told(one.target), True) for one in found if not told(one.target).startswith("/dev/")]
        return found[-1] if found else None

    def carried_out(self, command: Command, *, piped: bool) -> _Outcome:
        if isinstance(command, SimpleCommand):
            sources = [told(one.target) for one in command.redirections if one.operator == "<"]
            return self.simple([told(word) for word in command.words], sources, piped=piped)
        if isinstance(command, FunctionDefinition):
            self.functions.add(command.name)
            return "over"
        if isinstance(command, ConditionalCommand | ArithmeticCommand):
            self.now += _QUICK_S
            self.finds(None, is_check=True)
            return "over"
        if isinstance(command, Group):
            return self.subshell(command.body) if command.subshell else self.script(command.body)
        if isinstance(command, WhileClause) and always_holds(command):
            return self.loop(command)
        return "unknown"

    def subshell(self, script: Script) -> _Outcome:
        """What is set in it holds there alone, and what leaves it leaves nothing else."""
        stops_at_failures, functions = self.stops_at_failures, set(self.functions)
        outcome = self.script(script)
        self.stops_at_failures, self.functions = stops_at_failures, functions
        return "over" if outcome == "left" else outcome

    def loop(self, loop: WhileClause) -> _Outcome:
        """One that never ends by itself. What it says again and again is known where nothing comes before it."""
        turn = _Reading(stops_at_failures=self.stops_at_failures, functions=self.functions)
        outcome = turn.script(loop.condition)
        turn.now = turn.slept_s
        outcome = turn.script(loop.body) if outcome == "over" else outcome
        if outcome == "left":
            self.joined(turn.program(outcome))
            return "left"
        if any(literals(command)[:1] in _LEAVING for command in within(loop.body)):
            return "unknown"
        if outcome == "over" and self.now == 0 and not self.lines:
            self.lines, self.repeats_s = turn.lines, max(turn.now + _QUICK_S, 2 * _QUICK_S)
        return "goes on"

    def joined(self, program: Program) -> _Outcome:
        """What a script of its own does, which another shell runs."""
        began_at = self.now
        self.finds(program.exit_code or None, is_check=not program.exit_code)
        self.may_serve = program.may_serve
        self.slept_s += program.slept_s
        self.lines += [(began_at + at, line) for at, line in program.lines]
        self.files += [(began_at + at, path, made) for at, path, made in program.files]
        self.written += [one._replace(at=began_at + one.at) for one in program.written]
        self.now += program.runs_s or 0.0
        return "unknown" if program.unknown else "goes on" if program.runs_s is None else "over"

    def simple(self, words: Sequence[str], sources: Sequence[str] = (), *, piped: bool = False) -> _Outcome:
        """A simple command that is given these files to read."""
        if not words:
            self.finds(0)
            return "over"
        if words[0] == "exit":
            self.code, self.is_sure = _exit_code(words[1:], self.code), self.is_sure or bool(words[1:])
            return "left"
        if words[0] == "exec" and len(words) == 1:  # the shell's own output goes elsewhere
            return "over"
        if words[0] == "exec":
            outcome = self.run(words[1:], sources, piped=piped)
            return "left" if outcome == "over" else outcome
        return "unknown" if words[0] in self.functions else self.run(words, sources, piped=piped)

    def run(self, words: Sequence[str], sources: Sequence[str], *, piped: bool = False, depth: int = 0) -> _Outcome:
        """A program that is given these words, and these files to read."""
        name, rest = base(words[0]), words[1:]
        self.finds(_SURE_CODES.get(name), is_check=name in _CHECKS)
        self.may_serve = _may_serve(name, rest) or (name == "wait" and self.may_serve)
        if name == "sleep":
            return self.sleep(rest)
        if _starts(words):
            return self.started(words, sources, piped=piped, depth=depth)
        if name in SHELLS:
            return self.shell(words)
        if name == "set":
            self.set_options(rest)
        takes_s = _takes_s(name)
        if takes_s is None:
            return "unknown"
        if _goes_on(words, sources, piped=piped):
            return "goes on"
        self.lines += [(self.now, line) for line in _said(name, rest)]
        if name in _FILE_MAKERS:
            self.files += [(self.now, path, _FILE_MAKERS[name]) for path in rest if not path.startswith("-")]
        self.now += takes_s
        return "over"

    def shell(self, words: Sequence[str]) -> _Outcome:
        """Another shell. One without a script finds that no commands come in, and ends."""
        if script_of(words) is not None:
            return self.joined(_read_command(words))
        return "unknown" if any(not word.startswith("-") for word in words[1:]) else "over"

    def started(self, words: Sequence[str], sources: Sequence[str], *, piped: bool, depth: int) -> _Outcome:
        """What ``timeout``, ``nohup`` and their like have another command do."""
        inner = started(words)
        if not inner:
            self.now += _takes_s(base(words[0])) or 0.0
            return "over"
        if depth > limits.SHELL_LEVELS:
            return "unknown"
        began_at, slept_s = self.now, self.slept_s
        outcome = self.run(inner, sources, piped=piped, depth=depth + 1)
        limit_s = _seconds(words[len(words) - len(inner) - 1 : len(words) - len(inner)]) if base(words[0]) == "timeout" else None
        if not limit_s or limit_s == math.inf:
            return outcome
        if outcome != "over" or self.now - began_at > limit_s:
            self.now = began_at + limit_s
            self.finds(_TIMED_OUT)
            self.slept_s = min(self.slept_s, slept_s + limit_s)
        return "over"

    def sleep(self, rest: Sequence[str]) -> _Outcome:
        seconds = _seconds(rest)
        if seconds is None:
            self.code = 1
            return "over"
        self.slept_s += seconds
        self.now += 0.0 if seconds == math.inf else seconds
        return "goes on" if seconds == math.inf else "over"

    def set_options(self, rest: Sequence[str]) -> None:
        try:
            chosen = read_options(rest)
        except OptionError:
            return
        self.stops_at_failures = ERREXIT in chosen.on or (self.stops_at_failures and ERREXIT not in chosen.off)


def _leaves(script: Script) -> bool:
    """Whether what is done behind a check, up to where something else is done, may end the script."""
    following = takewhile(lambda step: step.operator == "&&", script)
    return any(literals(command)[:1] in _ENDING for command in within(tuple(following)))


def _may_serve(name: str, rest: Sequence[str]) -> bool:
    """Whether a command runs a program of somebody's own, which nobody knows."""
    return name in _AT_ONCE and bool(rest) and not any(_AT_ONCE[name].fullmatch(word) for word in rest[:2])


def _takes_s(name: str) -> float | None:
    """How long a command that comes to an end is at work; None where nobody knows that it does."""
    return PROGRAMS[name].takes_s if name in PROGRAMS else _TAKE_S.get(name)


def _starts(words: Sequence[str]) -> bool:
    """Whether a command has another one do its work; what makes one of what comes in has nothing to make it of."""
    program = program_of(words)
    return program is not None and program.starts is not None and program.reads_beside is None


def _goes_on(words: Sequence[str], sources: Sequence[str], *, piped: bool) -> bool:
    """Whether a command that usually ends doesn't with these arguments: what follows a file, listens, or reads what has no end."""
    match base(words[0]):
        case "tail":
            return any(map(_FOLLOWS.fullmatch, words[1:]))
        case "nc":
            return any(word.startswith("-") and "l" in word for word in words)
    return program_of(words) is not None and has_no_end(words, sources, piped=piped)


def _said(name: str, rest: Sequence[str]) -> list[str]:
    """The lines of what is said, as far as it is known, but for those in which only a shell would know what stands there."""
    text = " ".join(word for word in rest if word not in {"-n", "-e"})
    match name:
        case "date":
            return [DATE]
        case "echo":
            return [text] if is_known(text) else []
        case "printf" if "%" not in text:
            return [line for line in text.replace("\\n", "\n").splitlines() if is_known(line)]
    return []


def _as_written(command: Command, lines: Sequence[str]) -> str:
    """What a command has said, with the line ends that it writes."""
    name, *rest = literals(command) or ("",)
    text = "".join(f"{line}\n" for line in lines)
    if base(name or "") == "printf":
        return text if rest and (rest[-1] or "").endswith("\\n") else text.removesuffix("\n")
    return text.removesuffix("\n") if base(name or "") == "echo" and "-n" in rest else text


def _seconds(words: Sequence[str]) -> float | None:
    """The seconds given to ``sleep``: for ever also where only the shell would know. None for what is no time."""
    if not all(map(is_fixed, words)):
        return math.inf
    try:
        seconds = sleep_seconds(words)
    except Usage:
        return None
    return math.inf if seconds >= FOR_EVER_S else seconds


def _exit_code(words: Sequence[str], otherwise: int) -> int:
    """What ``exit`` ends with; shells refuse what is no number."""
    if not words or not is_fixed(words[0]):
        return otherwise
    return int(words[0]) & 0xFF if _NUMBER.fullmatch(words[0]) else _REFUSED
