"""Addresses for the pods of one node, out of its ranges."""

import ipaddress
from collections.abc import Iterable

from svcsim.meta.networks import Network, parse_networks

_RESERVED = 3
"""Of a range: its own address, the gateway's, and that of all hosts."""


class PodAddresses:
    """Gives each pod an address of its own; one given back is not used again before all others were."""

    def __init__(self, ranges: Iterable[str] = ()) -> None:
        self._networks: tuple[Network, ...] = ()
        self._next = 0
        self._taken: dict[str, str] = {}
        self.use(ranges)

    def __len__(self) -> int:
        return len(self._taken)

    @property
    def known(self) -> bool:
        """Whether there are ranges to take addresses from."""
        return bool(self._networks)

    def use(self, ranges: Iterable[str]) -> None:
        """Take addresses from these ranges from now on, one of each IP family; addresses that are taken stay so."""
        networks = parse_networks(ranges)
        if networks != self._networks:
            self._networks, self._next = networks, 0

    def take(self, owner: str) -> str:
        """A free address; the same for the same owner. Empty if there is none left."""
        for address, holder in self._taken.items():
            if holder == owner:
                return address
        count = self._networks[0].num_addresses - _RESERVED if self._networks else 0
        for _ in range(min(count, len(self._taken) + 1)):
            address = str(self._networks[0][2 + self._next])
            self._next = (self._next + 1) % count
            if address not in self._taken:
                self._taken[address] = owner
                return address
        return ""

    def all_of(self, address: str) -> list[str]:
        """A pod's addresses in all families: in each range it has the same place."""
        if len(self._networks) < 2 or not address:
            return [address]
        first, *others = self._networks
        found = ipaddress.ip_address(address)
        if found not in first:
            return [address]
        offset = int(found) - int(first.network_address)
        return [address, *(str(other.network_address + offset) for other in others if offset < other.num_addresses)]

    def keep(self, address: str, owner: str) -> None:
        """The owner has this address already."""
        self._taken[address] = owner

    def give_back(self, owner: str) -> None:
        """The owner is gone."""
        for address, holder in list(self._taken.items()):
            if holder == owner:
                del self._taken[address]
