"""What an answer with an error's status means that doesn't say so itself: in the words of Kubernetes' clients, whoever reads it."""

UNKNOWN = "unknown"
"""What was said in an answer that is no text."""
TEXT_BYTES = 2048
"""How much of an answer is read as text."""
ANSWERED = range(200, 207)
"""Statuses of answers to what was asked."""
_MEANINGS = {
    400: ("BadRequest", "the server rejected our request for an unknown reason"),
    401: ("Unauthorized", "the server has asked for the client to provide credentials"),
    404: ("NotFound", "the server could not find the requested resource"),
    405: ("MethodNotAllowed", "the server does not allow this method on the requested resource"),
    406: ("NotAcceptable", "the server was unable to respond with a content type that the client supports"),
    409: ("Conflict", "the server reported a conflict"),
    422: ("Invalid", "the server rejected our request due to an error in our request"),
    429: ("TooManyRequests", "the server has received too many requests and has asked us to try again later"),
    503: ("ServiceUnavailable", "the server is currently unable to handle the request"),
    504: ("Timeout", "the server was unable to return a response in the time allotted, but may still be processing the request"),
}
_IN_ITS_OWN_WORDS = {403: "Forbidden", 406: "NotAcceptable", 415: "UnsupportedMediaType"}
"""Statuses that mean what the server says: who may not do what, and which types it knows."""


def meaning_of(status: int, said: str, quote: str) -> tuple[str, str]:
    """The reason, which may be empty, and the message. ``said`` is the answer's text, ``quote`` the same as it stands in a sentence."""
    if status in _IN_ITS_OWN_WORDS and (status not in _MEANINGS or said not in ("", UNKNOWN)):
        return _IN_ITS_OWN_WORDS[status], said
    if status in _MEANINGS:
        return _MEANINGS[status]
    if status >= 500:
        return "InternalError", f"an error on the server ({quote}) has prevented the request from succeeding"
    return "", f"the server responded with the status code {status} but did not return more information"
