"""Whether to write in colour: to a terminal that can show it, and never against ``NO_COLOR``."""

import os
from typing import TextIO


def coloured(stream: TextIO) -> bool:
    """Whether what goes there may be coloured (https://no-color.org: an empty ``NO_COLOR`` says nothing)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
