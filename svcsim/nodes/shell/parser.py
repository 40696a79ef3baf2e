"""Reads a script: from its text to the syntax tree of `syntax.py`, which `interpreter.py` carries out.

The language is that of POSIX, and for ``bash`` also ``[[ … ]]``, ``((…))``, arrays and here-strings. A form that isn't simulated, such as a
pipeline in the background, is a syntax error whose message says so.
"""

import re
from functools import partial
from typing import Final

from svcsim.nodes.shell.condition_parser import ConditionParser
from svcsim.nodes.shell.scanner import NAME, Scanner, ShellSyntaxError, UnfinishedError
from svcsim.nodes.shell.simple_command_parser import SimpleCommandParser
from svcsim.nodes.shell.syntax import (
    AndOrItem,
    ArithmeticCommand,
    ArithmeticFor,
    CaseClause,
    Command,
    CommandPipeline,
    ConditionalCommand,
    Connector,
    ForClause,
    FunctionDefinition,
    Group,
    IfClause,
    Script,
    SimpleCommand,
    WhileClause,
    Word,
)
from svcsim.nodes.shell.words import WordParser

_FUNCTION = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)[ \t]*(\([ \t]*\))?")
_CONNECTORS: Final[dict[str, Connector]] = {"&&": "&&", "||": "||", "&": ";", ";": ";", "\n": ";"}
"""What each operator behind a pipeline says of the next one."""
_CLOSING = ("then", "else", "elif", "fi", "do", "done", "}", "esac")


def parse(text: str, *, bash: bool = False, more_may_come: bool = False) -> Script:
    """Read a script, which may be one for ``bash``. Raises `ShellSyntaxError`.

    ``more_may_come``: the text is read as it is typed, so that a here-document without its delimiter is unfinished.
    """
    scanner = Scanner(text, bash=bash)
    script = _Parser(scanner).script(())
    if not scanner.at_end:
        raise scanner.unexpected()
    if more_may_come and scanner.lacks_delimiter:
        raise UnfinishedError("syntax error: unexpected end of file")
    return script


class _Parser:
    """Reads lists, pipelines and compound commands."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._words = WordParser(scanner, partial(_read_script, scanner))
        self._simple_commands = SimpleCommandParser(scanner, self._words, partial(_read_document, scanner))
        self._conditions = ConditionParser(scanner, self._words)

    def script(self, ends: tuple[str, ...]) -> Script:
        """Commands up to one of these words, which is left to be read."""
        scanner = self._scanner
        with scanner.deeper():
            items = self._items()
            scanner.lacks_delimiter = scanner.lacks_delimiter or (bool(scanner.pending) and scanner.at_end)
            if ends and scanner.keyword() not in ends and not (")" in ends and scanner.operator() == ")"):
                raise scanner.unexpected()
            if ends and not items:
                raise scanner.unexpected()
            return items

    def _items(self) -> Script:
        """All commands up to a word or an operator that closes something."""
        scanner = self._scanner
        items: list[AndOrItem] = []
        connector: Connector = ";"
        while True:
            if connector == ";":
                self._skip_separators(first=not items)
                if scanner.at_end or scanner.operator() in {")", ";;"} or scanner.keyword() in _CLOSING:
                    break
            else:
                scanner.skip_newlines()
            line = scanner.line
            items.append(AndOrItem(connector, self._pipeline(), line))
            operator = scanner.operator()
            if operator not in _CONNECTORS:
                break
            connector = _CONNECTORS[operator]
            if operator == "&":
                begun = max(index for index, item in enumerate(items) if item.operator == ";")
                items[begun:] = [_in_background(items[begun:])]
            scanner.skip_operator(operator)
        return tuple(items)

    def _skip_separators(self, *, first: bool) -> None:
        """Go on behind newlines and, unless the ``first`` command follows, semicolons."""
        scanner = self._scanner
        separators = {"\n"} if first else {"\n", ";"}
        while (operator := scanner.operator()) in separators:
            scanner.skip_operator(operator)

    def _pipeline(self) -> CommandPipeline:
        scanner = self._scanner
        negated = scanner.keyword() == "!"
        if negated:
            scanner.at += 1
        commands = [self._command()]
        while scanner.operator() == "|":
            scanner.at += 1
            scanner.skip_newlines()
            commands.append(self._command())
        return CommandPipeline(tuple(commands), negated)

    def _command(self) -> Command:
        scanner = self._scanner
        keyword = scanner.keyword()
        if keyword in _CLOSING:
            raise scanner.unexpected()
        match keyword:
            case "if":
                return self._if()
            case "while" | "until":
                return self._while(keyword)
            case "for":
                return self._for()
            case "case":
                return self._case()
            case "{":
                return Group(self._in_braces(), False, self._simple_commands.redirections())
            case "[[":
                return self._conditional_command()
            case "function":
                scanner.at += len(keyword)
                scanner.skip_blanks()
        if scanner.operator() == "(":
            arithmetic = self._arithmetic_command() if scanner.bash else None
            return self._subshell() if arithmetic is None else arithmetic
        function = self._function(needs_parentheses=keyword != "function")
        return self._simple_commands.command() if function is None else function

    def _in_braces(self) -> Script:
        self._scanner.at += 1
        body = self.script(("}",))
        self._scanner.expect("}")
        return body

    def _subshell(self) -> Group:
        self._scanner.at += 1
        body = self.script((")",))
        self._scanner.at += 1
        return Group(body, True, self._simple_commands.redirections())

    def _arithmetic_command(self) -> ArithmeticCommand | None:
        """``((…))``, or None if it is a subshell within another one."""
        scanner = self._scanner
        start = scanner.at
        if not scanner.follows("(("):
            return None
        scanner.at += len("((")
        found = self._words.arithmetic()
        if found is None or not scanner.follows("))"):
            scanner.at = start
            return None
        scanner.at += len("))")
        return ArithmeticCommand(found, self._simple_commands.redirections())

    def _conditional_command(self) -> ConditionalCommand:
        self._scanner.at += len("[[")
        test = self._conditions.any_of()
        self._scanner.expect("]]")
        return ConditionalCommand(test, self._simple_commands.redirections())

    def _function(self, *, needs_parentheses: bool) -> FunctionDefinition | None:
        """The function definition that comes next, or None if it is another command."""
        scanner = self._scanner
        found = _FUNCTION.match(scanner.text, scanner.at)
        if found is None or (needs_parentheses and not found[2]):
            return None
        start, scanner.at = scanner.at, found.end()
        scanner.skip_newlines()
        with scanner.deeper():
            body = self._command()
        if isinstance(body, SimpleCommand | FunctionDefinition):
            raise ShellSyntaxError(f'syntax error: what "{found[1]}" does has to stand in braces')
        return FunctionDefinition(found[1], body, scanner.at - start)

    def _case(self) -> CaseClause:
        scanner = self._scanner
        start = scanner.at
        scanner.at += len("case")
        word = self._words.word()
        scanner.expect("in")
        head = scanner.text[start : scanner.at]
        branches: list[tuple[tuple[Word, ...], Script]] = []
        while True:
            scanner.skip_newlines()
            if scanner.keyword() == "esac":
                scanner.at += len("esac")
                return CaseClause(word, tuple(branches), head, self._simple_commands.redirections())
            branches.append((self._patterns(), self.script(())))
            scanner.skip_newlines()
            if scanner.operator() == ";;":
                scanner.at += len(";;")
            elif scanner.keyword() != "esac":
                raise scanner.unexpected()

    def _patterns(self) -> tuple[Word, ...]:
        """``pattern | pattern)``, which may begin with a parenthesis."""
        scanner = self._scanner
        if scanner.operator() == "(":
            scanner.at += 1
        patterns = [self._words.word()]
        while scanner.operator() == "|":
            scanner.at += 1
            patterns.append(self._words.word())
        if scanner.operator() != ")":
            raise scanner.unexpected()
        scanner.at += 1
        return tuple(patterns)

    def _if(self) -> IfClause:
        scanner = self._scanner
        branches: list[tuple[Script, Script]] = []
        otherwise = None
        scanner.at += len("if")
        while True:
            condition = self.script(("then",))
            scanner.expect("then")
            branches.append((condition, self.script(("elif", "else", "fi"))))
            word = scanner.keyword()
            scanner.at += len(word)
            if word == "elif":
                continue
            if word == "else":
                otherwise = self.script(("fi",))
                scanner.expect("fi")
            return IfClause(tuple(branches), otherwise, self._simple_commands.redirections())

    def _while(self, keyword: str) -> WhileClause:
        self._scanner.at += len(keyword)
        condition = self.script(("do",))
        return WhileClause(condition, self._do_group(), keyword == "until", self._simple_commands.redirections())

    def _for(self) -> ForClause | ArithmeticFor:
        scanner = self._scanner
        start = scanner.at
        scanner.at += len("for")
        scanner.skip_blanks()
        if scanner.bash and scanner.follows("(("):
            return self._arithmetic_for()
        name = NAME.match(scanner.text, scanner.at)
        if name is None:
            raise scanner.unexpected()
        scanner.at = name.end()
        words: list[Word] | None = None
        scanner.skip_newlines()
        if scanner.keyword() == "in":
            scanner.at += len("in")
            words = []
            while scanner.operator() not in {";", "\n"}:
                words.append(self._words.word())
        head = scanner.text[start : scanner.at].rstrip()
        if scanner.operator() == ";":
            scanner.at += 1
        body = self._do_group()
        return ForClause(name[0], None if words is None else tuple(words), body, head, self._simple_commands.redirections())

    def _arithmetic_for(self) -> ArithmeticFor:
        scanner = self._scanner
        scanner.at += len("((")
        first, condition, step = [self._expression_up_to(end) for end in (";", ";", "))")]
        if scanner.operator() == ";":
            scanner.at += 1
        scanner.skip_newlines()
        body = self._in_braces() if scanner.keyword() == "{" else self._do_group()
        return ArithmeticFor(first, condition, step, body, self._simple_commands.redirections())

    def _expression_up_to(self, end: str) -> Word:
        found = self._words.arithmetic()
        if found is None or not self._scanner.follows(end):
            raise self._scanner.unexpected()
        self._scanner.at += len(end)
        return found

    def _do_group(self) -> Script:
        """``do list done``."""
        self._scanner.expect("do")
        body = self.script(("done",))
        self._scanner.expect("done")
        return body


def _read_script(scanner: Scanner) -> Script:
    """The script of a command substitution."""
    return _Parser(scanner).script(())


def _read_document(scanner: Scanner, body: str) -> Word:
    """The body of a here-document, with its expansions."""
    inner = Scanner(body, bash=scanner.bash, depth=scanner.depth)
    return WordParser(inner, partial(_read_script, inner)).whole_text()


def _in_background(items: list[AndOrItem]) -> AndOrItem:
    """A list that runs in the background: a subshell, unless it is a simple command."""
    commands = items[0].pipeline.commands
    if len(items) > 1 or len(commands) > 1 or not isinstance(commands[0], SimpleCommand):
        return AndOrItem(";", CommandPipeline((Group(tuple(items), subshell=True),), negated=False), items[0].line, in_background=True)
    return items[0]._replace(in_background=True)
