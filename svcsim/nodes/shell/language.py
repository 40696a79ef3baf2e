"""The shell's language, as far as it is understood: from text to a tree of commands, which `interpreter.py` carries out.

Lists with ``;``, ``&``, ``&&``, ``||`` and new lines, pipes, redirections, here-documents, quotes, variables, ``$(…)``, ``if``, ``while``,
``until``, ``for``, ``case``, groups and functions. What isn't understood (lists in the background) is a syntax error that says so.
"""

import re
from typing import NamedTuple

from svcsim import limits
from svcsim.nodes.shell.escapes import unescaped
from svcsim.nodes.shell.syntax import (
    Assignment,
    Case,
    Command,
    Condition,
    CountingFor,
    For,
    FunctionDefinition,
    Group,
    HereDocument,
    If,
    ListedCommands,
    Loop,
    Piece,
    PipedCommands,
    Redirection,
    Script,
    Simple,
    Sum,
    Test,
    Tests,
    Word,
)


class ShellSyntaxError(Exception):
    """The text is no script that we understand."""


class UnfinishedError(ShellSyntaxError):
    """The text ends where more has to come: an interactive shell reads on."""


class _Announced(NamedTuple):
    """A here-document that begins behind this line."""

    document: HereDocument
    delimiter: str
    indented: bool
    """Whether tabs that its lines begin with are left out."""
    quoted: bool
    """Whether it stands for itself."""


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FUNCTION = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)[ \t]*(\([ \t]*\))?")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_ASSIGNMENT_OF_BASH = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?=|(?=\[[^\]\n=;&|]+\]\+?=))")
_OPERATORS = ("&&", "||", ">>", ">&", "<&", "&>", "<<", ";;", ";", "|", "&", "<", ">", "(", ")", "\n")
_REDIRECTION = re.compile(r"([0-9]?)(>>|>&|<&|>\||>|<<<|<<-|<<|<)|(&>)")
_UNARY = re.compile(r"(-[a-zA-Z])(?=[ \t\n])(?![ \t\n]+(?:\]\]|&&|\|\||=))")
_BINARY = re.compile(r"(==|!=|=~|=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))(?=[ \t\n])")
_ESCAPED = re.compile(r"\$'((?:[^'\\]|\\.)*+)'", re.DOTALL)
_BLANK = " \t\r"
_SPECIAL = "?$#@*!-0123456789"
_CLOSING = ("then", "else", "elif", "fi", "do", "done", "}", "esac")
_UP_TO = {'"': re.compile(r'[^"$`\\]+'), "": re.compile(r"[^$`\\]+")}
"""What stands for itself up to a quote, and up to the end of a text."""
_EXPANSION = re.compile(r":[-=?+]|##|%%|//|/#|/%|[-=?+#%/:]")
_EXPANSION_OF_BASH = re.compile(r"\^\^|,,|[\^,]")


def parse(text: str, *, bash: bool = False, more_may_come: bool = False) -> Script:
    """Read a script, which may be one for ``bash``. Raises `ShellSyntaxError`.

    ``more_may_come``: it is read as it comes in, so that a here-document whose end isn't there yet is unfinished.
    """
    parser = _Parser(text, bash=bash)
    script = parser.script(())
    if parser.at < len(text):
        raise parser.unexpected()
    if more_may_come and parser.lacks_delimiter:
        raise UnfinishedError("syntax error: unexpected end of file")
    return script


class _Parser:
    def __init__(self, text: str, depth: int = 0, *, bash: bool) -> None:
        self._text = text
        self.at = 0
        self._depth = depth
        self._bash = bash
        self._announced: list[_Announced] = []
        self.lacks_delimiter = False
        """Whether a here-document goes on up to the end of the text, since its delimiter doesn't come."""

    # Blanks, operators, and words that have a meaning where a command begins.

    def _skip(self) -> None:
        text = self._text
        while self.at < len(text):
            if text[self.at] in _BLANK:
                self.at += 1
            elif text.startswith("\\\n", self.at):
                self.at += 2
            elif text[self.at] == "#":
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            else:
                return

    def _operator(self) -> str:
        """The operator that comes next; empty if there is none."""
        self._skip()
        return next((one for one in _OPERATORS if self._text.startswith(one, self.at)), "")

    def _skip_lines(self) -> None:
        while self._operator() == "\n":
            self._pass("\n")

    def _pass(self, operator: str) -> None:
        """Go on behind an operator that comes next, and behind the here-documents that begin with the next line."""
        self.at += len(operator)
        while operator == "\n" and self._announced:
            self._read_here_document(self._announced.pop(0))

    def _read_here_document(self, announced: _Announced) -> None:
        tabs = r"\t*" if announced.indented else ""
        end = re.compile(f"^{tabs}{re.escape(announced.delimiter)}$", re.MULTILINE).search(self._text, self.at)
        body = self._text[self.at : len(self._text) if end is None else end.start()]
        self.lacks_delimiter = self.lacks_delimiter or end is None
        self.at = len(self._text) if end is None else min(end.end() + 1, len(self._text))
        if announced.indented:
            body = re.sub(r"^\t+", "", body, flags=re.MULTILINE)
        if announced.quoted:
            announced.document.text = (Piece("text", body, True),)
        else:
            announced.document.text = _Parser(body, self._depth, bash=self._bash).whole_document()

    def whole_document(self) -> Word:
        """The text as a here-document in which what has to be worked out is. Raises `ShellSyntaxError`."""
        try:
            return tuple(self._as_quoted(""))
        except UnfinishedError as error:
            raise ShellSyntaxError(str(error)) from None  # nothing that comes later belongs to it

    def _keyword(self) -> str:
        """The bare word that comes next; empty if there is none."""
        self._skip()
        found = re.compile(r"[a-z]+(?=[\s;&|()]|$)|(?:[{}!]|\[\[|\]\])(?=[\s;&|)]|$)").match(self._text, self.at)
        return found[0] if found else ""

    def _take(self, word: str) -> None:
        self._skip_lines()
        if self._keyword() != word:
            raise self.unexpected()
        self.at += len(word)

    def unexpected(self) -> ShellSyntaxError:
        """What is wrong here."""
        operator = self._operator()
        if self.at >= len(self._text):
            return UnfinishedError("syntax error: unexpected end of file")
        rest = re.match(r"[^\s;&|()<>]+", self._text[self.at :])
        shown = "newline" if operator == "\n" else operator or (rest[0] if rest else self._text[self.at])
        return ShellSyntaxError(f'syntax error: unexpected "{shown}"')

    # Lists and pipelines.

    def script(self, ends: tuple[str, ...]) -> Script:
        """Commands up to one of these words, which is left to be read."""
        self._depth += 1
        if self._depth > limits.SHELL_LEVELS:
            raise ShellSyntaxError("syntax error: nested too deeply")
        steps: list[ListedCommands] = []
        after = ";"
        while True:
            if after == ";":
                while self._operator() in {"\n", ";"} and (steps or self._operator() == "\n") and not self._text.startswith(";;", self.at):
                    self._pass(self._text[self.at])
            else:
                self._skip_lines()
            if after == ";" and (self.at >= len(self._text) or self._operator() in {")", ";;"} or self._keyword() in _CLOSING):
                break
            steps.append(ListedCommands(after, self._pipeline()))
            operator = self._operator()
            if operator == "&":
                steps[-1] = self._background(steps[-1])
                after = ";"
            elif operator in {"&&", "||"}:
                after = operator
            elif operator in {";", "\n"}:
                after = ";"
            else:
                break
            self._pass(operator)
        self.lacks_delimiter = self.lacks_delimiter or (bool(self._announced) and self.at >= len(self._text))
        if ends and self._keyword() not in ends and not (")" in ends and self._operator() == ")"):
            raise self.unexpected()
        if ends and not steps:
            raise self.unexpected()
        self._depth -= 1
        return tuple(steps)

    def _background(self, step: ListedCommands) -> ListedCommands:
        if step.after != ";" or len(step.pipeline.commands) > 1 or not isinstance(step.pipeline.commands[0], Simple):
            raise ShellSyntaxError("only single commands are simulated in the background")
        return step._replace(in_background=True)

    def _pipeline(self) -> PipedCommands:
        negated = self._keyword() == "!"
        if negated:
            self.at += 1
        commands = [self._command()]
        while self._operator() == "|":
            self.at += 1
            self._skip_lines()
            commands.append(self._command())
        return PipedCommands(tuple(commands), negated)

    def _command(self) -> Command:
        keyword = self._keyword()
        if keyword in _CLOSING:
            raise self.unexpected()
        if keyword == "if":
            return self._if()
        if keyword in {"while", "until"}:
            self.at += len(keyword)
            condition = self.script(("do",))
            return Loop(condition, self._do(), keyword == "until", self._redirections())
        if keyword == "for":
            return self._for()
        if keyword == "{":
            self.at += 1
            body = self.script(("}",))
            self._take("}")
            return Group(body, False, self._redirections())
        if keyword == "case":
            return self._case()
        if keyword == "[[":
            return self._condition()
        if keyword == "function":
            self.at += len(keyword)
            self._skip()
        if self._operator() == "(":
            sum_ = self._sum_command() if self._bash else None
            return self._subshell() if sum_ is None else sum_
        function = self._function(needs_parentheses=keyword != "function")
        return self._simple() if function is None else function

    def _subshell(self) -> Group:
        self.at += 1
        body = self.script((")",))
        self.at += 1
        return Group(body, True, self._redirections())

    def _sum_command(self) -> Sum | None:
        """``((…))``; None where it is a subshell within another one."""
        start = self.at
        if not self._text.startswith("((", start):
            return None
        self.at += 2
        found = self._within_sum()
        if found is None or not self._text.startswith("))", self.at):
            self.at = start
            return None
        self.at += 2
        return Sum(found, self._redirections())

    def _condition(self) -> Condition:
        self.at += len("[[")
        test = self._any_of()
        self._take("]]")
        return Condition(test, self._redirections())

    def _any_of(self) -> Test | Tests:
        parts = [self._all_of()]
        self._skip_lines()
        while self._operator() == "||":
            self.at += 2
            parts.append(self._all_of())
        return parts[0] if len(parts) == 1 else Tests("||", tuple(parts))

    def _all_of(self) -> Test | Tests:
        parts = [self._test()]
        self._skip_lines()
        while self._operator() == "&&":
            self.at += 2
            parts.append(self._test())
            self._skip_lines()
        return parts[0] if len(parts) == 1 else Tests("&&", tuple(parts))

    def _test(self) -> Test | Tests:
        self._skip_lines()
        if self._keyword() == "!":
            self.at += 1
            self._depth += 1
            if self._depth > limits.SHELL_LEVELS:
                raise ShellSyntaxError("syntax error: nested too deeply")
            negated = Tests("!", (self._test(),))
            self._depth -= 1
            return negated
        if self._operator() == "(":
            self.at += 1
            self._depth += 1
            if self._depth > limits.SHELL_LEVELS:
                raise ShellSyntaxError("syntax error: nested too deeply")
            inner = self._any_of()
            if self._operator() != ")":
                raise self.unexpected()
            self.at += 1
            self._depth -= 1
            return inner
        self._skip()
        single = _UNARY.match(self._text, self.at)
        if single is not None:
            self.at = single.end()
            return Test(single[1], (self._word(),))
        word = self._word()
        self._skip()
        operator = _BINARY.match(self._text, self.at)
        if operator is None:
            return Test("", (word,))
        self.at = operator.end()
        return Test(operator[1], (word, self._regular_expression() if operator[1] == "=~" else self._word()))

    def _regular_expression(self) -> Word:
        """A word in which parentheses and the like stand for themselves."""
        self._skip()
        pieces: list[Piece] = []
        open_ones = 0
        while self.at < len(self._text):
            char = self._text[self.at]
            if char == "\n" or (not open_ones and (char in _BLANK or char in ";&")):
                break
            if char in "()|<>" or (open_ones and char in " \t;&"):
                open_ones += (char == "(") - (char == ")")
                pieces.append(Piece("text", char, False))
                self.at += 1
            else:
                pieces += self._word(empty=True)
        if not pieces:
            raise self.unexpected()
        return tuple(pieces)

    def _function(self, *, needs_parentheses: bool) -> FunctionDefinition | None:
        found = _FUNCTION.match(self._text, self.at)
        if found is None or (needs_parentheses and not found[2]):
            return None
        start, self.at = self.at, found.end()
        self._depth += 1
        self._skip_lines()
        if self._depth > limits.SHELL_LEVELS:
            raise ShellSyntaxError("syntax error: nested too deeply")
        body = self._command()
        if isinstance(body, Simple | FunctionDefinition):
            raise ShellSyntaxError(f'syntax error: what "{found[1]}" does has to stand in braces')
        self._depth -= 1
        return FunctionDefinition(found[1], body, self.at - start)

    def _case(self) -> Case:
        start = self.at
        self.at += len("case")
        word = self._word()
        self._take("in")
        head = self._text[start : self.at]
        branches: list[tuple[tuple[Word, ...], Script]] = []
        while True:
            self._skip_lines()
            if self._keyword() == "esac":
                self.at += len("esac")
                return Case(word, tuple(branches), head, self._redirections())
            if self._operator() == "(":
                self.at += 1
            patterns = [self._word()]
            while self._operator() == "|":
                self.at += 1
                patterns.append(self._word())
            if self._operator() != ")":
                raise self.unexpected()
            self.at += 1
            branches.append((tuple(patterns), self.script(())))
            self._skip_lines()
            if self._operator() == ";;":
                self.at += 2
            elif self._keyword() != "esac":
                raise self.unexpected()

    def _if(self) -> If:
        branches: list[tuple[Script, Script]] = []
        otherwise = None
        self.at += len("if")
        while True:
            condition = self.script(("then",))
            self._take("then")
            branches.append((condition, self.script(("elif", "else", "fi"))))
            word = self._keyword()
            self.at += len(word)
            if word == "elif":
                continue
            if word == "else":
                otherwise = self.script(("fi",))
                self._take("fi")
            return If(tuple(branches), otherwise, self._redirections())

    def _for(self) -> For | CountingFor:
        start = self.at
        self.at += len("for")
        self._skip()
        if self._bash and self._text.startswith("((", self.at):
            return self._counting_for()
        name = _NAME.match(self._text, self.at)
        if name is None:
            raise self.unexpected()
        self.at = name.end()
        words: tuple[Word, ...] | None = None
        self._skip_lines()
        if self._keyword() == "in":
            self.at += len("in")
            found: list[Word] = []
            while self._operator() not in {";", "\n"}:
                found.append(self._word())
            words = tuple(found)
        head = self._text[start : self.at].rstrip()
        if self._operator() == ";":
            self.at += 1
        return For(name[0], words, self._do(), head, self._redirections())

    def _counting_for(self) -> CountingFor:
        self.at += 2
        parts: list[Word] = []
        for end in (";", ";", "))"):
            found = self._within_sum()
            if found is None or not self._text.startswith(end, self.at):
                raise self.unexpected()
            self.at += len(end)
            parts.append(found)
        if self._operator() == ";":
            self.at += 1
        first, condition, next_ = parts
        self._skip_lines()
        if self._keyword() != "{":
            return CountingFor(first, condition, next_, self._do(), self._redirections())
        self.at += 1
        body = self.script(("}",))
        self._take("}")
        return CountingFor(first, condition, next_, body, self._redirections())

    def _do(self) -> Script:
        self._take("do")
        body = self.script(("done",))
        self._take("done")
        return body

    # Simple commands.

    def _simple(self) -> Simple:
        assignments: list[Assignment] = []
        words: list[Word] = []
        redirections: list[Redirection] = []
        while True:
            redirection = self._redirection()
            if redirection:
                redirections += redirection
                continue
            if self._operator() or self.at >= len(self._text):
                break
            assignment = None if words else (_ASSIGNMENT_OF_BASH if self._bash else _ASSIGNMENT).match(self._text, self.at)
            if assignment is not None:
                self.at = assignment.end()
                assignments.append(self._assignment(assignment[1]))
            else:
                words.append(self._word())
        if not (assignments or words or redirections):
            raise self.unexpected()
        return Simple(tuple(assignments), tuple(words), tuple(redirections))

    def _assignment(self, name: str) -> Assignment:
        """What stands behind a name to which something is assigned."""
        subscript: Word = ()
        if self._text[self.at - 1] != "=":
            subscript = self._subscript()
            self.at += 1 + self._text.startswith("+", self.at)
        appends = self._text.startswith("+=", self.at - 2)
        if not self._bash or subscript or not self._text.startswith("(", self.at):
            return Assignment(name, self._word(empty=True), appends, subscript)
        self.at += 1
        elements: list[tuple[Word, Word]] = []
        self._skip_lines()
        while self._operator() != ")":
            keyed = self._text.startswith("[", self.at) and re.compile(r"\[[^\]\s]*\]=").match(self._text, self.at)
            key = self._subscript() if keyed else ()
            self.at += bool(keyed)
            elements.append((key, self._word(empty=bool(keyed))))
            self._skip_lines()
        self.at += 1
        return Assignment(name, (), appends, elements=tuple(elements))

    def _subscript(self) -> Word:
        """``[…]``, in which what begins with ``$`` is worked out."""
        self._depth += 1
        if self._depth > limits.SHELL_LEVELS:
            raise ShellSyntaxError("syntax error: nested too deeply")
        self.at += 1
        text, pieces = self._text, list[Piece]()
        while self.at < len(text) and text[self.at] != "]":
            char = text[self.at]
            if char in "$`":
                pieces.append(self._expansion(quoted=True))
                continue
            pieces.append(Piece("text", "" if char in "'\"" else char, True))
            self.at += 1
        if self.at >= len(text):
            raise UnfinishedError("syntax error: missing ']'")
        if not pieces:
            raise ShellSyntaxError("syntax error: bad array subscript")
        self.at += 1
        self._depth -= 1
        return tuple(pieces)

    def _redirections(self) -> tuple[Redirection, ...]:
        found: list[Redirection] = []
        while redirection := self._redirection():
            found += redirection
        return tuple(found)

    def _redirection(self) -> list[Redirection]:
        self._skip()
        found = _REDIRECTION.match(self._text, self.at)
        if found is None:
            return []
        operator = found[2] or found[3]
        if operator == "<&" or (found[1] or "") > "2" or (operator == "<<<" and not self._bash):
            raise ShellSyntaxError(f'"{found[0]}" is not simulated here')
        self.at = found.end()
        if operator in {"<<", "<<-"}:
            return [self._here_document(indented=operator == "<<-")]
        target = self._word()
        if operator == "&>":
            return [Redirection(1, ">", target), Redirection(2, ">&", (Piece("text", "1", True),))]
        stream = int(found[1]) if found[1] else 0 if operator[0] == "<" else 1
        return [Redirection(stream, ">" if operator == ">|" else operator, target)]

    def _here_document(self, *, indented: bool) -> Redirection:
        self._skip()
        start = self.at
        pieces = self._word()
        quoted = self._text[start : self.at] if any(sign in self._text[start : self.at] for sign in "'\"\\") else ""
        delimiter = "".join(piece.text for piece in pieces) if quoted else self._text[start : self.at]
        document = HereDocument()
        self._announced.append(_Announced(document, delimiter, indented, bool(quoted)))
        return Redirection(0, "<<", (), document)

    # Words.

    def _word(self, *, empty: bool = False) -> Word:
        self._skip() if not empty else None
        text, start = self._text, self.at
        pieces: list[Piece] = []
        while self.at < len(text):
            char = text[self.at]
            if char in _BLANK or char in ";&|<>()\n":
                break
            if char == "'":
                end = text.find("'", self.at + 1)
                if end < 0:
                    raise UnfinishedError("syntax error: unterminated quoted string")
                pieces.append(Piece("text", text[self.at + 1 : end], True))
                self.at = end + 1
            elif char == '"':
                pieces += self._double_quoted()
            elif char == "\\":
                if self.at + 1 >= len(text):
                    raise UnfinishedError("syntax error: unexpected end of file")
                if text[self.at + 1] != "\n":
                    pieces.append(Piece("text", text[self.at + 1], True))
                self.at += 2
            elif char in "$`":
                pieces.append(self._expansion(quoted=False))
            else:
                end = self.at + 1
                while end < len(text) and text[end] not in _BLANK and text[end] not in ";&|<>()\n'\"\\$`":
                    end += 1
                pieces.append(Piece("text", text[self.at : end], False))
                self.at = end
        if self.at == start and not empty:
            raise self.unexpected()
        return tuple(pieces)

    def _double_quoted(self) -> list[Piece]:
        self.at += 1
        pieces = self._as_quoted('"')
        if self.at >= len(self._text):
            raise UnfinishedError("syntax error: unterminated quoted string")
        self.at += 1
        return pieces

    def _as_quoted(self, quote: str) -> list[Piece]:
        """What stands there up to a quote, or up to the end of the text, with what has to be worked out in it."""
        text, plainly = self._text, _UP_TO[quote]
        pieces = [Piece("text", "", True)]
        plain: list[str] = []
        while self.at < len(text) and text[self.at] != quote:
            char = text[self.at]
            if char == "\\" and self.at + 1 < len(text):
                following = text[self.at + 1]
                plain.append("" if following == "\n" else following if following in f"$`{quote}\\" else char + following)
                self.at += 2
            elif char in "$`":
                pieces += [Piece("text", "".join(plain), True), self._expansion(quoted=True)]
                plain.clear()
            else:
                found = plainly.match(text, self.at)
                self.at = self.at + 1 if found is None else found.end()
                plain.append(char if found is None else found[0])
        return [*pieces, Piece("text", "".join(plain), True)]

    def _expansion(self, *, quoted: bool) -> Piece:
        text, at = self._text, self.at
        if text[at] == "`":
            end = text.find("`", at + 1)
            if end < 0:
                raise UnfinishedError("syntax error: unterminated back quotes")
            self.at = end + 1
            return Piece("script", text[at + 1 : end], quoted)
        if text.startswith("$((", at):
            return self._sum(quoted=quoted)
        if text.startswith("$(", at):
            return Piece("script", self._inner(), quoted)
        if text.startswith("${", at):
            return self._braced(quoted=quoted)
        if text.startswith("$'", at) and not quoted:
            return self._escaped()
        name = _NAME.match(text, at + 1)
        if name is not None:
            self.at = name.end()
            return Piece("variable", name[0], quoted)
        if at + 1 < len(text) and text[at + 1] in _SPECIAL:
            self.at += 2
            return Piece("variable", text[at + 1], quoted)
        self.at += 1
        return Piece("text", "$", quoted)

    def _escaped(self) -> Piece:
        """``$'…'``, in which backslashes mean something."""
        found = _ESCAPED.match(self._text, self.at)
        if found is None:
            raise UnfinishedError("syntax error: unterminated quoted string")
        self.at = found.end()
        return Piece("text", unescaped(found[1], quoted=True), True)

    def _sum(self, *, quoted: bool) -> Piece:
        """``$((…))``."""
        start = self.at = self.at + 3
        found = self._within_sum(separates=False)
        if found is None:
            raise self.unexpected()
        self.at += 2
        return Piece("sum", self._text[start : self.at - 2], quoted, operand=found)

    def _within_sum(self, *, separates: bool = True) -> Word | None:
        """A sum up to ``))`` or, where that ``separates``, ``;``. What is within is worked out first, as in double quotes.

        None where a parenthesis is closed that isn't open, so that it is none.
        """
        self._depth += 1
        if self._depth > limits.SHELL_LEVELS:
            raise ShellSyntaxError("syntax error: nested too deeply")
        text, pieces, plain, open_ones = self._text, list[Piece](), list[str](), 0
        while self.at < len(text) and (open_ones or not (text.startswith("))", self.at) or (separates and text[self.at] == ";"))):
            char = text[self.at]
            if char in "$`":
                pieces += [Piece("text", "".join(plain), True), self._expansion(quoted=True)]
                plain.clear()
                continue
            open_ones += (char == "(") - (char == ")")
            if open_ones < 0:
                self._depth -= 1
                return None
            plain.append("" if char == '"' else char)
            self.at += 1
        if self.at >= len(text):
            raise UnfinishedError("syntax error: missing '))'")
        self._depth -= 1
        return (*pieces, Piece("text", "".join(plain), True))

    def _inner(self) -> str:
        """What stands between ``$(`` and its end, which only reading it tells."""
        start = self.at = self.at + 2
        outer, self._announced = self._announced, []
        self.script(())
        if self._operator() != ")":
            raise self.unexpected()
        self.at += 1
        self._announced = outer
        return self._text[start : self.at - 1]

    def _braced(self, *, quoted: bool) -> Piece:
        text, at = self._text, self.at + 2
        counted = text.startswith("#", at) and not text.startswith("#}", at)
        keys = self._bash and text.startswith("!", at) and not text.startswith("!}", at)
        name = re.compile(rf"[A-Za-z_][A-Za-z0-9_]*|[{re.escape(_SPECIAL)}]").match(text, at + (counted or keys))
        if name is None:
            raise ShellSyntaxError("syntax error: bad substitution")
        self.at = name.end()
        subscript = self._subscript() if self._bash and text.startswith("[", self.at) else ()
        operator = _EXPANSION.match(text, self.at) or (_EXPANSION_OF_BASH.match(text, self.at) if self._bash else None)
        operand, replacement = list[Piece](), list[Piece]()
        if operator is not None:
            self.at = operator.end()
            operand = self._operand(quoted=quoted, before="/" if operator[0].startswith("/") else "")
            if text.startswith("/", self.at):
                self.at += 1
                replacement = self._operand(quoted=quoted)
        if self.at >= len(text):
            raise UnfinishedError("syntax error: missing '}'")
        if text[self.at] != "}":
            raise ShellSyntaxError("syntax error: bad substitution")
        self.at += 1
        kind = "length" if counted else "keys" if keys else "variable"
        return Piece(kind, name[0], quoted, operator[0] if operator else "", tuple(operand), tuple(replacement), subscript)

    def _operand(self, *, quoted: bool, before: str = "") -> list[Piece]:
        self._depth += 1
        if self._depth > limits.SHELL_LEVELS:
            raise ShellSyntaxError("syntax error: nested too deeply")
        text, pieces = self._text, list[Piece]()
        while self.at < len(text) and text[self.at] != "}" and text[self.at] != before:
            char = text[self.at]
            if char == "\\" and self.at + 1 < len(text) and (not quoted or text[self.at + 1] in '$`"\\}/'):
                pieces.append(Piece("text", text[self.at + 1], True))
                self.at += 2
            elif char in "$`":
                pieces.append(self._expansion(quoted=quoted))
            elif char == '"':
                pieces += self._double_quoted()
            elif char == "'" and not quoted:
                end = text.find("'", self.at + 1)
                if end < 0:
                    raise UnfinishedError("syntax error: unterminated quoted string")
                pieces.append(Piece("text", text[self.at + 1 : end], True))
                self.at = end + 1
            else:
                pieces.append(Piece("text", char, quoted))
                self.at += 1
        self._depth -= 1
        return pieces
