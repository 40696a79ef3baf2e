"""What is left of what was done before: jobs that have ended, the caller's last job, files in a directory that others are copied into."""

import pytest

from svcsim import limits
from tests.nodes.shell.container import Container


@pytest.mark.virtual_time
@pytest.mark.parametrize(("command", "code"), [("true", 0), ("false", 1), ("sleep 0.01", 0)])
async def test_jobs_that_have_ended_make_room_for_others(command: str, code: int):
    most = limits.SHELL_JOBS + 200
    script = f"i=0; while [ $i -lt {most} ]; do {command} & sleep 0.02; i=$((i+1)); done; wait $!; echo $i $?"
    assert await Container().sh(script) == (0, f"{most} {code}\n", "")


async def test_jobs_that_are_at_work_have_a_limit():
    script = f"i=0; while [ $i -le {limits.SHELL_JOBS} ]; do sleep 999 & i=$((i+1)); done; echo no"
    code, said, complaint = await Container().sh(script)
    assert (code, said, complaint) == (2, "", "sh: Cannot fork\n")


@pytest.mark.virtual_time
async def test_jobs_that_have_ended_in_one_shell_make_room_in_another():
    script = f"(for i in $(seq {limits.SHELL_JOBS - 1}); do sleep 0.5 & done); sleep 1; for i in $(seq 500); do true & done; echo done"
    assert await Container().sh(script) == (0, "done\n", "")


async def test_a_script_does_not_see_the_job_of_whoever_started_it():
    script = 'echo \'echo "[$!]"; sleep 1 & echo "[${!:+its own}]"\' > /tmp/s; chmod +x /tmp/s; sleep 1 & /tmp/s; (echo "[${!:+there}]")'
    assert await Container().sh(script) == (0, "[]\n[its own]\n[there]\n", "")


async def test_a_directory_is_copied_into_one_that_is_there():
    script = (
        "mkdir -p from/sub into/from/sub; echo new > from/sub/a; echo new > from/b; echo old | tee into/from/sub/a > into/from/sub/c; "
        "cp -r from into; cat into/from/sub/a into/from/sub/c into/from/b; cp -r from/. into; cat into/b into/sub/a"
    )
    assert await Container().sh(script) == (0, "new\nold\nnew\nnew\nnew\n", "")
