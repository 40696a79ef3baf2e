"""Headers of a request that one server hands on to another: which stay behind, and which tell where it came from."""

from svcsim.meta.http import Request

_HOP_BY_HOP = (
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
)


def of_one_hop(headers: dict[str, str]) -> set[str]:
    """The names of headers that are meant for the next hop alone: those that always are, and those that one of them names."""
    return {*_HOP_BY_HOP, *named_in_connection(headers)}


def named_in_connection(headers: dict[str, str]) -> set[str]:
    """The headers that are meant for the next hop alone, because one of them says so."""
    return {name.strip().lower() for name in headers.get("connection", "").split(",")}


def forwarded_for(headers: dict[str, str], request: Request) -> str:
    """By whom a request was made, at the end of those who have passed it on before; empty where that isn't known."""
    before = headers.get("x-forwarded-for", "")
    return ", ".join(filter(None, (before, request.address))) if request.address else before
