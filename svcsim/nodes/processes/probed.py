"""What the probes of a container find in it: asked before and after a client's command, which may have changed what they look for.

What a real program would have left for its probes isn't known, so they succeed where nothing is known against it
(`svcsim.nodes.containers.probes`). But where a command of a client makes a difference, that is what they find from then on.
"""

from svcsim import limits
from svcsim.nodes.containers.probes import refused_with, timed_out, timeout_of
from svcsim.nodes.containers.said import Said
from svcsim.nodes.containers.sources import container_of
from svcsim.nodes.containers.understanding import read_first
from svcsim.nodes.processes.first_process import Enter, FirstProcess
from svcsim.nodes.shell.tree import Disk
from svcsim.nodes.streams.running import Running
from svcsim.nodes.streams.web_root import asked_path, page_at, web_root
from svcsim.nodes.streams.world import Inside

_REFUSED = 400


async def found_by_probes(one: Running, inside: Inside, enter: Enter, now: float) -> dict[str, str | None]:
    """What is wrong, or None, by the kind of a probe; of those alone of which that can be told by what is in the container."""
    container = container_of(one.pod, one.spec.name)
    root = web_root(container)
    found: dict[str, str | None] = {}
    for probe in one.spec.probes:
        given = container.get(f"{probe.kind.lower()}Probe") or {}
        command = tuple((given.get("exec") or {}).get("command") or ())
        if "httpGet" in given and root:
            found[probe.kind] = _of_page(inside, root, given["httpGet"].get("path") or "/")
        elif command and read_first(one.spec.image, command, ()) is not None:
            process = FirstProcess(command, now, enter, "", Said(Disk(limits.SAID_BYTES)), spell_s=limits.PROBE_SPELL_S)
            timeout_s = timeout_of(given)
            in_time = await _ends_by(now + timeout_s, process)
            if not process.puzzled:
                found[probe.kind] = _of_command(process) if in_time else timed_out(command, timeout_s)
    return found


def _of_page(inside: Inside, root: str, path: str) -> str | None:
    status = page_at(inside.world.tree, root, asked_path(path)).status
    return None if status < _REFUSED else refused_with(status)


async def _ends_by(until: float, process: FirstProcess) -> bool:
    """Run a process up to then, in a time of its own that takes none; whether it ends by itself."""
    while process.next_at <= until:
        await process.go_on(until)
    ended = process.ended_s is not None
    process.end()
    return ended


def _of_command(process: FirstProcess) -> str | None:
    return "".join(line.printed for line in process.said.lines) if process.exit_code else None
