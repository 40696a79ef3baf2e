"""What the server makes of a ServiceAccount: secrets are named, and nothing else is said of them."""

from svcsim.dialect import Dialect
from svcsim.meta.objects import metadata_of
from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def create(account: Object, context: Context) -> None:
    _name_secrets(account)
    _warn(account, {}, context)


def update(new: Object, old: Object, context: Context) -> None:
    _name_secrets(new)
    _warn(new, old, context)


def _name_secrets(account: Object) -> None:
    if account.get("secrets"):
        account["secrets"] = [{"name": secret["name"]} if secret.get("name") else {} for secret in account["secrets"]]


def _warn(new: Object, old: Object, context: Context) -> None:
    key = _enforcing(context.dialect)
    if key in (metadata_of(new).get("annotations") or {}) and key not in (metadata_of(old).get("annotations") or {}):
        advice = "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"
        context.warn(f"metadata.annotations[{key}]: {advice}")


def _enforcing(dialect: Dialect) -> str:
    """The annotation that keeps pods from other secrets than those of their account."""
    return dialect.key("enforce-mountable-secrets")
