"""What requests for certificates wait for."""

import pytest

from svcsim.meta.types import Object
from tests.printing.why.explaining import condition, explained


@pytest.mark.parametrize(
    ("status", "state", "because"),
    [
        ({}, "waits until somebody approves or denies it", ("To approve it: svcsim certificate approve it.",)),
        (
            {"conditions": [condition("Approved", "True")]},
            "is approved, and has no certificate yet",
            ("Its signer a.b/c, if there is one, has to issue it.",),
        ),
        ({"conditions": [condition("Denied", "True", "No")]}, "gets no certificate", ("Denied is True: No.",)),
        ({"certificate": "x", "conditions": [condition("Approved", "True")]}, "has its certificate, from a.b/c", ()),
    ],
)
def test_what_a_request_for_a_certificate_waits_for(status: Object, state: str, because: tuple[str, ...]) -> None:
    verdict = explained("certificates", "CertificateSigningRequest", {"spec": {"signerName": "a.b/c"}, "status": status})
    assert (verdict.state, verdict.because) == (state, because)
