"""How auditing went, as the server's page of metrics shows it, under Kubernetes' names."""

from svcsim.server.audit.policy import Level


class AuditCounted:
    """Counts events and what became of them."""

    def __init__(self) -> None:
        self.events = 0
        """Events made, for all backends together."""
        self.rejected = 0
        """Requests refused because their event couldn't be kept."""
        self._levels = dict.fromkeys(Level, 0)
        self._errors: dict[str, int] = {}

    def level(self, level: Level) -> None:
        """One request, and what the policy says of it."""
        self._levels[level] += 1

    def error(self, plugin: str, events: int) -> None:
        """Events that a part of auditing has lost."""
        self._errors[plugin] = self._errors.get(plugin, 0) + events

    def errors(self, plugin: str) -> int:
        """The number of events that a backend has lost so far."""
        return self._errors.get(plugin, 0)

    def lines(self) -> list[str]:
        """In Prometheus' text format."""
        lines = [
            "# HELP apiserver_audit_event_total Audit events generated and sent to the audit backends.",
            "# TYPE apiserver_audit_event_total counter",
            f"apiserver_audit_event_total {self.events}",
            "# HELP apiserver_audit_level_total Requests by the level the audit policy gives them.",
            "# TYPE apiserver_audit_level_total counter",
        ]
        lines += [f'apiserver_audit_level_total{{level="{level.word}"}} {count}' for level, count in self._levels.items() if count]
        lines += [
            "# HELP apiserver_audit_error_total Audit events that were lost, by the part of auditing that lost them.",
            "# TYPE apiserver_audit_error_total counter",
        ]
        lines += [f'apiserver_audit_error_total{{plugin="{plugin}"}} {count}' for plugin, count in self._errors.items()]
        lines += [
            "# HELP apiserver_audit_requests_rejected_total Requests refused because of an error in an audit backend.",
            "# TYPE apiserver_audit_requests_rejected_total counter",
            f"apiserver_audit_requests_rejected_total {self.rejected}",
        ]
        return lines
