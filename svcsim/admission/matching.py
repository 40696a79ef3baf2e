"""Which requests a configuration is about, as its rules and selectors have it.

Rules name resources in the versions their author knows. With ``matchPolicy: Equivalent`` they also match requests for the same objects in
other versions, and then the webhook or policy sees the object in the version that the rule names.
"""

from collections.abc import Iterable
from typing import NamedTuple

from svcsim.meta import errors
from svcsim.meta.label_selectors import LabelSelector, from_object
from svcsim.meta.objects import labels_of
from svcsim.meta.types import GroupResource, Object
from svcsim.registry.admission import AdmissionRequest, Operation
from svcsim.registry.lister import Lister
from svcsim.registry.options import Target
from svcsim.registry.resource import Resource
from svcsim.registry.scheme import Scheme

_ALL = "*"
_NAMESPACES = "namespaces"
OWN_GROUP = "admissionregistration"
"""Webhooks and policies are never called for webhook and policy configurations: a mistake there could no longer be fixed."""


class RuleWithOperations(NamedTuple):
    """Operations on resources, as ``RuleWithOperations`` has them."""

    operations: frozenset[str]
    groups: frozenset[str]
    versions: frozenset[str]
    resources: tuple[tuple[str, str], ...]
    """Each with its subresource; ``*`` stands for all, for a subresource also for none."""
    scope: str

    @classmethod
    def of(cls, rule: Object) -> "RuleWithOperations":
        """A valid rule."""
        resources = tuple((name, below) for name, _, below in (one.partition("/") for one in rule.get("resources") or ()))
        operations, groups, versions = (frozenset(rule.get(name) or ()) for name in ("operations", "apiGroups", "apiVersions"))
        return cls(operations, groups, versions, resources, rule.get("scope") or _ALL)

    def may_match(self, operation: Operation, resource: Resource, subresource: str) -> bool:
        """Whether it can be about such requests, in whatever version and scope."""
        return (
            (_ALL in self.operations or operation in self.operations)
            and (_ALL in self.groups or resource.group_version.group in self.groups)
            and any(name in (_ALL, resource.plural) and below in (_ALL, subresource) for name, below in self.resources)
        )

    def matches(self, request: AdmissionRequest, resource: Resource) -> bool:
        """Whether it is about a request, made for that version of the resource."""
        return (
            self.may_match(request.operation, resource, request.subresource)
            and (_ALL in self.versions or resource.group_version.version in self.versions)
            and self.scope in (_ALL, "Namespaced" if _is_namespaced(request) else "Cluster")
        )


def _is_namespaced(request: AdmissionRequest) -> bool:
    return bool(request.target.namespace) and request.resource.store_name != _NAMESPACES


def as_matched(rules: Iterable[RuleWithOperations], request: AdmissionRequest, scheme: Scheme, *, equivalent: bool) -> Resource | None:
    """The version of the resource by which one of the rules is about a request; None where none is."""
    if any(rule.matches(request, request.resource) for rule in rules):
        return request.resource
    if equivalent:
        for other in scheme.served_with(request.resource):
            offered = request.target.window is None or request.subresource in other.windows
            if other is not request.resource and offered and any(rule.matches(request, other) for rule in rules):
                return other
    return None


class Interest(NamedTuple):
    """What a rule may be about, told by as much of a request as the chain asks for (`svcsim.admission.plugin.RequestRule`)."""

    rule: RuleWithOperations
    scheme: Scheme
    exempt: tuple[str, ...] = (OWN_GROUP,)
    """Groups that nobody is asked about, without the dialect's suffix."""

    def matches(self, operation: Operation, target: Target) -> bool:
        if target.resource.kind.group.base in self.exempt:
            return False
        versions = (target.resource, *self.scheme.served_with(target.resource))
        return any(self.rule.may_match(operation, resource, target.subresource) for resource in versions)


class MatchResources(NamedTuple):
    """Which requests are meant, as policies and their bindings have it (``matchResources``)."""

    rules: tuple[tuple[RuleWithOperations, frozenset[str]], ...]
    """Each with the names of the objects that are meant; all where there are none. Without rules every request is meant."""
    excluded: tuple[tuple[RuleWithOperations, frozenset[str]], ...]
    selectors: "Selectors"
    equivalent: bool

    @classmethod
    def of(cls, block: Object) -> "MatchResources":
        """What valid ``matchConstraints`` say."""
        rules, excluded = (_named(block.get(field) or ()) for field in ("resourceRules", "excludeResourceRules"))
        return cls(rules, excluded, Selectors.of(block), block.get("matchPolicy") != "Exact")

    def matched(self, request: AdmissionRequest, scheme: Scheme, namespaces: Lister) -> Resource | None:
        """The version of the resource by which a request is meant; None where it isn't. Raises 404 for a namespace that isn't there."""
        found = self.named(request, scheme)
        if found is None or self._as(self.excluded, request, scheme) is not None:
            return None
        return found if self.selectors.match(request, namespaces) else None

    def named(self, request: AdmissionRequest, scheme: Scheme) -> Resource | None:
        """The version of the resource by which the rules name a request, whatever else is said of it."""
        return self._as(self.rules, request, scheme) if self.rules else request.resource

    def _as(self, rules: Iterable[tuple[RuleWithOperations, frozenset[str]]], request: AdmissionRequest, scheme: Scheme) -> Resource | None:
        about = [rule for rule, names in rules if not names or request.name in names]
        return as_matched(about, request, scheme, equivalent=self.equivalent)


def _named(rules: Iterable[Object]) -> tuple[tuple[RuleWithOperations, frozenset[str]], ...]:
    return tuple((RuleWithOperations.of(rule), frozenset(rule.get("resourceNames") or ())) for rule in rules)


class Selectors(NamedTuple):
    """Which objects are meant, by labels: their own and their namespace's. None stands for all."""

    namespaces: LabelSelector | None
    objects: LabelSelector | None

    @classmethod
    def of(cls, block: Object) -> "Selectors":
        """The selectors of a webhook, or of ``matchResources``."""
        return cls(*(_selector(block.get(name)) for name in ("namespaceSelector", "objectSelector")))

    def match(self, request: AdmissionRequest, namespaces: Lister) -> bool:
        """Whether a request is about what they mean. Raises 404 where the namespace isn't there."""
        return _in_meant_namespace(self.namespaces, request, namespaces) and _is_meant(self.objects, request)


def _selector(selector: Object | None) -> LabelSelector | None:
    found = from_object(selector or {})
    return None if found.empty else found


def _in_meant_namespace(selector: LabelSelector | None, request: AdmissionRequest, namespaces: Lister) -> bool:
    """What is in no namespace is always meant; a namespace is as if it were in itself."""
    if selector is None:
        return True
    about_itself = request.resource.store_name == _NAMESPACES and not request.subresource
    if about_itself and request.operation in ("CREATE", "UPDATE"):  # which may have no name yet
        assert request.obj is not None
        return selector.matches(labels_of(request.obj))
    if not request.namespace:
        return True
    found = namespaces.get("", request.namespace)
    if found is None:
        raise errors.not_found(GroupResource("", _NAMESPACES), request.namespace)
    return selector.matches(labels_of(found))


def _is_meant(selector: LabelSelector | None, request: AdmissionRequest) -> bool:
    """By the labels of the object as it is to be, or as it is."""
    return selector is None or any(
        obj is not None and isinstance(obj.get("metadata"), dict) and selector.matches(labels_of(obj)) for obj in (request.obj, request.old)
    )
