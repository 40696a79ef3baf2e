"""In which order is told what is wrong with a webhook configuration: webhook by webhook, and of each as Kubernetes looks at it.

Whoever compares two clusters' answers, or reads the first line of one alone, finds the same.
"""

import re
from typing import Final

from svcsim.meta.errors import FieldError

_PLACE: Final = re.compile(r"webhooks\[(\d+)\]\.?(\w*)", re.ASCII)
_FIELDS: Final = (
    *("name", "rules", "failurePolicy", "matchPolicy", "sideEffects", "timeoutSeconds", "namespaceSelector", "objectSelector"),
    *("reinvocationPolicy", "clientConfig", "matchConditions", "admissionReviewVersions"),
)
_DUPLICATE: Final = "FieldValueDuplicate"
"""That another webhook has the same name is found last of all."""


def order_of_causes(finding: FieldError) -> tuple[int, ...]:
    """A key to sort findings by; what is about no webhook comes first."""
    place = _PLACE.match(finding.path)
    if place is None:
        return -1, 0
    field = place[2]
    last = field not in _FIELDS or (field == "name" and finding.type == _DUPLICATE)
    return int(place[1]), len(_FIELDS) if last else _FIELDS.index(field)
