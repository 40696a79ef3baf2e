"""Things made when they are first needed."""

import pytest

from svcsim.meta.first_use import at_first_use


def test_a_thing_is_made_when_it_is_first_asked_for_and_kept():
    made = []
    give = at_first_use(lambda: made.append("thing") or made)
    assert not made
    assert give() is give()
    assert made == ["thing"]


def test_what_could_not_be_made_is_tried_again():
    answers = iter([ValueError("not yet"), "thing"])

    def make():
        answer = next(answers)
        if isinstance(answer, ValueError):
            raise answer
        return answer

    give = at_first_use(make)
    with pytest.raises(ValueError, match="not yet"):
        give()
    assert give() == give() == "thing"
