"""Event in the events group: the core group's events under other names, and stricter rules for what is written there."""

from hypothesis import given
from hypothesis import strategies as st

from svcsim.kinds.core.event import EVENT
from svcsim.kinds.events.event import EVENTS_EVENT
from tests.kinds.helpers import context, texts

TEXT = st.sampled_from(["a", "b"])
TIME = st.just("2026-01-01T00:00:00.000000Z")
REFERENCE = st.fixed_dictionaries({"kind": TEXT, "name": TEXT})
CORE = st.builds(
    lambda given_fields, needed: {"metadata": {"name": "e"}, **given_fields, **needed},
    st.fixed_dictionaries(
        {},
        optional={
            "reason": TEXT,
            "message": TEXT,
            "firstTimestamp": TIME,
            "lastTimestamp": TIME,
            "count": st.integers(1, 9),
            "type": st.sampled_from(["Normal", "Warning"]),
            "eventTime": TIME,
            "series": st.fixed_dictionaries({"count": st.integers(2, 9), "lastObservedTime": TIME}),
            "action": TEXT,
            "related": REFERENCE,
        },
    ),
    st.fixed_dictionaries(
        {
            "involvedObject": REFERENCE,
            "source": st.fixed_dictionaries({"component": TEXT}),
            "reportingComponent": TEXT,
            "reportingInstance": TEXT,
        }
    ),
)
SENT = {
    "metadata": {"name": "e", "namespace": "default"},
    "eventTime": "2026-01-01T00:00:00.000000Z",
    "reportingController": "example.com/c",
    "reportingInstance": "c-1",
    "action": "Binding",
    "reason": "Bound",
    "type": "Normal",
    "regarding": {"kind": "Pod", "name": "p", "namespace": "default"},
    "note": "it did",
}


@given(CORE)
def test_nothing_is_lost_between_the_groups(event):
    conversion = EVENTS_EVENT.conversion
    assert conversion.to_stored(conversion.from_stored(event, context()), context()) == event


def test_every_field_has_its_name_in_the_other_group():
    core = EVENTS_EVENT.conversion.to_stored({field.name: field.name for field in EVENTS_EVENT.schema.fields}, context())
    assert list(core) == [field.name for field in EVENT.schema.fields if field.name != "metadata"]
    assert core["message"] == "note"
    assert core["involvedObject"] == "regarding"
    assert core["reportingComponent"] == "reportingController"


def of_new(**changes):
    event = {name: value for name, value in {**SENT, **changes}.items() if value is not None}
    return texts([finding for rule in EVENTS_EVENT.strategy.create_rules for finding in rule(event, context())])


def test_what_a_new_event_has_to_have_and_may_not_have():
    assert of_new() == []
    assert of_new(eventTime=None) == ["eventTime: Required value"]
    assert of_new(type="Odd") == ['type: Invalid value: "": has invalid value: Odd']
    assert of_new(series={"count": 1}) == [
        'series.count: Invalid value: "": should be at least 2',
        "series.lastObservedTime: Required value",
    ]
    assert of_new(deprecatedCount=1, deprecatedSource={"component": "c"}) == [
        'count: Invalid value: "": needs to be unset',
        'source: Invalid value: "": needs to be unset',
    ]


def test_only_the_series_of_an_event_changes():
    (rule,) = EVENTS_EVENT.strategy.update_rules
    series = {"count": 2, "lastObservedTime": "2026-01-01T00:00:00.000000Z"}
    assert texts(list(rule({**SENT, "series": series}, SENT, context()))) == []
    assert texts(list(rule({**SENT, "note": "it did not"}, SENT, context()))) == [
        'message: Invalid value: "it did not": field is immutable'
    ]
