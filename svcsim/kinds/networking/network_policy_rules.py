"""What makes a NetworkPolicy right: ports, peers and networks that traffic can be compared with."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import network, one_of, port, port_number_or_name
from svcsim.kinds.shared.networks import network_warnings
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required
from svcsim.meta.networks import inside, parse_network
from svcsim.meta.types import Json, Object

_TYPES = ("Ingress", "Egress")
_PROTOCOLS = ("TCP", "UDP", "SCTP")


def network_policy_spec_rules(spec: Json, path: str) -> Iterator[FieldError]:
    types = spec.get("policyTypes") or []
    if len(types) > len(_TYPES):
        yield invalid_value(f"{path}.policyTypes", types, "may not specify more than two policyTypes")
        return
    for index, one in enumerate(types):
        yield from one_of(*_TYPES)(one, f"{path}.policyTypes[{index}]")


def port_rules(one: Json, path: str) -> Iterator[FieldError]:
    """A range begins with a number, and goes up."""
    yield from one_of(*_PROTOCOLS)(one.get("protocol"), f"{path}.protocol")
    first, last, where = one.get("port"), one.get("endPort"), f"{path}.endPort"
    if first is not None:
        yield from port_number_or_name(first, f"{path}.port")
    if last is None:
        return
    if first is None:
        yield invalid_value(where, last, "may not be specified when `port` is not specified")
    elif isinstance(first, str):
        yield invalid_value(where, last, "may not be specified when `port` is non-numeric")
    else:
        if last < first:
            yield invalid_value(where, last, "must be greater than or equal to `port`")
        yield from port(last, where)


def peer_rules(peer: Json, path: str) -> Iterator[FieldError]:
    """Either a network, or pods and namespaces."""
    given = [name for name in ("podSelector", "namespaceSelector", "ipBlock") if peer.get(name) is not None]
    if not given:
        yield required(path, "must specify a peer")
    elif len(given) > 1 and "ipBlock" in given:
        yield forbidden_field(path, "may not specify both ipBlock and another peer")


def block_rules(block: Json, path: str) -> Iterator[FieldError]:
    """What is left out of a network is a part of it, and less than all."""
    if not block.get("cidr"):
        return
    yield from network(block["cidr"], f"{path}.cidr")
    whole = parse_network(block["cidr"])
    for index, text in enumerate(block.get("except") or () if whole else ()):
        where = f"{path}.except[{index}]"
        yield from network(text, where)
        part = parse_network(text)
        if whole and part and (part == whole or not inside(part, whole)):
            yield invalid_value(where, text, "must be a strict subset of `cidr`")


def block_warnings(policy: Object) -> Iterator[str]:
    """Networks that may not be those that are meant."""
    for direction, side in (("ingress", "from"), ("egress", "to")):
        for index, rule in enumerate(policy["spec"].get(direction) or ()):
            for position, peer in enumerate(rule.get(side) or ()):
                block, where = peer.get("ipBlock") or {}, f"spec.{direction}[{index}].{side}[{position}].ipBlock"
                yield from network_warnings(block.get("cidr") or "", f"{where}.cidr")
                for number, text in enumerate(block.get("except") or ()):
                    yield from network_warnings(text, f"{where}.except[{number}]")
