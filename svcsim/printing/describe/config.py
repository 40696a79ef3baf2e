"""ConfigMaps, Secrets, ServiceAccounts and Namespaces."""

import base64

from svcsim.meta.errors import StatusError
from svcsim.meta.objects import metadata_of, name_of, namespace_of
from svcsim.meta.types import Object
from svcsim.printing.describe.events import events_section
from svcsim.printing.describe.policy import limit_table, quota_lines, scope_lines
from svcsim.printing.describe.writer import DescribeContext, Writer, annotations, labels
from svcsim.printing.texts import rfc1123


def _head(obj: Object, writer: Writer) -> None:
    writer.field("Name", name_of(obj))
    writer.field("Namespace", namespace_of(obj))
    labels(writer, "Labels", metadata_of(obj).get("labels"))
    annotations(writer, "Annotations", metadata_of(obj).get("annotations"))


def describe_config_map(config_map: Object, context: DescribeContext) -> None:
    """One ConfigMap, with its data."""
    writer = context.writer
    _head(config_map, writer)
    writer.text("\nData\n====\n")
    for key, value in sorted((config_map.get("data") or {}).items()):
        writer.text(f"{key}:\n----\n{value}\n\n")
    writer.text("\nBinaryData\n====\n")
    for key, value in sorted((config_map.get("binaryData") or {}).items()):
        writer.text(f"{key}: {len(base64.b64decode(value))} bytes\n")
    writer.text("\n")
    events_section(config_map, context)


def describe_secret(secret: Object, context: DescribeContext) -> None:
    """One Secret, with the sizes of what it holds; a service account's token is shown."""
    writer = context.writer
    _head(secret, writer)
    writer.text(f"\nType:\t{secret.get('type', '')}\n\nData\n====\n")
    is_token = str(secret.get("type", "")).endswith("/service-account-token")
    for key, value in sorted((secret.get("data") or {}).items()):
        content = base64.b64decode(value)
        writer.text(f"{key}:\t{content.decode() if is_token and key == 'token' else f'{len(content)} bytes'}\n")


def describe_service_account(account: Object, context: DescribeContext) -> None:
    """One ServiceAccount, with the secrets it may use."""
    writer = context.writer
    _head(account, writer)
    pulled = [item.get("name", "") for item in account.get("imagePullSecrets") or []]
    mountable = [item.get("name", "") for item in account.get("secrets") or []]
    namespace = namespace_of(account)
    found: list[Object] = context.reader.get(f"/api/v1/namespaces/{namespace}/secrets").get("items") or []
    tokens = [name_of(item) for item in found if _is_token_of(item, account)]
    missing = {name for name in pulled + mountable + tokens if name not in {name_of(item) for item in found}}
    for title, names in (("Image pull secrets", pulled), ("Mountable secrets", mountable), ("Tokens", tokens)):
        for index, name in enumerate(names or ["<none>"]):
            suffix = " (not found)" if name in missing else ""
            writer.line((f"{title}:" if not index else "") + f"\t{name}{suffix}")
    events_section(account, context)


def _is_token_of(secret: Object, account: Object) -> bool:
    notes = metadata_of(secret).get("annotations") or {}
    is_token = str(secret.get("type", "")).endswith("/service-account-token")
    return is_token and any(key.endswith("/service-account.name") and value == name_of(account) for key, value in notes.items())


def describe_namespace(namespace: Object, context: DescribeContext) -> None:
    """One Namespace, with its quotas and limits."""
    writer, metadata, status = context.writer, metadata_of(namespace), namespace.get("status") or {}
    writer.field("Name", name_of(namespace))
    labels(writer, "Labels", metadata.get("labels"))
    annotations(writer, "Annotations", metadata.get("annotations"))
    writer.field("Status", status.get("phase", ""))
    if status.get("conditions"):
        writer.line("Conditions:\n  Type\tStatus\tLastTransitionTime\tReason\tMessage")
        writer.line("----\t------\t------------------\t------\t-------", 1)
        for item in status["conditions"]:
            row = (
                item.get("type", ""),
                item.get("status", ""),
                rfc1123(item.get("lastTransitionTime")),
                item.get("reason", ""),
                item.get("message", ""),
            )
            writer.line("\t".join(row), 1)
    _quotas(writer, _listed(context, namespace, "resourcequotas"))
    _limits(writer, _listed(context, namespace, "limitranges"))


def _listed(context: DescribeContext, namespace: Object, plural: str) -> list[Object] | None:
    """All of a type in the namespace; None from a server that doesn't have the type."""
    try:
        found: list[Object] = context.reader.get(f"/api/v1/namespaces/{name_of(namespace)}/{plural}").get("items") or []
    except StatusError:
        return None
    return found


def _quotas(writer: Writer, quotas: list[Object] | None) -> None:
    if quotas is None:
        return
    if not quotas:
        writer.line("\nNo resource quota.")
        return
    writer.line("\nResource Quotas")
    for quota in quotas:
        writer.line(f"  Name:\t{name_of(quota)}")
        scope_lines(writer, quota, "  ", "  ")
        writer.line("  Resource\tUsed\tHard")
        writer.line("  --------\t---\t---")
        quota_lines(writer, quota, 1)


def _limits(writer: Writer, ranges: list[Object] | None) -> None:
    if ranges is None:
        return
    if not ranges:
        writer.line("\nNo LimitRange resource.")
        return
    writer.line("\nResource Limits")
    limit_table(writer, ranges, " ")
