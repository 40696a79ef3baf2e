"""Expressions with many letters beyond ASCII are read as those with few, and their lexer is given ASCII."""

import pytest
from cel_expr_python import cel

from svcsim import limits
from svcsim.schema.cel import beyond_ascii
from svcsim.schema.cel.library import PARSER
from svcsim.schema.cel.programs import CompileError, parsed
from svcsim.schema.cel.trees import Tree, tree

MANY = "é漢😀" * limits.CEL_LETTERS_BEYOND_ASCII


def plainly(text: str) -> Tree:
    """As the library reads it by itself."""
    return tree(PARSER.compile(text, disable_check=True).serialize())


@pytest.mark.parametrize(
    "text",
    [
        f"self.a != '{MANY}'",
        f'"""{MANY}\n\n{MANY}""" + r"\\{MANY}" == \'x\'',
        f"'\\n{MANY}\\u00e9\\x02\\n' == 'é' || 'ü' in ['a', 'ö', '{MANY}']",
        f"b'{MANY}\\xff' == bytes('{MANY}') && B'é' != b''",
        f"self.all(x, x != '{MANY}' && has(x.y)) // {MANY}\n || 'ß' == '日本'",
        f"{{'é': '{MANY}', 'ä': 1}}.size() > 1",
        f"'\x01\x02é' != '{MANY}'",
        f"'\\x01\\x02é' != '{MANY}'",
    ],
)
def test_many_letters_are_read_as_few_are(text: str):
    given: list[str] = []

    def parse(one: str) -> Tree:
        given.append(one)
        return plainly(one)

    assert beyond_ascii.read(text, parse) == plainly(text)
    assert given[0].isascii(), "letters beyond ASCII take a hundred times as long"


@pytest.mark.parametrize("text", [f"self.a != {MANY}", f"'{MANY}' + "])
def test_what_can_not_be_read_is_told(text: str):
    with pytest.raises(CompileError, match="Syntax error") as caught:
        parsed(text, frozenset())
    assert not any(ord(letter) < 32 and letter != "\n" for letter in str(caught.value))


def test_rules_with_many_letters_hold_for_what_they_say():
    environment = cel.NewEnv(variables={"text": cel.Type.STRING})
    text = f"text.startsWith('{MANY}')"
    assert environment.compile(text).eval(data={"text": MANY}).plain_value() is True
    read = beyond_ascii.read(text, plainly)
    assert read == plainly(text)
