"""``test``, also by the name of ``[``: whether something is so of texts, numbers and files."""

import re
from collections.abc import Callable

from svcsim.nodes.shell.devices import is_character_device, is_stream
from svcsim.nodes.shell.process import Process, Usage
from svcsim.nodes.shell.programs.simulated import SimulatedProgram
from svcsim.nodes.shell.tree import FileError, Node

_BRACKETS = {"[": "]", "[[": "]]"}
"""Other names of ``test``, and what stands at the end of their arguments."""


async def test(process: Process) -> int:
    args = list(process.args)
    end = _BRACKETS.get(process.name)
    if end is not None:
        if args[-1:] != [end]:
            raise Usage(f"missing {end}")
        args.pop()
    return int(not await _holds(process, args))


_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b, "-ne": lambda a, b: a != b, "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b, "-gt": lambda a, b: a > b, "-ge": lambda a, b: a >= b,
}  # fmt: skip


_FILE_TESTS: dict[str, Callable[[Node], bool]] = {
    "-e": lambda _: True, "-f": lambda node: not (node.is_directory or node.device), "-d": lambda node: node.is_directory,
    "-c": is_character_device, "-p": is_stream, "-b": lambda _: False, "-S": lambda _: False,
    "-r": lambda _: True, "-w": lambda node: not node.read_only, "-x": lambda node: bool(node.mode & 0o111),
}  # fmt: skip


async def _holds(process: Process, args: list[str]) -> bool:
    for word in ("-o", "-a"):
        if word in args[1:-1] and len(args) > 3:
            place = args.index(word, 1)
            left, right = await _holds(process, args[:place]), await _holds(process, args[place + 1 :])
            return left or right if word == "-o" else left and right
    if args[:1] == ["!"]:
        return not await _holds(process, args[1:])
    if len(args) < 2:
        return bool(args and args[0])
    if len(args) == 2:
        return await _one(process, *args)
    if len(args) == 3:
        one, operator, other = args
        if operator in {"=", "=="}:
            return one == other
        if operator == "!=":
            return one != other
        if operator in _COMPARED:
            for number in (one, other):
                if not re.fullmatch(r"\s*-?\d{1,18}\s*", number):
                    raise Usage(f"{number}: bad number")
            return _COMPARED[operator](int(one), int(other))
    raise Usage("syntax error")


async def _one(process: Process, operator: str, value: str) -> bool:
    if operator in {"-z", "-n"}:
        return (not value) is (operator == "-z")
    if operator == "-t":
        return False
    try:
        node = process.world.tree.find(process.path(value), follow=operator not in {"-L", "-h"})
    except FileError:
        return False
    if operator in {"-L", "-h"}:
        return bool(node.target)
    if operator == "-s":
        return node.is_directory or bool(await node.read())
    if operator not in _FILE_TESTS:
        raise Usage(f"{operator}: unary operator expected")
    return _FILE_TESTS[operator](node)


TEST: dict[str, SimulatedProgram] = dict.fromkeys(("test", *_BRACKETS), SimulatedProgram(test))
