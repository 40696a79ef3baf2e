"""The addresses of a pod, which its status tells in two ways: all of them, and the first once more by itself."""

from svcsim.meta.types import Object


def fill_addresses(status: Object) -> None:
    """Where the two differ, the single one counts, and is all there is: who sets that alone may know nothing of lists."""
    one, several = status.get("podIP"), status.get("podIPs")
    first = several[0].get("ip") if several else None
    if one == first:
        return
    if one:
        status["podIPs"] = [{"ip": one}]
    elif first:
        status["podIP"] = first
