"""What is agreed on about the storage that every cluster brings along: the driver's name, and how its failing is asked for.

Its disks stand in one zone and are attached to one node at a time, as those of clouds are. A volume that is to be written from several
nodes is a share, to be had everywhere.
"""

from collections.abc import Iterator
from typing import NamedTuple

from svcsim.meta.objects import annotations_of, name_of
from svcsim.meta.types import Object

DRIVER = "disk.csi.svcsim.dev"
"""What is said to make, attach and grow them."""
CLASS = "standard"
"""The class of storage that new clusters have."""
FAIL_ANNOTATION = "svcsim.dev/fail-storage"
"""On a claim or a volume: which steps fail, and in what words, as ``provision: out of disks; attach: no such machine``."""
STEPS = ("provision", "delete", "attach", "detach", "resize", "modify")
_STEPS_OF = {
    "persistentvolumeclaims": ("provision", "resize", "modify"),
    "persistentvolumes": ("delete", "attach", "detach", "resize", "modify"),
}
"""The steps that can be made to fail on each kind."""
_SECONDS = "svcsim.dev/seconds"
"""A parameter of a class: how long it takes to make a volume of it."""
FAILS = "svcsim.dev/fail"
"""A parameter of a class: why no volume of it can be made."""
_CLONE_OF = "svcsim.dev/clone-of"
"""An attribute of a disk: the volume whose files it began with."""


class Pace(NamedTuple):
    """Between how many seconds something takes."""

    least_s: float
    most_s: float


PROVISIONING = Pace(1.0, 2.0)
DELETING = Pace(0.5, 1.5)
ATTACHING = Pace(1.0, 3.0)
DETACHING = Pace(1.0, 2.0)
RESIZING = Pace(1.0, 2.0)


def provisioning_pace(parameters: dict[str, str]) -> Pace:
    """How long making a volume takes by the parameters of its class. ValueError for what can't be read."""
    said = parameters.get(_SECONDS)
    if said is None:
        return PROVISIONING
    try:
        seconds = float(said)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= _LONGEST_S:
        raise ValueError(f'the parameter {_SECONDS} must be a number of seconds from 0 to {_LONGEST_S:.0f}, and is "{said}"')
    return Pace(seconds, seconds)


_LONGEST_S = 86_400.0


def failure(step: str, *objects: Object | None) -> str:
    """Why a step is to fail by the annotations of a claim or a volume; empty if it isn't. A word that is no step fails every one."""
    for obj in objects:
        said = annotations_of(obj).get(FAIL_ANNOTATION) if obj is not None else None
        for named, why in _failures(said or ""):
            if named == step:
                return why or "this was asked for"
            if named not in STEPS:
                return f'the annotation {FAIL_ANNOTATION} names "{named}", which is none of {", ".join(STEPS)}'
    return ""


def steps_elsewhere(kind: str, text: str) -> list[str]:
    """The steps that an annotation names and that count for nothing on this kind: a claim, or a volume."""
    return [step for step, _ in _failures(text) if step in STEPS and step not in _STEPS_OF[kind]]


def _failures(text: str) -> Iterator[tuple[str, str]]:
    """The steps that an annotation names, each with the words in which it fails, if it says any."""
    for part in text.split(";"):
        named, _, why = part.partition(":")
        if named.strip():
            yield named.strip(), why.strip()


def as_clone(volume: Object, original: Object) -> Object:
    """A volume that begins with what is on another one."""
    disk = volume["spec"]["csi"]
    attributes = {**(disk.get("volumeAttributes") or {}), _CLONE_OF: name_of(original)}
    return {**volume, "spec": {**volume["spec"], "csi": {**disk, "volumeAttributes": attributes}}}


def original_of(volume: Object) -> str:
    """The volume whose files a disk began with; empty for one that began empty."""
    disk = volume["spec"].get("csi") or {}
    return (disk.get("volumeAttributes") or {}).get(_CLONE_OF) or "" if disk.get("driver") == DRIVER else ""
