"""Full objects of the group apiregistration. ``{name}`` is a fresh name."""

from typing import Any

FULL: dict[str, dict[str, Any]] = {
    "apiregistration/v1 APIService": {
        "metadata": {"name": "v1.{name}.full.example.com"},
        "spec": {
            "service": {"namespace": "default", "name": "api", "port": 8443},
            "group": "{name}.full.example.com",
            "version": "v1",
            "caBundle": "Q0VSVA==",
            "groupPriorityMinimum": 1000,
            "versionPriority": 15,
        },
    }
}
