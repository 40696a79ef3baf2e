"""From the tokens of a template to its nodes, by recursive descent."""

import ast
import re
from collections.abc import Container

from svcsim import limits
from svcsim.meta.go_values import quote
from svcsim.meta.gotemplate.errors import NAME, TemplateError
from svcsim.meta.gotemplate.nodes import (
    Action,
    Body,
    Branch,
    CommandNode,
    FieldPath,
    FieldsOf,
    Function,
    GoTemplate,
    Inclusion,
    Jump,
    Literal,
    Nil,
    Node,
    Operand,
    Pipeline,
    PlainText,
    Variable,
)
from svcsim.meta.gotemplate.tokens import Sort, Token, tokens
from svcsim.meta.types import Json

_STARTS = (
    Sort.BOOL, Sort.CHARACTER, Sort.DOT, Sort.FIELD, Sort.NAME, Sort.NUMBER, Sort.NIL, Sort.RAW_STRING, Sort.STRING, Sort.VARIABLE,
    Sort.LEFT_PAREN,
)  # fmt: skip
_ENDS = ("else", "end")
_ODD_ESCAPE = {
    Sort.STRING: re.compile(r"(?<!\\)(\\\\)*\\([^abfnrtv\\\"0-7xuU]|[4-7][0-7][0-7])"),
    Sort.CHARACTER: re.compile(r"(?<!\\)(\\\\)*\\([^abfnrtv\\'0-7xuU]|[4-7][0-7][0-7])"),
}
"""What Python takes and Go doesn't."""


def parse(text: str, functions: Container[str]) -> GoTemplate:
    """The template that a text is. Raises `TemplateError`."""
    return _Parser(text, functions).template()


class _Parser:
    def __init__(self, text: str, functions: Container[str]) -> None:
        self._text = text
        self._functions = functions
        self._tokens = tokens(text)
        self._ahead: list[Token] = []
        self._line = 1
        self._action_line = 1
        self._variables = ["$"]
        self._bodies: dict[str, Body] = {}
        self._loops = 0
        self._nested = 0
        self._levels = 0

    # --- tokens ---

    def _next(self) -> Token:
        token = self._ahead.pop() if self._ahead else next(self._tokens)
        self._line = token.line
        return token

    def _peek(self) -> Token:
        token = self._next()
        self._ahead.append(token)
        return token

    def _next_word(self) -> Token:
        token = self._next()
        while token.sort is Sort.SPACE:
            token = self._next()
        return token

    def _peek_word(self) -> Token:
        token = self._next_word()
        self._ahead.append(token)
        return token

    def _expect(self, sort: Sort, context: str) -> Token:
        token = self._next_word()
        if token.sort is not sort:
            raise self._unexpected(token, context)
        return token

    def _error(self, text: str) -> TemplateError:
        return TemplateError(f"template: {NAME}:{self._line}: {text}")

    def _unexpected(self, token: Token, context: str) -> TemplateError:
        if token.sort is not Sort.ERROR:
            return self._error(f"unexpected {token} in {context}")
        if self._action_line == token.line:
            return self._error(token.text)
        started = f"started at {NAME}:{self._action_line}"
        return self._error(f"{token.text} {started}" if token.text.endswith(" action") else f"{token.text} in action {started}")

    def _go_down(self) -> None:
        self._levels += 1
        if self._levels > limits.TEMPLATE_LEVELS:
            raise self._error(f"more than {limits.TEMPLATE_LEVELS} levels of actions and parentheses")

    # --- what is printed ---

    def template(self) -> GoTemplate:
        body, end = self._body(("EOF",))
        assert end == "EOF", "nothing else ends a template"
        self._bodies[NAME] = body
        return GoTemplate(self._text, self._bodies)

    def _body(self, ends: tuple[str, ...]) -> tuple[Body, str]:
        """What stands before one of the words that end it, and which of them it was; ``else`` leaves what follows it to be read."""
        self._go_down()
        nodes: list[Node] = []
        while True:
            token = self._next()
            if token.sort is Sort.TEXT:
                nodes.append(PlainText(token.text))
            elif token.sort is Sort.OPEN:
                self._action_line = token.line
                end = self._action(nodes)
                if end:
                    if end not in ends:
                        raise self._error(f"unexpected {{{{{end}}}}}")
                    self._levels -= 1
                    return tuple(nodes), end
            elif token.sort is Sort.END:
                if "EOF" not in ends:
                    raise self._error("unexpected EOF")
                return tuple(nodes), "EOF"  # nothing is read after that
            else:
                raise self._unexpected(token, "input")

    def _action(self, nodes: list[Node]) -> str:
        """Take in one action; the word that ends a body, if it is one."""
        token = self._next_word()
        if token.sort is not Sort.KEYWORD:
            self._ahead.append(token)
            nodes.append(Action(self._pipeline("command", Sort.CLOSE)))
            return ""
        match token.text:
            case "end":
                self._expect(Sort.CLOSE, "end")
                return "end"
            case "else":
                return "else"
            case "if" | "with" | "range":
                nodes.append(self._branch(token.text))
            case "break" | "continue":
                nodes.append(self._jump(token.text))
            case "define" if not self._nested:
                self._define()
            case "define":
                raise self._unexpected(token, "command")
            case "template":
                nodes.append(self._inclusion())
            case _:
                nodes.append(self._block())
        return ""

    def _branch(self, keyword: str) -> Branch:
        known = len(self._variables)
        pipeline = self._pipeline(keyword, Sort.CLOSE)
        self._nested += 1
        self._loops += keyword == "range"
        body, end = self._body(_ENDS)
        self._loops -= keyword == "range"
        otherwise: Body = ()
        if end == "else":
            following = self._peek_word()
            if following.sort is Sort.KEYWORD and following.text == keyword and keyword != "range":
                self._next_word()
                otherwise = (self._branch(keyword),)  # the one {{end}} is for both
            else:
                self._expect(Sort.CLOSE, "else")
                otherwise, end = self._body(_ENDS)
                if end == "else":
                    raise self._error("expected end; found {{else}}")
        self._nested -= 1
        del self._variables[known:]
        return Branch(keyword, pipeline, body, otherwise)

    def _jump(self, keyword: str) -> Jump:
        token = self._next_word()
        if token.sort is not Sort.CLOSE:
            raise self._unexpected(token, f"{{{{{keyword}}}}}")
        if not self._loops:
            raise self._error(f"{{{{{keyword}}}}} outside {{{{range}}}}")
        return Jump(keyword)

    def _define(self) -> None:
        name = self._template_name("define clause")
        self._expect(Sort.CLOSE, "define clause")
        self._definition(name)

    def _definition(self, name: str) -> None:
        outer, self._variables = self._variables, ["$"]
        self._nested += 1
        self._bodies[name], _ = self._body(("end",))
        self._nested -= 1
        self._variables = outer

    def _template_name(self, context: str) -> str:
        token = self._next_word()
        if token.sort not in (Sort.STRING, Sort.RAW_STRING):
            raise self._unexpected(token, context)
        return str(self._unquoted(token))

    def _inclusion(self) -> Inclusion:
        position = self._peek_word().position
        name = self._template_name("template clause")
        pipeline = None
        if self._peek_word().sort is Sort.CLOSE:
            self._next_word()
        else:
            pipeline = self._pipeline("template clause", Sort.CLOSE)
        return Inclusion(position, name, pipeline)

    def _block(self) -> Inclusion:
        position = self._peek_word().position
        name = self._template_name("block clause")
        pipeline = self._pipeline("block clause", Sort.CLOSE)
        self._definition(name)
        return Inclusion(position, name, pipeline)

    # --- pipelines ---

    def _pipeline(self, context: str, end: Sort) -> Pipeline:
        self._go_down()
        position = self._peek_word().position
        variables, assigns = self._declarations(context)
        commands: list[CommandNode] = []
        while (token := self._next_word()).sort is not end:
            if token.sort not in _STARTS:
                raise self._unexpected(token, context)
            self._ahead.append(token)
            commands.append(self._command())
        self._check(commands, context)
        self._levels -= 1
        return Pipeline(position, variables, assigns, tuple(commands))

    def _declarations(self, context: str) -> tuple[tuple[str, ...], bool]:
        """The variables that stand before ``:=`` or ``=``, and whether it is the latter."""
        names: list[str] = []
        while self._peek_word().sort is Sort.VARIABLE:
            variable = self._next_word()
            following = self._next()
            after = following
            while after.sort is Sort.SPACE:
                after = self._next()
            if after.sort in (Sort.DECLARE, Sort.ASSIGN):
                self._variables.append(variable.text)
                return (*names, variable.text), after.sort is Sort.ASSIGN
            if after.text != "," or after.sort is not Sort.OTHER:
                self._ahead += [after, *([following] if following != after else []), variable]
                break
            names.append(variable.text)
            self._variables.append(variable.text)
            if context != "range" or len(names) > 1:
                raise self._error(f"too many declarations in {context}")
            if self._peek_word().sort not in (Sort.VARIABLE, Sort.CLOSE, Sort.RIGHT_PAREN):
                raise self._error("range can only initialize variables")
        return tuple(names), False

    def _check(self, commands: list[CommandNode], context: str) -> None:
        if not commands:
            raise self._error(f"missing value for {context}")
        for stage, command in enumerate(commands[1:], 2):
            first = command.operands[0]
            if isinstance(first, Literal | Nil) or first == FieldPath(first.position, ()):
                raise self._error(f"non executable command in pipeline stage {stage}")

    def _command(self) -> CommandNode:
        position = self._peek_word().position
        operands: list[Operand] = []
        while True:
            self._peek_word()
            operand = self._operand()
            if operand is not None:
                operands.append(operand)
            token = self._next()
            if token.sort is Sort.SPACE:
                continue
            if token.sort in (Sort.CLOSE, Sort.RIGHT_PAREN):
                self._ahead.append(token)
            elif token.sort is not Sort.PIPE:
                raise self._unexpected(token, "operand")
            break
        if not operands:
            raise self._error("empty command")
        return CommandNode(position, tuple(operands))

    def _operand(self) -> Operand | None:
        node = self._term()
        if node is None or self._peek().sort is not Sort.FIELD:
            return node
        position = self._peek().position
        names: list[str] = []
        while self._peek().sort is Sort.FIELD:
            names.append(self._next().text[1:])
        match node:
            case FieldPath(_, (_, *_)):
                return FieldPath(position, (*node.names, *names))
            case Variable():
                return Variable(position, node.name, tuple(names))
            case Literal() | Nil() | FieldPath():
                raise self._error(f"unexpected . after term {quote(str(node))}")
        return FieldsOf(position, node, tuple(names))

    def _term(self) -> Operand | None:
        token = self._next_word()
        match token.sort:
            case Sort.NAME:
                if token.text not in self._functions:
                    raise self._error(f'function "{token.text}" not defined')
                return Function(token.position, token.text)
            case Sort.DOT:
                return FieldPath(token.position, ())
            case Sort.NIL:
                return Nil(token.position)
            case Sort.VARIABLE:
                if token.text not in self._variables:
                    raise self._error(f'undefined variable "{token.text}"')
                return Variable(token.position, token.text, ())
            case Sort.FIELD:
                return FieldPath(token.position, (token.text[1:],))
            case Sort.BOOL:
                return Literal(token.position, token.text == "true", token.text)
            case Sort.NUMBER | Sort.CHARACTER | Sort.STRING | Sort.RAW_STRING:
                return Literal(token.position, self._unquoted(token), token.text)
            case Sort.LEFT_PAREN:
                return self._pipeline("parenthesized pipeline", Sort.RIGHT_PAREN)
        self._ahead.append(token)
        return None

    def _unquoted(self, token: Token) -> Json:
        """The value that a constant spells."""
        match token.sort:
            case Sort.RAW_STRING:
                return token.text[1:-1].replace("\r", "")
            case Sort.NUMBER:
                try:
                    return number(token.text)
                except ValueError:
                    raise self._error(f"illegal number syntax: {quote(token.text)}") from None
        if _ODD_ESCAPE[token.sort].search(token.text):
            raise self._error("invalid syntax")
        try:
            value: str = ast.literal_eval(token.text)
        except (ValueError, SyntaxError):
            raise self._error("invalid syntax") from None
        if token.sort is Sort.STRING:
            return value
        if len(value) != 1:
            raise self._error(f"malformed character constant: {token.text}")
        return ord(value)


def number(text: str) -> int | float:
    """The number a constant spells: an integer if it can be one, as ``1e3`` can. Raises `ValueError`."""
    digits = text.lstrip("+-")
    old_octal = len(digits) > 1 and digits[0] == "0" and digits.replace("_", "").isdigit()
    try:
        return int(text, 8 if old_octal else 0)
    except ValueError:
        value = float.fromhex(text) if digits[:2].lower() == "0x" else float(text)
    return value
