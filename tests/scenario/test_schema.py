"""The published JSON Schema is the one the format gives."""

from pathlib import Path

import orjson

from svcsim.meta.codec import encode_pretty
from svcsim.scenario.actions import VERBS
from svcsim.scenario.format import ACTIONS
from svcsim.scenario.schema import json_schema

SCENARIOS = Path(__file__).parents[2] / "scenarios"


def test_the_published_schema_is_not_stale():
    """If it is: ``python -m svcsim.scenario.schema > scenarios/scenario.schema.json``."""
    assert (SCENARIOS / "scenario.schema.json").read_bytes() == encode_pretty(json_schema()) + b"\n"


def test_every_reference_in_it_leads_somewhere():
    schema = json_schema()
    text = orjson.dumps(schema).decode()
    names = {part.split('"')[0].replace("%20", " ") for part in text.split('"#/$defs/')[1:]}
    assert names == set(schema["$defs"])


def test_every_action_of_the_format_can_be_done():
    assert sorted(VERBS) == sorted(ACTIONS)
