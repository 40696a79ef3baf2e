"""Reading a refusal, the same way for every transport."""

import orjson

from svcsim.meta.errors import StatusError


def error_from(status: int, body: bytes) -> StatusError:
    """The error in an answer, also where its body is no Status."""
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        answer = None
    if isinstance(answer, dict) and answer.get("kind") == "Status":
        return StatusError.from_status({"code": status, **answer})
    if status == 404:  # of no API at all
        return StatusError(404, "NotFound", "the server could not find the requested resource")
    return StatusError(status, "", body.decode("utf-8", "replace").strip() or f"the server answered {status}")
