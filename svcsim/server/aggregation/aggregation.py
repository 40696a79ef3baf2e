"""The parts of aggregation, put together."""

from svcsim.outbound.outbound import Outbound
from svcsim.registry.lister import Lister
from svcsim.server.aggregation.probe import Probe
from svcsim.server.aggregation.proxy import Proxy
from svcsim.server.aggregation.remotes import FrontProxy, Remotes


class Aggregation:
    """API servers behind this one: who they are, how requests get to them, and whether they are there."""

    def __init__(self, outbound: Outbound, api_services: Lister, front_proxy: FrontProxy) -> None:
        self.remotes = Remotes(api_services, front_proxy)
        self.proxy = Proxy(outbound, front_proxy)
        self.probe = Probe(outbound, self.remotes)
