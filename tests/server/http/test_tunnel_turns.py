"""A client of a connection that was switched to another protocol keeps nobody else waiting, whatever it sends."""

from functools import partial

from svcsim import limits
from svcsim.clock import turn
from svcsim.server.http.tunnel import TunnelEnd
from svcsim.server.http.tunnel_turns import TunnelTurns
from svcsim.wall import stopwatch


class Slow:
    """Takes longer over each slice than others may be kept waiting."""

    full = False

    def __init__(self) -> None:
        self.taken = b""

    def write(self, data: bytes) -> None:
        self.taken += data
        began_s = stopwatch()
        while stopwatch() - began_s <= limits.TUNNEL_TURN_S:
            pass

    async def drain(self) -> None:
        pass

    async def read(self) -> bytes:
        return b""

    async def close(self) -> None:
        pass


async def test_others_have_their_turn_between_the_slices_of_what_has_come():
    tunnel, moves = Slow(), []
    end = TunnelEnd(tunnel, TunnelTurns(), lambda: moves.append("hold"), lambda: moves.append("release"))
    sent = bytes(range(256)) * (4 * limits.TUNNEL_SLICE_BYTES // 256)
    end.feed(sent)
    end.feed(b"last")
    turns = 0
    while "release" not in moves:
        turns += 1
        await turn()
    assert tunnel.taken == sent + b"last"
    assert moves == ["hold", "release"]
    assert turns >= 4


async def test_many_such_clients_get_one_turn_together():
    turns, order = TunnelTurns(), []
    tunnels = [Slow() for _ in range(8)]
    ends = [TunnelEnd(tunnel, turns, lambda: None, partial(order.append, number)) for number, tunnel in enumerate(tunnels)]
    for end in ends:
        end.feed(bytes(limits.TUNNEL_SLICE_BYTES))
    assert [len(tunnel.taken) > 0 for tunnel in tunnels] == [True] + 7 * [False], "the first one's turn was all there was"
    await ends[1].close()
    while len([number for number in order if number != 1]) < 6:
        await turn()
    assert [number for number in order if number != 1] == [2, 3, 4, 5, 6, 7], "whoever has waited longest is next"
