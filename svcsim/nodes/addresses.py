"""Addresses for the pods of one node, out of its range."""

import ipaddress


class PodAddresses:
    """Gives each pod an address of its own; one given back is not used again before all others were."""

    def __init__(self, cidr: str) -> None:
        network = ipaddress.ip_network(cidr)
        self._first = int(network.network_address) + 2
        self._count = network.num_addresses - 3
        self._next = 0
        self._taken: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._taken)

    def take(self, owner: str) -> str:
        """A free address; the same for the same owner. Empty if there is none left."""
        for address, holder in self._taken.items():
            if holder == owner:
                return address
        for _ in range(self._count):
            address = str(ipaddress.IPv4Address(self._first + self._next))
            self._next = (self._next + 1) % self._count
            if address not in self._taken:
                self._taken[address] = owner
                return address
        return ""

    def keep(self, address: str, owner: str) -> None:
        """The owner has this address already."""
        self._taken[address] = owner

    def give_back(self, owner: str) -> None:
        """The owner is gone."""
        for address, holder in list(self._taken.items()):
            if holder == owner:
                del self._taken[address]
