"""What the admission plugins would find in their configuration, for who wants to know before there is a cluster."""

from pathlib import Path
from typing import Final

from svcsim.cluster.admission_config import WEBHOOKS, AdmissionConfig, read_admission_config
from svcsim.cluster.event_rate_limit_config import event_limits
from svcsim.cluster.image_policy_config import image_review
from svcsim.cluster.pod_node_selector_config import node_selectors
from svcsim.cluster.pod_security_config import pod_security_standards
from svcsim.cluster.pod_toleration_restriction_config import cluster_tolerations
from svcsim.cluster.resource_quota_config import limited_resources
from svcsim.dialect import Dialect

NEEDED: Final = {"ImagePolicyWebhook": "whom it asks", "EventRateLimit": "what its limits are"}
"""The plugins that can't do without, and what they have to be told."""


def checked_admission_config(path: Path | None, dialect: Dialect) -> AdmissionConfig:
    """What the file says, if there is one, all of it read. Raises `ConfigurationError`."""
    config = read_admission_config(path, dialect)
    for plugin in WEBHOOKS:
        config.webhook_credentials(plugin, dialect)
    node_selectors(config)
    for read in (image_review, event_limits, pod_security_standards, cluster_tolerations, limited_resources):
        read(config, dialect)
    return config
