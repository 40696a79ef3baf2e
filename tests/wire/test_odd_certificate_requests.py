"""Requests for certificates that are signed, and say things in ways that no library would: each is refused, none is an incident."""

import base64

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.wire.raw import Wire
from tests.wire.test_certificates import CLIENT

KEY = ec.generate_private_key(ec.SECP256R1())
PUBLIC = KEY.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
COMMON_NAME, ORGANIZATION = bytes.fromhex("0603550403"), bytes.fromhex("060355040a")
NAMES, CONSTRAINTS, USAGE = bytes.fromhex("0603551d11"), bytes.fromhex("0603551d13"), bytes.fromhex("0603551d0f")
EXTENSIONS, ECDSA = bytes.fromhex("06092a864886f70d01090e"), bytes.fromhex("06082a8648ce3d040302")
UTF8, BITS, OCTETS, SEQUENCE, SET = 0x0C, 0x03, 0x04, 0x30, 0x31


def tlv(tag: int, *content: bytes) -> bytes:
    whole = b"".join(content)
    size = len(whole)
    length = bytes([size]) if size < 128 else b"\x81" + bytes([size]) if size < 256 else b"\x82" + size.to_bytes(2, "big")
    return bytes([tag]) + length + whole


def subject(*attributes: tuple[bytes, int, bytes]) -> bytes:
    return tlv(SEQUENCE, *(tlv(SET, tlv(SEQUENCE, kind, tlv(tag, text))) for kind, tag, text in attributes))


def extensions(*wanted: tuple[bytes, bytes]) -> bytes:
    return tlv(SEQUENCE, EXTENSIONS, tlv(SET, tlv(SEQUENCE, *(tlv(SEQUENCE, kind, tlv(OCTETS, value)) for kind, value in wanted))))


NODE = subject((ORGANIZATION, UTF8, b"system:nodes"), (COMMON_NAME, UTF8, b"system:node:a"))
DNS = tlv(SEQUENCE, tlv(0x82, b"a.example"))


def signed(name: bytes = NODE, *attributes: bytes, version: bytes = b"\0") -> str:
    told = tlv(SEQUENCE, tlv(0x02, version), name, PUBLIC, tlv(0xA0, *attributes))
    der = tlv(SEQUENCE, told, tlv(SEQUENCE, ECDSA), tlv(BITS, b"\0" + KEY.sign(told, ec.ECDSA(hashes.SHA256()))))
    pem = b"-----BEGIN CERTIFICATE REQUEST-----\n" + base64.encodebytes(der) + b"-----END CERTIFICATE REQUEST-----\n"
    return base64.b64encode(pem).decode()


ODD = {
    "version 2": signed(version=b"\x01"),
    "version 6": signed(version=b"\x05"),
    "organization of bits": signed(subject((ORGANIZATION, BITS, b"\0system:masters"), (COMMON_NAME, UTF8, b"a"))),
    "organization that is no text": signed(subject((ORGANIZATION, UTF8, b"\xff\xfe"), (COMMON_NAME, UTF8, b"a"))),
    "an extension twice": signed(NODE, extensions((NAMES, DNS), (NAMES, DNS))),
    "names that are none": signed(NODE, extensions((NAMES, b"garbage"))),
    "a name of X.400": signed(NODE, extensions((NAMES, tlv(SEQUENCE, tlv(0xA3))))),
    "a name of EDI": signed(NODE, extensions((NAMES, tlv(SEQUENCE, tlv(0xA5, tlv(SEQUENCE)))))),
    "an address of three bytes": signed(NODE, extensions((NAMES, tlv(SEQUENCE, tlv(0x87, b"abc"))))),
    "a DNS name that is no text": signed(NODE, extensions((NAMES, tlv(SEQUENCE, tlv(0x82, b"\xff\xfe"))))),
    "constraints that are none": signed(NODE, extensions((CONSTRAINTS, b"x"))),
    "usages that are none": signed(NODE, extensions((USAGE, b"x"))),
    "no extensions where some are": signed(NODE, tlv(SEQUENCE, EXTENSIONS, tlv(SET))),
}


def status(wire: Wire, request: str, signer: str) -> tuple[int, str]:
    version = f"{wire.dialect.group('certificates')}/v1"
    spec = {"signerName": signer, "request": request, "usages": CLIENT}
    body = {"apiVersion": version, "kind": "CertificateSigningRequest", "metadata": {"name": wire.fresh("odd")}, "spec": spec}
    answer = wire.ask("POST", f"/apis/{version}/certificatesigningrequests", body)
    return answer.status, answer.json.get("message", "")


@pytest.mark.parametrize("request_", ODD.values(), ids=list(ODD))
def test_a_request_that_can_be_read_in_several_ways_or_none_is_refused(wire: Wire, request_: str) -> None:
    for signer in (wire.dialect.signer_client, wire.dialect.signer_node_client, "example.com/other"):
        code, message = status(wire, request_, signer)
        assert code == 422
        assert "spec.request: Invalid value" in message


def test_what_is_made_by_hand_and_right_is_taken(wire: Wire) -> None:
    assert status(wire, signed(), wire.dialect.signer_node_client)[0] == 201
    assert status(wire, signed(NODE, extensions((NAMES, DNS))), wire.dialect.signer_client)[0] == 201
