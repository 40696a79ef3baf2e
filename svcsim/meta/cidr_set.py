"""The networks of one size within a larger one, each given away once.

What is given back isn't given away again before all that follow have been, so that an address that was just in use stays unused for as
long as possible.
"""

from svcsim.meta.networks import Address, Network


class CidrSet:
    """Networks of ``prefix`` bits in ``outer``, each with how many have it: more than one where others gave the same to several."""

    def __init__(self, outer: Network, prefix: int) -> None:
        self.outer = outer
        self.prefix = prefix
        self._shift = outer.max_prefixlen - prefix
        self._first = int(outer.network_address)
        self._count = 1 << (prefix - outer.prefixlen)
        self._holders: dict[int, int] = {}
        self._next = 0

    def __len__(self) -> int:
        """How many are taken."""
        return len(self._holders)

    def take(self) -> Network | None:
        """One that nobody has; None if there is none left."""
        if len(self._holders) >= self._count:
            return None
        while self._next in self._holders:
            self._next = (self._next + 1) % self._count
        index = self._next
        self._next = (self._next + 1) % self._count
        self._holders[index] = 1
        return self._network(index)

    def occupy(self, network: Network) -> None:
        """Mark a network as used, of whatever size: nothing that overlaps it is allocated."""
        for index in self._within(network):
            self._holders[index] = self._holders.get(index, 0) + 1

    def release(self, network: Network) -> None:
        """Release a network that is no longer in use."""
        for index in self._within(network):
            left = self._holders.get(index, 0) - 1
            if left > 0:
                self._holders[index] = left
            else:
                self._holders.pop(index, None)

    def _within(self, network: Network) -> range:
        """What overlaps a network."""
        if network.version != self.outer.version or not network.overlaps(self.outer):
            return range(0)
        return range(max(self._index(network.network_address), 0), min(self._index(network.broadcast_address), self._count - 1) + 1)

    def _index(self, address: Address) -> int:
        return (int(address) - self._first) >> self._shift

    def _network(self, index: int) -> Network:
        return type(self.outer)((self._first + (index << self._shift), self.prefix))
