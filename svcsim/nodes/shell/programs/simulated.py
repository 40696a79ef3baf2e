"""What is known of a program that containers have, beside what runs it: all that is asked of a command line without running it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal, NamedTuple

from svcsim.nodes.shell.process import Program

Change = Literal["", "names", "content"]
"""What a program may do to files: nothing, have them come or go, or say something else."""
WithoutEnd = Literal["looks", "reads on", "passes on"]
"""What a program does with a file that has no end: it takes no more of it than it wants, needs all of it, or passes it on as it reads it,
which ends where nobody reads that any more."""
ANYTHING: Final = 99
"""More arguments than a program is given."""


class SimulatedProgram(NamedTuple):
    run: Program
    takes_s: float | None = 0.05
    """How long it is taken to be at work where it isn't run; None where nobody knows."""
    image: str = ""
    """The name of the only image that has it."""
    understands: Callable[[Sequence[str]], bool] | None = None
    """Whether it does what these arguments ask for, of a program of which only a part is simulated."""
    reaches: Callable[[Sequence[str]], Iterable[str]] | None = None
    """The hosts that it asks with these arguments. Raises `Usage` for arguments that aren't simulated."""
    starts: Callable[[Sequence[str]], list[str]] | None = None
    """The command line that it starts, of its arguments. Raises `Usage`."""
    reads_beside: int | None = None
    """It reads what comes in where it has no more arguments than these beside options and numbers; None for one that never does."""
    without_end: WithoutEnd = "looks"
    changes: Change = ""
    changes_nothing: Callable[[Sequence[str]], bool] | None = None
    """Whether it changes no files with these arguments after all."""
    foreseen: Literal["", "alone", "always"] = ""
    """Whether its exit code says nothing that its arguments don't: never, where it has none, or always."""
