"""What a NetworkPolicy is about unless it says."""

from svcsim.meta.types import Object


def fill_spec(spec: Object) -> None:
    """It is about what the pods receive, and about what they send if it says something of that."""
    if not spec.get("policyTypes"):
        spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]
