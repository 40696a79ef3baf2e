"""What a server has written into its audit log so far."""

import json
from pathlib import Path

from svcsim.meta.types import Object


def logged(path: Path) -> list[Object]:
    """The events, each of which is a line. The last may only be there in part: others are being written meanwhile."""
    whole, _, _ = path.read_text().rpartition("\n")
    return [json.loads(line) for line in whole.splitlines()]
