"""What a cluster does when it starts, before anybody is answered: the objects that it has of its own come into being."""

import asyncio
from functools import cached_property

from svcsim.cluster.clients import Clients
from svcsim.cluster.default_roles.objects import default_roles
from svcsim.cluster.default_roles.reconciliation import reconcile_roles
from svcsim.cluster.extension_authentication import config_map, publish
from svcsim.cluster.first_objects import FirstObjects, brought_up_to_date, first_objects, make_first_objects
from svcsim.cluster.storage_objects import storage_objects
from svcsim.cluster.surroundings import Surroundings
from svcsim.controllers.api_services.local import registered, registration
from svcsim.meta.types import GroupVersion, Object
from svcsim.server.aggregation.aggregation import Aggregation


class FirstSteps:
    """Those of one cluster."""

    def __init__(self, given: Surroundings, clients: Clients, aggregation: Aggregation) -> None:
        self._given = given
        self._clients = clients
        self._aggregation = aggregation

    async def take(self) -> None:
        """Make what is missing. In a cluster that was there before, what can't be written is left as it is."""
        given, again = self._given, self._given.store.revision > 0
        first = (*self._first_objects(), *storage_objects(given.dialect, again=again))
        await make_first_objects(self._clients.api_server(), given.scheme, first, again=again)
        steps = (self._publish(), self._register_versions(), self._reconcile_roles())
        await asyncio.gather(*(brought_up_to_date(step, again=again) for step in steps))

    def lasting_objects(self) -> FirstObjects:
        """Those that are brought back when somebody takes them away."""
        return (*self._first_objects(), *(() if self._authentication is None else (("configmaps", self._authentication),)))

    def _first_objects(self) -> FirstObjects:
        return first_objects(self._given.dialect, self._given.spec.service_cluster_ip_range)

    @cached_property
    def _authentication(self) -> Object | None:
        """What is published of how it is known who asks; files are read for it."""
        own = self._given.credentials
        return None if own is None else config_map(self._given.dialect, own, self._given.spec)

    async def _publish(self) -> None:
        if self._authentication is not None and self._given.scheme.find(GroupVersion("", "v1"), "configmaps") is not None:
            await publish(self._clients.api_server(), self._authentication)

    async def _reconcile_roles(self) -> None:
        """Have the default roles and bindings: without them nobody but administrators could do anything."""
        dialect = self._given.dialect
        if self._given.scheme.find(GroupVersion(dialect.group("rbac.authorization"), "v1"), "clusterroles") is not None:
            await reconcile_roles(self._clients.api_server(), self._given.listers, dialect, default_roles(dialect))

    async def _register_versions(self) -> None:
        """Have an APIService for every version that is served, before anybody asks; later changes are a controller's."""
        if not has_api_services(self._given):
            return
        dialect = self._given.dialect
        api_services = self._clients.api_server().resource(f"{dialect.group('apiregistration')}/v1", "apiservices")
        known, served = self._aggregation.remotes.priorities, self._given.scheme.group_versions()
        missing = [registration(one, dialect) for one in registered(served, dialect).values() if one not in known]
        await asyncio.gather(*(api_services.hand_over(one) for one in missing))


def has_api_services(given: Surroundings) -> bool:
    """Whether the cluster knows of other servers."""
    return given.scheme.find(GroupVersion(given.dialect.group("apiregistration"), "v1"), "apiservices") is not None
