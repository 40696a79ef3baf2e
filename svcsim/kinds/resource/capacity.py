"""How much a device has of something, and in which amounts it can be asked for where several claims share it."""

from collections.abc import Iterator
from itertools import pairwise

from svcsim.kinds.resource.names import at_most, attribute_keys
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required
from svcsim.meta.quantity import parse
from svcsim.meta.types import Json, Object
from svcsim.schema.types import Field, List, Map, Quantity, Struct


def _policy_rules(capacity: Json, path: str) -> Iterator[FieldError]:
    policy = capacity.get("requestPolicy")
    if policy is None:
        return
    values, span, where = policy.get("validValues") or [], policy.get("validRange"), f"{path}.requestPolicy"
    if values and span is not None:
        detail = 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time'
        yield forbidden_field(where, detail)
    elif values or span is not None:
        if policy.get("default") is None:
            yield required(f"{where}.default", f"required when {'validValues' if values else 'validRange'} is defined")
        elif values:
            yield from _value_rules(values, policy["default"], capacity["value"], f"{where}.validValues")
        else:
            yield from _range_rules(span, policy["default"], capacity["value"], f"{where}.validRange")


def _value_rules(values: list[str], default: str, most: str, path: str) -> Iterator[FieldError]:
    amounts = [parse(value) for value in values]
    for index, (one, following) in enumerate(pairwise(amounts)):
        if one > following:
            yield invalid_value(f"{path}[{index + 1}]", values[index + 1], "values must be sorted in ascending order")
    for index, amount in enumerate(amounts):
        if amount > parse(most):
            yield invalid_value(f"{path}[{index}]", values[index], f"option is larger than capacity value: {most}")
    if parse(default) not in amounts:
        yield invalid_value(path, default, "default value is not valid according to the requestPolicy")


def _range_rules(span: Object, default: str, most: str, path: str) -> Iterator[FieldError]:
    if span.get("min") is None:
        return
    least, wanted, capacity = parse(span["min"]), parse(default), parse(most)
    if least > capacity:
        yield invalid_value(f"{path}.min", span["min"], f"min is larger than capacity value: {most}")
    if wanted < least:
        yield invalid_value(f"{path}.default", default, f"default is less than min: {span['min']}")
    if (top := span.get("max")) is not None:
        if least > parse(top):
            yield invalid_value(f"{path}.max", span["min"], f"min is larger than max: {top}")
        if parse(top) > capacity:
            yield invalid_value(f"{path}.max", top, f"max is larger than capacity value: {most}")
        if wanted > parse(top):
            yield invalid_value(f"{path}.default", default, f"default is more than max: {top}")
    if (step := span.get("step")) is not None:
        yield from _step_rules(span, default, most, step, path)


def _step_rules(span: Object, default: str, most: str, step: str, path: str) -> Iterator[FieldError]:
    least, each, where = parse(span["min"]), parse(step), f"{path}.step"
    if each.number <= 0:
        yield invalid_value(where, step, "must be greater than zero")
        return
    if least + each > parse(most):
        yield invalid_value(where, step, f"one step {least + each} is larger than capacity value: {most}")
    for value in (default, *([span["max"]] if span.get("max") is not None else [])):
        if (parse(value).number - least.number) % each.number:
            yield invalid_value(where, value, f"value is not a multiple of a given step ({step}) from ({span['min']})")


_RANGE = Struct(
    "CapacityRequestPolicyRange",
    Field(1, "min", Quantity(), "Smallest amount", required=True),
    Field(2, "max", Quantity(), "Largest amount"),
    Field(3, "step", Quantity(), "Amount by which amounts differ"),
    doc="A range of amounts",
)
_POLICY = Struct(
    "CapacityRequestPolicy",
    Field(1, "default", Quantity(), "Amount where none is asked for"),
    Field(3, "validValues", List(Quantity(), list_type="atomic", rules=(at_most(10),)), "Amounts that can be asked for"),
    Field(4, "validRange", _RANGE, "Range of amounts that can be asked for"),
    doc="Amounts that can be asked for",
)
CAPACITIES = Map(
    Struct(
        "DeviceCapacity",
        Field(1, "value", Quantity(), "How much there is", required=True),
        Field(2, "requestPolicy", _POLICY, "Amounts that can be asked for, where several claims can have the device"),
        rules=(_policy_rules,),
        doc="How much a device has of something",
    ),
    rules=(attribute_keys,),
)
