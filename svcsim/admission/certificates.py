"""Who may decide about requests for certificates, for whom, and who may say which certificates of a signer are to be trusted.

The plugins are CertificateApproval, CertificateSigning, CertificateSubjectRestriction and ClusterTrustBundleAttest. To approve, to sign and
to attest are rights on ``signers``, which are no objects: on one by its name, or on all of a domain (``example.com/*``).
"""

import base64

from svcsim import limits
from svcsim.admission.collected import is_collected
from svcsim.admission.plugin import Rule
from svcsim.auth.attributes import Attributes
from svcsim.auth.authentication import MASTERS
from svcsim.auth.authorization import Authorizer, Verdict, decided
from svcsim.auth.signing import organizations
from svcsim.dialect import Dialect
from svcsim.meta.aside import aside
from svcsim.meta.objects import get_path
from svcsim.meta.quoting import quoted
from svcsim.registry.admission import AdmissionRequest

_PLURAL = "certificatesigningrequests"


class CertificateApproval:
    """Requires the right to approve for a signer from the user who writes the approval."""

    name = "CertificateApproval"
    rules = (Rule(("UPDATE",), (f"{_PLURAL}/approval",), "certificates", suffixed=True),)

    def __init__(self, authorizer: Authorizer) -> None:
        self._authorizer = authorizer

    async def validate(self, request: AdmissionRequest) -> None:
        """Raises 403."""
        await _check(self._authorizer, request, "approve")


class CertificateSigning:
    """Requires the right to sign for a signer from the user who writes a certificate, or a condition."""

    name = "CertificateSigning"
    rules = (Rule(("UPDATE",), (f"{_PLURAL}/status",), "certificates", suffixed=True),)

    def __init__(self, authorizer: Authorizer) -> None:
        self._authorizer = authorizer

    async def validate(self, request: AdmissionRequest) -> None:
        """Raises 403."""
        if any(get_path(request.obj, where) != get_path(request.old, where) for where in ("status.certificate", "status.conditions")):
            await _check(self._authorizer, request, "sign")


class ClusterTrustBundleAttest:
    """Requires the right to attest for a signer from the user who writes a bundle of its certificates."""

    name = "ClusterTrustBundleAttest"
    rules = (Rule(("CREATE", "UPDATE"), ("clustertrustbundles",), "certificates", suffixed=True),)

    def __init__(self, authorizer: Authorizer) -> None:
        self._authorizer = authorizer

    async def validate(self, request: AdmissionRequest) -> None:
        """Raises 403. A bundle stays its signer's, so the new one tells whose it is."""
        assert request.obj is not None
        signer = request.obj["spec"].get("signerName")
        if not signer or (request.old is not None and is_collected(request.obj, request.old)):
            return
        if not await _may(self._authorizer, request, "attest", signer):
            raise request.refusal(f"user not permitted to attest for signerName {quoted(signer)}")


class CertificateSubjectRestriction:
    """Nobody becomes an administrator by asking for a client's certificate."""

    name = "CertificateSubjectRestriction"
    rules = (Rule(("CREATE",), (_PLURAL,), "certificates", suffixed=True),)

    def __init__(self, dialect: Dialect) -> None:
        self._signer = dialect.signer_client

    async def validate(self, request: AdmissionRequest) -> None:
        """Raises 403."""
        assert request.obj is not None
        spec = request.obj["spec"]
        if spec["signerName"] != self._signer:
            return
        if MASTERS in await aside(limits.ASIDE_BYTES + 1, organizations, base64.b64decode(spec["request"])):
            raise request.refusal(f"use of {self._signer} signer with {MASTERS} group is not allowed")


async def _check(authorizer: Authorizer, request: AdmissionRequest, verb: str) -> None:
    assert request.old is not None
    signer = request.old["spec"]["signerName"]
    if not await _may(authorizer, request, verb, signer):
        raise request.refusal(f"user not permitted to {verb} requests with signerName {quoted(signer)}")


async def _may(authorizer: Authorizer, request: AdmissionRequest, verb: str, signer: str) -> bool:
    """Whether the user has the right on the signer, or on all of its domain."""
    group = request.resource.group_resource.group
    for name in (signer, f"{signer.partition('/')[0]}/*"):
        decision = await decided(authorizer, Attributes(request.user, verb, group, "*", "signers", name=name))
        if decision.verdict is Verdict.ALLOW:
            return True
    return False
