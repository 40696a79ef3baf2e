"""What tables show of admission policies and their bindings: by whom their parameters are brought."""

from svcsim.kinds.shared.columns import AGE, UNSET, text_at
from svcsim.meta.label_selectors import from_object
from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Column, Context


def _param_kind(policy: Object, context: Context) -> Json:
    kind = get_path(policy, "spec.paramKind")
    return UNSET if kind is None else f"{kind.get('apiVersion', '')}/{kind.get('kind', '')}"


def _param_ref(binding: Object, context: Context) -> Json:
    """By name, in a namespace or in any; or by labels."""
    reference = get_path(binding, "spec.paramRef") or {}
    if reference.get("name"):
        return f"{reference.get('namespace') or '*'}/{reference['name']}"
    return str(from_object(reference["selector"])) if reference.get("selector") is not None else UNSET


PARAM_KIND_COLUMN = Column("ParamKind", _param_kind, doc="The kind of object that brings the parameters")
BINDING_COLUMNS = (
    Column("PolicyName", text_at("spec.policyName"), doc="Name of the policy"),
    Column("ParamRef", _param_ref, doc="The object that brings the parameters"),
    AGE,
)
