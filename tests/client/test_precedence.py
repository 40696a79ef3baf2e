"""Components hold back while requests from the wire are under way, and never for long."""

import asyncio

from svcsim.client.precedence import Precedence, unanswered
from svcsim.meta.http import Request, Response
from svcsim.meta.waiting import waiting
from svcsim.rest import Work
from svcsim.server.filters.in_flight import InFlight
from svcsim.server.requests.request_info import read_request_info


async def _under_way(precedence: Precedence) -> tuple[asyncio.Event, asyncio.Task[Response]]:
    """A request from the wire that is being answered until the event is set."""
    begun, done = asyncio.Event(), asyncio.Event()

    async def answer(_: Request) -> Response:
        begun.set()
        await done.wait()
        return Response(200)

    task = asyncio.ensure_future(precedence.first(answer)(Request("GET", "/")))
    await begun.wait()
    return done, task


async def test_nothing_is_held_back_while_nobody_goes_first():
    await asyncio.wait_for(Precedence(Work()).give_way(3600), 60)


async def test_a_component_goes_on_once_all_requests_from_the_wire_are_answered():
    precedence = Precedence(Work())
    one, first = await _under_way(precedence)
    other, second = await _under_way(precedence)
    held = asyncio.ensure_future(precedence.give_way(3600))

    one.set()
    await first
    await asyncio.sleep(0)  # noqa: TID251 - a turn of the loop, no time
    assert not held.done()

    other.set()
    await second
    await asyncio.wait_for(held, 60)


async def test_a_component_goes_on_after_its_time_whatever_happens():
    precedence = Precedence(Work())
    done, request = await _under_way(precedence)

    await asyncio.wait_for(precedence.give_way(0.001), 60)

    assert not request.done()
    done.set()
    await request


async def test_nobody_is_waited_for_twice():
    precedence = Precedence(Work())
    done, slow = await _under_way(precedence)
    await precedence.give_way(0.001)
    await asyncio.wait_for(precedence.give_way(3600), 60)

    quick_done, quick = await _under_way(precedence)
    held = asyncio.ensure_future(precedence.give_way(3600))
    await asyncio.sleep(0)  # noqa: TID251 - a turn of the loop, no time
    assert not held.done()
    quick_done.set()
    await asyncio.wait_for(asyncio.gather(quick, held), 60)
    assert not slow.done()
    done.set()
    await slow


async def test_a_request_doesnt_wait_for_itself():
    precedence = Precedence(Work())

    async def answer(_: Request) -> Response:
        await precedence.give_way(3600)
        return Response(200)

    await asyncio.wait_for(precedence.first(answer)(Request("GET", "/")), 60)


async def test_a_request_that_waits_for_a_call_to_others_goes_first_no_more():
    precedence = Precedence(Work())
    called, answered = asyncio.Event(), asyncio.Event()

    async def answer(_: Request) -> Response:
        flight.enter(read_request_info("POST", "/api/v1/namespaces/default/secrets", ""))
        with waiting():
            called.set()
            await answered.wait()
        await precedence.give_way(3600)
        return Response(200)

    flight = InFlight()
    request = asyncio.ensure_future(precedence.first(answer)(Request("GET", "/")))
    await asyncio.wait_for(called.wait(), 60)
    await asyncio.wait_for(precedence.give_way(3600), 60)
    answered.set()
    await asyncio.wait_for(request, 60)


async def test_a_request_that_fails_lets_components_go_on():
    precedence = Precedence(Work())

    async def fail(_: Request) -> Response:
        raise ConnectionError

    await asyncio.gather(precedence.first(fail)(Request("GET", "/")), return_exceptions=True)
    await asyncio.wait_for(precedence.give_way(3600), 60)


async def test_a_request_that_waits_for_a_component_goes_first_no_more_while_it_waits():
    precedence = Precedence(Work())
    made = asyncio.Event()

    async def answer(_: Request) -> Response:
        with precedence.behind():
            await made.wait()
        return Response(200)

    async def component() -> None:
        await precedence.give_way(3600)
        made.set()

    request = asyncio.ensure_future(precedence.first(answer)(Request("GET", "/")))
    await asyncio.wait_for(asyncio.gather(request, component()), 60)
    with precedence.behind():  # nobody's request: nothing changes
        await asyncio.wait_for(precedence.give_way(3600), 60)
    done, last = await _under_way(precedence)
    waiting = asyncio.ensure_future(precedence.give_way(3600))
    await asyncio.sleep(0)  # noqa: TID251 - a turn of the loop, no time
    assert not waiting.done(), "the count is right again"
    done.set()
    await asyncio.wait_for(asyncio.gather(last, waiting), 60)


async def test_a_request_whose_parts_wait_for_time_to_pass_is_no_work_meanwhile():
    """Of two parts that wait at once, both have to go on before the request counts again; what it is a part of waits with it."""
    work = Work()
    precedence = Precedence(work)
    passed = [asyncio.Event(), asyncio.Event()]
    counts: list[tuple[bool, int]] = []

    async def part(number: int) -> None:
        with unanswered():
            await passed[number].wait()

    async def answer(_: Request) -> Response:
        counts.append((bool(work), precedence.under_way))
        parts = [asyncio.ensure_future(part(number)) for number in range(2)]
        await asyncio.sleep(0)  # noqa: TID251 - a turn of the loop, no time
        counts.append((bool(work), precedence.under_way))
        passed[0].set()
        await parts[0]
        counts.append((bool(work), precedence.under_way))
        passed[1].set()
        await parts[1]
        counts.append((bool(work), precedence.under_way))
        return Response(200)

    inner = precedence.counted(answer)
    await precedence.first(inner)(Request("GET", "/"))
    assert counts == [(True, 1), (False, 0), (False, 0), (True, 1)]
    assert (bool(work), precedence.under_way) == (False, 0)
    with unanswered():  # nobody's request: nothing changes
        assert not work


async def test_what_goes_on_after_its_request_is_over_counts_for_nothing():
    work = Work()
    precedence = Precedence(work)
    left: list[asyncio.Task[None]] = []
    over = asyncio.Event()

    async def later() -> None:
        await over.wait()
        with unanswered():
            assert not work

    async def answer(_: Request) -> Response:
        left.append(asyncio.ensure_future(later()))
        return Response(200)

    await precedence.counted(answer)(Request("GET", "/"))
    over.set()
    await left[0]
    assert not work
