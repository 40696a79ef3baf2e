"""What a cluster can be asked to keep account of: the settings of audit, under the names that Kubernetes' API server has for its flags."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from svcsim.cluster.settings import setting
from svcsim.cluster.values import Boolean, Choice, Duration, FilePath, Integer, String, Value
from svcsim.meta.types import Json

Mode = Literal["batch", "blocking", "blocking-strict"]

OUTPUT = Path("-")
"""As a path: the server's own output."""
_LEADERS = {"log": "path", "webhook": "config_file"}
"""By plugin, what the other settings of it are about."""


class AuditLogPath(FilePath):
    """A path; ``-`` is the server's own output."""

    refusal: ClassVar[str] = "{label} is an absolute path, or -, not {value}"

    def from_option(self, given: Json) -> Path | None:
        return OUTPUT if given == str(OUTPUT) else super().from_option(given)

    def from_json(self, value: Json) -> Path | None:
        return OUTPUT if value == str(OUTPUT) else super().from_json(value)


class Rate(Value[float]):
    """How often a second."""

    refusal: ClassVar[str] = "{label} is a number above 0, not {value}"

    def from_option(self, given: Json) -> float:
        return self.from_json(float(given))

    def from_json(self, value: Json) -> float:
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < float("inf"):
            raise ValueError
        return float(value)


def _version(plugin: str) -> str:
    what = f"The version of the audit events for the {plugin}: that of the cluster's audit API; there is one."
    return setting(
        "", String(), help=what, flag=f"--audit-{plugin}-version", needs=_LEADERS[plugin], metavar="VERSION", shown_default="the cluster's"
    )


def _mode(plugin: str, default: Mode) -> Mode:
    what = "batch (nobody waits), blocking (requests wait until their events are kept), blocking-strict (and are refused if they can't be)"
    return setting(default, Choice(("batch", "blocking", "blocking-strict")), help=f"How audit events go to the {plugin}: {what}.",
                   flag=f"--audit-{plugin}-mode", needs=_LEADERS[plugin], metavar="MODE")  # fmt: skip


def _buffer_size(plugin: str) -> int:
    what = f"Audit events that may wait for the {plugin}; more are dropped."
    return setting(10_000, Integer(1), help=what, flag=f"--audit-{plugin}-batch-buffer-size", needs=_LEADERS[plugin], metavar="N")


def _max_size(plugin: str, default: int) -> int:
    what = f"Audit events in one batch for the {plugin}, at the most (mode batch)."
    return setting(default, Integer(1), help=what, flag=f"--audit-{plugin}-batch-max-size", needs=_LEADERS[plugin], metavar="N")


def _max_wait(plugin: str, default: float) -> float:
    what = f"How long a batch for the {plugin} that isn't full waits for more (mode batch)."
    return setting(
        default, Duration(), help=what, flag=f"--audit-{plugin}-batch-max-wait", needs=_LEADERS[plugin], metavar="TIME", json="batchMaxWait"
    )


def _throttle_enable(plugin: str, *, default: bool) -> bool:
    what = f"Limit how often batches go to the {plugin} (mode batch)."
    return setting(default, Boolean(), help=what, flag=f"--audit-{plugin}-batch-throttle-enable", needs=_LEADERS[plugin])


def _throttle_qps(plugin: str) -> float:
    what = f"Batches a second for the {plugin} in the long run, where that is limited."
    return setting(10.0, Rate(), help=what, flag=f"--audit-{plugin}-batch-throttle-qps", needs=_LEADERS[plugin], metavar="N")


def _throttle_burst(plugin: str) -> int:
    what = f"Batches for the {plugin} at once after a quiet time, where that is limited."
    return setting(15, Integer(1), help=what, flag=f"--audit-{plugin}-batch-throttle-burst", needs=_LEADERS[plugin], metavar="N")


def _truncate_enabled(plugin: str) -> bool:
    what = f"Tell long audit events for the {plugin} without their objects, and split long batches."
    return setting(False, Boolean(), help=what, flag=f"--audit-{plugin}-truncate-enabled", needs=_LEADERS[plugin])


def _truncate_event(plugin: str) -> int:
    what = f"Bytes of an audit event for the {plugin}, where they are limited."
    return setting(
        100 * 1024, Integer(1), help=what, flag=f"--audit-{plugin}-truncate-max-event-size", needs=_LEADERS[plugin], metavar="BYTES"
    )


def _truncate_batch(plugin: str) -> int:
    what = f"Bytes of a batch for the {plugin}, where they are limited."
    return setting(
        10 * 1024**2, Integer(1), help=what, flag=f"--audit-{plugin}-truncate-max-batch-size", needs=_LEADERS[plugin], metavar="BYTES"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLogSpec:
    """The log backend."""

    path: Path | None = setting(
        None,
        AuditLogPath(),
        help="Write audit events to this file; - is the server's own output (in the background, its log).",
        flag="--audit-log-path",
        revocable=True,
        metavar="FILE",
    )
    format: Literal["json", "legacy"] = setting(
        "json",
        Choice(("json", "legacy")),
        help="How events stand in the audit log: json, or legacy (a line of words).",
        flag="--audit-log-format",
        needs="path",
        metavar="FORMAT",
    )
    max_age_days: int = setting(
        0,
        Integer(0),
        help="Days for which full audit logs are kept; 0 is for ever.",
        flag="--audit-log-maxage",
        needs="path",
        metavar="DAYS",
        json="maxAge",
    )
    max_backup: int = setting(
        0,
        Integer(0),
        help="Full audit logs that are kept; 0 is all.",
        flag="--audit-log-maxbackup",
        needs="path",
        metavar="N",
        json="maxBackup",
    )
    max_size_mib: int = setting(
        100,
        Integer(1),
        help="Megabytes at which an audit log is full.",
        flag="--audit-log-maxsize",
        needs="path",
        metavar="MB",
        json="maxSize",
    )
    compress: bool = setting(False, Boolean(), help="Compress full audit logs with gzip.", flag="--audit-log-compress", needs="path")
    version: str = _version("log")
    mode: Mode = _mode("log", "blocking")
    buffer_events: int = _buffer_size("log")
    batch_events: int = _max_size("log", 1)
    batch_wait_s: float = _max_wait("log", 0.0)
    throttle_enable: bool = _throttle_enable("log", default=False)
    throttle_qps: float = _throttle_qps("log")
    throttle_burst: int = _throttle_burst("log")
    truncate_enabled: bool = _truncate_enabled("log")
    truncate_event_bytes: int = _truncate_event("log")
    truncate_batch_bytes: int = _truncate_batch("log")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditWebhookSpec:
    """The webhook backend."""

    config_file: Path | None = setting(
        None,
        FilePath(),
        help="Send audit events to the server that this client configuration names.",
        flag="--audit-webhook-config-file",
        revocable=True,
        metavar="FILE",
    )
    initial_backoff_s: float = setting(
        10.0,
        Duration(),
        help="How long to wait before audit events are sent a second time that could not be sent.",
        flag="--audit-webhook-initial-backoff",
        needs="config_file",
        metavar="TIME",
        json="initialBackoff",
    )
    version: str = _version("webhook")
    mode: Mode = _mode("webhook", "batch")
    buffer_events: int = _buffer_size("webhook")
    batch_events: int = _max_size("webhook", 400)
    batch_wait_s: float = _max_wait("webhook", 30.0)
    throttle_enable: bool = _throttle_enable("webhook", default=True)
    throttle_qps: float = _throttle_qps("webhook")
    throttle_burst: int = _throttle_burst("webhook")
    truncate_enabled: bool = _truncate_enabled("webhook")
    truncate_event_bytes: int = _truncate_event("webhook")
    truncate_batch_bytes: int = _truncate_batch("webhook")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSpec:
    """What is recorded, and where it goes."""

    policy_file: Path | None = setting(
        None,
        FilePath(),
        help="What to record of which requests: an audit Policy. Without one it is who did what, of every request.",
        flag="--audit-policy-file",
        revocable=True,
        metavar="FILE",
    )
    log: AuditLogSpec = AuditLogSpec()
    webhook: AuditWebhookSpec = AuditWebhookSpec()
