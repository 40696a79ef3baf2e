"""The statuses of those that count pods (sets, deployments), as their controllers write them."""

from collections.abc import Mapping

from svcsim.meta.types import Json, Object


def patch_counts(before: Object, counts: Mapping[str, Json], apart: Mapping[str, Json]) -> Object | None:
    """What to patch of a status that was seen as ``before``; None where that says it all.

    All that is counted goes together: what was seen of the status may be older than what it says by now, and half of one and half of the
    other never was true. What stands ``apart`` is written, too, by others or at other times, and goes along only where it differs.
    """
    differing = {name: value for name, value in apart.items() if value != before.get(name)}
    if not differing and all(value == before.get(name) for name, value in counts.items()):
        return None
    return {**counts, **differing}
