"""``set -x``: prints commands before they run."""

import re
from collections.abc import Mapping, Sequence

from svcsim.nodes.shell.options import XTRACE
from svcsim.nodes.shell.running_shell import RunningShell
from svcsim.nodes.shell.streams import Streams

_PROMPT = "+ "
_NEEDS_NO_QUOTES = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")


async def trace(shell: RunningShell, streams: Streams, *words: str) -> None:
    """Print words behind the prompt, whose first character is repeated for each nested command substitution."""
    if words:
        prompt = shell.variables.get("PS4") or _PROMPT
        text = f"{prompt[:1] * shell.nested_traces}{prompt}{' '.join(words)}\n"
        await shell.effort(len(text))
        await streams.complain(text.encode("utf-8", "surrogateescape"))


async def trace_head(shell: RunningShell, streams: Streams, head: str) -> None:
    """Print how a compound command begins, as bash does."""
    if shell.parameters.is_bash and XTRACE in shell.parameters.options:
        await trace(shell, streams, head)


async def trace_simple_command(shell: RunningShell, streams: Streams, assigned: Mapping[str, str], words: Sequence[str]) -> None:
    """Print the assignments and words of a simple command: on one line, in bash on one line for each assignment."""
    assignments = [f"{name}={quote(value) if value else ''}" for name, value in assigned.items()]
    quoted = [quote(word) for word in words]
    if not shell.parameters.is_bash:
        await trace(shell, streams, *assignments, *quoted)
        return
    for assignment in assignments:
        await trace(shell, streams, assignment)
    await trace(shell, streams, *quoted)


def quote(word: str) -> str:
    """A word as it has to be written in a script."""
    return word if _NEEDS_NO_QUOTES.fullmatch(word) else "'" + word.replace("'", "'\\''") + "'"
