"""The scheduling queue: who is next, who waits, and what brings the waiting back."""

from svcsim.client.backoff import backoff_s
from svcsim.scheduler.changes import Change, Kind
from svcsim.scheduler.fit import NODE_RESOURCES_FIT
from svcsim.scheduler.hints import could_help
from svcsim.scheduler.queue import BACKOFF_INITIAL_S, BACKOFF_MAX_S, PARKED_MAX_S, SchedulingQueue, Waiting
from tests.scheduler.build import KNOWN, pod

FULL = (NODE_RESOURCES_FIT,)
GONE = Change(Kind.POD_GONE, pod_before=pod("gone"))
OTHER = Change(Kind.NODE_LABELS)


def new_queue() -> SchedulingQueue:
    return SchedulingQueue(lambda waits, refused_by, change: could_help(waits, refused_by, change, KNOWN))


def popped(queue: SchedulingQueue, now: float) -> str | None:
    waiting = queue.pop(now)
    return waiting.pod.name if waiting else None


def pop(queue: SchedulingQueue, now: float) -> Waiting:
    waiting = queue.pop(now)
    assert waiting is not None
    return waiting


def test_the_highest_priority_is_next_and_then_the_first_to_come():
    queue = new_queue()
    for name, priority in (("a", 0), ("b", 10), ("c", 0), ("d", 10)):
        queue.add(pod(name, priority=priority), 0.0)
    assert [popped(queue, 0.0) for _ in range(5)] == ["b", "d", "a", "c", None]


def test_a_parked_pod_stays_parked_until_something_happens_that_helps_it():
    queue = new_queue()
    queue.add(pod("a"), 0.0)
    queue.park(pop(queue, 0.0), FULL, 0.0)
    queue.wake(OTHER, 60.0)
    assert popped(queue, 60.0) is None
    queue.wake(GONE, 60.0)
    assert popped(queue, 60.0) == "a"


def test_a_pod_woken_during_its_back_off_waits_for_the_rest_of_it():
    queue = new_queue()
    queue.add(pod("a"), 0.0)
    queue.park(pop(queue, 0.0), FULL, 0.0)
    queue.wake(GONE, 0.4)
    assert popped(queue, 0.4) is None
    assert queue.next_due() == 1.0
    assert popped(queue, 1.0) == "a"


def test_the_back_off_doubles_up_to_its_limit():
    assert [backoff_s(attempts, BACKOFF_INITIAL_S, BACKOFF_MAX_S) for attempts in (1, 2, 3, 4, 5, 50)] == [1.0, 2.0, 4.0, 8.0, 10.0, 10.0]


def test_a_pod_that_changed_in_what_matters_is_tried_again_by_itself():
    queue = new_queue()
    queue.add(pod("a", nodeSelector={"disk": "ssd"}), 0.0)
    queue.park(pop(queue, 0.0), (), 0.0)
    queue.add(pod("a", nodeSelector={"disk": "ssd"}), 5.0)
    assert popped(queue, 5.0) is None
    queue.add(pod("a"), 5.0)
    assert popped(queue, 5.0) == "a"


def test_a_pod_parked_for_too_long_is_tried_whatever_happened():
    queue = new_queue()
    queue.add(pod("a"), 0.0)
    queue.park(pop(queue, 0.0), (), 0.0)
    queue.flush(PARKED_MAX_S - 1)
    assert popped(queue, PARKED_MAX_S - 1) is None
    queue.flush(PARKED_MAX_S)
    assert popped(queue, PARKED_MAX_S) == "a"


def test_a_removed_pod_never_comes_up_wherever_it_waited():
    queue = new_queue()
    for name in ("active", "parked", "backing-off"):
        queue.add(pod(name), 0.0)
    first, second, third = (pop(queue, 0.0) for _ in range(3))
    queue.remove("default/active")
    queue.retry(first, 0.0)
    queue.park(second, FULL, 0.0)
    queue.retry(third, 0.0)
    queue.remove("default/parked")
    queue.remove("default/backing-off")
    queue.wake(GONE, 100.0)
    assert popped(queue, 100.0) is None
    assert len(queue) == 0
    assert queue.next_due() is None


def test_a_pod_made_anew_under_the_same_name_is_another_pod():
    queue = new_queue()
    queue.add(pod("a"), 0.0)
    old = pop(queue, 0.0)
    queue.add(pod("a")._replace(uid="other"), 0.0)
    queue.park(old, (), 0.0)
    assert pop(queue, 0.0).pod.uid == "other"


def test_what_was_being_tried_when_that_broke_off_is_tried_anew():
    queue = new_queue()
    queue.add(pod("a"), 0.0)
    queue.add(pod("b"), 0.0)
    pop(queue, 0.0)
    assert queue.reclaim() == ["default/a"]
    assert [popped(queue, 0.0), popped(queue, 0.0), popped(queue, 0.0)] == ["b", "a", None]


def test_what_happens_while_a_pod_is_being_tried_is_not_lost_on_it():
    queue = new_queue()
    queue.add(pod("a"), 0.0)
    trying = pop(queue, 0.0)
    queue.wake(OTHER, 0.0)
    queue.wake(GONE, 0.0)
    queue.park(trying, FULL, 0.0)
    assert popped(queue, 0.0) is None
    assert popped(queue, 1.0) == "a"
    queue.park(trying, FULL, 1.0)
    assert queue.next_due() is None, "what happened before it was taken up again is in its decision"


def test_a_pod_that_changes_while_it_is_being_tried_is_tried_again():
    queue = new_queue()
    queue.add(pod("a", nodeSelector={"disk": "ssd"}), 0.0)
    trying = pop(queue, 0.0)
    queue.add(pod("a"), 0.0)
    queue.park(trying, (), 0.0)
    assert popped(queue, 1.0) == "a"


def test_a_pod_that_goes_while_it_is_being_tried_is_not_tried_any_more():
    queue = new_queue()
    queue.add(pod("a"), 0.0)
    trying = pop(queue, 0.0)
    assert queue.is_trying(trying)
    queue.remove("default/a")
    queue.add(pod("a"), 0.0)
    assert not queue.is_trying(trying)
