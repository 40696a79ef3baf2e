"""Validation rules of custom resources over the wire: what is refused where they are declared, and what they may cost."""

import pytest

from svcsim.meta.types import Object
from tests.controllers.test_custom_resources_runs import cluster, defined, definition, definitions, in_both_dialects, refusal, widgets
from tests.controllers.test_custom_schemas_runs import version, whole

NUMBERS: Object = {"type": "array", "maxItems": 300, "items": {"type": "integer"}}


def ruled(*rules: str, **properties: Object) -> Object:
    """A schema whose spec has rules."""
    spec = {"type": "object", "properties": properties, "x-PREFIX-validations": [{"rule": rule} for rule in rules]}
    return {"type": "object", "properties": {"spec": spec}}


@pytest.mark.virtual_time
@in_both_dialects
async def test_a_definition_whose_rules_do_not_fit_its_schema_is_refused(dialect: str):
    async with cluster(dialect) as r:
        schema = ruled(
            "self.a == 1", "self.l.all(x, x.contains('a'))", a={"type": "string"}, l={"type": "array", "items": {"type": "string"}}
        )
        types, cost, *total = await refusal(definitions(r).create(definition(r, version(r, schema))))
        assert (
            "compilation failed: ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(string, int)'\n | self.a" in types
        )
        assert "estimated rule cost exceeds budget by factor of more than 100x" in cost
        assert all("entire OpenAPIv3 schema" in told for told in total)


@pytest.mark.virtual_time
@in_both_dialects
async def test_every_item_of_a_list_may_be_compared_with_every_other(dialect: str):
    async with cluster(dialect) as r:
        await defined(r, definition(r, version(r, ruled("self.l.all(x, self.l.all(y, x + y > 0))", l=NUMBERS))))
        assert (await widgets(r).create(whole(spec={"l": list(range(1, 101))})))["spec"]["l"][99] == 100
        (finding,) = await refusal(widgets(r).create(whole("two", spec={"l": list(range(100))})))
        assert "failed rule: self.l.all(x, self.l.all(y, x + y > 0))" in finding
