"""Reads the tests of a ``[[ … ]]`` command."""

import re

from svcsim.nodes.shell.scanner import BLANKS, Scanner
from svcsim.nodes.shell.syntax import CompoundTest, TestExpression, Word, WordPart
from svcsim.nodes.shell.words import WordParser

_UNARY = re.compile(r"(-[a-zA-Z])(?=[ \t\n])(?![ \t\n]+(?:\]\]|&&|\|\||=))")
_BINARY = re.compile(r"(==|!=|=~|=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))(?=[ \t\n])")


class ConditionParser:
    """Reads tests where a scanner stands."""

    def __init__(self, scanner: Scanner, words: WordParser) -> None:
        self._scanner = scanner
        self._words = words

    def any_of(self) -> TestExpression | CompoundTest:
        """Tests joined by ``||``, which binds less tightly than ``&&``."""
        parts = [self._all_of()]
        self._scanner.skip_newlines()
        while self._scanner.operator() == "||":
            self._scanner.at += 2
            parts.append(self._all_of())
        return parts[0] if len(parts) == 1 else CompoundTest("||", tuple(parts))

    def _all_of(self) -> TestExpression | CompoundTest:
        parts = [self._test()]
        self._scanner.skip_newlines()
        while self._scanner.operator() == "&&":
            self._scanner.at += 2
            parts.append(self._test())
            self._scanner.skip_newlines()
        return parts[0] if len(parts) == 1 else CompoundTest("&&", tuple(parts))

    def _test(self) -> TestExpression | CompoundTest:
        scanner = self._scanner
        scanner.skip_newlines()
        if scanner.keyword() == "!":
            scanner.at += 1
            with scanner.deeper():
                return CompoundTest("!", (self._test(),))
        if scanner.operator() == "(":
            scanner.at += 1
            with scanner.deeper():
                inner = self.any_of()
                if scanner.operator() != ")":
                    raise scanner.unexpected()
                scanner.at += 1
                return inner
        return self._single_test()

    def _single_test(self) -> TestExpression:
        scanner = self._scanner
        unary = _UNARY.match(scanner.text, scanner.at)
        if unary is not None:
            scanner.at = unary.end()
            return TestExpression(unary[1], (self._words.word(),))
        word = self._words.word()
        scanner.skip_blanks()
        binary = _BINARY.match(scanner.text, scanner.at)
        if binary is None:
            return TestExpression("", (word,))
        scanner.at = binary.end()
        return TestExpression(binary[1], (word, self._regular_expression() if binary[1] == "=~" else self._words.word()))

    def _regular_expression(self) -> Word:
        """A word in which parentheses, bars and angle brackets are text, and blanks are within parentheses."""
        scanner, text = self._scanner, self._scanner.text
        scanner.skip_blanks()
        parts: list[WordPart] = []
        open_parentheses = 0
        while not scanner.at_end:
            char = text[scanner.at]
            if char == "\n" or (not open_parentheses and (char in BLANKS or char in ";&")):
                break
            if char in "()|<>" or (open_parentheses and (char in BLANKS or char in ";&")):
                if char == "(":
                    open_parentheses += 1
                elif char == ")":
                    open_parentheses -= 1
                parts.append(WordPart("text", char, False))
                scanner.at += 1
            else:
                parts += self._words.word_or_nothing()
        if not parts:
            raise scanner.unexpected()
        return tuple(parts)
