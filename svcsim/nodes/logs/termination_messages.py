"""What a container leaves behind when it ends, which its status tells: what it wrote into its file for that, or the end of its log."""

from collections.abc import Callable

from svcsim import limits
from svcsim.nodes.containers.container import Container
from svcsim.nodes.logs.log_lines import Voice, filled

_TOLERANCE_S = 1e-6


def termination_message(container: Container, voice: Callable[[], Voice], room_bytes: int) -> str:
    """Of a container that has just ended. ``voice`` is what it said, ``room_bytes`` what its pod has room for."""
    spec = container.spec
    text = _last(_written(container), limits.TERMINATION_MESSAGE_BYTES)
    if not text and spec.logs_on_error and container.exit_code != 0:
        said = voice()
        lines = said.last_lines(limits.TERMINATION_LOG_LINES, said.ends_at or container.finished_at)
        text = _last("".join(line.printed for line in lines), limits.TERMINATION_LOG_BYTES)
    return text.encode()[:room_bytes].decode(errors="ignore") if text else ""


def _written(container: Container) -> str:
    """What is in its file when it ends, as far as its command line has written it."""
    if container.process is not None:
        return container.process.message
    text = ""
    for one in container.spec.program.written:
        at = container.started_at + one.at
        if one.path == container.spec.message_path and at <= container.finished_at + _TOLERANCE_S:
            text = (text if one.appends else "") + filled(one.text, at)
    return text


def _last(text: str, most_bytes: int) -> str:
    return text.encode()[-most_bytes:].decode(errors="ignore")
