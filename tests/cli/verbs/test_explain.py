"""What explain makes of a small document: the cases that the served kinds don't have."""

import pytest

from svcsim.cli.failure import CommandError
from svcsim.cli.verbs.explain import older, plain
from svcsim.cli.verbs.explain.document import Document
from svcsim.cli.verbs.explain.wrapping import filled_lines, indented, wrapped
from svcsim.dialect import KUBERNETES
from svcsim.meta.types import GroupVersion, Object

V1 = GroupVersion("example.com", "v1")
TREE: Object = {
    "description": "A tree",
    "type": "object",
    "required": ["mode"],
    "properties": {
        "mode": {"type": "string", "enum": ["", "A", "B", "C", "D"]},
        "left": {"$ref": "#/components/schemas/x.Tree"},
        "leaves": {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "integer"}}, "description": "Its leaves"},
    },
    "x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Tree"}],
}


def explained(*path: str, recursive: bool = False) -> str:
    document = Document({"components": {"schemas": {"x.Tree": TREE}}}, KUBERNETES)
    return "".join(plain.explain(document, V1, "Tree", list(path), recursive=recursive))


def test_fields_are_told_with_their_types_and_values() -> None:
    told = explained()
    assert told.startswith("GROUP:      example.com\nKIND:       Tree\nVERSION:    v1\n\nDESCRIPTION:\n    A tree\n    \nFIELDS:\n")
    assert "  leaves\t<[]map[string]integer>\n    Its leaves\n\n  left\t<Tree>\n    <no description>\n" in told
    assert '  mode\t<string> -required-\n  enum: "", A, B, C, ....\n' in told


def test_one_field_tells_all_its_values() -> None:
    assert 'FIELD: mode <string>\nENUM:\n    ""\n    A\n    B\n    C\n    D\n\nDESCRIPTION:\n    <empty>\n' in explained("mode")


def test_a_type_within_itself_is_told_twice_and_no_more() -> None:
    fields = explained(recursive=True).partition("FIELDS:\n")[2]
    assert [line.count("  ") for line in fields.splitlines() if "left" in line] == [1, 2]
    assert "mode <string>" in explained("left", "left", "left", "mode")


def test_what_is_not_there_is_an_error() -> None:
    with pytest.raises(CommandError, match='field "nope" does not exist'):
        explained("leaves", "nope")


def test_the_older_style_says_no_more_than_types() -> None:
    document = Document({"definitions": {"x.Tree": {**TREE, "properties": {"leaves": TREE["properties"]["leaves"]}}}}, KUBERNETES)
    told = "".join(older.explain(document, V1, "Tree", ["leaves"], recursive=False))
    assert told == "KIND:     Tree\nVERSION:  example.com/v1\n\nFIELD:    leaves <[]map[string]integer>\n\nDESCRIPTION:\n     Its leaves\n"


def test_lines_are_broken_between_words() -> None:
    assert wrapped("one two three", 7) == "one two\nthree"
    assert wrapped("abcdefghij k", 5) == "abcdefghij\nk"
    assert indented("a\n\nb", 2) == "  a\n  \n  b"


def test_lists_examples_and_paragraphs_stay_apart() -> None:
    text = "First\nline:\n- one\n- two\n\n    code  here\nlast words"
    assert list(filled_lines(text, 20)) == ["First line:", "- one", "- two", "", "    code  here", "last words"]
