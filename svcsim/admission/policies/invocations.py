"""Which policies are asked about a request, through which binding and with what parameters: the same for all kinds of policies."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import NamedTuple

from svcsim.admission.matching import Interest
from svcsim.admission.policies.configured import Binding, ConfiguredPolicies, Policy
from svcsim.admission.policies.params import ParamReader, ParamsError
from svcsim.admission.versions import Versions
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Lister
from svcsim.registry.resource import Resource


class Invocation(NamedTuple):
    """One time that a policy is asked."""

    policy: Policy
    binding: Binding
    matched: Resource
    """The version in which the policy knows the objects."""
    params: Object | None

    @property
    def told(self) -> str:
        """What was asked, as people read it."""
        return both_names(self.policy, self.binding)


class Misconfigured(NamedTuple):
    """What can't be asked. That refuses the request, whatever the binding says should follow; the failure policy alone may ignore it."""

    policy: Policy
    binding: Binding | None
    """What is configured wrongly; the policy itself where it is none."""
    why: str

    @property
    def told(self) -> str:
        """What should have been asked, as people read it."""
        return self.policy.name if self.binding is None else both_names(self.policy, self.binding)

    @property
    def failure(self) -> str:
        return f"failed to configure {'policy' if self.binding is None else 'binding'}: {self.why}"


def both_names(policy: Policy, binding: Binding) -> str:
    """A policy, and what puts it in force."""
    return f"{policy.name} by binding {binding.name}"


@dataclass(frozen=True, slots=True)
class Invocations:
    """What telling takes."""

    configured: ConfiguredPolicies
    params: ParamReader
    namespaces: Lister

    @property
    def versions(self) -> Versions:
        return self.params.versions

    @property
    def rules(self) -> tuple[Interest, ...]:
        """What there may be policies about."""
        return self.configured.interests

    def on_change(self, listener: Callable[[], None]) -> None:
        """Have a function called whenever there are other policies."""
        self.configured.on_change(listener)

    async def about(self, request: AdmissionRequest) -> AsyncIterator[Invocation | Misconfigured]:
        """All for a request, in the order of the policies' names and of the bindings'."""
        for policy in self.configured.policies:
            matched = policy.match.matched(request, self.versions.scheme, self.namespaces)
            if matched is None:
                if request.caller.trace is not None and policy.match.named(request, self.versions.scheme) is not None:
                    request.passed_over("policy", policy.name, "its selectors or excludeResourceRules leave it out")
                continue
            try:
                resource = self.params.find(policy.param_kind)
            except ParamsError as error:
                yield Misconfigured(policy, None, str(error))
                continue
            for binding in policy.bindings:
                if binding.match.matched(request, self.versions.scheme, self.namespaces) is None:
                    request.passed_over("policy", both_names(policy, binding), "the binding's matchResources leave it out")
                    continue
                try:
                    found = await self.params.read(resource, binding.param_ref, request)
                except ParamsError as error:
                    yield Misconfigured(policy, binding, str(error))
                    continue
                for params in found:
                    yield Invocation(policy, binding, matched, params)
