"""Certificates with subjects of any sort, and good tokens changed in any place: nobody is taken for somebody else, and nothing breaks."""

import random  # noqa: TID251 - of a seed
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from svcsim.meta.types import Object
from tests.wire.raw import Wire
from tests.wire.test_auth import issue
from tests.wire.test_each_way_in import TOKENS, Site, site
from tests.wire.test_impersonation import ask

__all__ = ["site"]

UTF8, PRINTABLE, TELETEX, IA5, UNIVERSAL, BMP = 12, 19, 20, 22, 28, 30
ENCODINGS = {UTF8: "utf-8", PRINTABLE: "latin-1", TELETEX: "latin-1", IA5: "latin-1", UNIVERSAL: "utf-32-be", BMP: "utf-16-be"}
COMMON_NAME, ORGANIZATION, UNIT = b"\x55\x04\x03", b"\x55\x04\x0a", b"\x55\x04\x0b"
TEXTS = (
    *("", " ", "jane", "system:master", "system:masters\0", "\0system:masters", " system:masters", "SYSTEM:MASTERS", "system:masters,x"),
    *(
        "\uff53ystem:masters",
        "CN=root",
        "a\nb",
        "a\tb",
        "\x1b[31m",
        "\u202eenaj",
        "é",
        "e\u0301",
        '"',
        "\\",
        "x" * 10_000,
        "%00",
        "a/O=system:masters",
    ),
)
BROKEN = ((UTF8, b"\xff\xfe"), (UTF8, b"a\xc3"), (UTF8, b"\xed\xa0\x80"), (BMP, b"a"), (BMP, b"\xd8\x00"), (UNIVERSAL, b"\x00\x11\x00"))
ROUNDS = 40
LONG_BYTES = 15_000


def der(tag: int, content: bytes) -> bytes:
    size = len(content)
    length = bytes([size]) if size < 128 else bytes([0x80 + (size.bit_length() + 7) // 8]) + size.to_bytes((size.bit_length() + 7) // 8)
    return bytes([tag]) + length + content


def split(content: bytes) -> list[bytes]:
    """The elements that stand one after the other."""
    found, at = [], 0
    while at < len(content):
        size, begin = content[at + 1], at + 2
        if size & 0x80:
            begin += size & 0x7F
            size = int.from_bytes(content[at + 2 : begin])
        found.append(content[at : begin + size])
        at = begin + size
    return found


def inside(element: bytes) -> bytes:
    return element[2 + (element[1] & 0x7F if element[1] & 0x80 else 0) :]


class Forge:
    """Makes certificates of the cluster's authority whose subjects no library would write."""

    def __init__(self, wire: Wire, directory: Path) -> None:
        self.wire, self.directory = wire, directory
        issue(wire.server.pki, directory, "jane")
        parts = split(inside((x509.load_pem_x509_certificate((directory / "client.crt").read_bytes())).tbs_certificate_bytes))
        self.before, self.after = b"".join(parts[:5]), b"".join(parts[6:])
        self.algorithm = parts[2]
        signer = serialization.load_pem_private_key((wire.server.pki / "ca.key").read_bytes(), None)
        assert isinstance(signer, ec.EllipticCurvePrivateKey)
        self.signer = signer

    def context(self, subject: list[tuple[bytes, int, bytes]]) -> ssl.SSLContext:
        names = [der(0x31, der(0x30, der(6, kind) + der(tag, text))) for kind, tag, text in subject]
        signed = der(0x30, self.before + der(0x30, b"".join(names)) + self.after)
        signature = self.signer.sign(signed, ec.ECDSA(hashes.SHA256()))
        whole = der(0x30, signed + self.algorithm + der(3, b"\0" + signature))
        (self.directory / "odd.crt").write_text(ssl.DER_cert_to_PEM_cert(whole))
        context = ssl.create_default_context(cadata=self.wire.server.ca_pem)
        context.load_cert_chain(self.directory / "odd.crt", self.directory / "client.key")
        return context


@pytest.fixture
def forge(wire: Wire, tmp_path: Path) -> Forge:
    return Forge(wire, tmp_path)


def told(wire: Wire, tls: ssl.SSLContext) -> Object | None:
    """Whom the server takes somebody for; None where it hangs up."""
    group = wire.dialect.group("authentication")
    review = {"kind": "SelfSubjectReview", "apiVersion": f"{group}/v1", "metadata": {}}
    try:
        listed = ask(wire, "GET", "/api/v1/nodes", (), tls=tls)
        answer = ask(wire, "POST", f"/apis/{group}/v1/selfsubjectreviews", (), review, tls=tls)
    except (ConnectionError, ssl.SSLError):
        return None
    assert (listed.status, listed.message.isprintable()) == (403, True)
    if answer.status == 403:
        assert 'User "system:anonymous" cannot' in answer.message
        return {"username": "system:anonymous"}
    assert answer.status == 201
    found = answer.json["status"]["userInfo"]
    return {"username": found["username"], "groups": found["groups"][:-1]}


def whom(subject: list[tuple[bytes, int, bytes]]) -> Object:
    """Whom a subject names, if it can be read."""
    read = [(kind, text.decode(ENCODINGS[tag])) for kind, tag, text in subject]
    name = next((text for kind, text in reversed(read) if kind == COMMON_NAME), "")
    if not name:
        return {"username": "system:anonymous"}
    return {"username": name, "groups": [text for kind, text in read if kind == ORGANIZATION]}


def test_a_certificate_names_whom_it_names(wire: Wire, forge: Forge):
    """Several common names: the last. What can be read in one way only is; an empty name is nobody's."""
    chance = random.Random(21)
    for _ in range(ROUNDS):
        subject = []
        for _ in range(chance.randrange(5)):
            tag, text = chance.choice(list(ENCODINGS)), chance.choice(TEXTS)
            try:
                subject.append((chance.choice((COMMON_NAME, COMMON_NAME, ORGANIZATION, UNIT)), tag, text.encode(ENCODINGS[tag])))
            except UnicodeEncodeError:
                subject.append((COMMON_NAME, UTF8, text.encode()))
        found = told(wire, forge.context(subject))
        if found is not None or sum(len(text) for _, _, text in subject) < LONG_BYTES:  # TLS hangs up on certificates that are too long
            assert found == whom(subject), subject
    assert wire.get("/api/v1/nodes")


def test_a_name_that_can_not_be_read_is_nobodys(wire: Wire, forge: Forge):
    for tag, text in BROKEN:
        for subject in (
            [(COMMON_NAME, tag, text)],
            [(COMMON_NAME, UTF8, b"jane"), (ORGANIZATION, tag, text)],
            [(COMMON_NAME, tag, text), (COMMON_NAME, UTF8, b"jane")],
        ):
            try:
                context = forge.context(subject)
            except ssl.SSLError:
                continue  # OpenSSL itself, which reads it on the server's side too, takes it for no certificate
            assert told(wire, context) in (None, {"username": "system:anonymous"}), subject
    assert wire.get("/api/v1/nodes")


@pytest.mark.parametrize("named", TOKENS)
def test_a_good_token_changed_in_one_place_is_nobodys(site: Site, named: str):
    chance = random.Random(22)
    token = site.ways[named].token
    letters = "ABCXYZabcxyz0189-_.=+/~ %"
    parts = token.split(".")
    for number in range(ROUNDS):
        part = number % len(parts)
        changed = list(parts)
        changed[part] = mutated(chance, parts[part], letters)
        wrong = ".".join(changed).strip()
        if wrong != token:
            answer = ask(site.wire, "GET", "/version", (), token=wrong or "x")
            assert answer.status == 401, wrong
    for wrong in {".".join(reversed(parts)), ".".join(parts[:-1]), ".".join([*parts, parts[-1]]), ".".join(parts[1:])} - {token, ""}:
        assert ask(site.wire, "GET", "/version", (), token=wrong).status == 401, wrong


def mutated(chance: random.Random, part: str, letters: str) -> str:
    at = chance.randrange(len(part))
    letter = chance.choice(letters)
    return chance.choice(
        (part[:at] + letter + part[at + 1 :], part[:at] + part[at + 1 :], part[:at] + letter + part[at:], part[:at], part * 2)
    )
