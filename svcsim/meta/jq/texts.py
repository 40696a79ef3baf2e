"""How values are spelled in texts: ``@json``, ``@sh`` and so on."""

import base64
import binascii
import html
from collections.abc import Callable, Mapping
from urllib.parse import quote

from svcsim.meta.jq.errors import JqError
from svcsim.meta.jq.values import as_json, as_text, type_name
from svcsim.meta.jq.work import Work
from svcsim.meta.types import Json


def _base64(work: Work, value: Json) -> str:
    return base64.b64encode(as_text(work, value).encode()).decode()


def _base64d(work: Work, value: Json) -> str:
    text = as_text(work, value).rstrip("=")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True).decode(errors="replace")
    except binascii.Error:
        raise JqError("what is no base64 cannot be decoded") from None


def _uri(work: Work, value: Json) -> str:
    return quote(as_text(work, value), safe="-_.~")


def _html(work: Work, value: Json) -> str:
    return html.escape(as_text(work, value)).replace("&#x27;", "&#39;")


def _sh(work: Work, value: Json) -> str:
    return " ".join(_word(work, one) for one in (value if isinstance(value, list) else [value]))


def _word(work: Work, value: Json) -> str:
    if isinstance(value, list | dict):
        raise JqError(f"{type_name(value)} cannot be escaped for shell")
    return "'" + value.replace("'", "'\\''") + "'" if isinstance(value, str) else as_json(work, value)


_TSV = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def _row(between: str, spell: Callable[[str], str]) -> Callable[[Work, Json], str]:
    def row(work: Work, value: Json) -> str:
        if not isinstance(value, list):
            raise JqError(f"{type_name(value)} cannot be formatted as a row, only an array can")
        return between.join(_cell(work, one, spell) for one in value)

    return row


def _cell(work: Work, value: Json, spell: Callable[[str], str]) -> str:
    if isinstance(value, list | dict):
        raise JqError(f"{type_name(value)} is not valid in a row")
    return "" if value is None else spell(value) if isinstance(value, str) else as_json(work, value)


def _quoted_cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


FORMATS: Mapping[str, Callable[[Work, Json], str]] = {
    "@text": as_text,
    "@json": as_json,
    "@base64": _base64,
    "@base64d": _base64d,
    "@uri": _uri,
    "@html": _html,
    "@sh": _sh,
    "@csv": _row(",", _quoted_cell),
    "@tsv": _row("\t", lambda text: text.translate(_TSV)),
}
