"""What has to be a text in a patch and is none, because YAML reads it otherwise: ``y``, ``on`` and ``True`` as true, ``1`` as a number.

What the API says of such a patch doesn't name the field; and it is the mistake that is made most.
"""

from svcsim.meta.types import Json
from svcsim.nodes.staged.templates import StageError

_MAPS_OF_TEXTS = ("annotations", "labels", "nodeSelector")
_OF_CONDITIONS = ("type", "status", "reason", "message")
_PLAIN = (bool, int, float)


def check_texts(value: Json, root: str = "") -> None:
    """Raises `StageError` for a label, an annotation or a field of a condition that is no text. ``root`` is where the value belongs."""
    found = _unquoted(value, root)
    if found is not None:
        where, what = found
        raise StageError(f"{where}: must be a text, and is {_spelled(what)} as YAML reads it; put it in quotes")


def _unquoted(value: Json, path: str) -> tuple[str, bool | float] | None:
    if isinstance(value, list):
        for index, one in enumerate(value):
            wrong = _unquoted(one, f"{path}[{index}]")
            if wrong is not None:
                return wrong
    if not isinstance(value, dict):
        return None
    name = path.rpartition(".")[2]
    for key, inner in value.items():
        at = f"{path}.{key}" if path else key
        is_text = name in _MAPS_OF_TEXTS or (name.startswith("conditions[") and key in _OF_CONDITIONS)
        if is_text and isinstance(inner, _PLAIN):
            return at, inner
        wrong = _unquoted(inner, at)
        if wrong is not None:
            return wrong
    return None


def _spelled(value: bool | float) -> str:
    return str(value).lower() if isinstance(value, bool) else f"the number {value}"
