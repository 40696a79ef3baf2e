"""What is written into a claim that has been given devices. Pure."""

from collections.abc import Iterable, Sequence

from svcsim.meta.node_affinity import NAME_FIELD
from svcsim.meta.types import Object
from svcsim.scheduler.devices.search import Given
from svcsim.scheduler.devices.wishes import ClaimWishes

_CLASS, _CLAIM = "FromClass", "FromClaim"


def allocation(wishes: ClaimWishes, given: Sequence[Given]) -> Object:
    """The devices, their settings, and the nodes on which they can be used."""
    devices: Object = {"results": [_result(one) for one in given]}
    config = [*_of_classes(given), *_of_claim(wishes.claim, given)]
    if config:
        devices["config"] = config
    selector = _node_selector(given)
    return {"devices": devices, **({"nodeSelector": selector} if selector else {})}


def _result(given: Given) -> Object:
    wish, device = given.wish, given.device
    result: Object = {"request": wish.name, "driver": device.id.driver, "pool": device.id.pool, "device": device.id.name}
    if wish.admin:
        result["adminAccess"] = True
    if wish.said_tolerations:
        result["tolerations"] = list(wish.said_tolerations)
    return result


def _of_classes(given: Iterable[Given]) -> list[Object]:
    """The settings that come with the classes of what was given, for one request after the other."""
    wishes = {one.wish.name: one.wish for one in given}
    return [
        {"source": _CLASS, "requests": [name], **settings}
        for name, wish in wishes.items()
        for settings in wish.device_class["spec"].get("config") or ()
    ]


def _of_claim(claim: Object, given: Iterable[Given]) -> list[Object]:
    """The claim's own settings, but for those of alternatives that weren't chosen."""
    names = dict.fromkeys(name for one in given for name in (one.wish.name, one.wish.name.partition("/")[0]))
    config = (claim["spec"].get("devices") or {}).get("config") or ()
    return [
        {"source": _CLAIM, **settings}
        for settings in config
        if not settings.get("requests") or any(name in names for name in settings["requests"])
    ]


def _node_selector(given: Iterable[Given]) -> Object | None:
    """The nodes that can use all of the devices; None for all nodes. One node alone is named by its name."""
    places = [one.device.where for one in given]
    node = next((where.node for where in places if where.node), "")
    if node:
        return {"nodeSelectorTerms": [{"matchFields": [{"key": NAME_FIELD, "operator": "In", "values": [node]}]}]}
    term: dict[str, list[Object]] = {}
    for where in places:
        for said in (where.selector or {}).get("nodeSelectorTerms") or ():
            for field, requirements in said.items():
                kept = term.setdefault(field, [])
                kept += [one for one in requirements if one not in kept]
    return {"nodeSelectorTerms": [term]} if term else None
