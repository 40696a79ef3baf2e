"""Word expansion (POSIX 2.6): parameters, command substitution, arithmetic, field splitting and pathname expansion."""

import posixpath
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, Protocol

from svcsim import limits
from svcsim.nodes.shell.arithmetic import SumError, evaluate
from svcsim.nodes.shell.braces import TooManyError, without_braces
from svcsim.nodes.shell.fields import parts_of
from svcsim.nodes.shell.globs import Glob
from svcsim.nodes.shell.options import NOGLOB, NOUNSET
from svcsim.nodes.shell.parameters import Parameters
from svcsim.nodes.shell.regular import escaped
from svcsim.nodes.shell.syntax import Word, WordPart
from svcsim.nodes.shell.tree import FileError, Tree, resolve

_PATTERN = re.compile(r"[*?\[]")
_TEST = "["
"""The name of a command, which isn't a pattern."""
_ONLY_READS = re.compile(r"\s*<\s*[^\s;&|<>()`]+\s*")
"""``$(< file)``: the content of the file."""


ARGUMENTS_TOO_LONG = "argument list too long"
"""The error for a command line that is longer than the kernel allows."""


NO_ROOM = "out of memory"
"""The shell's error when its memory is used up."""


class ExpansionError(Exception):
    """A word can't be expanded; the shell prints why, and exits."""


class UnsetError(ExpansionError):
    """A variable isn't set, which is an error with ``set -u``."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name}: {why}")
        self.name = name


class VariableStore(Protocol):
    """The variables and parameters of a shell."""

    def get(self, name: str) -> str | None: ...

    def set(self, name: str, value: str) -> None: ...

    def elements(self, name: str) -> dict[str, str]:
        """The values of an array by their keys, in order. A variable that is no array has its value as the first element."""
        ...

    def is_associative(self, name: str) -> bool: ...


class Expander(NamedTuple):
    """Expands words."""

    variables: VariableStore
    parameters: Parameters
    tree: Tree
    run: Callable[[str], Awaitable[str]]
    """Gives the output of a script, for command substitutions."""
    effort: Callable[[int], Awaitable[None]]
    """Called with the amount of work done, in bytes, so that others have their turn."""

    async def words(self, words: Sequence[Word]) -> list[str]:
        """The fields that the words of a command expand to."""
        found: list[str] = []
        size = 0
        for written in words:
            unbraced = self._unbraced(written)
            for word in unbraced:
                fields = await self._split(word)
                for field in fields:
                    if len(unbraced) > 1 or len(fields) > 1:
                        await self.effort(limits.SHELL_WORD_COSTS_BYTES)
                    matching = await self._matches(field)
                    found += matching
                    size += sum(map(len, matching))
                    if size > limits.SHELL_TEXT_CHARS or len(found) > limits.SHELL_WORDS:
                        raise ExpansionError(ARGUMENTS_TOO_LONG)
        return found

    def _unbraced(self, word: Word) -> Sequence[Word]:
        try:
            return without_braces(word) if self.parameters.is_bash else (word,)
        except TooManyError:
            raise ExpansionError(ARGUMENTS_TOO_LONG) from None

    async def pattern(self, word: Word) -> str:
        """A word as a pattern, in which quoted characters are literal."""
        parts = [glob_escaped(await self._value(part)) if part.quoted else await self._value(part) for part in word]
        if sum(map(len, parts)) > limits.SHELL_TRIMMED_CHARS:
            raise ExpansionError("the pattern is too long")
        return "".join(parts)

    async def text(self, word: Word) -> str:
        """A word expanded to one text, without field splitting and pathname expansion."""
        values: list[str] = []
        size = 0
        for part in word:
            values.append(await self._value(part))
            size += len(values[-1])
            if size > limits.SHELL_TEXT_CHARS:
                raise ExpansionError(NO_ROOM)
        return "".join(values)

    async def _split(self, word: Word) -> list[list[tuple[str, bool]]]:
        """The fields of a word after field splitting, each a list of texts and whether they are quoted."""
        fields: list[list[tuple[str, bool]]] = []
        current: list[tuple[str, bool]] | None = None
        size, came_to_none = 0, False
        for part in word:
            if (part.text == "@" or part.subscript) and (several := await self._several(part)) is not None:
                came_to_none = came_to_none or not several
                for index, argument in enumerate(several):
                    if index and current is not None:
                        fields.append(current)
                        current = None
                    current = _with(current, argument, quoted=True)
                continue
            value = await self._value(part)
            size += len(value)
            if size > limits.SHELL_TEXT_CHARS:
                raise ExpansionError(ARGUMENTS_TOO_LONG)
            if part.quoted or part.kind == "text":
                current = _with(current, value, quoted=part.quoted)
                continue
            if len(value) > limits.SHELL_WORD_COSTS_BYTES:
                await self.effort(len(value))
            for index, split in enumerate(parts_of(value, self.variables.get("IFS") or "")):
                if index and current is not None:
                    fields.append(current)
                    current = None
                if split.text or split.counts:
                    current = _with(current, split.text, quoted=False)
        if current is None or (came_to_none and not any(text for text, _ in current)):
            return fields  # ``"$@"`` without any is no word, though it is quoted
        return [*fields, current]

    async def _several(self, part: WordPart) -> Sequence[str] | None:
        """The values of ``"$@"`` or ``"${list[@]}"``, or of a slice (``${@:2}``), each of which is a field; None for other parts."""
        if not (part.operator == ":" or (part.quoted and not part.operator)):
            return None
        if part.kind == "parameter" and part.text == "@":
            found = [*([self.variables.get("0") or ""] if part.operator else []), *self.parameters.arguments]
        elif part.kind in {"parameter", "keys"} and is_whole(part, "@"):
            elements = self.variables.elements(part.text)
            found = list(elements.values() if part.kind == "parameter" else elements)
        else:
            return None
        return found if not part.operator else found[await self._part(part.operand, len(found))]

    async def key(self, name: str, subscript: Word) -> str:
        """The key in an array that a subscript expands to."""
        text = await self.text(subscript)
        if self.variables.is_associative(name):
            return text
        try:
            place = evaluate(text, self.variables)
        except SumError as error:
            raise ExpansionError(str(error)) from None
        if place < 0:
            place += 1 + int(next(reversed(self.variables.elements(name)), -1))
        if place < 0:
            raise ExpansionError(f"{name}: bad array subscript")
        return str(place)

    async def regular(self, word: Word) -> str:
        """A word as a regular expression, in which quoted characters are literal."""
        parts = [escaped(await self._value(part)) if part.quoted else await self._value(part) for part in word]
        return "".join(parts)

    async def _matches(self, field: list[tuple[str, bool]]) -> list[str]:
        """The paths that a field matches; the field itself if it isn't a pattern or matches nothing."""
        plain = "".join(text for text, _ in field)
        if field[0][1] is False and plain[:1] == "~" and plain[1:2] in {"", "/"}:
            plain = (self.variables.get("HOME") or "/root") + plain[1:]
        if plain == _TEST or NOGLOB in self.parameters.options or not any(not quoted and _PATTERN.search(text) for text, quoted in field):
            return [plain]
        pattern = "".join(glob_escaped(text) if quoted else text for text, quoted in field)
        found = [""]
        for part in pattern.strip("/").split("/"):
            leading, found = found, list[str]()
            for before in leading:
                found += [posixpath.join(before, name) for name in await self._names(before, pattern, part)]
                if len(found) > limits.SHELL_WORDS:
                    raise ExpansionError(ARGUMENTS_TOO_LONG)
        if not found or found == [""]:
            return [plain]
        return sorted(f"/{path}" if pattern.startswith("/") else path for path in found)

    async def _names(self, before: str, pattern: str, part: str) -> list[str]:
        start = f"/{before}" if pattern.startswith("/") else before or "."
        try:
            node = self.tree.find(resolve(start, self.parameters.directory))
        except FileError:
            return []
        names = node.children or {}
        hidden = part.startswith(".")
        await self.effort((len(names) + 1) * limits.SHELL_PIECE_COSTS_BYTES)
        if not _PATTERN.search(part):
            return [part] if part in names or part in {".", ".."} else []
        return await self._named(list(names), part, hidden=hidden) if len(part) <= limits.SHELL_TRIMMED_CHARS else []

    async def _named(self, names: list[str], pattern: str, *, hidden: bool) -> list[str]:
        glob, found = Glob(pattern), list[str]()
        for name in names:
            await self.effort(len(name) * limits.SHELL_PATTERN_CHAR_COSTS_BYTES)
            if name.startswith(".") is hidden and glob.matches(name):
                found.append(name)
        return found

    async def _value(self, part: WordPart) -> str:
        if part.kind == "text":
            return part.text
        if part.kind == "command":
            script = f"cat {part.text}" if _ONLY_READS.fullmatch(part.text) else part.text
            return (await self.run(script)).rstrip("\n")
        if part.kind == "arithmetic":
            return str(await self.number(part.operand))
        value = await self._plain_value(part)
        if value is None and (not part.operator or part.operator[0] in "#%") and NOUNSET in self.parameters.options:
            raise UnsetError(part.text, "unbound variable" if self.parameters.is_bash else "parameter not set")
        if part.kind == "length":
            counted = part.subscript and (is_whole(part, "@") or is_whole(part, "*"))
            return str(len(self.variables.elements(part.text)) if counted else len(value or ""))
        return await self._substituted(part, value) if part.operator else value or ""

    async def number(self, sum_: Word) -> int:
        """The value of an arithmetic expression."""
        try:
            return evaluate(await self._filled(sum_), self.variables)
        except SumError as error:
            raise ExpansionError(str(error)) from None

    async def _filled(self, sum_: Word) -> str:
        """An arithmetic expression with its expansions replaced by their values; an empty value counts as 0."""
        parts: list[str] = []
        for part in sum_:
            value = part.text if part.kind == "text" else (await self._value(part)).strip() or "0"
            if part.kind != "text" and len(value) > limits.SHELL_LEVELS:
                raise ExpansionError(f'arithmetic expression: expecting EOF: "{value[:100]}"')
            parts.append(value)
        return "".join(parts)

    async def _plain_value(self, part: WordPart) -> str | None:
        """The value of a parameter, of an element of an array, or of all its elements joined."""
        if part.kind == "keys" and not part.subscript:
            return self.variables.get(self.variables.get(part.text) or "")  # what is called as it says
        if not part.subscript:
            return self.variables.get(part.text)
        elements = self.variables.elements(part.text)
        if is_whole(part, "@") or is_whole(part, "*"):
            sign = " " if is_whole(part, "@") else (self.variables.get("IFS") or "")[:1]
            return sign.join(elements if part.kind == "keys" else elements.values()) if elements else None
        return elements.get(await self.key(part.text, part.subscript))

    async def _substituted(self, part: WordPart, value: str | None) -> str:
        operator, operand = part.operator, part.operand
        if operator[0] in "#%":
            pattern = await self.text(operand)
            await self.effort(len(value or "") * limits.SHELL_PIECE_COSTS_BYTES)
            return _trimmed(value or "", pattern, operator)
        if operator[0] == "/":
            return await self._replaced(value or "", part)
        if operator == ":":
            return (value or "")[await self._part(operand, len(value or ""))]
        if operator[0] in "^,":
            changed = str.upper if operator[0] == "^" else str.lower
            text = value or ""
            return changed(text) if len(operator) > 1 else changed(text[:1]) + text[1:]
        missing = value is None or (operator.startswith(":") and value == "")
        kind = operator[-1]
        if kind == "+":
            return "" if missing else await self.text(operand)
        if not missing:
            return value or ""
        other = await self.text(operand)
        if kind == "?":
            raise ExpansionError(f"{part.text}: {other or 'parameter not set'}")
        if kind == "=":
            self.variables.set(part.text, other)
        return other

    async def _part(self, operand: Word, size: int) -> slice:
        """The slice of ``${name:from:length}``; negative numbers count from the end."""
        start_text, _, size_text = (await self.text(operand)).partition(":")
        try:
            start = evaluate(start_text, self.variables)
            length = evaluate(size_text, self.variables) if size_text.strip() else size
        except SumError as error:
            raise ExpansionError(str(error)) from None
        start = start if start >= 0 else size + start
        end = start + length if length >= 0 else size + length
        return slice(start, end) if 0 <= start <= end else slice(0, 0)

    async def _replaced(self, value: str, part: WordPart) -> str:
        """``${name/pattern/replacement}``, which replaces the longest match."""
        pattern, replacement = await self.pattern(part.operand), await self.text(part.replacement)
        await self.effort((len(value) + len(replacement)) * limits.SHELL_PIECE_COSTS_BYTES)
        if not pattern:
            return value
        if part.operator in {"/", "//"} and not _PATTERN.search(pattern):
            number = value.count(pattern) if part.operator == "//" else 1
            if len(value) + number * len(replacement) > 2 * limits.SHELL_TEXT_CHARS:
                raise ExpansionError(NO_ROOM)
            return value.replace(pattern, replacement, number)
        if len(value) > limits.SHELL_TRIMMED_CHARS:
            raise ExpansionError("bad substitution: the value is too long")
        if part.operator == "/#":
            size = max(Glob(pattern).lengths(value), default=0)
            return replacement + value[size:] if size else value
        if part.operator == "/%":
            size = max(Glob(pattern, backwards=True).lengths(value[::-1]), default=0)
            return value[: len(value) - size] + replacement if size else value
        return await self._replaced_by_pattern(value, pattern, replacement, everywhere=part.operator == "//")

    async def _replaced_by_pattern(self, value: str, pattern: str, replacement: str, *, everywhere: bool) -> str:
        found, at, size = list[str](), 0, 0
        while at < len(value):
            start, end = await self._next_match(value, at, pattern)
            found += [value[at:start], replacement if end > start else ""]
            size += len(found[-1])
            if size > limits.SHELL_TEXT_CHARS:
                raise ExpansionError(NO_ROOM)
            at = end
            if not everywhere:
                break
        return "".join(found) + value[at:]

    async def _next_match(self, value: str, at: int, pattern: str) -> tuple[int, int]:
        """The start and the end of the next match; both are the end of the value if there is none."""
        glob = Glob(pattern)
        for start in range(at, len(value)):
            await self.effort((len(value) - start) * limits.SHELL_PATTERN_CHAR_COSTS_BYTES)
            size = max(glob.lengths(value[start:]), default=0)
            if size:
                return start, start + size
        return len(value), len(value)


def is_whole(part: WordPart, sign: str) -> bool:
    """Whether a part stands for all values of an array: ``[@]`` or ``[*]``."""
    return len(part.subscript) == 1 and part.subscript[0].text == sign and part.subscript[0].kind == "text"


def _with(field: list[tuple[str, bool]] | None, text: str, *, quoted: bool) -> list[tuple[str, bool]]:
    """A field, or a new one, with a text added to it."""
    found = [] if field is None else field
    found.append((text, quoted))
    return found


def glob_escaped(text: str) -> str:
    """A text as a pattern that matches it literally."""
    return re.sub(r"([*?\[])", r"[\1]", text)


def _trimmed(value: str, pattern: str, operator: str) -> str:
    """A value without the prefix (``#``) or the suffix (``%``) that matches: the shortest, or with a double sign the longest one."""
    from_start, longest = operator[0] == "#", len(operator) == 2
    if not _PATTERN.search(pattern):
        return value.removeprefix(pattern) if from_start else value.removesuffix(pattern)
    if max(len(value), len(pattern)) > limits.SHELL_TRIMMED_CHARS:
        raise ExpansionError(f"bad substitution: the {'value' if len(value) >= len(pattern) else 'pattern'} is too long")
    lengths = Glob(pattern, backwards=not from_start).lengths(value if from_start else value[::-1])
    cut = max(lengths, default=0) if longest else next(lengths, 0)
    return value[cut:] if from_start else value[: len(value) - cut]
