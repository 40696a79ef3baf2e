"""Which command lines the simulated shell can run as they are meant, and of which it is known beforehand how they end.

A command line is understood where every command in it is one that the shell has: where one isn't, such as a server or a download, the shell
would only say that there is no such command. How most that are understood end, `svcsim.nodes.containers.programs` knows without running
them: they always succeed, or never end. The others have to be run as soon as their container is, for the sake of their exit code.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from svcsim import limits
from svcsim.nodes.containers.invocations import UNSURE, Invocation, guessed, has_no_end, in_the_end, invocations, program_of, started
from svcsim.nodes.containers.scripts import parsed, referring_to, script_of
from svcsim.nodes.images.base_image import lacking, programs
from svcsim.nodes.images.images import command_line
from svcsim.nodes.shell.builtins import BUILTINS
from svcsim.nodes.shell.options import ERREXIT, NOUNSET, OptionError, read_options
from svcsim.nodes.shell.process import Usage, base
from svcsim.nodes.shell.programs.options import is_read
from svcsim.nodes.shell.programs.shells import PROGRAMS, SHELLS
from svcsim.nodes.shell.programs.simulated import Change
from svcsim.nodes.shell.regular import RegularError, compiled
from svcsim.nodes.shell.scanner import ShellSyntaxError
from svcsim.nodes.shell.signals import EXIT, signal_name
from svcsim.nodes.shell.syntax import (
    AndOrItem,
    ArithmeticFor,
    Command,
    ConditionalCommand,
    FunctionDefinition,
    Redirection,
    Script,
    SimpleCommand,
    TestExpression,
    WhileClause,
    Word,
)
from svcsim.nodes.shell.traversal import always_holds, literal, literals, scripts_of, tests_of, within, words_of

_PLACES = ("", "/bin", "/usr/bin")
_NOT_SIMULATED = (".", "source")
"""Commands that do something else for a first process than they do here."""
_STARTING = ("exec", "command")
"""Commands of the shell that start a program."""
_SURE = (":", "exit", "set")
"""Commands of the shell whose exit code says nothing that their words don't."""
_SURE_WHOLE = (("tail", "-f", "/dev/null"),)
_BY_WORDS = ("exit", "sleep")
"""Those that end as their arguments say."""
_LEAVING = ("exit", "break", "return", "exec", "set", "command")
"""Commands by which a loop may end."""
_OWN_HOSTS = ("localhost", "127.0.0.1", "::1", "0.0.0.0", UNSURE)  # noqa: S104 - whom a program asks, or what isn't known beforehand
_NOWHERE = ("/dev/null", "/dev/stdout", "/dev/stderr")


class FirstCommand(NamedTuple):
    """A command line that the simulated shell can run."""

    words: tuple[str, ...]
    foreseen: bool
    """Whether it is known how it ends without running it."""
    heeds: tuple[str, ...] = ()
    """Signals that it says itself what it does about, by their names."""
    asks_others: bool = False
    """Whether it asks other hosts than its own."""


@lru_cache(maxsize=limits.PROGRAMS)
def read_first(image: str, command: tuple[str, ...], args: tuple[str, ...]) -> FirstCommand | None:
    """What a container runs; None where that isn't understood."""
    words = command_line(image, command, args)
    if sum(map(len, words)) > limits.FIRST_COMMAND_CHARS:
        return None
    known = frozenset((*programs(image), *lacking(image)))  # what isn't there is known to fail
    if not words or not _Reader(known).starts(words):
        return None
    return FirstCommand(words, _is_foreseen(words), _heeded(words), _asks_others(words))


def _asks_others(words: tuple[str, ...]) -> bool:
    asking = [(program.reaches, one.words[1:]) for one in invocations(words) if (program := program_of(one.words)) is not None]
    return any(host not in _OWN_HOSTS for reaches, args in asking if reaches and is_read(reaches, args) for host in reaches(args))


def may_write(words: tuple[str, ...]) -> bool:
    """Whether a command line that is understood may put something into files; all that does so is found, and perhaps some that doesn't."""
    return "content" in _changes(words)


def may_change_files(words: tuple[str, ...]) -> bool:
    """Whether it may have files come, go or say something else; likewise."""
    return bool(_changes(words))


@lru_cache(maxsize=limits.PROGRAMS)
def _changes(words: tuple[str, ...]) -> frozenset[Change]:
    """What it may do to files."""
    if sum(map(len, words)) > limits.FIRST_COMMAND_CHARS:
        return frozenset(("content",))
    return frozenset(filter(None, map(_changes_of, invocations(words))))


def _changes_of(one: Invocation) -> Change:
    if not set(one.targets).issubset(_NOWHERE):
        return "content"
    program = program_of(one.words)
    if program is None:
        return ""
    try:
        return "" if program.changes_nothing is not None and program.changes_nothing(one.words[1:]) else program.changes
    except Usage:
        return program.changes


class _Reader(NamedTuple):
    """Reads what is to be run in a container that has these programs."""

    known: frozenset[str]
    functions: frozenset[str] = frozenset()
    bash: bool = False
    """Whether it is a script for that shell."""
    piped: bool = False
    """Whether what is said goes to another command."""
    depth: int = 0
    """How many programs start one another to come to what is read."""

    def starts(self, words: Sequence[str]) -> bool:
        """Whether a program is understood that is started with these arguments."""
        place, _, name = words[0].rpartition("/")
        if place not in _PLACES or name not in self.known or has_no_end(words, piped=self.piped):
            return False
        program = PROGRAMS[name]
        if program.understands is not None:
            return program.understands(words[1:])
        if program.reaches is not None:
            return is_read(program.reaches, words[1:])
        if program.starts is not None:
            inner = started(words)
            return inner is not None and (not inner or self.inner(inner))
        if name in SHELLS:
            text = script_of(words)
            return text is not None and self._replace(bash=name == "bash").text(text)
        return True

    def inner(self, words: Sequence[str]) -> bool:
        """Whether a program is understood that another one starts."""
        return self.depth < limits.SHELL_LEVELS and self._replace(depth=self.depth + 1).starts(words)

    def text(self, text: str) -> bool:
        try:
            script = parsed(referring_to(UNSURE, text), bash=self.bash)
        except ShellSyntaxError:
            return False
        defined = frozenset(one.name for one in within(script) if isinstance(one, FunctionDefinition))
        return self._replace(functions=self.functions | defined).script(script)

    def script(self, script: Script) -> bool:
        return all(self.step(step) for step in script)

    def step(self, step: AndOrItem) -> bool:
        *before, last = step.pipeline.commands
        if step.in_background and not (isinstance(last, SimpleCommand) and (_ends_soon(last) or "sleep" in literals(last)[:2])):
            return False
        # Of commands with pipes between them one runs after the other, which is no way to run what goes on.
        come_first = all(self._replace(piped=True).command(one) and self.soon_over(one) for one in before)
        return come_first and self.command(last)

    def soon_over(self, command: Command) -> bool:
        """Whether nothing in it goes on, as far as is seen without a look into functions."""
        if isinstance(command, WhileClause | ArithmeticFor):
            return False
        if isinstance(command, SimpleCommand):
            return _ends_soon(command) and not self.calls(command)
        return all(self.soon_over(one) for script in scripts_of(command) for step in script for one in step.pipeline.commands)

    def calls(self, command: SimpleCommand) -> bool:
        """Whether it is one of the script's own functions."""
        return bool(command.words) and literal(command.words[0]) in self.functions

    def command(self, command: Command) -> bool:
        if isinstance(command, FunctionDefinition):
            return self.command(command.body)
        sources = [literal(one.word) or "" for one in command.redirections if one.operator == "<"]
        if has_no_end([word or "" for word in literals(command)], sources, piped=self.piped):
            return False
        if isinstance(command, SimpleCommand) and not self.simple(command):
            return False
        if isinstance(command, ConditionalCommand) and not all(map(_is_simulated, tests_of(command.test))):
            return False
        return all(map(self.script, scripts_of(command))) and all(map(self.word, words_of(command)))

    def trap(self, words: Sequence[str]) -> bool:
        """Whether what is to be done when a signal comes is understood."""
        action = next((word for word in words if word not in {"--", "-"}), "")
        return action.isdecimal() or signal_name(action) is not None or self.text(action)

    def word(self, word: Word) -> bool:
        return all(
            self.text(part.text) if part.kind == "command" else all(map(self.word, (part.operand, part.replacement, part.subscript)))
            for part in word
        )

    def simple(self, command: SimpleCommand) -> bool:
        if not command.words:
            return True
        name = literal(command.words[0])
        if name is not None and self.calls(command):
            return True
        if name is None or name in _NOT_SIMULATED:
            return False
        if name == "trap":
            return self.trap([guessed(word) for word in command.words[1:]])
        if name == "eval":
            text = literal(command.words[1]) if len(command.words) == 2 else None
            return text is not None and self.text(text)
        if name == "exec" and len(command.words) == 1:
            return all(one.operator == ">&" for one in command.redirections)
        if name in _STARTING or _counts_words(name):
            words = [literal(word) for word in command.words]
            whole = [word for word in words if word is not None]
            if len(whole) < len(words):
                inner = started([word or UNSURE for word in words])
                return bool(inner) and inner is not None and inner[0] in PROGRAMS and inner[0] not in SHELLS and not _counts_words(inner[0])
            return len(whole) > 1 and self.starts(whole[1:]) if name in _STARTING else self.starts(whole)
        return name in BUILTINS or self.starts([name, *map(guessed, command.words[1:])])


def _counts_words(name: str) -> bool:
    """Whether all words of a command have to be known to understand it."""
    program = PROGRAMS.get(base(name))
    return program is not None and (base(name) in SHELLS or program.understands is not None or program.starts is not None)


def _ends_soon(command: SimpleCommand) -> bool:
    words = [literal(word) or "" for word in command.words] or [""]
    run = in_the_end(words)
    if len(run) < len(words):
        return not run or run[0] not in {"sleep", "tail", *SHELLS, *_STARTING}
    return run[0] != "sleep" and not (run[0] == "tail" and not {"-f", "-F"}.isdisjoint(run))


def _heeded(words: Sequence[str]) -> tuple[str, ...]:
    text = script_of(words)
    if text is None or "trap" not in text:
        return ()
    commands = [literals(command) for command in within(_parsed(words, text))]
    names = {signal_name(word) for one in commands if one[:1] == ("trap",) for word in one[1:] if word}
    return tuple(sorted(name for name in names if name is not None and name != EXIT))


def _is_foreseen(words: Sequence[str]) -> bool:
    text = script_of(words)
    if text is None:
        return _is_sure([base(words[0]), *words[1:]])
    options = read_options(words[1:], of_shells=True).on
    return NOUNSET not in options and _is_foreseen_script(_parsed(words, text), stops_at_failures=ERREXIT in options)


def _parsed(words: Sequence[str], text: str) -> Script:
    """The script of a command line that is understood."""
    return parsed(referring_to(UNSURE, text), bash=base(words[0]) == "bash")


def _is_foreseen_script(script: Script, *, stops_at_failures: bool) -> bool:
    """Plain commands one after the other, or what goes round for ever after some that can't keep it from that."""
    reaches_on, is_plain = not stops_at_failures, True
    for step in script:
        (command, *others), negated = step.pipeline
        if others or negated or step.in_background:
            return False
        if isinstance(command, WhileClause):
            return reaches_on and step.operator == ";" and is_endless(command)
        if not isinstance(command, SimpleCommand) or not all(map(_leads_nowhere, command.redirections)):
            return False
        words = [literal(word) for word in command.words]
        if not words:
            is_plain = False  # what it sets is known to whoever runs it
        elif not _is_sure(words) or command.assignments or (words[0] == "set" and _may_fail_later(words[1:])):
            return False
        elif words[0] in {"exit", "set"}:
            reaches_on = False
    return is_plain


def _is_sure(words: Sequence[str | None]) -> bool:
    """Whether a command's words say how it ends; None is a word that isn't known."""
    name, rest = words[0] or "", words[1:]
    program = PROGRAMS.get(name)
    if program is not None and program.foreseen != "always":
        return (program.foreseen == "alone" and not rest) or tuple(words) in _SURE_WHOLE
    return None not in rest if name in _BY_WORDS else name in _SURE or program is not None


def _may_fail_later(words: Sequence[str | None]) -> bool:
    """Whether a ``set`` with these words is wrong, or has variables that there aren't be wrong from then on."""
    try:
        return NOUNSET in read_options([word or "" for word in words]).on
    except OptionError:
        return True


def _is_simulated(test: TestExpression) -> bool:
    """Whether what is looked for by it can be found, as far as that is known beforehand."""
    pattern = "".join(part.text for part in test.words[-1]) if test.operator == "=~" else ""
    try:
        return not pattern or any(part.kind != "text" for part in test.words[-1]) or bool(compiled(pattern))
    except RegularError:
        return False


def _leads_nowhere(redirection: Redirection) -> bool:
    return redirection.operator == ">&" or literal(redirection.target) in _NOWHERE


def is_endless(loop: WhileClause) -> bool:
    """Whether a loop goes round for ever, in a shell that doesn't end with the first command that fails."""
    return always_holds(loop) and not any(_may_leave(one) for one in within(loop.body))


def _may_leave(command: Command) -> bool:
    """Whether a loop may end by it; what no program is called may be a function that does so."""
    name = next(iter(literals(command)), "")
    return name is not None and (name in _LEAVING or not (name in BUILTINS or base(name) in PROGRAMS or not name))
