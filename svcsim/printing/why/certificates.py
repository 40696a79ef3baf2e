"""Requests for certificates: what they wait for."""

from svcsim.meta.objects import condition_is, get_path
from svcsim.meta.types import Object
from svcsim.printing.why.conditions import in_words
from svcsim.printing.why.verdict import Explainer, Facts, Verdict


def _explain_request(request: Object, facts: Facts) -> Verdict:
    signer = get_path(request, "spec.signerName", "")
    if get_path(request, "status.certificate"):
        return Verdict(f"has its certificate, from {signer}", fine=True)
    refused = [one for one in get_path(request, "status.conditions") or () if one.get("type") in {"Denied", "Failed"}]
    if refused:
        return Verdict("gets no certificate", because=tuple(map(in_words, refused)))
    if condition_is(request, "Approved"):
        return Verdict("is approved, and has no certificate yet", because=(f"Its signer {signer}, if there is one, has to issue it.",))
    how = f"svcsim certificate approve {get_path(request, 'metadata.name', '')}{facts.way}"
    return Verdict("waits until somebody approves or denies it", because=(f"To approve it: {how}.",))


SIGNING_REQUEST = Explainer(_explain_request)
