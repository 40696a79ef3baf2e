"""A server's log is kept to a size, and read as one."""

import logging
import os

import pytest

from svcsim import limits
from svcsim.cli.own import server_log


@pytest.fixture
def log(tmp_path):
    """A logger that writes to a log of 100 bytes a file, and what stands for the process's own output."""
    path = tmp_path / "server.log"
    output = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    handler = server_log.ServerLog(path, most_bytes=100, outputs=(output,))
    logger = logging.Logger("test")  # noqa: LOG001 - one of the test's own
    logger.addHandler(handler)
    yield path, logger, output
    handler.close()
    os.close(output)


def test_a_log_that_is_full_is_begun_anew_and_the_one_before_is_kept(log):
    path, logger, _ = log
    for number in range(12):
        logger.info("line %d %s", number, "x" * 20)
    assert len(server_log.parts(path)) == limits.SERVER_LOGS_KEPT + 1
    assert all(part.stat().st_size <= 100 for part in server_log.parts(path))
    numbers = [int(line.split()[1]) for line in server_log.read(path).splitlines()]
    assert numbers == list(range(numbers[0], 12)), "in order, across the files"


def test_what_the_process_prints_goes_where_the_log_goes(log):
    path, logger, output = log
    for number in range(6):
        logger.info("line %d %s", number, "x" * 20)
    os.write(output, b"printed\n")
    assert path.read_text().endswith("printed\n")


def test_a_followed_log_is_followed_into_the_next_file(log):
    path, logger, _ = log
    logger.info("before")
    following = server_log.follow(path)
    assert next(following) == "before\n"
    logger.info("a %s", "x" * 60)
    logger.info("b %s", "x" * 60)
    seen = ""
    while "b " not in seen:
        seen += next(following)
    following.close()
    assert [line[0] for line in seen.splitlines()] == ["a", "b"]


def test_nobody_elses_words_are_a_line_of_the_log_or_steer_a_terminal(log):
    path, logger, _ = log
    for handler in logger.handlers:
        handler.setFormatter(server_log.LogLines())
    logger.warning("rejected: %s", "was\nrevoked\x1b[31m\tnow")
    failure = ValueError("\x1b[2J")
    logger.error("failed", exc_info=(ValueError, failure, None))
    first, second, *traceback = server_log.read(path).splitlines()
    assert first.endswith(r" WARNING test: rejected: was\nrevoked^[[31m\tnow")
    assert second.endswith(" ERROR test: failed")
    assert traceback[-1] == "ValueError: ^[[2J"
