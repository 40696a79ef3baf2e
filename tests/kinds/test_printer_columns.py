"""The columns of custom resources: what their paths find, and when these are read."""

import pytest

from svcsim.kinds.apiextensions import printer_columns
from svcsim.kinds.apiextensions.printer_columns import columns, parse_path
from svcsim.meta.jsonpath_parser import parse
from svcsim.meta.types import Json
from tests.kinds.helpers import context

OBJECT = {"spec": {"a-b": {"c": 1}, "list": [{"n": "x"}, {"n": "y"}], "null": None}}


def cell(path: str) -> Json:
    (column,) = columns({"additionalPrinterColumns": [{"name": "C", "type": "string", "jsonPath": path}]})
    return column.value(OBJECT, context())


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (".spec.a-b.c", "1"),
        (".spec.a-b", '{"c":1}'),
        (".spec.list[1].n", "y"),
        (".spec.list.n", None),
        (".spec.none.c", None),
        (".spec.null", None),
    ],
)
def test_a_path_finds_its_value(path: str, shown: Json):
    assert cell(path) == shown


@pytest.mark.parametrize("path", [".a", ".spec.a-b._c9"])
def test_a_path_of_names_means_what_any_path_means(path: str):
    assert parse_path(path) == parse(f"{{{path}}}")[0]


def test_columns_are_made_without_reading_their_paths(monkeypatch: pytest.MonkeyPatch):
    def refuse(text: str) -> None:
        raise AssertionError(text)

    monkeypatch.setattr(printer_columns, "parse", refuse)
    declared = [{"name": f"C{number}", "type": "string", "jsonPath": f".spec.list[{number}].n"} for number in range(1_000)]
    assert len(columns({"additionalPrinterColumns": declared})) == 1_000
