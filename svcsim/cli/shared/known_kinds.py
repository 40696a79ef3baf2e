"""The kinds that kubectl has types for: what reads the fields of an object's kind itself can do nothing with any other."""

from typing import TYPE_CHECKING

from svcsim.cli.failure import CommandError

if TYPE_CHECKING:
    from svcsim.cli.shared.discovery import Resource
    from svcsim.dialect import Dialect

_PLAIN = ("", "apps", "autoscaling", "batch", "policy")
_SUFFIXED = (
    "admissionregistration", "authentication", "authorization", "certificates", "coordination", "discovery", "events",
    "flowcontrol.apiserver", "networking", "node", "rbac.authorization", "resource", "scheduling", "storage", "storagemigration",
)  # fmt: skip
"""Groups by their names without the dialect's suffix. Definitions and API services are none of them."""


def refuse_unknown(resource: "Resource", dialect: "Dialect") -> None:
    """Raise `CommandError` for a kind that kubectl has no type for, in its words."""
    if resource.group not in (*_PLAIN, *(dialect.group(name) for name in _SUFFIXED)):
        raise CommandError(
            f'no kind "{resource.kind}" is registered for version "{resource.api_version}" in scheme "pkg/scheme/scheme.go:28"'
        )
