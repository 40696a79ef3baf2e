"""What the parts of a cluster hand each other without decoding it is what is stored, and stays so: nobody changes what others share."""

import pytest

from svcsim.registry import core, older_forms, watch_events
from svcsim.scenario.runner import main
from tests.scenario.same_journal import ROOT


@pytest.mark.parametrize("name", ["every-controller", "pod-behaviour", "volumes"])
def test_objects_are_handed_on_as_they_are_stored(monkeypatch, name):
    handed = []

    def told(record):
        obj = core.said(record)
        if obj is not None:
            handed.append((record, obj))
        return obj

    def read(record):
        obj = core.read(record)
        if record.says is not None:
            handed.append((record, obj))
        return obj

    monkeypatch.setattr(watch_events, "said", told)
    monkeypatch.setattr(older_forms, "read", read)
    assert main([str(ROOT / "scenarios" / f"{name}.yaml")]) == 0
    assert len({record.key.resource for record, _ in handed}) > 5
    # Once all is over, so that what somebody changed long after it was handed on shows, too.
    assert [(record.key, obj) for record, obj in handed if obj != core.decode_record(record)] == []
