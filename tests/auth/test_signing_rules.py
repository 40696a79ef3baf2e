"""What each built-in signer signs, rule by rule, and what becomes of what it doesn't."""

import ipaddress
from typing import NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from svcsim.auth import certificates
from svcsim.auth.signing import Authority, SigningRequest, UnsignableError, check_request, sign, signer_names
from svcsim.dialect import DIALECTS, Dialect
from svcsim.wall import wall_time

KEY = ec.generate_private_key(ec.SECP256R1())
DNS, ADDRESS = x509.DNSName("node-1.example"), x509.IPAddress(ipaddress.ip_address("10.0.0.1"))
MAIL, URI = x509.RFC822Name("a@example.com"), x509.UniformResourceIdentifier("spiffe://a/b")
OTHER = x509.RegisteredID(x509.ObjectIdentifier("1.2.3"))
NODE = ("system:nodes", "system:node:a")
CLIENT = ("digital signature", "key encipherment", "client auth")
SERVING = ("digital signature", "key encipherment", "server auth")


class Row(NamedTuple):
    """A request, and why the signer doesn't sign it; empty where it does."""

    signer: int
    subject: tuple[str, ...]
    """Organizations, and at last the common name."""
    names: tuple[x509.GeneralName, ...]
    usages: tuple[str, ...]
    why: str = ""


USER, AGENT, SERVER, ANY = range(4)
NO_NODE, NO_NAME = "subject organization is not system:nodes", "subject common name does not begin with system:node:"
USER_USAGES = "usages did not match [client auth digital signature key encipherment]"
SERVER_USAGES = "usages did not match [digital signature key encipherment server auth]"
NEEDED = "DNS or IP subjectAltName is required"

ROWS = (
    Row(USER, ("dev", "alice"), (), ("client auth",)),
    Row(USER, ("dev", "ops", "alice"), (DNS, MAIL, URI, ADDRESS), CLIENT),
    Row(USER, ("",), (), CLIENT[::-1]),
    Row(USER, NODE, (), CLIENT),
    Row(USER, ("alice",), (), ("digital signature", "key encipherment"), USER_USAGES),
    Row(USER, ("alice",), (), (*CLIENT, "server auth"), USER_USAGES),
    Row(USER, ("alice",), (), (*CLIENT, "cert sign"), USER_USAGES),
    Row(USER, ("alice",), (), ("any",), USER_USAGES),
    Row(AGENT, NODE, (), CLIENT),
    Row(AGENT, NODE, (), CLIENT[::-1]),
    Row(AGENT, NODE, (), (*CLIENT, "client auth")),
    Row(AGENT, NODE, (), ("digital signature", "client auth")),
    Row(AGENT, NODE, (), CLIENT[1:], USER_USAGES),
    Row(AGENT, NODE, (), CLIENT[:2], USER_USAGES),
    Row(AGENT, NODE, (), (*CLIENT, "server auth"), USER_USAGES),
    Row(AGENT, NODE, (), SERVING, USER_USAGES),
    Row(AGENT, ("system:node:a",), (), CLIENT, NO_NODE),
    Row(AGENT, ("dev", "system:node:a"), (), CLIENT, NO_NODE),
    Row(AGENT, ("System:nodes", "system:node:a"), (), CLIENT, NO_NODE),
    Row(AGENT, ("system:nodes", "system:masters", "system:node:a"), (), CLIENT, NO_NODE),
    Row(AGENT, ("system:nodes", "system:nodes", "system:node:a"), (), CLIENT, NO_NODE),
    Row(AGENT, ("system:nodes", "a"), (), CLIENT, NO_NAME),
    Row(AGENT, ("system:nodes", "system:nodes:a"), (), CLIENT, NO_NAME),
    Row(AGENT, NODE, (DNS,), CLIENT, "DNS subjectAltNames are not allowed"),
    Row(AGENT, NODE, (ADDRESS,), CLIENT, "IP subjectAltNames are not allowed"),
    Row(AGENT, NODE, (MAIL,), CLIENT, "email subjectAltNames are not allowed"),
    Row(AGENT, NODE, (URI,), CLIENT, "URI subjectAltNames are not allowed"),
    Row(AGENT, NODE, (OTHER,), CLIENT, "subjectAltNames are not allowed"),
    Row(SERVER, NODE, (DNS,), SERVING),
    Row(SERVER, NODE, (ADDRESS,), SERVING),
    Row(SERVER, NODE, (DNS, ADDRESS), SERVING[::-1]),
    Row(SERVER, NODE, (DNS,), ("digital signature", "server auth")),
    Row(SERVER, NODE, (), SERVING, NEEDED),
    Row(SERVER, NODE, (MAIL,), SERVING, NEEDED),
    Row(SERVER, NODE, (DNS, MAIL), SERVING, "email subjectAltNames are not allowed"),
    Row(SERVER, NODE, (DNS, URI), SERVING, "URI subjectAltNames are not allowed"),
    Row(SERVER, NODE, (DNS, OTHER), SERVING, "only DNS and IP subjectAltNames are allowed"),
    Row(SERVER, NODE, (DNS,), CLIENT, SERVER_USAGES),
    Row(SERVER, NODE, (DNS,), SERVING[1:], SERVER_USAGES),
    Row(SERVER, NODE, (DNS,), (*SERVING, "client auth"), SERVER_USAGES),
    Row(SERVER, ("dev", "system:node:a"), (DNS,), SERVING, NO_NODE),
    Row(SERVER, ("system:nodes", "alice"), (DNS,), SERVING, NO_NAME),
    Row(ANY, ("",), (), ()),
    Row(ANY, ("dev", "alice"), (DNS, MAIL, URI, ADDRESS), ("any", "code signing", "crl sign")),
)


def request(row: Row) -> SigningRequest:
    *organizations, common = row.subject
    attributes = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, name) for name in organizations]
    attributes += [x509.NameAttribute(NameOID.COMMON_NAME, common)] if common else []
    builder = x509.CertificateSigningRequestBuilder().subject_name(x509.Name(attributes))
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), critical=False)
    if row.names:
        builder = builder.add_extension(x509.SubjectAlternativeName(row.names), critical=False)
    pem = builder.sign(KEY, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    return SigningRequest(pem, row.usages, None)


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=list(DIALECTS))
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_each_rule_of_each_signer(row: Row, dialect: Dialect) -> None:
    signer = signer_names(dialect)[row.signer]
    if row.why:
        with pytest.raises(UnsignableError) as refused:
            check_request(signer, request(row), dialect)
        assert str(refused.value) == row.why
    else:
        check_request(signer, request(row), dialect)


@pytest.mark.parametrize("row", [row for row in ROWS if not row.why], ids=str)
def test_what_is_signed_is_what_was_asked_for_and_no_more(row: Row, tmp_path) -> None:
    dialect = DIALECTS["kubernetes"]
    pki = certificates.ensure(tmp_path / "pki")
    authority = Authority(pki.ca_certificate.read_bytes, pki.ca_key.read_bytes, 3600.0)
    asked = request(row)
    issued = x509.load_pem_x509_certificate(sign(signer_names(dialect)[row.signer], asked, authority, wall_time(), dialect))
    csr = x509.load_pem_x509_csr(asked.pem)
    assert (issued.subject, issued.public_key()) == (csr.subject, KEY.public_key())
    issued.verify_directly_issued_by(x509.load_pem_x509_certificate(pki.ca_certificate.read_bytes()))
    found = {one.oid: one.value for one in issued.extensions}
    assert found[x509.BasicConstraints.oid] == x509.BasicConstraints(ca=False, path_length=None), "though it was asked for"
    names = found.get(x509.SubjectAlternativeName.oid)
    assert ([] if names is None else list(names)) == list(row.names)
    wanted = found.get(x509.ExtendedKeyUsage.oid)
    assert (wanted is not None) == any(usage in ("client auth", "server auth", "any", "code signing") for usage in row.usages)
    assert wanted is None or (ExtendedKeyUsageOID.CODE_SIGNING in wanted) == ("code signing" in row.usages), "by the usages alone"
