"""What ``/version`` tells: the Kubernetes minor whose behaviour is served, and which svcsim serves it."""

import platform
from importlib.metadata import PackageNotFoundError, version

from svcsim.meta.types import Object

MAJOR = "1"
MINOR = "34"


def package_version() -> str:
    """The installed svcsim's version."""
    try:
        return version("svcsim")
    except PackageNotFoundError:
        return "0.0.0"


def version_info() -> Object:
    """The body of ``/version``."""
    return {
        "major": MAJOR,
        "minor": MINOR,
        "emulationMajor": MAJOR,
        "emulationMinor": MINOR,
        "minCompatibilityMajor": MAJOR,
        "minCompatibilityMinor": str(int(MINOR) - 1),
        "gitVersion": f"v{MAJOR}.{MINOR}.0+svcsim{package_version()}",
        "gitCommit": "",
        "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": platform.python_implementation(),
        "platform": f"{platform.system().lower()}/{platform.machine()}",
    }
