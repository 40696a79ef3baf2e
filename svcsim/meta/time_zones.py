"""The time zones there are."""

import re
import zoneinfo
from datetime import UTC, tzinfo

_MAY_BE_A_PART = re.compile(r"(?!-)[A-Za-z._0-9+-]{1,14}").fullmatch

_OWN = ("", "UTC", "Local")
"""The zone of this process's clock, however it is called."""


def is_time_zone_name(name: str) -> bool:
    """Whether a zone could be called so. What names are made of keeps them from naming other files."""
    return all(part not in (".", "..") and _MAY_BE_A_PART(part) for part in name.split("/"))


def is_time_zone(name: str) -> bool:
    """Whether there is such a zone: on this machine, or in the data that Python brings along."""
    if name in _OWN:
        return True
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def time_zone(name: str) -> tzinfo:
    """The zone of a name that `is_time_zone` knows."""
    return UTC if name in _OWN else zoneinfo.ZoneInfo(name)
