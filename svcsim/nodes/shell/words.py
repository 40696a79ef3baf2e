"""Reads the words of a script: quotes, parameter expansions, command substitutions and arithmetic expansions."""

import re
from collections.abc import Callable

from svcsim.nodes.shell.escapes import unescaped
from svcsim.nodes.shell.scanner import BLANKS, NAME, Scanner, ShellSyntaxError, UnfinishedError
from svcsim.nodes.shell.syntax import Word, WordPart

_ENDS_WORD = frozenset(f"{BLANKS};&|<>()\n")
_ENDS_TEXT = frozenset("'\"\\$`") | _ENDS_WORD
_SPECIAL = "?$#@*!-0123456789"
_PARAMETER = re.compile(rf"[A-Za-z_][A-Za-z0-9_]*|[{re.escape(_SPECIAL)}]")
_ESCAPED = re.compile(r"\$'((?:[^'\\]|\\.)*+)'", re.DOTALL)
_LITERAL_UP_TO = {'"': re.compile(r'[^"$`\\]+'), "": re.compile(r"[^$`\\]+")}
"""Literal text before a double quote, or before the end of the text."""
_EXPANSION = re.compile(r":[-=?+]|##|%%|//|/#|/%|[-=?+#%/:]")
_EXPANSION_OF_BASH = re.compile(r"\^\^|,,|[\^,]")
_UNTERMINATED = "syntax error: unterminated quoted string"


class WordParser:
    """Reads words where a scanner stands. ``skip_script`` goes on behind the commands of a ``$(…)``."""

    def __init__(self, scanner: Scanner, skip_script: Callable[[], object]) -> None:
        self._scanner = scanner
        self._skip_script = skip_script

    def word(self) -> Word:
        """The word that comes next. Raises `ShellSyntaxError` if there is none."""
        scanner = self._scanner
        scanner.skip_blanks()
        start = scanner.at
        found = self.word_or_nothing()
        if scanner.at == start:
            raise scanner.unexpected()
        return found

    def word_or_nothing(self) -> Word:
        """The word that begins right here, perhaps an empty one."""
        scanner, text = self._scanner, self._scanner.text
        parts: list[WordPart] = []
        while scanner.at < len(text):
            char = text[scanner.at]
            if char in _ENDS_WORD:
                break
            if char == "'":
                parts.append(self._single_quoted())
            elif char == '"':
                parts += self._double_quoted()
            elif char == "\\":
                if scanner.at + 1 >= len(text):
                    raise UnfinishedError("syntax error: unexpected end of file")
                if text[scanner.at + 1] != "\n":
                    parts.append(WordPart("text", text[scanner.at + 1], True))
                scanner.at += 2
            elif char in "$`":
                parts.append(self.expansion(quoted=False))
            else:
                end = scanner.at + 1
                while end < len(text) and text[end] not in _ENDS_TEXT:
                    end += 1
                parts.append(WordPart("text", text[scanner.at : end], False))
                scanner.at = end
        return tuple(parts)

    def _single_quoted(self) -> WordPart:
        scanner = self._scanner
        start = scanner.at + 1
        end = scanner.text.find("'", start)
        if end < 0:
            raise UnfinishedError(_UNTERMINATED)
        scanner.at = end + 1
        return WordPart("text", scanner.text[start:end], True)

    def _double_quoted(self) -> list[WordPart]:
        self._scanner.at += 1
        parts = self._quoted_up_to('"')
        if self._scanner.at_end:
            raise UnfinishedError(_UNTERMINATED)
        self._scanner.at += 1
        return parts

    def whole_text(self) -> Word:
        """The whole text as the body of a here-document, with its expansions. Raises `ShellSyntaxError`."""
        try:
            return tuple(self._quoted_up_to(""))
        except UnfinishedError as error:
            raise ShellSyntaxError(str(error)) from None  # nothing that comes later belongs to it

    def _quoted_up_to(self, quote: str) -> list[WordPart]:
        """The text up to a quote, or to the end, as parts of which none is split."""
        scanner, text, literal = self._scanner, self._scanner.text, _LITERAL_UP_TO[quote]
        parts = [WordPart("text", "", True)]
        plain: list[str] = []
        while scanner.at < len(text) and text[scanner.at] != quote:
            char = text[scanner.at]
            if char == "\\" and scanner.at + 1 < len(text):
                following = text[scanner.at + 1]
                plain.append("" if following == "\n" else following if following in f"$`{quote}\\" else char + following)
                scanner.at += 2
            elif char in "$`":
                parts += [WordPart("text", "".join(plain), True), self.expansion(quoted=True)]
                plain.clear()
            else:
                found = literal.match(text, scanner.at)
                scanner.at = scanner.at + 1 if found is None else found.end()
                plain.append(char if found is None else found[0])
        return [*parts, WordPart("text", "".join(plain), True)]

    def expansion(self, *, quoted: bool) -> WordPart:
        """What begins with the ``$`` or the back quote that comes next; a ``$`` that begins nothing is text."""
        scanner, text, at = self._scanner, self._scanner.text, self._scanner.at
        if text[at] == "`":
            end = text.find("`", at + 1)
            if end < 0:
                raise UnfinishedError("syntax error: unterminated back quotes")
            scanner.at = end + 1
            return WordPart("command", text[at + 1 : end], quoted)
        if text.startswith("$((", at):
            return self._arithmetic_expansion(quoted=quoted)
        if text.startswith("$(", at):
            return WordPart("command", self._command_substitution(), quoted)
        if text.startswith("${", at):
            return self._parameter_expansion(quoted=quoted)
        if text.startswith("$'", at) and not quoted:
            return self._escaped()
        name = NAME.match(text, at + 1)
        if name is not None:
            scanner.at = name.end()
            return WordPart("parameter", name[0], quoted)
        if at + 1 < len(text) and text[at + 1] in _SPECIAL:
            scanner.at += 2
            return WordPart("parameter", text[at + 1], quoted)
        scanner.at += 1
        return WordPart("text", "$", quoted)

    def _escaped(self) -> WordPart:
        """``$'…'``, in which backslashes mean something."""
        found = _ESCAPED.match(self._scanner.text, self._scanner.at)
        if found is None:
            raise UnfinishedError(_UNTERMINATED)
        self._scanner.at = found.end()
        return WordPart("text", unescaped(found[1], quoted=True), True)

    def _arithmetic_expansion(self, *, quoted: bool) -> WordPart:
        """``$((…))``."""
        scanner = self._scanner
        scanner.at += len("$((")
        start = scanner.at
        found = self.arithmetic(ends_at_semicolon=False)
        if found is None:
            raise scanner.unexpected()
        scanner.at += len("))")
        return WordPart("arithmetic", scanner.text[start : scanner.at - 2], quoted, operand=found)

    def arithmetic(self, *, ends_at_semicolon: bool = True) -> Word | None:
        """An arithmetic expression up to ``))`` or a semicolon, in which expansions count as quoted.

        None if a parenthesis is closed that isn't open: then it is no arithmetic expression, but a subshell in another one.
        """
        scanner, text = self._scanner, self._scanner.text
        parts, plain, open_parentheses = list[WordPart](), list[str](), 0
        with scanner.deeper():
            while scanner.at < len(text):
                char = text[scanner.at]
                if not open_parentheses and (text.startswith("))", scanner.at) or (ends_at_semicolon and char == ";")):
                    return (*parts, WordPart("text", "".join(plain), True))
                if char in "$`":
                    parts += [WordPart("text", "".join(plain), True), self.expansion(quoted=True)]
                    plain.clear()
                    continue
                if char == "(":
                    open_parentheses += 1
                elif char == ")":
                    open_parentheses -= 1
                if open_parentheses < 0:
                    return None
                plain.append("" if char == '"' else char)
                scanner.at += 1
        raise UnfinishedError("syntax error: missing '))'")

    def _command_substitution(self) -> str:
        """The script between ``$(`` and its end, which can only be found by reading it."""
        scanner = self._scanner
        scanner.at += len("$(")
        start = scanner.at
        outer, scanner.pending = scanner.pending, []
        self._skip_script()
        if scanner.operator() != ")":
            raise scanner.unexpected()
        scanner.at += 1
        scanner.pending = outer
        return scanner.text[start : scanner.at - 1]

    def _parameter_expansion(self, *, quoted: bool) -> WordPart:
        """``${…}``."""
        scanner, text = self._scanner, self._scanner.text
        scanner.at += len("${")
        is_length = scanner.follows("#") and not scanner.follows("#}")
        is_keys = scanner.bash and scanner.follows("!") and not scanner.follows("!}")
        if is_length or is_keys:
            scanner.at += 1
        name = _PARAMETER.match(text, scanner.at)
        if name is None:
            raise ShellSyntaxError("syntax error: bad substitution")
        scanner.at = name.end()
        subscript = self.subscript() if scanner.bash and scanner.follows("[") else ()
        operator = _EXPANSION.match(text, scanner.at) or (_EXPANSION_OF_BASH.match(text, scanner.at) if scanner.bash else None)
        operand: Word = ()
        replacement: Word = ()
        if operator is not None:
            scanner.at = operator.end()
            operand = self._operand(quoted=quoted, before="/" if operator[0].startswith("/") else "")
            if scanner.follows("/"):
                scanner.at += 1
                replacement = self._operand(quoted=quoted)
        if scanner.at_end:
            raise UnfinishedError("syntax error: missing '}'")
        if not scanner.follows("}"):
            raise ShellSyntaxError("syntax error: bad substitution")
        scanner.at += 1
        return WordPart(
            "length" if is_length else "keys" if is_keys else "parameter",
            name[0],
            quoted,
            operator[0] if operator else "",
            operand,
            replacement,
            subscript,
        )

    def _operand(self, *, quoted: bool, before: str = "") -> Word:
        """The word behind an operator of ``${…}``, up to the brace or to the sign given as ``before``."""
        scanner, text = self._scanner, self._scanner.text
        parts: list[WordPart] = []
        ends = ("}", before)
        with scanner.deeper():
            while scanner.at < len(text) and text[scanner.at] not in ends:
                char = text[scanner.at]
                if char == "\\" and scanner.at + 1 < len(text) and (not quoted or text[scanner.at + 1] in '$`"\\}/'):
                    parts.append(WordPart("text", text[scanner.at + 1], True))
                    scanner.at += 2
                elif char in "$`":
                    parts.append(self.expansion(quoted=quoted))
                elif char == '"':
                    parts += self._double_quoted()
                elif char == "'" and not quoted:
                    parts.append(self._single_quoted())
                else:
                    parts.append(WordPart("text", char, quoted))
                    scanner.at += 1
        return tuple(parts)

    def subscript(self) -> Word:
        """``[…]``, in which expansions count as quoted."""
        scanner, text = self._scanner, self._scanner.text
        parts: list[WordPart] = []
        with scanner.deeper():
            scanner.at += 1
            while scanner.at < len(text) and text[scanner.at] != "]":
                char = text[scanner.at]
                if char in "$`":
                    parts.append(self.expansion(quoted=True))
                    continue
                parts.append(WordPart("text", "" if char in "'\"" else char, True))
                scanner.at += 1
            if scanner.at_end:
                raise UnfinishedError("syntax error: missing ']'")
            if not parts:
                raise ShellSyntaxError("syntax error: bad array subscript")
            scanner.at += 1
        return tuple(parts)
