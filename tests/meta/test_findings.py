"""What is wrong with an object is told as far as it can be told."""

from svcsim import limits
from svcsim.meta.errors import FieldError, invalid, invalid_value
from svcsim.meta.findings import Findings, collected, told
from svcsim.meta.names import validate_metadata
from svcsim.meta.types import GroupKind

LONG = invalid_value("a", "x" * (limits.FINDINGS_CHARS // 4), "is long")


def test_what_is_found_is_told():
    short = [invalid_value("a", index, "is wrong") for index in range(3)]

    def look(found: Findings) -> None:
        found.append(short[0])
        found.extend(short[1:])

    assert told(look) == collected(iter(short)) == short


def test_what_is_too_much_is_neither_told_nor_looked_for():
    looked_at: list[int] = []

    def look(found: Findings) -> None:
        for number in range(100):
            looked_at.append(number)
            found.append(LONG)

    *findings, last = told(look)
    assert findings == [LONG] * 4
    assert looked_at == list(range(5)), "whoever looks is stopped"
    assert (last.path, "more is wrong than can be told" in last.message) == ("<nil>", True)


def test_one_finding_is_told_however_long_it_is():
    enormous = LONG._replace(message=LONG.message * 8)
    assert told(lambda found: found.append(enormous)) == [enormous]


def test_each_of_many_findings_may_repeat_all_there_is():
    owners = [{"apiVersion": "v1", "kind": "Pod", "name": f"p{n}", "uid": f"{n}", "controller": True} for n in range(5_000)]
    findings = validate_metadata({"name": "a", "ownerReferences": owners}, "metadata", namespaced=False, name_rule=lambda _: [])
    assert 1 < len(findings) < 10
    assert all(isinstance(finding, FieldError) for finding in findings)


def test_the_same_words_are_said_once():
    error = invalid(GroupKind("", "Pod"), "a", [invalid_value("a", "", "is wrong")] * 2 + [invalid_value("b", 1, "is wrong")])
    assert error.message == 'Pod "a" is invalid: [a: Invalid value: "": is wrong, b: Invalid value: 1: is wrong]'
    assert error.details is not None
    assert [cause["field"] for cause in error.details["causes"]] == ["a", "a", "b"]
    alone = invalid(GroupKind("", "Pod"), "a", [invalid_value("a", "", "is wrong")] * 2)
    assert alone.message == 'Pod "a" is invalid: a: Invalid value: "": is wrong'
