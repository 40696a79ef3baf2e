"""What the name of an API version says: how stable it is, and which of a group's versions clients are to prefer."""

import re

_STABLE_OR_NOT = re.compile(r"^v(\d+)(?:(alpha|beta)(\d+))?$")
_LEVELS = ("ga", "beta", "alpha")


def kind_in_go(api_version: str, kind: str) -> str:
    """A kind in a version as Go writes one down: ``admission.k8s.io/v1, Kind=AdmissionReview``, and ``/v1, Kind=Pod`` without a group."""
    return f"{'' if '/' in api_version else '/'}{api_version}, Kind={kind}"


def stability(version: str) -> str:
    """``ga``, ``beta`` or ``alpha``; a name that says neither promises nothing."""
    match = _STABLE_OR_NOT.match(version)
    return (match[2] or "ga") if match else "alpha"


def version_priority(version: str) -> tuple[int, int, int, str]:
    """A key that sorts versions as Kubernetes does, the preferred one first: v2, v1, v1beta2, v1beta1, v1alpha1, then other names."""
    match = _STABLE_OR_NOT.match(version)
    if match is None:
        return len(_LEVELS), 0, 0, version
    return _LEVELS.index(match[2] or "ga"), -int(match[1]), -int(match[3] or 0), ""
