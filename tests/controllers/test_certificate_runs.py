"""What becomes of certificate signing requests and bootstrap tokens as time passes: hours and years of it."""

import base64
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from svcsim.clock import format_time
from svcsim.cluster.certificates_spec import CertificatesSpec
from svcsim.dialect import DIALECTS
from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from tests.controllers.running import LONG_S, Running, running
from tests.virtual import START_S

pytestmark = [pytest.mark.virtual_time, pytest.mark.parametrize("dialect", list(DIALECTS))]

DAY_S = 24 * LONG_S
KEY = ec.generate_private_key(ec.SECP256R1())


def authority(directory: Path, valid_s: float, **options: float) -> CertificatesSpec:
    """The settings of a cluster whose signing authority is valid for so long from its beginning on."""
    begins = datetime.fromtimestamp(START_S, UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "an authority")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(KEY.public_key())
        .serial_number(1)
        .not_valid_before(begins - timedelta(days=1))
        .not_valid_after(begins + timedelta(seconds=valid_s))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(KEY, hashes.SHA256())
    )
    spec = CertificatesSpec(cert_file=directory / "ca.crt", key_file=directory / "ca.key", **options)
    assert spec.cert_file is not None
    assert spec.key_file is not None
    spec.cert_file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    kind, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    spec.key_file.write_bytes(KEY.private_bytes(serialization.Encoding.PEM, kind, plain))
    spec.key_file.chmod(0o600)
    return spec


class Requests:
    """The requests of a cluster, and who decides about them."""

    def __init__(self, run: Running) -> None:
        self.run = run
        self.version = f"{run.dialect.group('certificates')}/v1"
        self.api = run.client.resource(self.version, "certificatesigningrequests")

    async def create(self, name: str = "a", **spec: Json) -> Object:
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "alice")])
        request = x509.CertificateSigningRequestBuilder().subject_name(subject).sign(KEY, hashes.SHA256())
        pem = base64.b64encode(request.public_bytes(serialization.Encoding.PEM)).decode()
        wanted = {"signerName": self.run.dialect.signer_client, "request": pem, "usages": ["client auth"], **spec}
        return await self.api.create({"metadata": {"name": name}, "spec": wanted})

    async def decide(self, kind: str = "Approved", name: str = "a", **times: str) -> None:
        csr = await self.api.get(name)
        condition = {"type": kind, "status": "True", "reason": "Test", **times}
        csr["status"] = {"conditions": [*get_path(csr, "status.conditions", []), condition]}
        await self.api.update(csr, "status" if kind == "Failed" else "approval")

    async def signed(self, name: str = "a", within_s: float = 120.0) -> Object:
        [csr] = await self.run.until(lambda items: all(get_path(item, "status.certificate") for item in items), self.api, within_s)
        assert csr["metadata"]["name"] == name
        return csr

    async def is_there(self, name: str = "a") -> bool:
        return await self.run.exists(self.api, name)


async def test_what_nobody_decides_goes_after_a_day(dialect: str) -> None:
    async with running(dialect=dialect, nodes=0) as run:
        given = Requests(run)
        await given.create()
        await run.clock.sleep(DAY_S - 10)
        assert await given.is_there()
        await run.until_gone(given.api, "a", 20)


async def test_what_is_decided_goes_an_hour_later(dialect: str) -> None:
    kinds = ("Denied", "Failed", "Approved")
    async with running(dialect=dialect, nodes=0) as run:
        given = Requests(run)
        for kind in kinds:
            await given.create(kind.lower(), signerName="example.com/nobodys")
        await run.clock.sleep(DAY_S - 10)
        for kind in kinds:
            await given.decide(kind, kind.lower())
        await run.clock.sleep(LONG_S - 10)
        for kind in kinds:
            assert await given.is_there(kind.lower()), "a day after it was made: it was decided"
        for kind in kinds:
            await run.until_gone(given.api, kind.lower(), 20)


async def test_an_hour_counts_from_the_last_that_became_of_it(dialect: str) -> None:
    async with running(dialect=dialect, nodes=0) as run:
        given = Requests(run)
        await given.create(signerName="example.com/nobodys")
        await given.decide("Approved")
        await run.clock.sleep(LONG_S - 10)
        await given.decide("Failed")
        await run.clock.sleep(LONG_S - 10)
        assert await given.is_there()
        await run.until_gone(given.api, "a", 20)


async def test_the_time_of_a_conditions_update_counts_not_of_its_transition(dialect: str) -> None:
    async with running(dialect=dialect, nodes=0) as run:
        given = Requests(run)
        await given.create(signerName="example.com/nobodys")
        long_ago, lately = format_time(START_S - DAY_S), format_time(START_S)
        await given.decide("Denied", lastTransitionTime=long_ago, lastUpdateTime=lately)
        await run.clock.sleep(LONG_S - 20)
        assert await given.is_there()
        await run.until_gone(given.api, "a", 30)


async def test_who_decides_by_another_clock_doesnt_have_requests_taken_away(dialect: str) -> None:
    async with running(dialect=dialect, nodes=0) as run:
        given = Requests(run)
        await given.create(signerName="example.com/nobodys")
        await given.decide("Approved", lastUpdateTime=format_time(START_S - 2 * DAY_S))
        await run.clock.sleep(LONG_S - 10)
        assert await given.is_there()
        await run.until_gone(given.api, "a", 20)


async def test_an_issued_certificate_that_ends_takes_its_request_along(tmp_path: Path, dialect: str) -> None:
    async with running(dialect=dialect, nodes=0, certificates=authority(tmp_path, DAY_S)) as run:
        given = Requests(run)
        await given.create(expirationSeconds=600)
        await given.decide()
        await given.signed()
        await run.clock.sleep(580)
        assert await given.is_there()
        await run.until_gone(given.api, "a", 60)


async def test_certificates_are_signed_for_so_long_at_the_most(tmp_path: Path, dialect: str) -> None:
    async with running(dialect=dialect, nodes=0, certificates=authority(tmp_path, 10 * DAY_S, duration_s=2 * DAY_S)) as run:
        given = Requests(run)
        for wanted_s, lasts_s in ((None, 2 * DAY_S), (3 * DAY_S, 2 * DAY_S), (900, 900)):
            await given.create(expirationSeconds=None if wanted_s is None else int(wanted_s))
            await given.decide()
            issued = x509.load_pem_x509_certificate(base64.b64decode((await given.signed())["status"]["certificate"]))
            assert abs(issued.not_valid_after_utc.timestamp() - run.clock.now() - lasts_s) < 5
            await given.api.delete("a")


async def test_no_certificate_outlives_who_signs_it(tmp_path: Path, dialect: str) -> None:
    async with running(dialect=dialect, nodes=0, certificates=authority(tmp_path, DAY_S)) as run:
        given = Requests(run)
        await given.create()
        await given.decide()
        issued = x509.load_pem_x509_certificate(base64.b64decode((await given.signed())["status"]["certificate"]))
        assert issued.not_valid_after_utc.timestamp() == START_S + DAY_S


async def test_what_an_authority_can_no_longer_sign_is_signed_once_it_is_renewed(tmp_path: Path, dialect: str) -> None:
    async with running(dialect=dialect, nodes=0, certificates=authority(tmp_path, LONG_S)) as run:
        given = Requests(run)
        await run.clock.sleep(2 * LONG_S)
        await given.create()
        await given.decide()
        await run.clock.sleep(60)
        status = (await given.api.get("a"))["status"]
        assert [one["type"] for one in status["conditions"]] == ["Approved"], "it is no fault of the request"
        authority(tmp_path, DAY_S)
        await given.signed(within_s=1200)


async def test_a_bootstrap_token_goes_when_its_time_is_over_and_one_prolonged_in_that_moment_stays(dialect: str) -> None:
    async with running(dialect=dialect, nodes=0, certificates=CertificatesSpec(bootstrap_tokens=True)) as run:
        secrets = run.client.resource("v1", "secrets", run.dialect.system_namespace)
        for name in ("ending", "stayed"):
            parts = {"token-id": name, "token-secret": "0123456789abcdef", "expiration": format_time(run.clock.now() + 100)}
            metadata = {"name": f"bootstrap-token-{name}"}
            await secrets.create({"metadata": metadata, "type": run.dialect.key("token", "bootstrap"), "stringData": parts})
        await run.clock.sleep(99)
        await secrets.patch("bootstrap-token-stayed", {"stringData": {"expiration": format_time(run.clock.now() + 1000)}})
        await run.until_gone(secrets, "bootstrap-token-ending", 10)
        await run.clock.sleep(900)
        assert await run.exists(secrets, "bootstrap-token-stayed")
        await run.until_gone(secrets, "bootstrap-token-stayed", 200)
