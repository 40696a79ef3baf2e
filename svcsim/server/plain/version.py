"""What ``/version`` answers: the Kubernetes minor whose behaviour is served, and which svcsim serves it."""

import platform

from svcsim.meta.types import Object

MAJOR = "1"
MINOR = "34"
SVCSIM = "0.1.0"
"""As the package says; looking that up would cost a tenth of the start."""
_BUILD = "+svcsim"
"""What tells svcsim's servers from others that behave as the same minor."""


def version_info() -> Object:
    """The body of ``/version``."""
    return {
        "major": MAJOR,
        "minor": MINOR,
        "emulationMajor": MAJOR,
        "emulationMinor": MINOR,
        "minCompatibilityMajor": MAJOR,
        "minCompatibilityMinor": str(int(MINOR) - 1),
        "gitVersion": f"v{MAJOR}.{MINOR}.0{_BUILD}{SVCSIM}",
        "gitCommit": "",
        "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": platform.python_implementation(),
        "platform": f"{platform.system().lower()}/{platform.machine()}",
    }


def is_svcsim(version: Object) -> bool:
    """Whether an answer of ``/version`` is that of one of svcsim's servers."""
    return _BUILD in str(version.get("gitVersion"))
