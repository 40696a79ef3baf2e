"""What a client says that wants SPDY, and what it is answered."""

from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request

_SPDY = "spdy/3.1"
_VERSION_HEADER = "x-stream-protocol-version"


def wants_spdy(request: Request) -> bool:
    """Whether the connection is asked to become SPDY."""
    return request.headers.get("upgrade", "").lower() == _SPDY and "upgrade" in request.headers.get("connection", "").lower()


def agreed_spdy(request: Request, spoken: tuple[str, ...]) -> tuple[dict[str, str], str]:
    """The headers that agree to it, and the protocol of the streams: the first that the client offers of those that are spoken.

    Who offers none is taken to mean the oldest. Raises 403 where there is none that both speak.
    """
    offered = [word.strip() for value in request.header_values(_VERSION_HEADER) for word in value.split(",") if word.strip()]
    agreed = next((protocol for protocol in offered if protocol in spoken), "" if offered else spoken[-1])
    if not agreed:
        why = f"unable to upgrade: unable to negotiate protocol: client supports {offered}, server accepts {list(spoken)}"
        raise StatusError(403, "Forbidden", why, {}, {"X-Accepted-Stream-Protocol-Versions": ", ".join(spoken)})
    headers = {"Connection": "Upgrade", "Upgrade": "SPDY/3.1"}
    return ({**headers, "X-Stream-Protocol-Version": agreed} if offered else headers), agreed
