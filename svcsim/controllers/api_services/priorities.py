"""How clients prefer the groups and versions that the server itself has, high before low."""

from typing import NamedTuple

from svcsim.dialect import Dialect
from svcsim.meta.types import GroupVersion


class Priority(NamedTuple):
    """The priorities of a version of a group, as its APIService has them."""

    group: int
    version: int


OF_CUSTOM_GROUPS = Priority(1_000, 100)
_STABLE = 15
_GROUPS = {
    "": 18_000,
    "apps": 17_800,
    "events": 17_750,
    "authentication": 17_700,
    "authorization": 17_600,
    "autoscaling": 17_500,
    "batch": 17_400,
    "certificates": 17_300,
    "networking": 17_200,
    "policy": 17_100,
    "rbac.authorization": 17_000,
    "storage": 16_800,
    "admissionregistration": 16_700,
    "apiextensions": 16_700,
    "scheduling": 16_600,
    "coordination": 16_500,
    "node": 16_300,
    "discovery": 16_200,
    "resource": 16_200,
    "flowcontrol.apiserver": 16_100,
    "metrics": 100,
}
"""By group, without the dialect's suffix."""
_VERSIONS = {
    ("", "v1"): 1,
    ("autoscaling", "v2"): 30,
    ("flowcontrol.apiserver", "v1"): 21,
    ("admissionregistration", "v1beta1"): 12,
    ("metrics", "v1beta1"): 100,
    ("admissionregistration", "v1alpha1"): 9,
}
"""Where a version's priority isn't what its name says."""
_BY_STAGE = {"alpha": 1, "beta": 9}


def priority_of(group_version: GroupVersion, dialect: Dialect) -> Priority:
    """What a version of a group is preferred by; groups that aren't built in come last."""
    group, version = group_version.group.removesuffix(f".{dialect.group_suffix}"), group_version.version
    known = _GROUPS.get(group)
    if known is None or (group and group == group_version.group and "." in group):
        return OF_CUSTOM_GROUPS
    by_stage = next((priority for stage, priority in _BY_STAGE.items() if stage in version), _STABLE)
    return Priority(known, _VERSIONS.get((group, version), by_stage))
