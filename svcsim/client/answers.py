"""Reading what a server answers, the same way for every transport: also where it is no server of ours, and what it says is no JSON."""

import json

import orjson

from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object

_GOOD = range(200, 300)
_TEXT_CHARS = 2048
"""How much of an answer that is no Status is quoted."""
_UNKNOWN = "unknown"
_REASONS = {
    400: ("BadRequest", "the server rejected our request for an unknown reason"),
    401: ("Unauthorized", "the server has asked for the client to provide credentials"),
    403: ("Forbidden", "the server refuses it"),
    404: ("NotFound", "the server could not find the requested resource"),
    405: ("MethodNotAllowed", "the server does not allow this method on the requested resource"),
    406: ("NotAcceptable", "the server was unable to respond with a content type that the client supports"),
    409: ("Conflict", "the server reported a conflict"),
    415: ("UnsupportedMediaType", "the server does not take this content type"),
    422: ("Invalid", "the server rejected our request due to an error in our request"),
    429: ("TooManyRequests", "the server has received too many requests and has asked us to try again later"),
    503: ("ServiceUnavailable", "the server is currently unable to handle the request"),
    504: ("Timeout", "the server was unable to return a response in the time allotted, but may still be processing the request"),
}
"""What a status means where the answer itself doesn't say: kubectl's words."""
_TOLD_BY_THE_SERVER = (403, 406, 415)
"""Statuses that kubectl tells in the server's own words, where there are any."""


def refuses(status: int) -> bool:
    """Whether an answer is none to what was asked. Redirects are not followed: nobody said that the other place may see the credentials."""
    return status not in _GOOD


def error_from(status: int, body: bytes, asked: str = "") -> StatusError:
    """The error in an answer, also where its body is no Status: then ``asked`` is told, as `paths.asked` says it."""
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        answer = None
    if isinstance(answer, dict) and answer.get("kind") == "Status":
        return StatusError.from_status({"code": status, **answer})
    reason, meaning = _meaning(status, _said(body))
    return StatusError(status, reason, f"{meaning} ({asked})" if asked else meaning)


def _meaning(status: int, said: str) -> tuple[str, str]:
    if status in _TOLD_BY_THE_SERVER and said != _UNKNOWN:
        return _REASONS[status][0], said
    if status in _REASONS:
        return _REASONS[status]
    if status >= 500:
        return "InternalError", f"an error on the server ({_quoted(said)}) has prevented the request from succeeding"
    return "", f"the server responded with the status code {status} but did not return more information"


def read_answer(body: bytes) -> Json:
    """The JSON of an answer that refuses nothing. Raises `StatusError` where it is none."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        what = f"the server answered {_quoted(_said(body))}, which is no JSON" if body else "the server's answer is empty"
        raise _unreadable(what) from None


def read_event(line: bytes) -> Object:
    """An event of a watch. Raises `StatusError` for an ERROR event and for what is no event, `ConnectionError` for half a one."""
    try:
        event = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise ConnectionError("the watch broke off within an event") from error
    if not isinstance(event, dict) or not isinstance(event.get("type"), str) or not isinstance(event.get("object"), dict):
        raise _unreadable(f"unable to decode an event from the watch stream: the server sent {_quoted(_said(line[:80]))}")
    if event["type"] == "ERROR":
        raise StatusError.from_status(event["object"])
    return event


def _unreadable(message: str) -> StatusError:
    return StatusError(200, "", message)


def _said(body: bytes) -> str:
    """What an answer says as text."""
    try:
        return body.decode()[:_TEXT_CHARS].strip() or _UNKNOWN
    except UnicodeDecodeError:
        return _UNKNOWN


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
