"""What admission is asked: one request, as it was made.

A plugin sees what the client sent (a Binding, not the Pod it changes; a Scale, not the Deployment), in the version it was sent in, complete
with defaults. What the registry makes of it comes later: after the mutating pass the object is brought into its stored form, and what may
not be written is reset; the validating pass sees the outcome, again in the form and version of the request.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal, Protocol

from svcsim.meta.errors import StatusError, forbidden
from svcsim.meta.types import GroupVersionKind, Json, Object, User
from svcsim.registry.admission_trace import AskedType, Step
from svcsim.registry.options import Caller, OptionsKind, Target
from svcsim.registry.resource import Resource

Operation = Literal["CREATE", "UPDATE", "DELETE", "CONNECT"]

_NAMESPACES = "namespaces"
_ACCESS = "authorization"


@dataclass(slots=True)
class AdmissionRequest:
    """One request that would change something.

    ``target`` says where: resource and version as requested, namespace, name, subresource. ``obj`` is what is sent; mutating plugins
    change it in place, or put another in its place. There is none for DELETE. ``old`` is what is there, in the same form: none for CREATE
    and CONNECT. Nobody may change it.
    """

    operation: Operation
    target: Target
    obj: Object | None
    old: Object | None
    caller: Caller
    options_kind: OptionsKind | None
    given: Mapping[str, Json]
    """The fields of the options object that the client gave."""
    wants_reinvocation: bool = False
    is_reinvocation: bool = False
    """Whether the mutating plugins are asked for the second time, because one of them wanted that. There is no third."""
    notes: dict[str, Json] = field(default_factory=dict)
    """What a plugin keeps from one time it is asked to the next, under its name."""
    size_bytes: int = 0
    """How long what it is about is, as far as that is known: long work is done aside."""
    own_namespace: str = ""
    """The name of a Namespace, which counts as within itself, if the request has it. A generated name comes too late for that."""

    def __post_init__(self) -> None:
        if self.target.resource.store_name == _NAMESPACES:
            self.own_namespace = self.name

    @property
    def resource(self) -> Resource:
        """The resource type, in the version requested."""
        return self.target.resource

    @property
    def subresource(self) -> str:
        """Empty for the object itself."""
        return self.target.subresource

    @property
    def kind(self) -> GroupVersionKind:
        """The kind of the object that is sent, which for a subresource may differ from the resource's."""
        return self.target.gvk

    @property
    def name(self) -> str:
        """The object's name; before mutating plugins have seen it, none of those that are generated."""
        return self.target.name or ((self.obj or {}).get("metadata") or {}).get("name") or ""

    @property
    def _told_name(self) -> str:
        """What the object is called where it has no name yet, in the words that clients know."""
        return self.name or ((self.obj or {}).get("metadata") or {}).get("generateName") or "Unknown"

    @property
    def namespace(self) -> str:
        """The namespace it is in; a Namespace counts as in itself."""
        return self.own_namespace or self.target.namespace

    @property
    def user(self) -> User:
        return self.caller.user

    @property
    def asks_about_access(self) -> bool:
        """Whether it is a question of who may do what.

        That is answered wherever it is asked: a refusal would tell who may not know it whether a namespace is there.
        """
        return self.resource.kind.group.base == _ACCESS

    @property
    def dry_run(self) -> bool:
        """Whether nothing will come of it: then nothing outside of the request may be changed either."""
        return self.caller.dry_run

    @property
    def options(self) -> Object | None:
        """CreateOptions, UpdateOptions or DeleteOptions, as an object; none for CONNECT. A patch counts as an update."""
        if self.options_kind is None:
            return None
        given = {name: value for name, value in self.given.items() if value not in (None, "", [])}
        if self.operation in ("CREATE", "UPDATE"):
            given.pop("force", None)  # of an apply: how it came to this is not told
        kind = "UpdateOptions" if self.options_kind == "PatchOptions" else self.options_kind
        return {**given, "kind": kind, "apiVersion": f"{self.resource.dialect.group('meta')}/v1"}

    def refusal(self, why: str, *causes: Object) -> StatusError:
        """The 403 of a request that may not be, with what is said of each cause."""
        error = forbidden(self.resource.group_resource, self._told_name, why)
        if causes:
            error.details = {**(error.details or {}), "causes": list(causes)}
        return error

    def warn(self, text: str) -> None:
        """Let the client know of something that is no reason to refuse."""
        self.caller.warnings.append(text)

    @asynccontextmanager
    async def step(self, type_: AskedType, name: str) -> AsyncIterator[Step]:
        """Within this a plugin, webhook or policy is called; it is recorded if the client asked for a trace. An error is a refusal."""
        trace = self.caller.trace
        if trace is None:
            yield Step(type_, name)
            return
        async with trace.step(type_, name, self) as step:
            yield step

    def passed_over(self, type_: AskedType, name: str, why: str) -> None:
        """A webhook or policy was skipped; that is recorded if the client has asked for a trace."""
        if self.caller.trace is not None:
            self.caller.trace.begin(type_, name).passed_over = why

    def annotate(self, key: str, value: str) -> None:
        """Note something beside the request's audit events. The key names the plugin: ``podsecurity.example.com/mode``."""
        self.caller.audit_annotations[key] = value

    def is_as_long_as(self, size_bytes: int) -> None:
        """What it is about has become so long, if it was shorter before."""
        self.size_bytes = max(self.size_bytes, size_bytes)

    def reinvoke(self) -> None:
        """Have the mutating plugins asked once more: the object is no longer what those before this one saw."""
        self.wants_reinvocation = True


class ConcernedPlugins(Protocol):
    """The plugins that are asked about one kind of request."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all of them, called in either pass."""
        ...

    @property
    def changing(self) -> tuple[str, ...]:
        """The names of those that may change the object; the others of the first pass only refuse."""
        ...

    @property
    def asking(self) -> tuple[str, ...]:
        """The names of those among these that have others change it, who may leave anything."""
        ...

    async def mutate(self, request: AdmissionRequest) -> None:
        """Change ``request.obj``, or raise `StatusError`."""
        ...

    async def complete(self, request: AdmissionRequest) -> None:
        """Give ``request.obj``, which has its name now, what no other object may have; raise `StatusError` if that isn't to be had."""
        ...

    async def validate(self, request: AdmissionRequest) -> None:
        """Raise `StatusError` if this may not be."""
        ...


class Admission(Protocol):
    """The admission chain as the registry sees it."""

    def concerned(self, operation: Operation, target: Target) -> ConcernedPlugins:
        """Who is asked about such a request."""
        ...
