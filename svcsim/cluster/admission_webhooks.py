"""What the admission plugins that ask webhooks are put together of."""

from svcsim.admission.webhooks.asking import Asking
from svcsim.admission.webhooks.configured import ConfiguredWebhooks, Type
from svcsim.cluster.surroundings import Surroundings
from svcsim.registry.kind import Context


def asking_webhooks(given: Surroundings, type_: Type) -> tuple[ConfiguredWebhooks, Asking]:
    """The webhooks of a type that the cluster's configurations name, and how they are asked."""
    chance = given.chance.fork(f"{type_} webhooks")

    def context() -> Context:
        return Context(given.dialect, given.clock.now(), given.clock.timestamp(), chance)

    configurations = given.listers.of(f"{type_}webhookconfigurations.{given.dialect.group('admissionregistration')}")
    asking = Asking(type_, given.scheme, given.listers.of("namespaces"), given.outbound, context, chance)
    return ConfiguredWebhooks(configurations, type_, given.scheme), asking
