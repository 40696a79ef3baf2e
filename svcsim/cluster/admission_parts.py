"""What the admission plugins that ask webhooks and policies are put together of.

Whatever evaluates expressions is imported when there are any: it loads the CEL library, which most clusters never need.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from svcsim.admission.policies.configured import ConfiguredPolicies
from svcsim.admission.policies.invocations import Invocations
from svcsim.admission.policies.mutating import MutatingAdmissionPolicy
from svcsim.admission.policies.param_cache import ParamCache
from svcsim.admission.policies.param_rights import PolicyParamRights
from svcsim.admission.policies.params import ParamReader
from svcsim.admission.policies.validating import ValidatingAdmissionPolicy
from svcsim.admission.versions import Versions
from svcsim.admission.webhooks.asking import Asking
from svcsim.admission.webhooks.configured import ConfiguredWebhooks, Type
from svcsim.auth.authorization import Authorizer
from svcsim.cluster.surroundings import Surroundings
from svcsim.meta.aside import MadeAside
from svcsim.outbound.remote import Remote
from svcsim.registry.kind import Context
from svcsim.registry.lister import Lister

if TYPE_CHECKING:
    from svcsim.admission.expressions.conditions import Conditions
    from svcsim.admission.policies.changing import Changer
    from svcsim.admission.policies.evaluating import Evaluator


def asking_webhooks(
    given: Surroundings, type_: Type, authorizer: Authorizer, known_to: Callable[[Remote], Remote]
) -> tuple[ConfiguredWebhooks, Asking]:
    """The webhooks of a type that the cluster's configurations name, and how they are asked."""
    configurations = given.listers.of(f"{type_}webhookconfigurations.{given.dialect.group('admissionregistration')}")
    chance = given.chance.fork(f"{type_} webhooks")
    namespaces = given.listers.of("namespaces")
    conditions = MadeAside(partial(_conditions, namespaces, authorizer))
    asking = Asking(type_, _versions(given), namespaces, given.outbound, chance, given.webhook_faults, conditions, given.admission_counted)
    configured = ConfiguredWebhooks(configurations, type_, given.scheme, known_to)
    configured.on_change(lambda: given.admission_counted.keep_webhooks(type_, (webhook.name for webhook in configured.webhooks)))
    return configured, asking


def _conditions(namespaces: Lister, authorizer: Authorizer) -> "Conditions":
    from svcsim.admission.expressions.asker import Asker  # noqa: PLC0415
    from svcsim.admission.expressions.conditions import Conditions  # noqa: PLC0415

    return Conditions(Asker(namespaces, authorizer))


def validating_policies(given: Surroundings, authorizer: Authorizer) -> ValidatingAdmissionPolicy:
    """The plugin that asks validating policies."""
    invocations = _invocations(given, "validatingadmissionpolicies", "validatingadmissionpolicybindings")

    def evaluator() -> "Evaluator":
        from svcsim.admission.expressions.asker import Asker  # noqa: PLC0415
        from svcsim.admission.policies.evaluating import Evaluator  # noqa: PLC0415

        return Evaluator(Asker(invocations.namespaces, authorizer))

    counted = given.admission_counted
    invocations.on_change(lambda: counted.keep_policies(policy.name for policy in invocations.configured.policies))
    return ValidatingAdmissionPolicy(invocations, MadeAside(evaluator), counted)


def mutating_policies(given: Surroundings, authorizer: Authorizer) -> MutatingAdmissionPolicy:
    """The plugin that asks mutating policies."""
    invocations = _invocations(given, "mutatingadmissionpolicies", "mutatingadmissionpolicybindings")

    def changer() -> "Changer":
        from svcsim.admission.expressions.asker import Asker  # noqa: PLC0415
        from svcsim.admission.policies.changing import Changer  # noqa: PLC0415

        return Changer(Asker(invocations.namespaces, authorizer), invocations.versions)

    return MutatingAdmissionPolicy(invocations, MadeAside(changer))


def param_rights(given: Surroundings, authorizer: Authorizer) -> PolicyParamRights:
    """The guard of what policies may read."""
    group = given.dialect.group("admissionregistration")
    plurals = ("validatingadmissionpolicies", "mutatingadmissionpolicies")
    return PolicyParamRights(authorizer, given.scheme, {plural: given.listers.of(f"{plural}.{group}") for plural in plurals})


def _invocations(given: Surroundings, policies: str, bindings: str) -> Invocations:
    group = given.dialect.group("admissionregistration")
    configured = ConfiguredPolicies(given.listers.of(f"{policies}.{group}"), given.listers.of(f"{bindings}.{group}"), given.scheme)
    return Invocations(configured, ParamReader(given.store, ParamCache(given.store), _versions(given)), given.listers.of("namespaces"))


def _versions(given: Surroundings) -> Versions:
    chance = given.chance.fork("conversions of admission")

    def context() -> Context:
        return Context(given.dialect, given.clock.now(), given.clock.timestamp(), chance)

    return Versions(given.scheme, context)
