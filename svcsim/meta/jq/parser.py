"""From a text to filters made of filters, by recursive descent."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TypeVar

from svcsim import limits
from svcsim.meta.jq import binding, filters
from svcsim.meta.jq.assigning import assigned, updated
from svcsim.meta.jq.binding import JqFunction, Pattern, key_of
from svcsim.meta.jq.definitions import DEFINITIONS
from svcsim.meta.jq.errors import JqError
from svcsim.meta.jq.filters import EACH, ITSELF, JqFilter, constant, field, piped
from svcsim.meta.jq.functions import FUNCTIONS
from svcsim.meta.jq.special import SPECIAL
from svcsim.meta.jq.texts import FORMATS
from svcsim.meta.jq.tokens import JqToken, tokens_of
from svcsim.meta.jq.values import plain_number
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json

T = TypeVar("T")

_NOT_UNDERSTOOD = (
    "import",
    "include",
    "module",
    "?//",
    "?//=",
    "input",
    "inputs",
    "debug",
    "stderr",
    "input_line_number",
    "halt",
    "$__loc__",
)
"""What needs files, more than one value, or a terminal, and what tries one pattern after the other."""
_KEYWORDS = (
    *("def", "as", "reduce", "foreach", "try", "catch", "label", "if", "then", "elif", "else", "end", "and", "or"),
    *("__loc__",),
)
_BINARY = (("or",), ("and",), ("==", "!=", "<", "<=", ">", ">="), ("+", "-"), ("*", "/", "%"))
"""Operators, the loosest first."""
_ASSIGNMENTS = ("=", "|=", "+=", "-=", "*=", "/=", "%=", "//=")
_CONSTANTS: dict[str, Json] = {"true": True, "false": False, "null": None}
_END = JqToken("end", "")


def read(text: str) -> JqFilter:
    """The filter that a query is. Raises `JqError`."""
    parser = _Parser(text)
    found = parser.pipe()
    parser.end()
    return found


@lru_cache(maxsize=limits.JQ_QUERIES)
def _definitions() -> dict[str, JqFunction]:
    """The functions that are written in the language, by what they go by."""
    return _Parser(DEFINITIONS).definitions()


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = tokens_of(text)
        self._at = 0
        self._levels = 0
        self._names: frozenset[str] = frozenset(("$ENV",))
        """What names stand for something here, as scopes have them."""
        self._known: dict[str, JqFunction] | None = None
        """The functions known everywhere; None for those of all queries."""

    # --- tokens ---

    def _next(self, ahead: int = 0) -> JqToken:
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else _END

    def _take(self, *texts: str) -> str:
        """The next token if it is one of these; empty if it isn't."""
        found = self._next()
        if found.sort not in {"op", "word"} or found.text not in texts:
            return ""
        self._at += 1
        return found.text

    def _take_sort(self, sort: str) -> str:
        found = self._next()
        if found.sort != sort:
            raise self._unexpected()
        self._at += 1
        return found.text

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise self._unexpected(f", where {quoted(text)} should be")

    def _unexpected(self, more: str = "") -> JqError:
        found = self._next()
        if found.text in _NOT_UNDERSTOOD:
            return JqError(f"{quoted(found.text)} is not understood here")
        return JqError(f"unexpected {quoted(found.text)}{more}" if found.sort != "end" else f"unexpected end{more}")

    def end(self) -> None:
        if self._next() != _END:
            raise self._unexpected()

    @contextmanager
    def _level(self) -> Iterator[None]:
        """What is read within something else."""
        self._levels += 1
        if self._levels > limits.JQ_LEVELS:
            raise JqError(f"more than {limits.JQ_LEVELS} levels")
        yield
        self._levels -= 1

    @contextmanager
    def _with(self, *names: str) -> Iterator[None]:
        """What is read where these names stand for something as well."""
        before = self._names
        self._names = before.union(names)
        yield
        self._names = before

    # --- from the loosest to the tightest ---

    def pipe(self) -> JqFilter:
        with self._level():
            if self._take("def"):
                return self._definition()
            if self._take("label"):
                name = self._take_sort("variable")
                self._expect("|")
                with self._with(f"*{name}"):
                    return binding.labelled(name, self.pipe())
            left = self._comma()
            return piped(left, self.pipe()) if self._take("|") else left

    def _comma(self) -> JqFilter:
        parts = [self._alternative()]
        while self._take(","):
            parts.append(self._alternative())
        return parts[0] if len(parts) == 1 else filters.one_after_another(parts)

    def _alternative(self) -> JqFilter:
        left = self._assignment()
        if self._take("//"):
            with self._level():
                return filters.alternative(left, self._alternative())
        return left

    def _assignment(self) -> JqFilter:
        left = self._binary(0)
        operator = self._take(*_ASSIGNMENTS)
        if not operator:
            return left
        with self._level():
            right = self._alternative()
        return updated(left, right) if operator == "|=" else assigned(operator, left, right)

    def _binary(self, level: int) -> JqFilter:
        if level == len(_BINARY):
            return self._bound()
        left = self._binary(level + 1)
        while operator := self._take(*_BINARY[level]):
            right = self._binary(level + 1)
            left = (filters.both_or_either if level < 2 else filters.applied)(operator, left, right)
        return left

    def _bound(self) -> JqFilter:
        term = self._postfix()
        if not self._take("as"):
            return term
        pattern = self._pattern()
        self._expect("|")
        with self._with(*pattern.names):
            return binding.bound(term, pattern, self.pipe())

    def _postfix(self) -> JqFilter:
        with self._level():
            term = self._term()
            while True:
                if self._next().sort == "field":
                    term = piped(term, field(self._take_sort("field")[1:]))
                elif self._next() == ("op", ".") and self._next(1).text in {"[", '"'}:
                    self._at += 1
                    if self._next().sort == "text":
                        term = filters.indexed(term, self._text())
                elif self._take("["):
                    term = self._bracket(term)
                elif self._take("?"):
                    term = filters.tried(term)
                else:
                    return term

    def _bracket(self, of: JqFilter) -> JqFilter:
        """What stands in brackets behind a term: an index, a slice, or nothing, which is all there is."""
        if self._take("]"):
            return piped(of, EACH)
        start = constant(None) if self._next().text == ":" else self.pipe()
        if not self._take(":"):
            self._expect("]")
            return filters.indexed(of, start)
        end = constant(None) if self._next() == ("op", "]") else self.pipe()
        self._expect("]")
        return filters.in_slices(of, start, end)

    def _term(self) -> JqFilter:
        sort, text = self._next()
        if text in _NOT_UNDERSTOOD and sort != "piece":
            raise self._unexpected()
        match sort:
            case "field":
                return field(self._take_sort(sort)[1:])
            case "text":
                return self._text()
            case "number":
                return constant(plain_number(float(self._take_sort(sort))))
            case "variable":
                return self._variable()
            case "format":
                return self._format()
            case "word" if text not in _KEYWORDS or text in {"if", "try", "reduce", "foreach", "def"}:
                self._at += 1
                return self._word(text)
            case "op":
                return self._of_signs()
        raise self._unexpected()

    def _of_signs(self) -> JqFilter:
        if self._take("."):
            return filters.indexed(ITSELF, self._text()) if self._next().sort == "text" else ITSELF
        if self._take(".."):
            return SPECIAL["recurse", 0]()
        if self._take("-"):
            return filters.applied("-", constant(0), self._postfix())
        if self._take("("):
            inner = self.pipe()
            self._expect(")")
            return inner
        if self._take("["):
            if self._take("]"):
                return filters.collected(SPECIAL["empty", 0]())
            inner = self.pipe()
            self._expect("]")
            return filters.collected(inner)
        if self._take("{"):
            return self._map()
        raise self._unexpected()

    def _map(self) -> JqFilter:
        entries: list[tuple[JqFilter, JqFilter]] = []
        while not self._take("}"):
            if entries:
                self._expect(",")
                if self._take("}"):
                    break
            entries.append(self._entry())
        return filters.map_of(entries)

    def _entry(self) -> tuple[JqFilter, JqFilter]:
        sort, text = self._next()
        if sort == "variable":
            return constant(text[1:]), self._variable()
        key = self._key()
        if self._take(":"):
            value = self._alternative_pipe()
        elif sort in {"word", "text", "format"}:
            value = filters.indexed(ITSELF, key)
        else:
            raise self._unexpected(', where ":" should be')
        return key, value

    def _alternative_pipe(self) -> JqFilter:
        """A pipe without commas, which stand between entries."""
        with self._level():
            left = self._alternative()
            return piped(left, self._alternative_pipe()) if self._take("|") else left

    def _key(self) -> JqFilter:
        """A key of a map, or of a pattern."""
        sort, text = self._next()
        if sort == "text":
            return self._text()
        if sort == "format":
            return self._format()
        if sort == "word":
            self._at += 1
            return constant(text)
        self._expect("(")
        inner = self.pipe()
        self._expect(")")
        return inner

    def _variable(self) -> JqFilter:
        name = self._take_sort("variable")
        if name == "$ENV":
            return constant({})
        if name not in self._names:
            raise JqError(f"variable not defined: {name}")
        return binding.variable(name)

    # --- texts ---

    def _format(self) -> JqFilter:
        name = self._take_sort("format")
        if name not in FORMATS:
            raise JqError(f"format not defined: {name}")
        if self._next().sort == "text":
            return self._text(name)
        return filters.called(FORMATS[name], [])

    def _text(self, form: str = "@text") -> JqFilter:
        self._take_sort("text")
        pieces: list[str | JqFilter] = [self._take_sort("piece")]
        while self._next().sort == "inner":
            self._at += 1
            pieces.append(self.pipe())
            self._take_sort("outer")
            pieces.append(self._take_sort("piece"))
        self._take_sort("end of text")
        return constant(pieces[0]) if len(pieces) == 1 else filters.text_of(pieces, FORMATS[form])

    # --- words ---

    def _word(self, name: str) -> JqFilter:
        match name:
            case "true" | "false" | "null":
                return constant(_CONSTANTS[name])
            case "if":
                return self._condition()
            case "try":
                tried = self._postfix()
                return filters.tried(tried, self._postfix() if self._take("catch") else None)
            case "reduce" | "foreach":
                return self._folded(name)
            case "def":
                return self._definition()
            case "break":
                label = self._take_sort("variable")
                if f"*{label}" not in self._names:
                    raise JqError(f"label not defined: {label}")
                return binding.broken(label)
        return self._call(name)

    def _in_parentheses(self, read_one: Callable[[], T]) -> list[T]:
        """What stands there with semicolons between; nothing where there are none."""
        found: list[T] = []
        if self._take("("):
            found.append(read_one())
            while self._take(";"):
                found.append(read_one())
            self._expect(")")
        return found

    def _call(self, name: str) -> JqFilter:
        given = self._in_parentheses(self.pipe)
        key = key_of(name, len(given))
        if key in self._names:
            return binding.applied_function(name, given)
        special = SPECIAL.get((name, len(given)))
        if special is not None:
            return special(*given)
        known = FUNCTIONS.get((name, len(given)))
        if known is not None:
            return filters.called(known, given)
        written = (_definitions() if self._known is None else self._known).get(key)
        if written is None:
            raise JqError(f"function not defined: {key}")
        return binding.applied_definition(written, given)

    def _condition(self) -> JqFilter:
        with self._level():
            condition = self.pipe()
            self._expect("then")
            then = self.pipe()
            otherwise = ITSELF
            if self._take("elif"):
                return filters.chosen(condition, then, self._condition())
            if self._take("else"):
                otherwise = self.pipe()
            self._expect("end")
            return filters.chosen(condition, then, otherwise)

    def _folded(self, name: str) -> JqFilter:
        source = self._postfix()
        self._expect("as")
        pattern = self._pattern()
        self._expect("(")
        start = self.pipe()
        self._expect(";")
        with self._with(*pattern.names):
            update = self.pipe()
            extract = self.pipe() if name == "foreach" and self._take(";") else ITSELF
        self._expect(")")
        return (
            binding.reduced(source, pattern, start, update)
            if name == "reduce"
            else binding.for_each(source, pattern, start, update, extract)
        )

    # --- names ---

    def _pattern(self) -> Pattern:
        with self._level():
            if self._take("["):
                return self._list_pattern()
            if self._take("{"):
                return self._map_pattern()
            return Pattern(self._take_sort("variable"))

    def _list_pattern(self) -> Pattern:
        parts = [self._pattern()]
        while self._take(","):
            parts.append(self._pattern())
        self._expect("]")
        return Pattern(parts=tuple((constant(index), part) for index, part in enumerate(parts)), is_list=True)

    def _map_pattern(self) -> Pattern:
        parts: list[tuple[JqFilter, Pattern]] = []
        while not parts or self._take(","):
            name = self._next().text
            if self._next().sort == "variable":
                self._at += 1
                inner = self._pattern() if self._take(":") else Pattern()
                parts.append((constant(name[1:]), inner._replace(name=name)))
            else:
                key = self._key()
                self._expect(":")
                parts.append((key, self._pattern()))
        self._expect("}")
        return Pattern(parts=tuple(parts))

    def _definition(self) -> JqFilter:
        name, parameters, body = self._defined()
        with self._with(key_of(name, len(parameters))):
            return binding.defined(name, parameters, body, self.pipe())

    def _defined(self) -> tuple[str, tuple[str, ...], JqFilter]:
        """A definition behind ``def``: its name, its parameters, and what it does."""
        name = self._take_sort("word")
        parameters = self._in_parentheses(self._parameter)
        self._expect(":")
        variables = [one for one in parameters if one.startswith("$")]
        called = [key_of(one.removeprefix("$"), 0) for one in parameters]
        with self._with(key_of(name, len(parameters)), *variables, *called):
            body = self.pipe()
        self._expect(";")
        return name, tuple(parameters), body

    def _parameter(self) -> str:
        return self._take_sort("variable" if self._next().sort == "variable" else "word")

    def definitions(self) -> dict[str, JqFunction]:
        """All that is defined in a text of nothing else; each knows itself, and those before it."""
        self._known = {}
        while self._take("def"):
            name, parameters, body = self._defined()
            key = key_of(name, len(parameters))
            self._known[key] = JqFunction(parameters, body, None, key)
        self.end()
        return self._known
