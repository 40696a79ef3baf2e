"""What the hooks of containers do: ``postStart`` before a container counts as running, ``preStop`` before its process is asked to end.

No container runs, so a hook does what its command line says, by the same rules as the command line of a container: ``sleep 5`` takes five
seconds, ``exit 1`` fails. A command that isn't understood has done its work at once, and requests to ports succeed, as those of probes do.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object
from svcsim.nodes.containers.programs import read_program
from svcsim.nodes.images.base_image import exec_error, is_missing
from svcsim.nodes.shell.exit_codes import KILLED

POST_START, PRE_STOP = "postStart", "preStop"


class Hook(NamedTuple):
    """A hook as the pod's spec has it."""

    takes_s: float = 0.0
    """For ever is infinite."""
    exit_code: int = 0
    output: str = ""
    command: tuple[str, ...] = ()
    """What it runs in the container, and what ends with that; empty for a hook that does something else."""
    error: str = ""
    """Why its command can't even be started."""

    def fails_within(self, seconds: float) -> bool:
        """Whether it fails, in a container whose process is there for so many seconds yet."""
        return bool(self.command) and (self.exit_code != 0 or self.takes_s > seconds or bool(self.error))

    def failure_within(self, seconds: float, container: str, pod_label: str) -> str:
        """What is said of a command that fails so; ``pod_label`` is ``name_namespace(uid)``."""
        words = " ".join(self.command)
        code, output = (KILLED, "") if self.takes_s > seconds else (self.exit_code, self.output)
        what = f'Exec lifecycle hook ([{words}]) for Container "{container}" in Pod "{pod_label}"'
        error = self.error or f"command '{words}' exited with {code}: "
        return f"{what} failed - error: {error}, message: {quoted(output)}"


NO_HOOK = Hook()


def read_hook(container: Object, name: str) -> Hook | None:
    """A container's hook of that name; None if it has none."""
    given = (container.get("lifecycle") or {}).get(name) if "lifecycle" in container else None
    if not given:
        return None
    image = container.get("image") or ""
    return next((read(given[kind] or {}, image) for kind, read in _READERS.items() if kind in given), NO_HOOK)


def _sleep(given: Object, _image: str) -> Hook:
    return Hook(float(given.get("seconds") or 0))


def _exec(given: Object, image: str) -> Hook:
    command = tuple(given.get("command") or ())
    if not command:
        return NO_HOOK
    if is_missing(command[0], image):
        return Hook(command=command, error=exec_error(command[0]))
    program = read_program("", command, ())
    goes_on = program.repeats_s is not None or program.slept_s == math.inf
    output = "".join(f"{line}\n" for _, line in program.lines)
    return Hook(program.runs_s or (math.inf if goes_on else 0.0), program.exit_code, output, command)


_READERS: dict[str, Callable[[Object, str], Hook]] = {"sleep": _sleep, "exec": _exec}
"""By what a hook does; requests to ports take no time."""
