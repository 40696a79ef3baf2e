"""Full objects of the group apiregistration."""

from typing import Any

FULL: dict[str, dict[str, Any]] = {
    "apiregistration/v1 APIService": {
        "metadata": {"name": "v1.full.example.com"},
        "spec": {
            "service": {"namespace": "default", "name": "api", "port": 8443},
            "group": "full.example.com",
            "version": "v1",
            "caBundle": "Q0VSVA==",
            "groupPriorityMinimum": 1000,
            "versionPriority": 15,
        },
        "status": {
            "conditions": [
                {
                    "type": "Available",
                    "status": "False",
                    "lastTransitionTime": "2026-01-02T03:04:05Z",
                    "reason": "ServiceNotFound",
                    "message": 'service/api in "default" is not present',
                }
            ]
        },
    }
}
