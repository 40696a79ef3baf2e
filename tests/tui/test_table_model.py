"""The rows of a table: order, filter and changes, among few and among ten thousand."""

import pytest

from svcsim.tui.model.cells import Moment
from svcsim.tui.model.ink import Ink
from svcsim.tui.model.rows import Column, Row, RowKey
from svcsim.tui.model.table import Sort, TableModel

COLUMNS = (Column("Name", wide=False, is_name=True), Column("Status", wide=False, is_name=False), Column("Age", wide=False, is_name=False))


def row(name: str, status: str = "Running", at: float = 0.0, namespace: str = "default") -> Row:
    return Row(RowKey(namespace, name), f"uid-{name}", (name, status, Moment(at)), Ink.PLAIN, f"{namespace}/{name}\n{status}".lower())


def filled(*rows: Row) -> TableModel:
    model = TableModel()
    model.replace(COLUMNS, rows)
    return model


def names(model: TableModel) -> list[str]:
    return [model.row_at(index).key.name for index in range(len(model))]


def test_rows_stand_in_the_order_of_namespace_and_name():
    model = filled(row("b"), row("a"), row("z", namespace="another"))
    assert names(model) == ["z", "a", "b"]


def test_a_new_row_goes_to_its_place():
    model = filled(row("a"), row("c"), *(row(f"x{i}") for i in range(10)))
    model.apply({RowKey("default", "b"): row("b")})
    assert names(model)[:3] == ["a", "b", "c"]


def test_a_row_that_is_gone_leaves():
    model = filled(*(row(f"x{i}") for i in range(10)))
    model.apply({RowKey("default", "x4"): None})
    assert "x4" not in names(model)
    assert (len(model), model.total) == (9, 9)


def test_a_change_of_what_is_sorted_by_moves_the_row():
    model = filled(*(row(f"x{i}", "Running") for i in range(10)))
    model.set_sort(Sort(1))
    model.apply({RowKey("default", "x9"): row("x9", "Failed")})
    assert names(model)[0] == "x9"


def test_texts_with_numbers_are_ordered_as_people_count():
    model = filled(row("a", "web-10"), row("b", "web-2"), row("c", "web-1"))
    model.set_sort(Sort(1))
    assert names(model) == ["c", "b", "a"]


def test_the_smallest_age_comes_first():
    model = filled(row("old", at=100.0), row("new", at=900.0), row("middle", at=500.0))
    model.set_sort(Sort(2))
    assert names(model) == ["new", "middle", "old"]


def test_an_order_turned_round_is_the_same_order_from_its_end():
    model = filled(row("a"), row("b"), row("c"))
    model.set_sort(Sort(None, descending=True))
    assert names(model) == ["c", "b", "a"]
    assert model.index_of(RowKey("default", "a")) == 2


def test_a_filter_wants_all_its_words_and_none_of_the_negated():
    model = filled(row("web-1", "Running"), row("web-2", "Failed"), row("db-1", "Failed"))
    model.set_filter("WEB fail")
    assert names(model) == ["web-2"]
    model.set_filter("!web")
    assert names(model) == ["db-1"]
    model.set_filter("")
    assert len(model) == 3


def test_changes_respect_the_filter():
    model = filled(*(row(f"web-{i}") for i in range(10)), *(row(f"db-{i}") for i in range(10)))
    model.set_filter("failed")
    model.apply({RowKey("default", "db-3"): row("db-3", "Failed"), RowKey("default", "db-4"): row("db-4", "Running")})
    assert names(model) == ["db-3"]
    model.apply({RowKey("default", "db-3"): row("db-3", "Running")})
    assert names(model) == []
    assert model.total == 20


def test_an_object_that_is_not_shown_has_no_place():
    model = filled(row("a"), row("b"))
    model.set_filter("b")
    assert model.index_of(RowKey("default", "a")) is None
    assert model.index_of(RowKey("default", "b")) == 0


def test_columns_grow_with_what_they_show_and_never_shrink():
    model = filled(row("a"), *(row(f"x{i}") for i in range(10)))
    model.apply({RowKey("default", "a"): row("a", "CrashLoopBackOff")})
    assert model.widths[1] == len("CrashLoopBackOff")
    model.apply({RowKey("default", "a"): row("a", "Running")})
    assert model.widths[1] == len("CrashLoopBackOff")


def test_no_more_rows_are_kept_than_the_limit_and_the_others_are_counted():
    model = TableModel(limit=5)
    model.replace(COLUMNS, [row(f"x{i}") for i in range(8)])
    assert (model.total, model.left_out) == (5, 3)
    model.apply({RowKey("default", "x0"): row("x0", "Failed")})
    assert model.row_at(0).cells[1] == "Failed"
    model.apply({RowKey("default", "x7"): None})
    assert (model.total, model.left_out) == (5, 2)


@pytest.mark.parametrize("sort", [Sort(), Sort(1), Sort(2, descending=True)])
@pytest.mark.parametrize("text", ["", "failed", "!running 7"])
def test_a_hundred_changes_among_ten_thousand_rows_end_where_a_fresh_table_would(sort: Sort, text: str):
    rows = {RowKey("default", f"pod-{i}"): row(f"pod-{i}", at=float(i % 977)) for i in range(10_000)}
    model = filled(*rows.values())
    model.set_sort(sort)
    model.set_filter(text)
    for turn in range(5):
        changes: dict[RowKey, Row | None] = {}
        for step in range(100):
            number = (turn * 7_919 + step * 104_729) % 10_500
            key = RowKey("default", f"pod-{number}")
            changes[key] = None if step % 10 == 0 else row(key.name, "Failed" if step % 3 else "Pending", float(step))
        model.apply(changes)
        for key, change in changes.items():
            if change is None:
                rows.pop(key, None)
            else:
                rows[key] = change
    fresh = filled(*rows.values())
    fresh.set_sort(sort)
    fresh.set_filter(text)
    assert names(model) == names(fresh)
    assert all(model.index_of(model.key_at(index)) == index for index in range(0, len(model), 97))
