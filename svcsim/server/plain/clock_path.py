"""``/svcsim/v1/clock``: the cluster's time, told and moved.

A step can take long, so its answer is a stream: it holds back no component, as a request that is being answered would, tells how far it
has got if asked to, and ends with the client who asked. The clock then stands where it was, between two moments.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from svcsim import limits
from svcsim.clock import Clock, ClockError, format_micro_time
from svcsim.meta import errors
from svcsim.meta.codec import decode_sent_json, encode
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request, Response
from svcsim.meta.types import Json, Object
from svcsim.server.requests.methods import check_method

_METHODS = ("GET", "PUT")
_Move = Callable[[float], Awaitable[bool]]


class ClockPath:
    """GET tells the time; PUT ``{"speed": x}`` sets the pace, ``{"step": seconds}`` moves a paused clock on.

    ``{"advance": seconds}`` moves any clock on, which then goes on at its pace. With ``"progress": true`` either is told of line by line
    while it lasts; the last line is the answer.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def answer(self, request: Request) -> Response:
        check_method(request, _METHODS)
        if request.method == "PUT":
            wish = decode_sent_json(request.body)
            if not isinstance(wish, dict):
                raise errors.bad_request("the clock expects a JSON object with speed, step or advance")
            if "speed" in wish:
                self._clock.set_speed(_pace(wish["speed"]))
            told = wish.get("progress") is True
            if "step" in wish:
                return self._moved(self._clock.check_step, self._clock.step, _span(wish["step"]), told=told)
            if "advance" in wish:
                return self._moved(self._clock.check_advance, self._clock.advance, _span(wish["advance"]), told=told)
        return Response(200, encode(self._state()))

    def _state(self) -> Object:
        clock = self._clock
        state: Object = {"now": format_micro_time(clock.now()), "speed": clock.speed, "aheadSeconds": round(clock.ahead_s, 3)}
        if clock.speed > 1:
            state["reachedSpeed"] = round(clock.reached_speed, 1)
        if self._clock.target is not None:
            state["steppingTo"] = format_micro_time(self._clock.target)
        return state

    def _moved(self, check: Callable[[float], None], move: _Move, seconds: float, *, told: bool) -> Response:
        try:
            check(seconds)
        except ClockError as error:
            raise _refused(error) from error
        return Response(200, stream=self._moving(move, seconds, told=told))

    async def _moving(self, move: _Move, seconds: float, *, told: bool) -> AsyncIterator[bytes]:
        step = asyncio.ensure_future(move(seconds))
        try:
            while not (await asyncio.wait((step,), timeout=limits.STEP_TOLD_EVERY_S))[0]:
                if told:
                    yield encode(self._state()) + b"\n"
            arrived = await step
            yield encode({**self._state(), "arrived": arrived}) + b"\n"
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


def _span(seconds: Json) -> float:
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not seconds >= 0:
        raise errors.bad_request("a step must be a number of seconds, zero or more")
    return float(seconds)


def _refused(error: ClockError) -> StatusError:
    return StatusError(409, "Conflict", str(error))
