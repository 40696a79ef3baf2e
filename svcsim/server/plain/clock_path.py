"""``/svcsim/v1/clock``: shows and moves the cluster's time.

A step can take long, so its answer is a stream: it doesn't pause components, as a request that is being answered would, reports its
progress on request, and ends with its client. The clock then stays where it was, between two moments.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from functools import partial

from svcsim import limits
from svcsim.client.api import Client
from svcsim.clock import Clock, ClockError, format_micro_time
from svcsim.meta import errors
from svcsim.meta.codec import decode_sent_json, encode
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request, Response
from svcsim.meta.times import parse_given_time
from svcsim.meta.types import Json, Object
from svcsim.server.plain.awaited import Awaited, AwaitedError, read_awaited
from svcsim.server.requests.methods import check_method

_METHODS = ("GET", "PUT")
_Move = Callable[[], Awaitable[bool]]
_Told = Callable[[], Object]
"""What is reported of a move beside the time of the clock."""


class ClockPath:
    """GET tells the time; PUT ``{"speed": x}`` sets the pace, ``{"step": seconds}`` moves a paused clock on.

    ``{"advance": seconds}`` moves any clock on, which then goes on at its pace. ``{"until": …}`` moves any clock on to a ``time``, or to
    the moment at which something holds (`read_awaited`), ``within`` so many seconds, where it then stands. With ``"progress": true`` each
    is told of line by line while it lasts; the last line is the answer.
    """

    def __init__(self, clock: Clock, client_of: Callable[[Request], Client], note: Callable[[], Awaitable[None]]) -> None:
        """``client_of`` returns a client that acts in the name of a request's user; ``note`` stores the time and the pace."""
        self._clock = clock
        self._note = note
        self._client_of = client_of

    async def answer(self, request: Request) -> Response:
        check_method(request, _METHODS)
        if request.method == "PUT":
            wish = decode_sent_json(request.body)
            if not isinstance(wish, dict):
                raise errors.bad_request("the clock expects a JSON object with speed, step, advance or until")
            if "speed" in wish:
                self._clock.set_speed(_pace(wish["speed"]))
                await self._note()  # a pace that a client has been told is there at the next start, however the process ends
            if (moves := self._moves(wish, request)) is not None:
                return Response(200, stream=moves)
        state = self._state()
        if self._clock.speed and (self._clock.ahead_s > 0 or self._clock.speed != 1):
            await self._note()  # neither the machine's time nor what was noted will have got there at the next start
        return Response(200, encode(state))

    def _state(self) -> Object:
        clock = self._clock
        state: Object = {"now": format_micro_time(clock.now()), "speed": clock.speed, "aheadSeconds": round(clock.ahead_s, 3)}
        if clock.speed > 1:
            state["reachedSpeed"] = round(clock.reached_speed, 1)
        if self._clock.target is not None:
            state["steppingTo"] = format_micro_time(self._clock.target)
        return state

    def _moves(self, wish: Object, request: Request) -> AsyncGenerator[bytes, None] | None:
        """The stream of a move that is wished for, if one is."""
        clock, told = self._clock, wish.get("progress") is True
        try:
            if "step" in wish:
                clock.check_step(seconds := _span(wish["step"]))
                return self._moving(partial(clock.step, seconds), told=told)
            if "advance" in wish:
                clock.check_advance(seconds := _span(wish["advance"]))
                return self._moving(partial(clock.advance, seconds), told=told)
            if "until" in wish:
                return self._until(wish["until"], _span(wish.get("within", limits.AWAITED_S)), request, told=told)
        except ClockError as error:
            raise _refused(error) from error
        return None

    def _until(self, wish: Json, within_s: float, request: Request, *, told: bool) -> AsyncGenerator[bytes, None]:
        clock = self._clock
        if isinstance(wish, dict) and "time" in wish:
            moment, now = _moment(wish["time"]), clock.now()
            if moment < now:
                raise ClockError(f"the clock is beyond that already: it is at {format_micro_time(now)}")
            clock.check_advance(moment - now)
            return self._moving(partial(clock.until_time, moment), told=told)
        clock.check_advance(within_s)
        return self._until_met(read_awaited(wish), within_s, self._client_of(request), told=told)

    async def _until_met(self, awaited: Awaited, within_s: float, client: Client, *, told: bool) -> AsyncGenerator[bytes, None]:
        def standing() -> Object:
            return {"met": awaited.is_met, "left": [] if awaited.is_met else awaited.left()}

        try:
            async with awaited.followed(client, self._clock):
                awaited.check()
                move = partial(self._clock.until, lambda: awaited.is_over, within_s)
                async with aclosing(self._moving(move, told=told, beside=standing)) as lines:
                    async for line in lines:
                        awaited.check()
                        yield line
        except AwaitedError as error:
            yield encode(StatusError(409, "Conflict", str(error)).status()) + b"\n"

    async def _moving(self, move: _Move, *, told: bool, beside: _Told = dict) -> AsyncGenerator[bytes, None]:
        step = asyncio.ensure_future(move())
        try:
            while not (await asyncio.wait((step,), timeout=limits.STEP_TOLD_EVERY_S))[0]:
                if told:
                    yield encode({**self._state(), **beside()}) + b"\n"
            arrived = await step
            await self._note()  # a time that a client has been told isn't lost, however the process ends
            yield encode({**self._state(), "arrived": arrived, **beside()}) + b"\n"
        except ClockError as error:  # somebody else's step began a moment before this one
            yield encode(_refused(error).status()) + b"\n"
        finally:
            step.cancel()
            await asyncio.wait((step,))


def _pace(speed: Json) -> float:
    known = isinstance(speed, int | float) and not isinstance(speed, bool)
    if not known or not (speed == 0 or limits.SLOWEST_PACE <= speed <= limits.FASTEST_PACE):
        bounds = f"from {limits.SLOWEST_PACE:g} to {limits.FASTEST_PACE:g}"
        raise errors.bad_request(f"the clock's speed must be 0 (paused) or a number {bounds}")
    return float(speed)


def _moment(text: Json) -> float:
    try:
        return parse_given_time(text if isinstance(text, str) else "")
    except ValueError as error:
        raise errors.bad_request(f"the time to go on until must be one such as 2026-01-01T12:00:00Z: {error}") from error


def _span(seconds: Json) -> float:
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not seconds >= 0:
        raise errors.bad_request("a step must be a number of seconds, zero or more")
    return float(seconds)


def _refused(error: ClockError) -> StatusError:
    return StatusError(409, "Conflict", str(error))
