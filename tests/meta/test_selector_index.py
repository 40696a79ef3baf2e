"""Many selectors: those are found that match, and only those are asked that could."""

from hypothesis import given
from hypothesis import strategies as st

from svcsim.meta.indexed import ObjectKey
from svcsim.meta.label_selectors import LabelSelector, from_object, parse_labels
from svcsim.meta.selector_index import SelectorIndex
from tests.steps import steps_of

NAMES = st.sampled_from(("a", "b", "c"))
VALUES = st.sampled_from(("", "x", "y"))
LABELS = st.dictionaries(NAMES, VALUES)
SELECTORS = st.sampled_from(("", "a=x", "a=y,b=x", "a in (x,y)", "a in (x)", "!b", "c,a!=x", "b=x,b=y", "a=,c=x", "c notin (x)")).map(
    parse_labels
)
KEYS = st.builds(ObjectKey, st.sampled_from(("m", "n")), NAMES)
CHANGES = st.lists(st.tuples(KEYS, SELECTORS | st.none() | st.just(from_object(None))))


@given(CHANGES, LABELS, LABELS)
def test_it_finds_what_a_look_at_all_selectors_finds(changes: list[tuple[ObjectKey, LabelSelector | None]], one: dict, other: dict):
    index, known = SelectorIndex(), dict[ObjectKey, LabelSelector]()
    for key, selector in changes:
        if selector is None:
            index.remove(key)
            known.pop(key, None)
        else:
            index.put(key, selector)
            known[key] = selector
    assert {key: index.get(key) for key in known} == known
    for states in ((one,), (one, other)):
        wanted = [key for key, selector in known.items() if key.namespace == "n" and any(map(selector.matches, states))]
        assert index.selecting("n", *states) == wanted


def steps_among(others: int, *, shared: bool) -> int:
    """The steps it takes to find who selects an object, where many select others."""
    index = SelectorIndex()
    for number in range(others + 1):
        index.put(ObjectKey("n", f"one-{number}"), parse_labels(f"app=app-{number}{',tier=web' if shared else ''}"))
    labels = {"app": "app-0", "tier": "web"}
    assert index.selecting("n", labels) == [("n", "one-0")]
    return steps_of(lambda: index.selecting("n", labels))


def test_however_many_select_others_it_takes_the_same():
    assert steps_among(500, shared=False) == steps_among(5, shared=False)


def test_a_label_that_all_want_is_not_what_they_are_found_by():
    assert steps_among(500, shared=True) == steps_among(5, shared=True)
