"""The controllers of a cluster and its scheduler: which of them run, and what each works with."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from svcsim.client.api import Client
from svcsim.client.controller import Controller, ControllerContext
from svcsim.client.discovery import ServedTypes
from svcsim.client.events import EventRecorder
from svcsim.client.informers import Informers
from svcsim.cluster import identities, parts
from svcsim.cluster.certificates import signer
from svcsim.cluster.clients import Clients
from svcsim.cluster.controller_choice import SCHEDULER, ControllerChoice
from svcsim.cluster.keepers import Run
from svcsim.cluster.node_ranges import ranges_of_nodes
from svcsim.cluster.surroundings import Surroundings
from svcsim.controllers.api_services.availability import Check
from svcsim.controllers.node_lifecycle.controller import Heard
from svcsim.controllers.service_account_tokens import Sign
from svcsim.meta.indexed import ObjectKey
from svcsim.scheduler.scheduler import Scheduler


class Followers(NamedTuple):
    """What components act and follow the cluster by."""

    clients: Clients
    informers: Informers
    served_types: ServedTypes


class Chosen(NamedTuple):
    """Which controllers run."""

    choice: ControllerChoice
    makers: parts.ControllerMakers


def chosen(given: Surroundings, sign: Sign, check: Check | None, heard: Heard) -> Chosen:
    """Those that were chosen of all there may be. ``check`` asks other servers; None in a cluster without APIServices."""
    own, scheme = given.credentials, given.scheme
    ca_pem = "" if own is None else own.ca_certificate.read_text()

    def on_change(listener: Callable[[], None]) -> None:
        scheme.on_change(lambda _: listener())

    aggregation = None if check is None else parts.Aggregated(scheme.group_versions, on_change, check)
    signing = parts.Signing(sign, signer(given.spec.certificates, own, given.clock, given.dialect))
    makers = (
        *parts.controllers(ca_pem, signing, aggregation),
        *parts.of_nodes(ranges_of_nodes(given.spec), heard),
        *parts.of_quotas(given.quotas),
        *(parts.of_bootstrap_tokens(given.dialect) if given.spec.certificates.bootstrap_tokens else ()),
    )
    choice = ControllerChoice(given.spec.controllers, (name for name, _ in makers))
    return Chosen(choice, tuple(maker for maker in makers if choice.runs(maker[0])))


class ControllerManager:
    """Makes the controllers that were chosen, and the scheduler, and tells what troubles them."""

    def __init__(self, given: Surroundings, followers: Followers, chosen: Chosen) -> None:
        self.choice = chosen.choice
        self.names = tuple(name for name, _ in chosen.makers)
        self._given = given
        self._followers = followers
        self._makers = chosen.makers
        self._reconciling: dict[str, Controller] = {}
        """Controllers that run, by their names."""

    def runs(self) -> Iterator[tuple[str, Run]]:
        """What the controllers do, each beside the writing of its events."""
        for name, make in self._makers:
            context = self._context(self._followers.clients.account(name), name, identities.reporter(name))
            made = make(context)
            if isinstance(made, Controller):
                self._reconciling[name] = made
            yield f"{name} events", context.events.run
            yield name, made.run

    def scheduler(self) -> Scheduler | None:
        """None where it was left out."""
        if not self.choice.runs(SCHEDULER):
            return None
        client = self._followers.clients.component(identities.SCHEDULER, "kube-scheduler")
        names = self._given.spec.scheduler_names
        context = self._context(client, "scheduler", names[0])
        others = {name: EventRecorder(client, self._given.clock, name) for name in names[1:]}
        return Scheduler(context, {names[0]: context.events, **others})

    def troubles(self, key: ObjectKey) -> dict[str, str]:
        """What keeps controllers from dealing with an object, by their names."""
        return {name: why for name, one in self._reconciling.items() if (why := one.troubles.get(key)) is not None}

    def _context(self, client: Client, name: str, component: str) -> ControllerContext:
        """What a controller works with. ``component`` is what its events say they come from."""
        clock, chance = self._given.clock, self._given.chance.fork(name)
        events = EventRecorder(client, clock, component)
        return ControllerContext(
            client, self._followers.informers, self._followers.served_types, clock, chance, self._given.dialect, events
        )
