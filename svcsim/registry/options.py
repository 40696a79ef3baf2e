"""What a request asks of the registry, free of HTTP: where, how, and by whom."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

from svcsim.apply.reset_fields import FieldFilter
from svcsim.apply.topology import DEDUCED, Node, topology
from svcsim.meta.errors import StatusError
from svcsim.meta.field_selectors import FieldSelector
from svcsim.meta.label_selectors import LabelSelector
from svcsim.meta.types import GroupVersionKind, Json, Object, User
from svcsim.registry.admission_trace import AdmissionTrace
from svcsim.registry.resource import Resource, Window
from svcsim.schema.common import object_struct
from svcsim.schema.compile import Compiled
from svcsim.wall import stopwatch

FieldValidation = Literal["Ignore", "Warn", "Strict"]
Propagation = Literal["", "Orphan", "Background", "Foreground"]
OptionsKind = Literal["CreateOptions", "UpdateOptions", "PatchOptions", "DeleteOptions"]


class Target(NamedTuple):
    """The collection or object a request is about. ``name`` is empty for a collection, ``namespace`` for all of them."""

    resource: Resource
    namespace: str = ""
    name: str = ""
    window: Window | None = None
    """The subresource it is about, if not the object itself."""

    @property
    def subresource(self) -> str:
        """The subresource's name; empty for the object itself."""
        return "" if self.window is None else self.window.name

    @property
    def gvk(self) -> GroupVersionKind:
        """The kind of the objects that are sent and answered."""
        return self.resource.gvk if self.window is None else self.window.gvk

    @property
    def compiled(self) -> Compiled:
        """The schema of what is sent and answered."""
        return self.resource.compiled if self.window is None or self.window.compiled is None else self.window.compiled

    @property
    def topology(self) -> Node:
        """How what is sent merges; of options of a connection nothing is known."""
        declared = None if self.window is None else self.window.declared
        if declared is None or (declared.body is None and not declared.options):
            return self.resource.topology
        return DEDUCED if declared.body is None else topology(object_struct(declared.body))

    @property
    def tabular(self) -> bool:
        """Whether people can be shown what is answered as rows: objects, but not what becomes of something that is never stored."""
        return not self.resource.kind.answered if self.window is None else self.window.declared.verbs != ("create",)

    @property
    def custom(self) -> bool:
        """Whether what is sent and answered is a custom resource itself, of which nobody knows more than its definition says."""
        return self.resource.kind.custom and (self.window is None or self.window.compiled is None)

    @property
    def written(self) -> FieldFilter:
        """The fields of the object that are written."""
        return self.resource.written if self.window is None else self.window.written


@dataclass(slots=True)
class Caller:
    """The caller of a request, and what the answer has beside the object."""

    user: User
    manager: str = ""
    """``fieldManager``, or what the user agent's name gives."""
    dry_run: bool = False
    warnings: list[str] = field(default_factory=list)
    """Texts for ``Warning:`` headers."""
    audit_annotations: dict[str, str] = field(default_factory=dict)
    """What admission notes beside the request's audit events."""
    on_finish: list[Callable[[], None]] = field(default_factory=list)
    """What admission has to let go of when the write is over, however it ended; the registry calls it."""
    ends_s: float = math.inf
    """When the caller stops waiting for the answer, by `stopwatch`."""
    made_at: float | None = None
    """When the write counts as made, where that isn't now."""
    trace: AdmissionTrace | None = None
    """What keeps the way through admission, where the client wishes to know it."""

    @property
    def left_s(self) -> float:
        """How long the caller still waits for the answer."""
        return self.ends_s - stopwatch()


class WriteOptions(NamedTuple):
    """How an object that was sent is taken."""

    kind: OptionsKind = "UpdateOptions"
    """Which options object they came as. A write that turns out to create takes those it shares with CreateOptions."""
    given: Mapping[str, Json] = MappingProxyType({})
    """The fields of that object which the client gave."""
    field_validation: FieldValidation = "Warn"
    duplicates: tuple[str, ...] = ()
    """What stood twice in the body, in the words clients know."""
    json_body: bytes = b""
    """The body of an object that was sent as JSON, if something stood twice in it."""
    force: bool = False
    """Server-side apply takes fields from other managers."""
    size_bytes: int = 0
    """How long what was sent is: long work is done aside."""
    growth: int = 1
    """How many times as long as it and the object what it makes of this may be."""
    read: bool = False
    """Whether a new object, or what a patch changes of one, needs no reading: it was handed over in its kind's form."""
    waits: bool = True
    """Whether the caller waits until a new object is on disk."""
    wrong_patch: Callable[[StatusError], StatusError] | None = None
    """What is told of the patch that made the object, where this can't be decoded."""


class ListOptions(NamedTuple):
    """Which part of a collection, as of when. Revisions are as the client sent them, unparsed."""

    label_selector: LabelSelector | None = None
    field_selector: FieldSelector | None = None
    resource_version: str = ""
    resource_version_match: str = ""
    limit: int = 0
    continue_token: str = ""


class WatchOptions(NamedTuple):
    """A watch on a collection or an object."""

    label_selector: LabelSelector | None = None
    field_selector: FieldSelector | None = None
    resource_version: str = ""
    resource_version_match: str = ""
    bookmarks: bool = False
    send_initial_events: bool | None = None
    timeout_s: float | None = None
    pulses: bool = True
    """Whether bookmarks come at regular times, and not only before the watch ends of itself."""


class DeleteOptions(NamedTuple):
    """The body of a delete, or its query parameters."""

    grace_period_s: int | None = None
    uid: str = ""
    resource_version: str = ""
    propagation: Propagation = ""
    ignore_read_error: bool = False
    """An object that can't be read is deleted all the same, whoever waits for it."""
    given: Mapping[str, Json] = MappingProxyType({})
    """The fields of the options object which the client gave."""

    @classmethod
    def from_object(cls, body: Object) -> "DeleteOptions":
        preconditions = body.get("preconditions") or {}
        of_orphans: dict[bool | None, Propagation] = {None: "", True: "Orphan", False: "Background"}
        propagation: Propagation = body.get("propagationPolicy") or of_orphans[body.get("orphanDependents")]
        return cls(
            grace_period_s=body.get("gracePeriodSeconds"),
            uid=preconditions.get("uid") or "",
            resource_version=preconditions.get("resourceVersion") or "",
            propagation=propagation,
            ignore_read_error=body.get("ignoreStoreReadErrorWithClusterBreakingPotential") or False,
            given=body,
        )
