"""``Warning:`` headers: what a client should know about a request that succeeded all the same."""

from dataclasses import replace

from svcsim import limits
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Response
from svcsim.registry.options import Caller
from svcsim.server.requests.call import Call, Verb


def with_warnings(response: Response, caller: Caller) -> Response:
    """The answer, with a warning for each text the way through the registry left with the caller."""
    if caller.warnings:
        response.headers["Warning"] = ", ".join([warning(text) for text in dict.fromkeys(caller.warnings)])[: limits.WARNING_HEADER_CHARS]
    return response


async def warned_of_age(verb: Verb, call: Call) -> Response:
    """The verb's answer, or its refusal, with a warning that what is asked for is on its way out."""
    text = warning(call.target.resource.deprecated)
    try:
        response = await verb(call)
    except StatusError as error:
        error.headers["Warning"] = text
        raise
    others = response.headers.get("Warning")
    # A new answer: the old one may be kept for others to come, without this.
    return replace(response, headers={**response.headers, "Warning": f"{text}, {others}" if others else text})


def warning(text: str) -> str:
    """One warning as its header spells it: code 299, no agent, quoted text."""
    cleaned = "".join([letter if letter.isprintable() else " " for letter in text])
    return '299 - "' + cleaned.replace("\\", "\\\\").replace('"', '\\"') + '"'
