"""The flow schemas and priority levels that stay as they are in every cluster: for administrators, and for whatever else there is."""

from typing import Final

from svcsim.meta.types import Object

EXEMPT: Final = "exempt"
CATCH_ALL: Final = "catch-all"

EVERYTHING: Final[Object] = {
    "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": True, "namespaces": ["*"]}],
    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
}
"""What matches every request there is."""


def group(name: str) -> Object:
    """A group, as a subject."""
    return {"kind": "Group", "group": {"name": name}}


EVERYBODY: Final = [group("system:unauthenticated"), group("system:authenticated")]

FIXED_SCHEMAS: Final[dict[str, Object]] = {
    EXEMPT: {
        "priorityLevelConfiguration": {"name": EXEMPT},
        "matchingPrecedence": 1,
        "rules": [{"subjects": [group("system:masters")], **EVERYTHING}],
    },
    CATCH_ALL: {
        "priorityLevelConfiguration": {"name": CATCH_ALL},
        "matchingPrecedence": 10000,
        "distinguisherMethod": {"type": "ByUser"},
        "rules": [{"subjects": EVERYBODY, **EVERYTHING}],
    },
}
"""Specs by name."""
FIXED_LEVELS: Final[dict[str, Object]] = {
    EXEMPT: {"type": "Exempt", "exempt": {"nominalConcurrencyShares": 0, "lendablePercent": 0}},
    CATCH_ALL: {
        "type": "Limited",
        "limited": {"nominalConcurrencyShares": 5, "limitResponse": {"type": "Reject"}, "lendablePercent": 0},
    },
}
"""Specs by name; what the exempt one lends may be changed."""
