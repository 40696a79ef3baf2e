"""What the admission plugins that ask webhooks and policies are put together of."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from svcsim.admission.policies.configured import ConfiguredPolicies
from svcsim.admission.policies.params import ParamReader
from svcsim.admission.policies.validating import ValidatingAdmissionPolicy
from svcsim.admission.versions import Versions
from svcsim.admission.webhooks.asking import Asking
from svcsim.admission.webhooks.configured import ConfiguredWebhooks, Type
from svcsim.auth.authorization import Authorizer
from svcsim.cluster.surroundings import Surroundings
from svcsim.outbound.remote import Remote
from svcsim.registry.kind import Context
from svcsim.registry.lister import Lister

if TYPE_CHECKING:
    from svcsim.admission.expressions.conditions import Conditions
    from svcsim.admission.policies.evaluating import Evaluator


def asking_webhooks(
    given: Surroundings, type_: Type, authorizer: Authorizer, known_to: Callable[[Remote], Remote]
) -> tuple[ConfiguredWebhooks, Asking]:
    """The webhooks of a type that the cluster's configurations name, and how they are asked."""
    configurations = given.listers.of(f"{type_}webhookconfigurations.{given.dialect.group('admissionregistration')}")
    chance = given.chance.fork(f"{type_} webhooks")
    namespaces = given.listers.of("namespaces")
    conditions = partial(_conditions, namespaces, authorizer)
    asking = Asking(type_, _versions(given), namespaces, given.outbound, chance, given.webhook_faults, conditions)
    return ConfiguredWebhooks(configurations, type_, given.scheme, known_to), asking


def _conditions(namespaces: Lister, authorizer: Authorizer) -> "Conditions":
    # These load the CEL library, which most clusters never need.
    from svcsim.admission.expressions.asker import Asker  # noqa: PLC0415
    from svcsim.admission.expressions.conditions import Conditions  # noqa: PLC0415

    return Conditions(Asker(namespaces, authorizer))


def validating_policies(given: Surroundings, authorizer: Authorizer) -> ValidatingAdmissionPolicy:
    """The plugin that asks validating policies."""
    group = given.dialect.group("admissionregistration")
    policies, bindings = (
        given.listers.of(f"{plural}.{group}") for plural in ("validatingadmissionpolicies", "validatingadmissionpolicybindings")
    )
    namespaces = given.listers.of("namespaces")

    def evaluator() -> "Evaluator":
        # These load the CEL library, which most clusters never need.
        from svcsim.admission.expressions.asker import Asker  # noqa: PLC0415
        from svcsim.admission.policies.evaluating import Evaluator  # noqa: PLC0415

        return Evaluator(Asker(namespaces, authorizer))

    configured = ConfiguredPolicies(policies, bindings, given.scheme)
    return ValidatingAdmissionPolicy(configured, ParamReader(given.store, _versions(given)), namespaces, evaluator)


def _versions(given: Surroundings) -> Versions:
    chance = given.chance.fork("conversions of admission")

    def context() -> Context:
        return Context(given.dialect, given.clock.now(), given.clock.timestamp(), chance)

    return Versions(given.scheme, context)
