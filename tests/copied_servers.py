"""Servers that ``up`` starts, as copies of its process: nothing has to be loaded once more."""

import asyncio
import logging
import os
import sys
import traceback
from subprocess import DEVNULL
from types import SimpleNamespace

from svcsim.cli.own import daemon, starting
from tests.nursery import FAILED, Child


def copying():
    """What `svcsim.cli.own.starting` has in the place of `subprocess` for that."""
    return SimpleNamespace(**{**vars(starting.subprocess), "Popen": _copied_server})


class _OwnChildren:
    def status_of(self, pid):
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _copied_server(words, *, stdin, stdout, stderr, pass_fds, start_new_session, cwd, env):
    """What ``Popen`` makes of the command of a server, but for the interpreter that comes up."""
    assert (words[:3], stdin, start_new_session) == ([sys.executable, "-m", "svcsim.cli.own.daemon"], DEVNULL, True)
    pid = os.fork()
    if pid:
        return Child(_OwnChildren(), pid, None, None, None)
    status = FAILED
    try:
        os.setsid()
        for number, stream in enumerate((os.open(os.devnull, os.O_RDONLY), stdout.fileno(), stderr.fileno())):
            os.dup2(stream, number)
        for kept, following in zip((2, *pass_fds), (*pass_fds, os.sysconf("SC_OPEN_MAX")), strict=True):
            os.closerange(kept + 1, following)
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(env)
        logging.getLogger().handlers.clear()  # the tests' own
        asyncio._set_running_loop(None)
        sys.argv = words[2:]
        status = daemon.main()
    finally:
        if sys.exc_info()[0] is not None:
            traceback.print_exc()
        sys.stderr.flush()
        os._exit(status)
