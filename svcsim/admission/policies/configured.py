"""The policies that are in force, each with the bindings that put it there. They follow the store, as webhooks do."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from svcsim.admission.matching import OWN_GROUP, Interest, MatchResources
from svcsim.admission.read_once import ReadOnce
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import name_of
from svcsim.meta.types import Object
from svcsim.registry.lister import Lister
from svcsim.registry.scheme import Scheme

_EXEMPT = (OWN_GROUP, "authentication", "authorization")
"""Policies are not evaluated for policies and webhooks, nor for authentication and authorization reviews."""


@dataclass(frozen=True, slots=True)
class Binding:
    """Where a policy counts, and what follows."""

    name: str
    match: MatchResources
    actions: tuple[str, ...]
    param_ref: Object | None


@dataclass(frozen=True, slots=True)
class Policy:
    """What is refused or changed, and where."""

    name: str
    match: MatchResources
    failure_ignored: bool
    param_kind: Object | None
    conditions: tuple[Object, ...]
    variables: Mapping[str, str]
    validations: tuple[Object, ...]
    audit_annotations: tuple[Object, ...]
    mutations: tuple[Object, ...]
    reinvocable: bool
    bindings: tuple[Binding, ...]


class ConfiguredPolicies:
    """All policies that are bound, in the order of their names."""

    def __init__(self, policies: Lister, bindings: Lister, scheme: Scheme) -> None:
        self.policies: tuple[Policy, ...] = ()
        self.interests: tuple[Interest, ...] = ()
        """What they may be asked about."""
        self._policies = policies
        self._known = ReadOnce(policies, _policy)
        self._bound = ReadOnce(bindings, _binding)
        self._scheme = scheme
        self._listeners: list[Callable[[], None]] = []
        self._filled = {policies: False, bindings: False}
        for lister in (policies, bindings):
            lister.on_change(partial(self._follow, lister))

    def on_change(self, listener: Callable[[], None]) -> None:
        """Have a function called whenever there are others."""
        self._listeners.append(listener)

    def _follow(self, lister: Lister, keys: Iterable[ObjectKey]) -> None:
        self._filled[lister] = True
        (self._known if lister is self._policies else self._bound).changed(keys)
        if not all(self._filled.values()):
            return
        bound: dict[str, list[Binding]] = {}
        for _, (policy, binding) in self._bound.in_order():
            bound.setdefault(policy, []).append(binding)
        known = self._known.in_order()
        self.policies = tuple(replace(policy, bindings=tuple(bound[name])) for name, policy in known if name in bound)
        self.interests = tuple(Interest(rule, self._scheme, _EXEMPT) for policy in self.policies for rule, _ in policy.match.rules)
        for listener in self._listeners:
            listener()


def _binding(obj: Object) -> tuple[str, Binding]:
    """With the name of the policy that it binds."""
    spec = obj.get("spec") or {}
    match = MatchResources.of(spec.get("matchResources") or {})
    return spec.get("policyName") or "", Binding(name_of(obj), match, tuple(spec.get("validationActions") or ()), spec.get("paramRef"))


def _policy(obj: Object) -> Policy:
    """As long as nothing binds it."""
    spec = obj.get("spec") or {}
    return Policy(
        name_of(obj),
        MatchResources.of(spec.get("matchConstraints") or {}),
        spec.get("failurePolicy") == "Ignore",
        spec.get("paramKind"),
        tuple(spec.get("matchConditions") or ()),
        {one["name"]: one["expression"] for one in spec.get("variables") or ()},
        tuple(spec.get("validations") or ()),
        tuple(spec.get("auditAnnotations") or ()),
        tuple(spec.get("mutations") or ()),
        spec.get("reinvocationPolicy") == "IfNeeded",
        bindings=(),
    )
