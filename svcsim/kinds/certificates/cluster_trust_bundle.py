"""ClusterTrustBundle: certificates that the pods of a cluster may trust, of a signer or of nobody in particular. Served if switched on."""

from svcsim.kinds.certificates.certificate_signing_request_rules import takes_long
from svcsim.kinds.certificates.cluster_trust_bundle_rules import bundle_name, bundle_rules, signer_changes, trust_anchors
from svcsim.kinds.groups import CERTIFICATES_V1BETA1
from svcsim.kinds.shared.columns import text_at
from svcsim.registry.kind import Column, Kind, Selectable, Strategy
from svcsim.schema.types import Field, Str, Struct

_SPEC = Struct(
    "ClusterTrustBundleSpec",
    Field(1, "signerName", Str(), "Whose certificates they are; whoever writes the bundle needs the right to attest for that signer"),
    Field(2, "trustBundle", Str(), "PEM of the certificates, in any order", required=True, default="", rules=(trust_anchors,)),
    doc="The certificates, and whose they are",
)
CLUSTER_TRUST_BUNDLE = Kind(
    CERTIFICATES_V1BETA1,
    "clustertrustbundles",
    Struct(
        "ClusterTrustBundle",
        Field(2, "spec", _SPEC, "The certificates, and whose they are", required=True, default={}),
        doc="Certificates that the pods of the cluster may trust",
    ),
    namespaced=False,
    name_rule=bundle_name,
    columns=(Column("SignerName", text_at("spec.signerName"), doc="Whose certificates they are"),),
    selectable=(Selectable("spec.signerName"),),
    strategy=Strategy(rules=(bundle_rules,), update_rules=(signer_changes,)),
    generation=False,
    slow=takes_long,
)
