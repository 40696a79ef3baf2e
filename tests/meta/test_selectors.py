"""Choosing by labels and fields."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim import limits
from svcsim.meta.errors import StatusError
from svcsim.meta.field_selectors import FieldRequirement, FieldSelector, parse_fields
from svcsim.meta.label_matching import Requirement
from svcsim.meta.label_selectors import LabelSelector, from_object, parse_labels, validate_object

KEYS = st.sampled_from(["a", "b", "in", "notin", "example.com/c"])
VALUES = st.sampled_from(["", "a", "in", "x-1", "10", "9"])
REQUIREMENTS = st.one_of(
    st.builds(Requirement, KEYS, st.sampled_from(["exists", "!"]), st.just(())),
    st.builds(Requirement, KEYS, st.sampled_from(["=", "==", "!="]), st.tuples(VALUES)),
    st.builds(Requirement, KEYS, st.sampled_from([">", "<"]), st.tuples(st.integers(-5, 50).map(str).filter(lambda n: n[0] != "-"))),
    st.builds(
        Requirement, KEYS, st.sampled_from(["in", "notin"]), st.lists(VALUES, min_size=1, unique=True).map(lambda v: tuple(sorted(v)))
    ),
)


@given(st.lists(REQUIREMENTS))
def test_a_printed_selector_parses_to_itself(requirements):
    selector = LabelSelector(requirements)
    assert parse_labels(str(selector)) == selector


@given(st.text(alphabet="ab=!<>(), \n-in") | st.text())
def test_any_text_is_parsed_or_refused(text):
    try:
        selector = parse_labels(text)
    except StatusError:
        return
    assert parse_labels(str(selector)) == selector


@pytest.mark.parametrize(
    ("text", "matching", "failing"),
    [
        ("", {}, None),
        ("a=b", {"a": "b", "c": "d"}, {"a": "c"}),
        ("a==b", {"a": "b"}, {}),
        ("a!=b", {}, {"a": "b"}),
        ("a", {"a": ""}, {}),
        ("!a", {}, {"a": ""}),
        ("a in (b, c)", {"a": "c"}, {"a": "d"}),
        ("a notin (b,c)", {}, {"a": "b"}),
        ("a>5", {"a": "10"}, {"a": "5"}),
        ("a<5", {"a": "-1"}, {"a": "x"}),
        ("a=", {"a": ""}, {}),
        ("a in (,b)", {"a": ""}, {}),
        ("in in (in)", {"in": "in"}, {}),
        (" x , y in (a,b) , !z ", {"x": "1", "y": "a"}, {"x": "1", "y": "a", "z": ""}),
    ],
)
def test_what_a_selector_matches(text, matching, failing):
    selector = parse_labels(text)
    assert selector.matches(matching)
    assert failing is None or not selector.matches(failing)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a in b", "unable to parse requirement: found 'b' expected: '('"),
        ("a=b,", "found '', expected: identifier after ','"),
        ("a=b c=d", "found 'c', expected: ',' or 'end of string'"),
        ("=b", "found '=', expected: !, identifier, or 'end of string'"),
        ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("a>x", "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer"),
    ],
)
def test_what_is_no_selector_is_told_why(text, message):
    with pytest.raises(StatusError) as told:
        parse_labels(text)
    assert (told.value.code, told.value.message) == (400, message)


def test_exact_requirements_are_an_index_hint():
    assert parse_labels("a=b,c in (d),e in (f,g),h!=i").exact == {"a": "b", "c": "d"}


def test_selector_objects_become_the_same_type():
    expressions = [{"key": "b", "operator": "In", "values": ["y", "x"]}, {"key": "c", "operator": "DoesNotExist"}]
    selector = from_object({"matchLabels": {"a": "1"}, "matchExpressions": expressions})
    assert selector == parse_labels("a=1,b in (x,y),!c")
    assert from_object({}).matches({"a": "b"})
    assert not from_object(None).matches({})


def test_selector_objects_are_validated():
    expressions = [{"key": "a", "operator": "In"}, {"key": "b", "operator": "Exists", "values": ["c"]}, {"key": "d", "operator": "Is"}]
    told = validate_object({"matchExpressions": expressions}, "spec.selector")
    assert [finding.path for finding in told] == [
        "spec.selector.matchExpressions[0].values",
        "spec.selector.matchExpressions[1].values",
        "spec.selector.matchExpressions[2].operator",
    ]


@given(st.lists(st.builds(FieldRequirement, st.sampled_from(["metadata.name", "spec.nodeName"]), st.sampled_from(["=", "!="]), st.text())))
def test_a_printed_field_selector_parses_to_itself(requirements):
    text = str(FieldSelector(requirements))
    assert set(parse_fields(text).requirements) == set(requirements)


@given(st.text(alphabet="a=!,\\. ") | st.text())
def test_any_text_is_a_field_selector_or_refused(text):
    try:
        selector = parse_fields(text)
    except StatusError:
        return
    assert set(parse_fields(str(selector)).requirements) == set(selector.requirements)


def test_fields_that_are_missing_count_as_empty():
    selector = parse_fields("spec.nodeName=,status.phase!=Running")
    assert selector.matches({})
    assert not selector.matches({"status.phase": "Running"})
    assert selector.exact == {"spec.nodeName": ""}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a", "invalid selector: 'a'; can't understand 'a'"),
        ("a=b=c", "invalid field selector: unescaped character in value: 61"),
        ("a=b\\c", "invalid field selector: invalid escape sequence: \\c"),
    ],
)
def test_what_is_no_field_selector_is_told_why(text, message):
    with pytest.raises(StatusError) as told:
        parse_fields(text)
    assert told.value.message == message


LABELS = st.dictionaries(KEYS, VALUES, max_size=5)


@given(st.lists(REQUIREMENTS, min_size=9, max_size=14), LABELS)
def test_many_requirements_mean_what_they_mean_one_by_one(requirements, labels):
    one_by_one = all(LabelSelector([requirement]).matches(labels) for requirement in requirements)
    assert LabelSelector(requirements).matches(labels) is one_by_one


@given(st.lists(st.builds(FieldRequirement, KEYS, st.sampled_from(["=", "!="]), VALUES), max_size=6), LABELS)
def test_field_requirements_mean_what_they_mean_one_by_one(requirements, fields):
    one_by_one = all((fields.get(r.field, "") == r.value) is (r.operator == "=") for r in requirements)
    assert FieldSelector(requirements).matches(fields) is one_by_one


class Counting(dict):
    """Labels that count how often they are asked."""

    asked = 0

    def get(self, key, default=None):
        self.asked += 1
        return super().get(key, default)

    def __getitem__(self, key):
        self.asked += 1
        return super().__getitem__(key)

    def __contains__(self, key):
        self.asked += 1
        return super().__contains__(key)


@pytest.mark.parametrize("term", ["l{}!=a", "!l{}", "l{} notin (a,b)", "x!=v{}", "x notin (v{})", "x in (a,v{})"])
def test_a_selector_of_any_length_asks_little_of_an_object(term):
    selector = parse_labels(",".join(term.format(number) for number in range(2_000)))
    labels = Counting(x="a")
    assert selector.matches(labels)
    assert labels.asked < 10
    fields = Counting(name="a")
    assert parse_fields(",".join(f"name!=x{number}" for number in range(2_000))).matches(fields)
    assert fields.asked < 10


@pytest.mark.parametrize("term", ["l{}!=a", "!l{}", "x!=v{}"])
def test_a_selector_has_no_more_terms_than_can_be_kept_for_every_watch(term):
    most = ",".join(term.format(number) for number in range(limits.SELECTOR_TERMS))
    assert parse_labels(most)
    values = ",".join(map(str, range(limits.SELECTOR_TERMS)))
    assert parse_labels(f"x in ({values})")
    for longer in (f"{most},x", f"x in ({values}),x", f"x in ({values},a)"):
        with pytest.raises(StatusError, match="there may be 5000 requirements and values"):
            parse_labels(longer)
    with pytest.raises(StatusError, match="there may be 5000 requirements and values"):
        parse_fields(",".join(["a!=b"] * (limits.SELECTOR_TERMS + 1)))
