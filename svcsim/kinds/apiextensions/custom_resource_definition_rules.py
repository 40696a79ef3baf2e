"""What makes a CustomResourceDefinition right, and what of it may change.

Paths are those that Kubernetes tells, which for a webhook differ a little from those of the object.
"""

from collections.abc import Iterable, Iterator

from svcsim.kinds.apiextensions.custom_resource_definition_strategy import storage_versions
from svcsim.kinds.apiextensions.printer_columns import parse_path
from svcsim.kinds.apiextensions.schema_rules import schema_findings
from svcsim.kinds.shared.checks import IMMUTABLE
from svcsim.kinds.shared.webhook_address_rules import webhook_address_rules
from svcsim.meta.api_approval import INVALID, MISSING, approval, approval_annotation
from svcsim.meta.errors import FieldError, duplicate, forbidden_field, invalid_value, required, too_many, unsupported
from svcsim.meta.jsonpath_parser import JsonPathError
from svcsim.meta.names import dns_1035_label, dns_subdomain
from svcsim.meta.objects import condition_is, name_of
from svcsim.meta.types import Object
from svcsim.registry.kind import Context
from svcsim.schema.structural import node_at, parse

_COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS = ("binary", "bool", "byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_SELECTABLE_TYPES = ("boolean", "integer", "string")
_SELECTABLE_FIELDS = 8
_WARNING_CHARS = 256
_REVIEW_VERSIONS = ("v1", "v1beta1")


def rules(obj: Object, context: Context) -> Iterator[FieldError]:
    """What is wrong with a definition that has a spec at all."""
    spec = obj.get("spec")
    if spec is None:
        return
    names = spec.get("names") or {}
    if name_of(obj) != f"{names.get('plural') or ''}.{spec.get('group') or ''}":
        yield invalid_value("metadata.name", name_of(obj), 'must be spec.names.plural+"."+spec.group')
    yield from _group(spec.get("group") or "")
    yield from _scope(spec.get("scope") or "")
    yield from _versions(spec.get("versions") or [], context.dialect.extension_prefix)
    yield from _conversion(spec.get("conversion") or {})
    if spec.get("preserveUnknownFields"):
        instead = f"set {context.dialect.extension_prefix}preserve-unknown-fields to true in spec.versions[*].schema instead"
        yield invalid_value("spec.preserveUnknownFields", True, f"cannot set to true, {instead}")
    yield from _names(names, "spec.names")


def _group(group: str) -> Iterator[FieldError]:
    if not group:
        yield required("spec.group")
        return
    findings = dns_subdomain(group)
    if findings:
        yield invalid_value("spec.group", group, ",".join(findings))
    elif "." not in group:
        yield invalid_value("spec.group", group, "should be a domain with at least one dot")


def _scope(scope: str) -> Iterator[FieldError]:
    if not scope:
        yield required("spec.scope")
    elif scope not in {"Cluster", "Namespaced"}:
        yield unsupported("spec.scope", scope, ("Cluster", "Namespaced"))


def _versions(versions: list[Object], prefix: str) -> Iterator[FieldError]:
    if not versions:
        return
    named = [version.get("name") or "" for version in versions]
    for index, version in enumerate(versions):
        yield from _version(version, f"spec.versions[{index}]", prefix)
    if len(set(named)) < len(named):
        yield invalid_value("spec.versions", named, "must contain unique version names")
    if sum(bool(version.get("storage")) for version in versions) != 1:
        yield invalid_value("spec.versions", named, "must have exactly one version marked as storage version")


def _version(version: Object, path: str, prefix: str) -> Iterator[FieldError]:
    name = version.get("name") or ""
    for finding in dns_1035_label(name):
        yield invalid_value(f"{path}.name", name, finding)
    yield from _deprecation(version, path)
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    columns = version.get("additionalPrinterColumns") or []
    for index, column in enumerate(columns):
        yield from _column(column, f"{path}.additionalPrinterColumns[{index}]")
    yield from _subresources(version.get("subresources") or {}, f"{path}.subresources")
    if schema is None:
        yield required(f"{path}.schema.openAPIV3Schema", "schemas are required")
        return
    findings = schema_findings(schema, f"{path}.schema.openAPIV3Schema", prefix, has_status="status" in (version.get("subresources") or {}))
    yield from findings
    if not findings:
        yield from _selectable(version.get("selectableFields") or [], f"{path}.selectableFields", schema, prefix)


def _deprecation(version: Object, path: str) -> Iterator[FieldError]:
    warning = version.get("deprecationWarning")
    if warning is None:
        return
    path = f"{path}.deprecationWarning"
    if not version.get("deprecated"):
        yield invalid_value(path, warning, "can only be set for deprecated versions")
    if not warning:
        yield invalid_value(path, warning, "must not be empty")
    if len(warning) > _WARNING_CHARS:
        yield invalid_value(path, warning, f"must be <= {_WARNING_CHARS} characters long")
    if warning.strip() != warning:
        yield invalid_value(path, warning, "must not have leading or trailing whitespace")
    unprintable = next((index for index, char in enumerate(warning) if not char.isprintable()), None)
    if unprintable is not None:
        found = f"non-printable character found at index {unprintable}"
        yield invalid_value(path, warning, f"must only contain printable UTF-8 characters; {found}")


def _column(column: Object, path: str) -> Iterator[FieldError]:
    kind = column.get("type") or ""
    if kind and kind not in _COLUMN_TYPES:
        yield invalid_value(f"{path}.type", kind, f"must be one of {','.join(_COLUMN_TYPES)}")
    form = column.get("format") or ""
    if form and form not in _COLUMN_FORMATS:
        yield invalid_value(f"{path}.format", form, f"must be one of {','.join(_COLUMN_FORMATS)}")
    if column.get("jsonPath"):
        yield from _simple_path(column["jsonPath"], f"{path}.jsonPath")


def _simple_path(text: str, path: str) -> Iterator[FieldError]:
    if not text:
        yield invalid_value(path, text, "must not be empty")
    elif text[0] != ".":
        yield invalid_value(path, text, "must be a simple json path starting with .")
    else:
        try:
            parse_path(text)
        except JsonPathError as error:
            yield invalid_value(path, text, f"is an invalid path: {error}")


def _subresources(parts: Object, path: str) -> Iterator[FieldError]:
    scale = parts.get("scale")
    if scale is None:
        return
    for field, below in (("specReplicasPath", ".spec"), ("statusReplicasPath", ".status")):
        text = scale.get(field) or ""
        if not text:
            continue  # its absence has been told
        findings = list(_simple_path(text, f"{path}.scale.{field}"))
        yield from findings
        if not findings and not text.startswith(f"{below}."):
            yield invalid_value(f"{path}.scale.{field}", text, f"should be a json path under {below}")
    text = scale.get("labelSelectorPath") or ""
    if text:
        findings = list(_simple_path(text, f"{path}.scale.labelSelectorPath"))
        yield from findings
        if not findings and not text.startswith((".spec.", ".status.")):
            yield invalid_value(f"{path}.scale.labelSelectorPath", text, "should be a json path under either .spec or .status")


def _selectable(fields: list[Object], path: str, schema: Object, prefix: str) -> Iterator[FieldError]:
    if len(fields) > _SELECTABLE_FIELDS:
        yield too_many(path, len(fields), _SELECTABLE_FIELDS)
    root, seen = parse(schema, prefix), set[str]()
    for index, field in enumerate(fields):
        text, at = field.get("jsonPath") or "", f"{path}[{index}].jsonPath"
        if not text:
            continue  # its absence has been told
        findings = list(_simple_path(text, at))
        yield from findings
        if findings:
            continue
        if text in seen:
            yield duplicate(at, text)
        seen.add(text)
        node = node_at(root, text)
        if text.split(".")[1] == "metadata":
            yield invalid_value(at, text, "must not point to fields in metadata")
        elif node is None:
            yield invalid_value(at, text, "is an invalid path: does not refer to a valid field")
        elif node.type not in _SELECTABLE_TYPES:
            yield invalid_value(
                at, text, f"must point to a field of type {', '.join(_SELECTABLE_TYPES)}; it is of type {node.type or 'any'}"
            )


def _names(names: Object, path: str) -> Iterator[FieldError]:
    yield from (required(f"{path}.{field}") for field in ("plural", "singular", "kind", "listKind") if not names.get(field))
    for field in ("plural", "singular"):
        yield from _label(names.get(field) or "", f"{path}.{field}")
    for field in ("kind", "listKind"):
        name = names.get(field) or ""
        findings = dns_1035_label(name.lower())
        if findings:
            yield invalid_value(f"{path}.{field}", name, f"may have mixed case, but should otherwise match: {','.join(findings)}")
    yield from _labels(names.get("shortNames") or (), f"{path}.shortNames")
    if names.get("kind") and names.get("kind") == names.get("listKind"):
        yield invalid_value(f"{path}.listKind", names["listKind"], "kind and listKind may not be the same")
    yield from _labels(names.get("categories") or (), f"{path}.categories")


def _labels(labels: Iterable[str], path: str) -> Iterator[FieldError]:
    for index, label in enumerate(labels):
        yield from _label(label, f"{path}[{index}]")


def _label(label: str, path: str) -> Iterator[FieldError]:
    findings = dns_1035_label(label)
    if findings:
        yield invalid_value(path, label, ",".join(findings))


def _conversion(conversion: Object) -> Iterator[FieldError]:
    path, strategy, webhook = "spec.conversion", conversion.get("strategy") or "", conversion.get("webhook")
    if not strategy:
        return  # its absence has been told
    if strategy not in {"None", "Webhook"}:
        yield unsupported(f"{path}.strategy", strategy, ("None", "Webhook"))
    if strategy != "Webhook":
        if webhook is not None and (webhook.get("clientConfig") or not webhook.get("conversionReviewVersions")):
            yield forbidden_field(f"{path}.webhookClientConfig", "should not be set when strategy is not set to Webhook")
        if webhook is not None and webhook.get("conversionReviewVersions"):
            yield forbidden_field(f"{path}.conversionReviewVersions", "should not be set when strategy is not set to Webhook")
        return
    yield from _client(None if webhook is None else webhook.get("clientConfig"), f"{path}.webhookClientConfig")
    yield from _review_versions((webhook or {}).get("conversionReviewVersions") or [], f"{path}.conversionReviewVersions")


def _client(client: Object | None, path: str) -> Iterator[FieldError]:
    if client is None:
        yield required(path, "required when strategy is set to Webhook")
        return
    yield from webhook_address_rules(client, path)


def _review_versions(versions: list[str], path: str) -> Iterator[FieldError]:
    if not versions:
        yield required(path)
        return
    seen: dict[str, None] = {}
    for index, version in enumerate(versions):
        if version in seen:
            yield invalid_value(f"{path}[{index}]", version, "duplicate version")
        for finding in dns_1035_label(version):
            yield invalid_value(f"{path}[{index}]", version, finding)
        seen[version] = None
    if not any(version in _REVIEW_VERSIONS for version in versions):
        yield invalid_value(path, versions, f"must include at least one of {', '.join(_REVIEW_VERSIONS)}")


def approved(obj: Object, context: Context) -> Iterator[FieldError]:
    """A definition in a group of the API's own domains says who approved of it."""
    found = approval(obj, context.dialect)
    path = f"metadata.annotations[{approval_annotation(context.dialect)}]"
    if found is not None and found.reason == MISSING:
        yield required(path, found.message)
    elif found is not None and found.reason == INVALID:
        yield invalid_value(path, obj["metadata"]["annotations"][approval_annotation(context.dialect)], found.message)


def changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """What of a definition that has been established is for ever; and versions that objects may be stored in have to stay."""
    if condition_is(old, "Established"):
        for name in ("group", "scope"):
            yield from _unchanged((new.get("spec") or {}).get(name), old["spec"].get(name), f"spec.{name}")
        for name in ("kind", "plural"):
            wished, was = ((new.get("spec") or {}).get("names") or {}).get(name), (old["spec"].get("names") or {}).get(name)
            yield from _unchanged(wished, was, f"spec.names.{name}")
    yield from _stored_versions(new)
    was, now = approval(old, context.dialect), approval(new, context.dialect)
    if (was and was.reason) != (now and now.reason):  # one that has long been missing keeps nobody from changing something else
        yield from approved(new, context)


def _unchanged(now: str | None, before: str | None, path: str) -> Iterator[FieldError]:
    if now != before:
        yield invalid_value(path, now or "", IMMUTABLE)


def _stored_versions(definition: Object) -> Iterator[FieldError]:
    stored = (definition.get("status") or {}).get("storedVersions") or []
    versions = (definition.get("spec") or {}).get("versions") or []
    declared = [version.get("name") for version in versions]
    for index, version in enumerate(stored):
        if version not in declared:
            remain = f"must remain in spec.versions until a storage migration ensures no data remains persisted in {version}"
            why = f"missing from spec.versions; {version} was previously a storage version, and {remain} and removes {version} from"
            yield invalid_value(f"status.storedVersions[{index}]", version, f"{why} status.storedVersions")


def status_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """A status has to go on naming the version that objects are stored in."""
    stored = (new.get("status") or {}).get("storedVersions") or []
    for storage in storage_versions(new)[:1]:
        if storage not in stored:
            yield invalid_value("status.storedVersions", stored, f"must have the storage version {storage}")
    yield from _stored_versions(new)
