"""Trying again after a conflict, as commands do."""

import pytest

from svcsim.cli.shared.retry import retry_on_conflict
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object


class Server:
    """Refuses so many writes with a reason; each time it is read the object is newer."""

    def __init__(self, refusals: int, reason: str = "Conflict") -> None:
        self.left = refusals
        self.reason = reason
        self.written: list[Object] = []
        self.reads = 0

    def write(self, obj: Object) -> str:
        self.written.append(obj)
        if len(self.written) <= self.left:
            raise StatusError(409, self.reason, "no")
        return "done"

    def read(self) -> Object:
        self.reads += 1
        return {"read": self.reads}


def test_what_is_known_is_tried_first_and_then_what_is_there():
    server = Server(2)
    assert retry_on_conflict(server.write, {"read": 0}, server.read, tries=3) == "done"
    assert server.written == [{"read": 0}, {"read": 1}, {"read": 2}]


@pytest.mark.parametrize(("reason", "made"), [("Conflict", 4), ("AlreadyExists", 1)])
def test_conflicts_without_end_and_other_errors_are_raised(reason: str, made: int):
    server = Server(1000, reason)
    with pytest.raises(StatusError):
        retry_on_conflict(server.write, {}, server.read, tries=4)
    assert (len(server.written), server.reads) == (made, made - 1)


def test_the_second_try_comes_at_once_and_the_others_after_a_pause(monkeypatch: pytest.MonkeyPatch):
    pauses: list[float] = []
    monkeypatch.setattr("svcsim.wall.wall_sleep", pauses.append)
    assert retry_on_conflict(Server(1).write, {}, dict, tries=6, pause_s=1.0) == "done"
    assert pauses == []
    assert retry_on_conflict(Server(5).write, {}, dict, tries=6, pause_s=1.0) == "done"
    assert pauses == [1.0] * 4
