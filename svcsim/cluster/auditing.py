"""Audit, put together: which policy, and which backends.

Without a backend there is none of it: the pipeline doesn't look for any, and what it is made of isn't imported. What ``svcsim audit`` shows
is kept apart, by every cluster that is served.
"""

import logging
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from svcsim import limits
from svcsim.cluster.audit_spec import OUTPUT, AuditLogSpec, AuditSpec, AuditWebhookSpec
from svcsim.cluster.surroundings import Surroundings
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.token_bucket import Allowance
from svcsim.registry.scheme import Scheme

if TYPE_CHECKING:
    from svcsim.server.audit.auditing import Auditing
    from svcsim.server.audit.counted import AuditCounted
    from svcsim.server.audit.delivery import Backend, DeliveryOptions
    from svcsim.server.audit.log_backend import Lines

_LOG = logging.getLogger("svcsim.audit")


class Audit(NamedTuple):
    """A cluster's audit."""

    auditing: "Auditing"
    counted: "AuditCounted"


def audit(given: Surroundings, scheme: Scheme) -> Audit | None:
    """As the specification wants it; None where nothing is to be recorded. Raises `ConfigurationError`."""
    spec = given.spec.audit
    if spec == AuditSpec():
        return None
    from svcsim.server.audit.auditing import Auditing
    from svcsim.server.audit.counted import AuditCounted
    from svcsim.server.audit.delivery import Delivery
    from svcsim.server.audit.policy import EVERYTHING, EVERYTHING_BEFOREHAND
    from svcsim.server.audit.policy_file import read_policy

    strict = "blocking-strict" in (spec.log.mode, spec.webhook.mode)
    policy = EVERYTHING_BEFOREHAND if strict else EVERYTHING
    if spec.policy_file is not None:
        policy = read_policy(spec.policy_file, given.dialect)
    group, counted = given.dialect.group("audit"), AuditCounted()
    _check_versions(spec, f"{group}/v1")
    backends: list[tuple[Backend, DeliveryOptions]] = []
    if spec.log.path is not None:
        backends.append((_log(spec.log, spec.log.path, f"{group}/v1"), _options("log", spec.log)))
    if spec.webhook.config_file is not None:
        backends.append((_webhook(given, spec.webhook.config_file, f"{group}/v1"), _options("webhook", spec.webhook)))
    if not backends:
        _LOG.warning("audit records nothing: neither --audit-log-path nor --audit-webhook-config-file says where to")
        return None
    deliveries = tuple(Delivery(backend, options, counted, given.incidents, f"{group}/truncated") for backend, options in backends)
    return Audit(Auditing(policy, deliveries, scheme, given.clock, given.chance.fork("audit"), counted), counted)


def _check_versions(spec: AuditSpec, only: str) -> None:
    for plugin, version in (("log", spec.log.version), ("webhook", spec.webhook.version)):
        if version not in ("", only):
            raise ConfigurationError(f"--audit-{plugin}-version: this cluster's audit events have the version {only}, not {version}")


def _log(spec: AuditLogSpec, path: Path, api_version: str) -> "Backend":
    from svcsim.server.audit.log_backend import LogBackend

    return LogBackend(_lines(spec, path), spec.format, api_version, "its output" if path == OUTPUT else str(path))


def _lines(spec: AuditLogSpec, path: Path) -> "Lines":
    from svcsim.server.audit.log_backend import Output
    from svcsim.server.audit.log_file import Keeping, LogFile

    if path == OUTPUT:
        return Output()
    try:
        return LogFile(path, Keeping(spec.max_size_mib * 1024**2, spec.max_backup, spec.max_age_days, spec.compress))
    except OSError as error:
        raise ConfigurationError(f"--audit-log-path: can't write to {path}: {(error.strerror or str(error)).lower()}") from error


def _webhook(given: Surroundings, path: Path, api_version: str) -> "Backend":
    from svcsim.outbound.client_configuration import remote_in_file
    from svcsim.server.audit.webhook_backend import WebhookBackend

    spec = given.spec.audit.webhook
    remote = remote_in_file("--audit-webhook-config-file", path, "audit")
    return WebhookBackend(remote, given.outbound, api_version, spec.initial_backoff_s, given.chance.fork("audit webhook"))


def _options(plugin: str, spec: AuditLogSpec | AuditWebhookSpec) -> "DeliveryOptions":
    from svcsim.server.audit.delivery import DeliveryOptions, Truncation

    if spec.truncate_enabled and spec.truncate_batch_bytes < spec.truncate_event_bytes:
        least = f"--audit-{plugin}-truncate-max-event-size ({spec.truncate_event_bytes})"
        raise ConfigurationError(f"--audit-{plugin}-truncate-max-batch-size ({spec.truncate_batch_bytes}) must be at least {least}")
    throttle = Allowance(spec.throttle_qps, spec.throttle_burst) if spec.throttle_enable else None
    events = spec.batch_events
    if plugin == "log" and (throttle is None or spec.mode != "batch"):
        # A file has no batches: what is there is written at once.
        events = max(events, limits.AUDIT_TOGETHER)
    truncation = Truncation(spec.truncate_event_bytes, spec.truncate_batch_bytes) if spec.truncate_enabled else None
    return DeliveryOptions(spec.mode, spec.buffer_events, events, spec.batch_wait_s, throttle, truncation)
