"""A Secret's data, where it is given as text."""

import base64

from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def encode_string_data(obj: Object, context: Context) -> None:
    """What is given as text becomes data."""
    texts = obj.pop("stringData", None)
    if texts:
        encoded = {key: base64.b64encode(text.encode()).decode() for key, text in texts.items()}
        obj["data"] = {**(obj.get("data") or {}), **encoded}
