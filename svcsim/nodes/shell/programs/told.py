"""Programs that work something out of their arguments, or tell of files: ``expr``, ``stat``, ``mktemp``, ``sync``."""

import hashlib
import posixpath
import re
from functools import partial

from svcsim import limits
from svcsim.meta.times import format_date
from svcsim.nodes.shell.process import Process, Program, Usage
from svcsim.nodes.shell.programs.files import mode_text
from svcsim.nodes.shell.sums import SumError, joined, number_of
from svcsim.nodes.shell.tree import FileError, Node, naming

_EXPR_RANKS = {
    "|": 1, "&": 2, "=": 3, "==": 3, "!=": 3, "<": 3, ">": 3, "<=": 3, ">=": 3, "+": 4, "-": 4, "*": 5, "/": 5, "%": 5,
}  # fmt: skip
_WRONG = 2
_WHOLE = re.compile(r"-?\d{1,19}")
_TEMPLATE = re.compile(r"X{6,32}$")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_CONVERSION = re.compile(r"%(.)|\\n")
_BLOCK_BYTES = 512


class _WrongError(Exception):
    """What ``expr`` can't work out."""


async def expr(process: Process) -> int:
    """``expr 1 + 2``: succeeds where that is something else than nothing and 0."""
    words = list(process.args)
    try:
        value = _ranked(words, 1) if len(words) <= limits.SHELL_LEVELS * 4 else _refused("too many arguments")
        if words:
            _refused("syntax error")
    except (_WrongError, SumError) as error:
        await process.complain(str(error))
        return _WRONG
    await process.say(f"{value}\n")
    return int(value in {"", "0"})


def _refused(why: str) -> str:
    raise _WrongError(why)


def _ranked(words: list[str], least: int) -> str:
    value = _single(words)
    while words and _EXPR_RANKS.get(words[0], 0) >= least:
        operator = words.pop(0)
        value = _joined(operator, value, _ranked(words, _EXPR_RANKS[operator] + 1))
    return value


def _single(words: list[str]) -> str:
    if not words:
        return _refused("syntax error")
    word = words.pop(0)
    if word == "length" and words:
        return str(len(words.pop(0)))
    if word == "substr" and len(words) >= 3:
        text, start, size = words.pop(0), number_of(words.pop(0)), number_of(words.pop(0))
        return text[start - 1 : start - 1 + size] if start > 0 and size > 0 else ""
    if word != "(":
        return word
    value = _ranked(words, 1)
    if not words or words.pop(0) != ")":
        return _refused("syntax error")
    return value


def _joined(operator: str, left: str, right: str) -> str:
    is_nothing = left in {"", "0"}
    if operator == "|":
        return (right or "0") if is_nothing else left
    if operator == "&":
        return "0" if is_nothing or right in {"", "0"} else left
    are_numbers = _WHOLE.fullmatch(left) is not None and _WHOLE.fullmatch(right) is not None
    if _EXPR_RANKS[operator] == _EXPR_RANKS["="]:
        sign = "==" if operator == "=" else operator
        one, other = (int(left), int(right)) if are_numbers else ((left > right) - (left < right), 0)
        return str(joined(sign, one, other))
    if not are_numbers:
        return _refused("non-integer argument")
    return str(joined(operator, int(left), int(right)))


async def stat(process: Process) -> int:
    """``stat [-L] [-c FORMAT] FILE…``."""
    process.args = ["-c" if word == "--format" else word.replace("--format=", "-c", 1) for word in process.args]
    flags, paths = process.flags("L", "c")
    if not paths:
        raise Usage("missing operand")
    status = 0
    for path in paths:
        await process.effort()
        try:
            node = process.world.tree.find(process.path(path), follow="L" in flags)
        except FileError as error:
            await process.complain(f"can't stat '{path}': {error}")
            status = 1
            continue
        converted = partial(_converted, await _told(process, path, node))
        await process.say(_CONVERSION.sub(converted, flags.get("c", _DEFAULT)) + "\n")
    return status


_DEFAULT = (
    "  File: %N\n  Size: %s\tBlocks: %b\tIO Block: 4096   %F\nDevice: %D\tInode: %i\tLinks: %h\n"
    "Access: (0%a/%A)  Uid: (%u/%U)  Gid: (%g/%G)\nAccess: %x\nModify: %y\nChange: %z"
)


def _converted(told: dict[str, str], found: re.Match[str]) -> str:
    if found[1] is None:
        return "\n"
    if found[1] not in told:
        raise Usage(f"%{found[1]} is not simulated here")
    return told[found[1]]


async def _told(process: Process, path: str, node: Node) -> dict[str, str]:
    size = 4096 if node.is_directory else len(node.target) if node.target else len(await node.read())
    changed_at = node.changed_at or process.world.now()
    seconds, moment = str(int(changed_at)), format_date(changed_at, "%Y-%m-%d %H:%M:%S.000000000 +0000")
    kind = "directory" if node.is_directory else "symbolic link" if node.target else "regular file" if size else "regular empty file"
    inode = int.from_bytes(hashlib.blake2b(process.path(path).encode("utf-8", "surrogateescape"), digest_size=3).digest())
    return {
        "%": "%", "n": path, "N": f"'{path}' -> '{node.target}'" if node.target else path, "s": str(size), "a": f"{node.mode:o}",
        "A": mode_text(node), "F": kind, "u": str(node.uid), "g": str(node.gid), "U": _user(node.uid), "G": _user(node.gid),
        "Y": seconds, "X": seconds, "Z": seconds, "y": moment, "x": moment, "z": moment, "i": str(inode),
        "h": "2" if node.is_directory else "1", "b": str(-(-size // _BLOCK_BYTES)), "B": str(_BLOCK_BYTES), "o": "4096",
        "D": "2bh", "d": "43",
    }  # fmt: skip


def _user(number: int) -> str:
    return "root" if number == 0 else "UNKNOWN"


async def mktemp(process: Process) -> int:
    """``mktemp [-d] [-p DIRECTORY] [TEMPLATE]``."""
    flags, paths = process.flags("dqtu", "p")
    template = paths[0] if paths else "tmp.XXXXXX"
    ending = _TEMPLATE.search(template)
    if ending is None:
        raise Usage(f"invalid template '{template}'")
    if "p" in flags or not paths or "t" in flags:
        template = posixpath.join(flags.get("p") or process.environment.get("TMPDIR") or "/tmp", template)  # noqa: S108 - of a container
    process.work.thrown += 1
    words = f"{process.world.hostname} {process.world.now()} {process.work.thrown}"
    chance = hashlib.blake2b(words.encode(), digest_size=32).digest()
    name = "".join(_LETTERS[byte % len(_LETTERS)] for byte in chance[: len(ending[0])])
    path = template[: len(template) - len(ending[0])] + name
    with naming(path):
        if "u" in flags:
            pass
        elif "d" in flags:
            process.world.tree.make_directory(process.path(path), process.world.now())
            process.world.tree.find(process.path(path)).mode = 0o700
        else:
            process.world.tree.write(process.path(path), b"", process.world.now())
            process.world.tree.find(process.path(path)).mode = 0o600
    await process.say(f"{path}\n")
    return 0


async def sync(_process: Process) -> int:
    return 0


TOLD: dict[str, Program] = {"expr": expr, "stat": stat, "mktemp": mktemp, "sync": sync}
