"""What a table shows of a Node."""

from svcsim.kinds.shared.columns import NONE, UNKNOWN, joined, text_at
from svcsim.meta.objects import condition, get_path, labels_of
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Column, Context


def status_text(obj: Object, context: Context) -> Json:
    ready = condition(obj, "Ready")
    text = "Unknown" if ready is None else "Ready" if ready.get("status") == "True" else "NotReady"
    return f"{text},SchedulingDisabled" if get_path(obj, "spec.unschedulable") else text


def roles(obj: Object, context: Context) -> Json:
    prefix, single = context.dialect.key("", "node-role"), context.dialect.key("role")
    roles = {key.removeprefix(prefix) for key in labels_of(obj) if key.startswith(prefix)} | {labels_of(obj).get(single, "")}
    return joined(sorted(roles - {""}))


def address_column(address_type: str, name: str) -> Column:
    def cell(obj: Object, context: Context) -> Json:
        addresses = get_path(obj, "status.addresses") or ()
        return next((item.get("address", "") for item in addresses if item.get("type") == address_type), NONE)

    return Column(name, cell, priority=1, doc=f"First address of type {address_type}")


def system_column(name: str, field: str, doc: str) -> Column:
    return Column(name, text_at(f"status.nodeInfo.{field}", UNKNOWN), priority=1, doc=doc)
