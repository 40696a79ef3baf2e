"""What a LimitRange says without saying it: of containers, the largest amount is the default limit, and that the default request."""

from svcsim.meta.types import Object


def fill_item(item: Object) -> None:
    if item.get("type") != "Container":
        return
    limits = {**(item.get("max") or {}), **(item.get("default") or {})}
    requests = {**(item.get("min") or {}), **limits, **(item.get("defaultRequest") or {})}
    if limits:
        item["default"] = limits
    if requests:
        item["defaultRequest"] = requests
