"""AlwaysPullImages: every image is pulled each time, so that nobody runs one that is on a node already without being allowed to pull it."""

from collections.abc import Iterator
from typing import NamedTuple

from svcsim.admission.plugin import Rule
from svcsim.meta.errors import unsupported
from svcsim.meta.pods import CONTAINERS
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest

_ALWAYS = "Always"


class _Place(NamedTuple):
    """Where a pod says how an image is pulled."""

    path: str
    holder: Object
    field: str
    image: str

    @property
    def policy(self) -> str:
        return self.holder.get(self.field) or ""


class AlwaysPullImages:
    """Sets the policies of pods, and insists on them. What only changes something else of a pod's is let through."""

    name = "AlwaysPullImages"
    rules = (Rule(("CREATE", "UPDATE"), ("pods", "pods/ephemeralcontainers")),)

    async def admit(self, request: AdmissionRequest) -> None:
        """Pull always."""
        for place in _places(request):
            place.holder[place.field] = _ALWAYS

    async def validate(self, request: AdmissionRequest) -> None:
        """Refuse what a plugin after this one has made of it."""
        wrong = [place for place in _places(request) if place.policy != _ALWAYS]
        findings = [unsupported(f"{place.path}.{place.field}", place.policy, (_ALWAYS,)) for place in wrong]
        found = [f"{finding.path}: {finding.message}" for finding in findings]
        if found:
            raise request.refusal(found[0] if len(found) == 1 else f"[{', '.join(found)}]")


def _places(request: AdmissionRequest) -> tuple[_Place, ...]:
    """All of them; none in an update that brings no new image."""
    assert request.obj is not None
    found = tuple(_in_spec(request.obj["spec"]))
    if request.old is not None:
        before = {place.image for place in _in_spec(request.old["spec"])}
        if all(place.image in before for place in found):
            return ()
    return found


def _in_spec(spec: Object) -> Iterator[_Place]:
    for kind in CONTAINERS:
        for number, container in enumerate(spec.get(kind) or ()):
            yield _Place(f"spec.{kind}[{number}]", container, "imagePullPolicy", container.get("image") or "")
    for number, volume in enumerate(spec.get("volumes") or ()):
        image = volume.get("image")
        if image is not None:
            yield _Place(f"spec.volumes[{number}].image", image, "pullPolicy", image.get("reference") or "")
