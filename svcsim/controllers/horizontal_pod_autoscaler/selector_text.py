"""A label selector as Go's ``%+v`` prints it, which is how the controller's words tell of one."""

from svcsim.meta.types import Object


def go_text(selector: Object | None) -> str:
    """``nil`` for none."""
    if selector is None:
        return "nil"
    labels = "".join(f"{key}: {value}," for key, value in sorted((selector.get("matchLabels") or {}).items()))
    expressions = "".join(_expression(one) for one in selector.get("matchExpressions") or ())
    return f"&LabelSelector{{MatchLabels:map[string]string{{{labels}}},MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"


def _expression(one: Object) -> str:
    values = " ".join(one.get("values") or ())
    return f"LabelSelectorRequirement{{Key:{one['key']},Operator:{one['operator']},Values:[{values}],}},"
