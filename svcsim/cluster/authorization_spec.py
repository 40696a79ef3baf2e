"""Who decides what may be done in a cluster."""

from dataclasses import dataclass
from typing import Literal

from svcsim.cluster.settings import setting
from svcsim.cluster.values import StringList, Words

AuthorizationMode = Literal["Node", "RBAC", "Webhook", "AlwaysAllow", "AlwaysDeny"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationSpec:
    """How permission is given."""

    modes: tuple[AuthorizationMode, ...] = setting(
        ("Node", "RBAC"),
        Words[AuthorizationMode](("Node", "RBAC", "Webhook", "AlwaysAllow", "AlwaysDeny")),
        help="Who decides what users may do, in the order they are asked: Node, RBAC, Webhook, AlwaysAllow, AlwaysDeny. "
        "The cluster's own components go by Node,RBAC in any case.",
        json="modes",
        flag="--authorization-mode",
        metavar="MODE,…",
        shown_default="Node,RBAC",
        in_scenario=True,
        running_as="with --authorization-mode {}",
    )
    always_allow_paths: tuple[str, ...] = setting(
        ("/healthz", "/livez", "/readyz"),
        StringList(),
        help="Paths that everybody may ask; one that ends in * stands for all that begin so.",
        flag="--authorization-always-allow-paths",
        metavar="PATH,…",
        shown_default="/healthz,/livez,/readyz",
    )
