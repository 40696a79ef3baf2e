"""What a server's refusal says, for every transport."""

import orjson

from svcsim.meta.errors import StatusError


def error_from(status: int, body: bytes) -> StatusError:
    """The error an answer tells, also where its body is no Status."""
    try:
        told = orjson.loads(body)
    except orjson.JSONDecodeError:
        told = None
    if isinstance(told, dict) and told.get("kind") == "Status":
        return StatusError.from_status({"code": status, **told})
    if status == 404:  # of no API at all
        return StatusError(404, "NotFound", "the server could not find the requested resource")
    return StatusError(status, "", body.decode("utf-8", "replace").strip() or f"the server answered {status}")
