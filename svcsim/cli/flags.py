"""The grammar of kubectl-like commands: flags as data, and the parser that reads them as kubectl's does.

``--wait=false``, ``-o=yaml``, ``-oyaml``, ``--cascade`` with or without a value, flags before and after arguments: scripts written for
kubectl rely on all of that, and on the words of its complaints. A command's flags are a tuple of `Flag`; its file holds them beside the
function they steer. Nothing here is imported that a quick command would have to wait for.
"""

from collections.abc import Iterable
from typing import NamedTuple

Value = str | bool | int | float | list[str] | None
"""What a flag comes to."""


class UsageError(Exception):
    """The command line can't be read, or asks for what can't be. The message says what to do; it is printed as it stands."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status
        """The exit status it leads to."""


class Flag(NamedTuple):
    """One flag. ``kind`` is text, bool, int32, int64, duration, list (commas separate) or array (they don't).

    The kinds of numbers are kubectl's own; what it declares as ``int`` has 64 bits.
    """

    name: str
    kind: str = "text"
    default: Value = ""
    doc: str = ""
    short: str = ""
    bare: str = ""
    """The value it has where none is given; empty where one must be."""
    choices: tuple[str, ...] = ()
    """For shells to complete; the command checks."""
    metavar: str = ""
    """What a shell completes the value with: ``file``, ``namespace``, ``cluster``, ``context``, ``container``."""


def switch(name: str, doc: str, short: str = "", *, default: bool = False) -> Flag:
    """A flag that is on or off."""
    return Flag(name, "bool", default, doc, short, bare="true")


def words(name: str, doc: str, short: str = "", *, metavar: str = "") -> Flag:
    """A flag that may be given often and takes comma lists."""
    return Flag(name, "list", [], doc, short, metavar=metavar)


class Options:
    """The flags of one command line. ``given`` tells which were spelled out."""

    def __init__(self, flags: Iterable[Flag]) -> None:
        self._values: dict[str, Value] = {
            flag.name: list(flag.default) if isinstance(flag.default, list) else flag.default for flag in flags
        }
        self.given: set[str] = set()
        self.dash: int | None = None
        """How many arguments came before ``--``; None without it."""
        self.written: list[str] = []
        """The flags as they were written, to be repeated."""

    def without(self, flags: Iterable[Flag]) -> "Options":
        """The options as if these flags weren't given: a command has flags of its own with these names and another meaning."""
        hidden = {flag.name for flag in flags}
        found = Options(flags)
        found._values = {**self._values, **found._values}
        found.given, found.dash, found.written = self.given - hidden, self.dash, self.written
        return found

    def set(self, name: str, value: Value) -> None:
        """Give a flag its value."""
        self._values[name] = value
        self.given.add(name)

    def text(self, name: str) -> str:
        value = self._values[name]
        assert isinstance(value, str), f"--{name} is no text"
        return value

    def on(self, name: str) -> bool:
        """Whether a switch is on."""
        value = self._values[name]
        assert isinstance(value, bool), f"--{name} is no switch"
        return value

    def number(self, name: str) -> int:
        value = self._values[name]
        assert isinstance(value, int), f"--{name} is no number"
        return value

    def seconds(self, name: str) -> float:
        """A duration's value in seconds."""
        value = self._values[name]
        assert isinstance(value, float | int), f"--{name} is no duration"
        return float(value)

    def items(self, name: str) -> list[str]:
        value = self._values[name]
        assert isinstance(value, list), f"--{name} is no list"
        return value


GLOBAL_FLAGS = (
    Flag("cluster", doc="The name of the svcsim cluster to talk to, as in `svcsim up NAME`.", metavar="cluster"),
    Flag("kubeconfig", doc="The client configuration file to use.", metavar="file"),
    Flag("context", doc="The context of the client configuration to use.", metavar="context"),
    Flag("namespace", doc="The namespace to work in.", short="n", metavar="namespace"),
    Flag("as", doc="The user to act as.", metavar="user"),
    Flag("as-group", "array", [], "A group to act as a member of; can be repeated."),
    Flag("as-uid", doc="The unique id to act with."),
    Flag("as-user-extra", "array", [], "More to say of the user to act as, as KEY=VALUE; can be repeated."),
    Flag("server", doc="The address of the API server, instead of the configured one.", short="s", metavar="url"),
    Flag("token", doc="The bearer token for the API server."),
    Flag("user", doc="The user entry of the client configuration to use.", metavar="user"),
    switch("insecure-skip-tls-verify", "Don't check the server's certificate."),
    switch("warnings-as-errors", "Exit with a failure if the server sent warnings."),
    Flag("request-timeout", doc="How long to wait for one response, such as 1s, 2m or 3h; 0 means without limit.", default="0"),
)
"""Flags that every kubectl-like command knows."""
HELP_FLAG = switch("help", "Print help instead.", "h")


def parse(flags: tuple[Flag, ...], argv: list[str]) -> tuple[list[str], Options]:
    """Arguments and options of a command line. Raises `UsageError` in kubectl's words."""
    by_name = {flag.name: flag for flag in flags}
    by_short = {flag.short: flag for flag in flags if flag.short}
    options = Options(flags)
    args: list[str] = []
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--":
            options.dash = len(args)
            args += rest
            break
        if not word.startswith("-") or word == "-":
            args.append(word)
            continue
        following = list(rest)
        if word.startswith("--"):
            _long(word, rest, by_name, options)
        else:
            _short(word[1:], rest, by_short, options)
        options.written += [word, *following[: len(following) - len(rest)]]
    return args, options


def find_command(argv: list[str], flags: tuple[Flag, ...] = ()) -> int | None:
    """Where in the command line the command's name stands, after flags of its family or that every command knows; None if there is none."""
    known = (*GLOBAL_FLAGS, *flags)
    by_name = {flag.name: flag for flag in known}
    by_short = {flag.short: flag for flag in known if flag.short}
    index = 0
    while index < len(argv):
        word = argv[index]
        if not word.startswith("-") or word == "-":
            return index
        if word.startswith("--"):
            flag = by_name.get(word[2:])
            takes_next = flag is not None and not flag.bare
        else:
            flag = by_short.get(word[1:])
            takes_next = flag is not None and not flag.bare and len(word) == 2
        index += 2 if takes_next else 1
    return None


def _long(word: str, rest: list[str], by_name: dict[str, Flag], options: Options) -> None:
    name, equals, value = word[2:].partition("=")
    if not name or name.startswith("-"):
        raise UsageError(f"bad flag syntax: {word}")
    flag = by_name.get(name.replace("_", "-"))
    if flag is None:
        raise UsageError(f"unknown flag: --{name}")
    if not equals:
        if flag.bare:
            value = flag.bare
        elif rest:
            value = rest.pop(0)
        else:
            raise UsageError(f"flag needs an argument: {word}")
    _assign(flag, value, options)


def _short(letters: str, rest: list[str], by_short: dict[str, Flag], options: Options) -> None:
    while letters:
        flag = by_short.get(letters[0])
        if flag is None:
            raise UsageError(f"unknown shorthand flag: '{letters[0]}' in -{letters}")
        following = letters[1:]
        if len(following) > 1 and following[0] == "=":
            value, following = following[1:], ""
        elif flag.bare:
            value = flag.bare
        elif following:
            value, following = following, ""
        elif rest:
            value = rest.pop(0)
        else:
            raise UsageError(f"flag needs an argument: '{letters[0]}' in -{letters}")
        _assign(flag, value, options)
        letters = following


_TRUE = ("1", "t", "T", "TRUE", "true", "True")
_FALSE = ("0", "f", "F", "FALSE", "false", "False")
_BITS = {"int32": 32, "int64": 64}


def _assign(flag: Flag, value: str, options: Options) -> None:
    try:
        options.set(flag.name, _convert(flag, value, options))
    except ValueError as error:
        from svcsim.meta.quoting import quoted

        spelled = f"-{flag.short}, --{flag.name}" if flag.short else f"--{flag.name}"
        raise UsageError(f'invalid argument {quoted(value)} for "{spelled}" flag: {error}') from None


def _convert(flag: Flag, value: str, options: Options) -> Value:
    if flag.kind == "bool":
        if value not in _TRUE and value not in _FALSE:
            from svcsim.meta.quoting import quoted

            raise ValueError(f"strconv.ParseBool: parsing {quoted(value)}: invalid syntax")
        return value in _TRUE
    if flag.kind in _BITS:
        from svcsim.meta import go_integers

        return go_integers.read(value, _BITS[flag.kind])
    if flag.kind == "duration":
        from svcsim.meta.times import parse_duration

        return parse_duration(value)
    if flag.kind in {"list", "array"}:
        before = options.items(flag.name) if flag.name in options.given else []
        return before + ([value] if flag.kind == "array" else value.split(",") if value else [])
    return value
