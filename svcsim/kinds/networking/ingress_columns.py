"""What a table shows of an Ingress: its class, its hosts, and where it is reached."""

from svcsim.kinds.shared.columns import NONE
from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_SHOWN = 3
"""Hosts that a table shows before it says how many more rules there are."""


def class_name(obj: Object, context: Context) -> Json:
    found = get_path(obj, "spec.ingressClassName")
    return NONE if found is None else found


def hosts(obj: Object, context: Context) -> Json:
    rules = get_path(obj, "spec.rules") or []
    places = [index for index, rule in enumerate(rules) if rule.get("host")][:_SHOWN]
    shown = ",".join(rules[index]["host"] for index in places) or "*"
    more = len(places) == _SHOWN and places[-1] < len(rules) - 1
    return f"{shown} + {len(rules) - _SHOWN} more..." if more else shown


def address(obj: Object, context: Context) -> Json:
    found = {item.get("ip") or item.get("hostname") for item in get_path(obj, "status.loadBalancer.ingress") or ()}
    return ",".join(sorted(text for text in found if text))


def ports(obj: Object, context: Context) -> Json:
    return "80, 443" if get_path(obj, "spec.tls") else "80"
