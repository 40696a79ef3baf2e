"""How annotations have a pod's containers behave, so that a manifest can say what no command line does.

``svcsim.dev/run-for: 30s`` is meant for all containers of a pod but its init containers; ``worker.svcsim.dev/run-for: 1m`` for the
container of that name alone, whatever it is, and goes before what is meant for all. A value that can't be read counts for nothing.
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from svcsim.meta.annotation_places import CRASH_AFTER, EXIT_CODE, IMAGE_PULL_FAILURE, READY_AFTER, RUN_FOR
from svcsim.meta.own_annotations import DOMAIN, own_annotation, own_annotations
from svcsim.meta.quoting import quoted
from svcsim.meta.times import parse_duration
from svcsim.meta.types import Object
from svcsim.nodes.containers.programs import Program

FORMERLY = {"run-seconds": RUN_FOR}
"""Annotations that are called otherwise now."""
_MOST_S = 100 * 365 * 86400.0
_SECONDS = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)", re.ASCII)
_ISO = re.compile(r"P(?=[\dT])(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?", re.ASCII)
_EXIT_CODE = re.compile(r"\d{1,3}", re.ASCII)
_QUIT_S = 1.0
"""How long a container runs of which only its exit code is said."""


class Behaviour(NamedTuple):
    """What annotations say of one container; None and empty where they say nothing."""

    run_for_s: float | None = None
    exit_code: int | None = None
    crash_after_s: float | None = None
    ready_after_s: float | None = None
    pull_failure: str = ""

    @property
    def ends_it(self) -> bool:
        """Whether they say when or how it ends."""
        return self.run_for_s is not None or self.exit_code is not None or self.crash_after_s is not None

    def changed(self, program: Program) -> Program:
        """What a container does instead of what its command line says. When it ends changes nothing of what it says until then."""
        program = program._replace(talks=program.talks or (program.runs_s is None and program.repeats_s is None and not program.lines))
        if self.run_for_s is not None:
            program = program._replace(runs_s=self.run_for_s)
        if self.exit_code is not None:
            program = program._replace(exit_code=self.exit_code, runs_s=program.runs_s if program.runs_s is not None else _QUIT_S)
        if self.crash_after_s is not None and (self.run_for_s is None or self.crash_after_s < self.run_for_s):
            program = program._replace(runs_s=self.crash_after_s, exit_code=1 if self.exit_code is None else self.exit_code)
        return program


AS_USUAL = Behaviour()


class UnreadableError(ValueError):
    """What a value should be that isn't."""


def duration_s(text: str) -> float:
    """Seconds of ``90s``, ``1h30m``, ``PT90S`` or ``90``. Raises `UnreadableError`."""
    iso = _ISO.fullmatch(text)
    try:
        if iso is not None:
            days, hours, minutes, seconds = (float(part or 0) for part in iso.groups())
            found = days * 86400 + hours * 3600 + minutes * 60 + seconds
        else:
            found = float(text) if _SECONDS.fullmatch(text) else parse_duration(text)
    except ValueError:
        found = -1.0
    if not 0 <= found <= _MOST_S:
        raise UnreadableError("is no duration such as 90s, 1h30m or PT90S")
    return found


def exit_code(text: str) -> int:
    """0 to 255. Raises `UnreadableError`."""
    if _EXIT_CODE.fullmatch(text) is None or int(text) > 255:
        raise UnreadableError("is no exit code from 0 to 255")
    return int(text)


def _failure(text: str) -> str:
    if not text.strip():
        raise UnreadableError("says nothing: name a failure such as not-found, or say what goes wrong")
    return text.strip()


_READERS: Mapping[str, tuple[str, Callable[[str], float | int | str]]] = {
    RUN_FOR: ("run_for_s", duration_s),
    EXIT_CODE: ("exit_code", exit_code),
    CRASH_AFTER: ("crash_after_s", duration_s),
    READY_AFTER: ("ready_after_s", duration_s),
    IMAGE_PULL_FAILURE: ("pull_failure", _failure),
}
"""By the annotation's name: the field of a `Behaviour`, and how it is read."""


BEHAVIOURS = tuple(_READERS)


def check_behaviour(name: str, text: str) -> None:
    """Raises `UnreadableError` where an annotation about behaviour can't be read."""
    try:
        _READERS[name][1](text)
    except UnreadableError as error:
        raise UnreadableError(f"{quoted(text[:80])} {error}") from None


class Behaviours(NamedTuple):
    """What a pod's annotations say: of containers by their names, ``""`` being all."""

    of: Mapping[str, Behaviour]

    def of_container(self, name: str, *, init: bool) -> Behaviour:
        """What is said of one container."""
        own, general = self.of.get(name, AS_USUAL), AS_USUAL if init else self.of.get("", AS_USUAL)
        if own is AS_USUAL:
            return general
        return general._replace(**{field: mine for field, mine in own._asdict().items() if mine not in (None, "")})


NONE = Behaviours({})


def said_by(pod: Object, container: str, name: str, *, init: bool) -> str:
    """The key of the annotation that says something of a container, such as ``worker.svcsim.dev/run-for``; empty where none does."""
    annotations = pod["metadata"].get("annotations") or {}
    keys = (f"{container}.{DOMAIN}/{name}", *(() if init else (f"{DOMAIN}/{name}",)))
    return next((key for key in keys if key in annotations and _is_readable(name, annotations[key])), "")


def _is_readable(name: str, text: str) -> bool:
    try:
        check_behaviour(name, text)
    except UnreadableError:
        return False
    return True


def read_behaviours(pod: Object) -> Behaviours:
    """What a pod's annotations say of its containers; what can't be read says nothing."""
    fields: dict[str, dict[str, float | int | str]] = {}
    for key, value in own_annotations(pod["metadata"].get("annotations")):
        whom, name = own_annotation(key) or ("", "")
        if name not in _READERS:
            continue
        field, read = _READERS[name]
        try:
            fields.setdefault(whom, {})[field] = read(value)
        except UnreadableError:
            continue
    return Behaviours({whom: Behaviour(**found) for whom, found in fields.items()}) if fields else NONE  # type: ignore[arg-type]
