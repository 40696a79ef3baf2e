"""Which command lines the simulated shell can run as they are meant, and of which it is known beforehand how they end.

A command line is understood where every command in it is one that the shell has: where one isn't, such as a server or a download, the shell
would only say that there is no such command. How most that are understood end, `svcsim.nodes.containers.programs` knows without running
them: they always succeed, or never end. The others have to be run as soon as their container is, for the sake of their exit code.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import dropwhile
from typing import NamedTuple

from svcsim import limits
from svcsim.nodes.containers.scripts import REFERENCE, parsed, script_of
from svcsim.nodes.images.base_image import lacking, programs
from svcsim.nodes.images.images import command_line
from svcsim.nodes.shell.devices import ENDLESS
from svcsim.nodes.shell.options import ERREXIT, NOUNSET, OptionError, read_options
from svcsim.nodes.shell.process import Usage, base
from svcsim.nodes.shell.programs.agnhost import AGNHOST
from svcsim.nodes.shell.programs.agnhost import is_understood as is_understood_agnhost
from svcsim.nodes.shell.programs.awk import is_understood as is_understood_awk
from svcsim.nodes.shell.programs.curl import read_curl
from svcsim.nodes.shell.programs.names import read_getent, read_nslookup
from svcsim.nodes.shell.programs.netcat import read_nc
from svcsim.nodes.shell.programs.options import is_read
from svcsim.nodes.shell.programs.perl import is_understood as is_understood_perl
from svcsim.nodes.shell.programs.shells import COMMANDS, SHELLS
from svcsim.nodes.shell.programs.starting import STARTED
from svcsim.nodes.shell.programs.wget import read_wget
from svcsim.nodes.shell.regular import RegularError, compiled
from svcsim.nodes.shell.scanner import ShellSyntaxError
from svcsim.nodes.shell.signals import EXIT, signal_name
from svcsim.nodes.shell.syntax import (
    AndOrItem,
    ArithmeticCommand,
    ArithmeticFor,
    CaseClause,
    Command,
    CompoundTest,
    ConditionalCommand,
    ForClause,
    FunctionDefinition,
    IfClause,
    Redirection,
    Script,
    SimpleCommand,
    TestExpression,
    WhileClause,
    Word,
)
from svcsim.nodes.shell.traversal import always_holds, literal, literals, scripts_of, within

_PLACES = ("", "/bin", "/usr/bin")
_NOT_SIMULATED = (".", "source", "stty")
"""Commands that do something else for a first process than they do here."""
_STARTING = ("exec", "command", "env", *STARTED)
"""Commands that start another."""
_SURE = ("echo", "printf", "true", ":", "false", "sleep", "exit", "date", "pwd", "hostname", "id", "uname", "set")
"""Commands whose exit code says nothing that their words don't."""
_SURE_ALONE = ("env", "printenv")
"""The same where they have no arguments."""
_SURE_WHOLE = (("tail", "-f", "/dev/null"),)
_READING_NO_END = ("[", "[[", "echo", "head", "ln", "ls", "printf", "readlink", "rm", "stat", "test")
"""Commands that come to an end with a file that has none: ``head`` takes what it wants of it, others only look at it."""
_PASSING_ON = ("cat", "tr")
"""Commands that do so as soon as nobody reads any more of what they say."""
_LEAVING = ("exit", "break", "return", "exec", "set", "command")
"""Commands by which a loop may end."""
_HOSTS: dict[str, Callable[[Sequence[str]], Iterable[str]]] = {
    "nslookup": lambda args: [read_nslookup(args)[0]],
    "getent": read_getent,
    "wget": lambda args: [url.host for url in read_wget(args)[1]],
    "curl": lambda args: [url.host for url in read_curl(args)[1]],
    "nc": lambda args: [read_nc(args)[1]],
}
"""Programs that reach others, and which hosts they reach. Of these only some options are simulated: `Usage` is raised for others."""
_OWN_HOSTS = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "x")  # noqa: S104 - whom a program asks, or what isn't known beforehand
_UNDERSTOOD = {"perl": is_understood_perl, "awk": is_understood_awk, **dict.fromkeys(AGNHOST, is_understood_agnhost)}
"""Programs of which only a part is simulated, and whether that is what is asked of them."""
_NOWHERE = ("/dev/null", "/dev/stdout", "/dev/stderr")
_NO_FILE = re.compile(r"\d?>+\s*(?:&\d|/dev/(?:null|stdout|stderr)\b)")
_WRITES = re.compile(r">|\b(?:cp|dd|mv|tar|tee)\b")
_CHANGES = re.compile(r"\b(?:ln|mkdir|rm|rmdir|sed|touch|truncate|unlink)\b")


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
    text = script_of(words)
    simple = [words]
    if text is not None:
        simple = [tuple(map(_guessed, one.words)) for one in within(_parsed(words, text)) if isinstance(one, SimpleCommand)]
    asking = [(_HOSTS[base(run[0])], run[1:]) for run in map(_run, simple) if run and base(run[0]) in _HOSTS]
    return any(host not in _OWN_HOSTS for hosts, args in asking if is_read(hosts, args) for host in hosts(args))


def may_write(words: Sequence[str]) -> bool:
    """Whether a command line may put something into files; all that does so is found, and perhaps some that doesn't."""
    return any(_WRITES.search(_NO_FILE.sub("", word)) for word in words)


def may_change_files(words: Sequence[str]) -> bool:
    """Whether a command line may have files come, go or say something else; likewise."""
    return may_write(words) or any(_CHANGES.search(word) for word in words)


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
        if place not in _PLACES or name not in self.known or name in _NOT_SIMULATED or _has_no_end(words, piped=self.piped):
            return False
        if name in _UNDERSTOOD:
            return _UNDERSTOOD[name](tuple(words[1:]))
        if name in _HOSTS:
            return is_read(_HOSTS[name], words[1:])
        if name in SHELLS:
            text = script_of(words)
            return text is not None and self._replace(bash=name == "bash").text(text)
        if name in STARTED:
            inner = _started(name, words[1:])
            return inner is not None and (not inner or self.inner(inner))
        if name == "env":
            rest = list(dropwhile(lambda word: "=" in word or word.startswith("-"), words[1:]))
            return not rest or self.inner(rest)
        return True

    def inner(self, words: Sequence[str]) -> bool:
        """Whether a program is understood that another one starts."""
        return self.depth < limits.SHELL_LEVELS and self._replace(depth=self.depth + 1).starts(words)

    def text(self, text: str) -> bool:
        try:
            script = parsed(REFERENCE.sub("x", text), bash=self.bash)
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
        words = [one.word for one in command.redirections]
        sources = [literal(one.word) or "" for one in command.redirections if one.operator == "<"]
        given = [literal(word) or "" for word in command.words] if isinstance(command, SimpleCommand) else []
        if _has_no_end(given, sources, piped=self.piped):
            return False
        if isinstance(command, SimpleCommand):
            words += [*command.words, *(word for one in command.assignments for word in one.words)]
            inner = [self.simple(command)]
        elif isinstance(command, IfClause):
            scripts = [script for branch in command.branches for script in branch] + ([command.otherwise] if command.otherwise else [])
            inner = [self.script(script) for script in scripts]
        elif isinstance(command, WhileClause):
            inner = [self.script(command.condition), self.script(command.body)]
        elif isinstance(command, ConditionalCommand):
            words += words_of(command.test)
            inner = [all(map(_is_simulated, tests_of(command.test)))]
        elif isinstance(command, ArithmeticCommand):
            words.append(command.expression)
            inner = []
        elif isinstance(command, ArithmeticFor):
            words += (command.first, command.condition, command.next)
            inner = [self.script(command.body)]
        elif isinstance(command, ForClause):
            words += command.words or ()
            inner = [self.script(command.body)]
        elif isinstance(command, CaseClause):
            words += [command.word, *(pattern for patterns, _ in command.branches for pattern in patterns)]
            inner = [self.script(body) for _, body in command.branches]
        elif isinstance(command, FunctionDefinition):
            inner = [self.command(command.body)]
        else:
            inner = [self.script(command.body)]
        return all(inner) and all(map(self.word, words))

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
            return self.trap([_guessed(word) for word in command.words[1:]])
        if name == "eval":
            text = literal(command.words[1]) if len(command.words) == 2 else None
            return text is not None and self.text(text)
        if name == "exec" and len(command.words) == 1:
            return all(one.operator == ">&" for one in command.redirections)
        if name in _STARTING or base(name) in (*SHELLS, *_UNDERSTOOD):
            words = [literal(word) for word in command.words]
            whole = [word for word in words if word is not None]
            if len(whole) < len(words):
                inner = _started(base(name), [word or "x" for word in words[1:]]) if base(name) in STARTED else None
                return (
                    inner is not None
                    and bool(inner)
                    and inner[0] in COMMANDS.programs
                    and base(inner[0]) not in (*SHELLS, *_UNDERSTOOD, *_STARTING)
                )
            return len(whole) > 1 and self.starts(whole[1:]) if name in {"exec", "command"} else self.starts(whole)
        return name in COMMANDS.builtins or self.starts([name, *map(_guessed, command.words[1:])])


def _started(name: str, args: Sequence[str]) -> list[str] | None:
    """What one program has another do; None where it is called wrongly."""
    try:
        return STARTED[name](args)
    except Usage:
        return None


def _run(words: Sequence[str]) -> Sequence[str]:
    """What is run in the end by a command that may have others run it, such as ``timeout``."""
    while words and base(words[0]) in STARTED:
        words = _started(base(words[0]), words[1:]) or ()
    return words


def _has_no_end(words: Sequence[str], sources: Sequence[str] = (), *, piped: bool) -> bool:
    """Whether a command reads what has no end, as an argument or from ``sources``, and more of it than somebody wants."""
    if not any(word.removeprefix("if=") in ENDLESS for word in (*words, *sources)):
        return False
    run = _run(words)
    name = base(run[0]) if run else ""
    if name == "dd":
        return not any(word.startswith("count=") for word in run)
    return not (name in _READING_NO_END or (piped and name in _PASSING_ON))


def _ends_soon(command: SimpleCommand) -> bool:
    name = literal(command.words[0]) if command.words else None
    if name in STARTED:
        inner = _started(name or "", [literal(word) or "" for word in command.words[1:]])
        return not inner or inner[0] not in {"sleep", "tail", *SHELLS, *_STARTING}
    return name != "sleep" and not (name == "tail" and any(literal(word) in {"-f", "-F"} for word in command.words))


def _guessed(word: Word) -> str:
    """A word with something in the places that have to be worked out."""
    return "".join(part.text if part.kind == "text" else "x" for part in word)


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
        return words[0].rpartition("/")[2] == "perl" or _is_sure([words[0].rpartition("/")[2], *words[1:]])
    options = read_options(words[1:], of_shells=True).on
    return NOUNSET not in options and _is_foreseen_script(_parsed(words, text), stops_at_failures=ERREXIT in options)


def _parsed(words: Sequence[str], text: str) -> Script:
    """The script of a command line that is understood."""
    return parsed(REFERENCE.sub("x", text), bash=base(words[0]) == "bash")


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
    name, rest = words[0], words[1:]
    if name in {"sleep", "exit"}:
        return None not in rest
    return name in _SURE or (name in _SURE_ALONE and not rest) or tuple(words) in _SURE_WHOLE


def _may_fail_later(words: Sequence[str | None]) -> bool:
    """Whether a ``set`` with these words is wrong, or has variables that there aren't be wrong from then on."""
    try:
        return NOUNSET in read_options([word or "" for word in words]).on
    except OptionError:
        return True


def tests_of(test: TestExpression | CompoundTest) -> Iterator[TestExpression]:
    """All that is asked between ``[[`` and ``]]``."""
    if isinstance(test, TestExpression):
        yield test
        return
    for part in test.parts:
        yield from tests_of(part)


def words_of(test: TestExpression | CompoundTest) -> list[Word]:
    """What has to be worked out for it."""
    return [word for one in tests_of(test) for word in one.words]


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
    return name is not None and (name in _LEAVING or not (name in COMMANDS.builtins or base(name) in COMMANDS.programs or not name))
