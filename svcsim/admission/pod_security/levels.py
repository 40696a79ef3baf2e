"""The levels of the pod security standards, by version: which checks count at each, in the order in which their findings are told."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final, NamedTuple

from svcsim.admission.pod_security import baseline, restricted
from svcsim.admission.pod_security.words import Check, Finding
from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.sysctls import SYSCTLS, SYSCTLS_1_27, SYSCTLS_1_29, SYSCTLS_1_32
from svcsim.meta.types import Json, Object

PRIVILEGED, BASELINE, RESTRICTED = LEVELS = ("privileged", "baseline", "restricted")
LATEST: Final = "latest"
_BEYOND: Final = 10_000
_VERSION = re.compile(r"v1\.(0|[1-9][0-9]{0,3})")


class Level(NamedTuple):
    """A level in a version."""

    name: str = PRIVILEGED
    version: str = LATEST

    def __str__(self) -> str:
        return f"{self.name}:{self.version}"

    @property
    def minor(self) -> int:
        """The version's number; the latest is beyond all that can be named."""
        return _BEYOND if self.version == LATEST else int(self.version.removeprefix("v1."))


class _Versioned(NamedTuple):
    """A check from a version on."""

    level: str
    since: int
    check: Check
    until: float = float("inf")
    """From that version on another has its place."""
    of_windows: bool = True
    """Whether pods for Windows are held to it still, from 1.25 on."""
    replaced_since: float = float("inf")
    """From that version on ``restricted`` has a stricter one in its place."""


def _selinux(allowed: tuple[str, ...], _metadata: Object, spec: Object) -> Finding | None:
    return baseline.selinux(allowed, spec)


def _sysctls(allowed: tuple[str, ...], _metadata: Object, spec: Object) -> Finding | None:
    return baseline.sysctls(allowed, spec)


_CHECKS: Final = (
    _Versioned(BASELINE, 0, baseline.app_armor),
    _Versioned(BASELINE, 0, baseline.capabilities, replaced_since=22),
    _Versioned(BASELINE, 0, baseline.host_namespaces),
    _Versioned(BASELINE, 0, baseline.host_path_volumes, replaced_since=0),
    _Versioned(BASELINE, 0, baseline.host_ports),
    _Versioned(BASELINE, 34, baseline.hosts_of_probes),
    _Versioned(BASELINE, 0, baseline.privileged),
    _Versioned(BASELINE, 0, baseline.proc_mount),
    _Versioned(BASELINE, 0, partial(_selinux, baseline.SELINUX_TYPES), until=31),
    _Versioned(BASELINE, 31, partial(_selinux, baseline.SELINUX_TYPES_1_31)),
    _Versioned(BASELINE, 0, baseline.seccomp_annotations, until=19),
    _Versioned(BASELINE, 19, baseline.seccomp, replaced_since=19),
    _Versioned(BASELINE, 0, partial(_sysctls, SYSCTLS), until=27),
    _Versioned(BASELINE, 27, partial(_sysctls, SYSCTLS_1_27), until=29),
    _Versioned(BASELINE, 29, partial(_sysctls, SYSCTLS_1_29), until=32),
    _Versioned(BASELINE, 32, partial(_sysctls, SYSCTLS_1_32)),
    _Versioned(BASELINE, 0, baseline.windows_host_process),
    _Versioned(RESTRICTED, 8, restricted.allow_privilege_escalation, of_windows=False),
    _Versioned(RESTRICTED, 22, restricted.capabilities, of_windows=False),
    _Versioned(RESTRICTED, 0, restricted.volumes),
    _Versioned(RESTRICTED, 0, restricted.run_as_non_root),
    _Versioned(RESTRICTED, 23, restricted.run_as_user),
    _Versioned(RESTRICTED, 19, restricted.seccomp, of_windows=False),
)


def violations(level: Level, metadata: Object, spec: Object) -> list[Finding]:
    """Why a pod isn't let in at a level."""
    if level.name == PRIVILEGED:
        return []
    windows = level.minor >= 25 and restricted.is_windows(spec)
    found = (one.check(metadata, spec) for one in _CHECKS if _counts(one, level) and (one.of_windows or not windows))
    return [finding for finding in found if finding is not None]


def _counts(one: _Versioned, level: Level) -> bool:
    if not one.since <= level.minor < one.until:
        return False
    if level.name == BASELINE:
        return one.level == BASELINE
    return level.minor < one.replaced_since


def told(found: list[Finding]) -> str:
    return ", ".join(map(str, found))


def is_version(text: Json) -> bool:
    """``latest``, or ``v1.31``."""
    return isinstance(text, str) and (text == LATEST or _VERSION.fullmatch(text) is not None)


def level_rules(level: Json, path: str) -> Iterator[FieldError]:
    """What is wrong with the name of a level."""
    if level not in LEVELS:
        yield invalid_value(path, level, f"must be one of {', '.join(LEVELS)}")


def version_rules(version: Json, path: str) -> Iterator[FieldError]:
    """What is wrong with a version of the standards."""
    if not is_version(version):
        yield invalid_value(path, version, 'must be "latest" or "v1.x"')
