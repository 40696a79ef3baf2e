"""Reading long collections: in chunks, with progress for people only."""

import io

import pytest

from svcsim.cli.flags import GLOBAL_FLAGS, parse
from svcsim.cli.shared.listing import PROGRESS_OBJECTS, list_objects
from svcsim.cli.shared.session import Session
from tests.cli.objects import make


class Terminal(io.StringIO):
    def isatty(self):
        return True


def read(stub, err, chunk_size):
    _, options = parse(GLOBAL_FLAGS, ["--server", stub.url])
    session = Session(options, err=err)
    found = list_objects(session, session.discovery.find("configmaps"), "many", chunk_size=chunk_size)
    session.close()
    return found


@pytest.fixture
def many(stub):
    """More objects than anybody wants to wait for in silence."""
    for number in range(PROGRESS_OBJECTS + 500):
        stub.put(make("ConfigMap", f"c{number:04}", metadata={"namespace": "many"}))
    return stub


def test_people_see_how_far_the_reading_has_got_and_the_line_goes_in_the_end(many):
    err = Terminal()
    assert len(read(many, err, 500)) == PROGRESS_OBJECTS + 500
    told = err.getvalue().split("\r")
    assert told[1].startswith(f"reading {PROGRESS_OBJECTS:,}")
    assert told[-1] == "\x1b[K"


def test_pipes_see_nothing(many):
    err = io.StringIO()
    assert len(read(many, err, 500)) == PROGRESS_OBJECTS + 500
    assert err.getvalue() == ""


def test_a_short_list_is_read_without_a_word(many):
    err = Terminal()
    assert len(read(many, err, 0)) == PROGRESS_OBJECTS + 500
    assert err.getvalue() == ""
