"""Files that a cluster is given: what is wrong with one is told at the start, in a line that names the option."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from svcsim.auth import certificates
from svcsim.cluster.certificates_spec import CertificatesSpec
from svcsim.cluster.cluster import open_cluster
from svcsim.cluster.settings import SettingError, changed, settings
from svcsim.cluster.spec import ClusterSpec
from svcsim.dialect import DIALECTS, DialectName
from svcsim.meta.configuration_error import ConfigurationError

FILES = "--cluster-signing-cert-file and --cluster-signing-key-file"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> certificates.Credentials:
    return certificates.ensure(tmp_path_factory.mktemp("other"))


async def refused(spec: ClusterSpec) -> str:
    with pytest.raises(ConfigurationError) as raised:
        async with open_cluster(spec):
            raise AssertionError("it started")
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.mark.virtual_time
async def test_certificates_are_signed_by_an_authority_alone(made: certificates.Credentials, tmp_path: Path) -> None:
    def signing(certificate: Path | None, key: Path | None) -> ClusterSpec:
        return ClusterSpec(data_dir=tmp_path / "data", certificates=CertificatesSpec(cert_file=certificate, key_file=key))

    ca, ca_key = made.ca_certificate, made.ca_key
    leaf, leaf_key = made.admin_certificate, made.admin_key
    lacks = "the certificate is no authority's (it lacks CA:TRUE), so that nobody would take what is signed with it"
    assert await refused(signing(leaf, leaf_key)) == f"{FILES}: {lacks}"
    assert await refused(signing(ca, None)) == f"{FILES} go together: give both, or none"
    assert await refused(signing(ca, leaf_key)) == f"{FILES}: tls: private key does not match public key"
    assert await refused(signing(tmp_path / "nowhere", ca_key)) == f"{FILES}: can't read {tmp_path}/nowhere: no such file or directory"
    for content, told in (("", "failed to find any PEM data in certificate input"), ("x" * 100, "failed to find any PEM data")):
        (tmp_path / "bad").write_text(content)
        assert told in await refused(signing(tmp_path / "bad", ca_key))
    opened = tmp_path / "open.key"
    opened.write_bytes(ca_key.read_bytes())
    opened.chmod(0o644)
    assert "others can get at the secrets in it" in await refused(signing(ca, opened))


@pytest.mark.virtual_time
async def test_certificates_end_some_time(tmp_path: Path) -> None:
    spec = ClusterSpec(data_dir=tmp_path / "data", certificates=CertificatesSpec(duration_s=0))
    assert await refused(spec) == "--cluster-signing-duration: certificates end some time; it takes a duration such as 24h"
    (duration,) = [one for one in settings(ClusterSpec) if one.flag == "--cluster-signing-duration"]
    with pytest.raises(SettingError, match=r'^--cluster-signing-duration takes a duration such as 5m or 1h, not "forever"$'):
        duration.from_option("forever")


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    "flag", [one.flag for one in settings(ClusterSpec) if isinstance(one.default, Path | None) and "-file" in one.flag]
)
async def test_a_pipe_is_not_waited_for(flag: str, tmp_path: Path) -> None:
    """Whoever opens one waits for its other end."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (one,) = [one for one in settings(ClusterSpec) if one.flag == flag]
    told = await refused(changed(ClusterSpec(data_dir=tmp_path / "data"), {one.name: one.from_option(str(pipe))}))
    assert told == f"{flag}: {pipe} is a pipe, which nobody may ever write to; give it a file"


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    "flag",
    [
        *("--admission-control-config-file", "--audit-policy-file", "--authentication-token-webhook-config-file", "--client-ca-file"),
        *("--service-account-signing-key-file", "--token-auth-file"),
    ],
)
async def test_a_device_is_not_read(flag: str, tmp_path: Path) -> None:
    """There is no end to what some have."""
    (one,) = [one for one in settings(ClusterSpec) if one.flag == flag]
    told = await refused(changed(ClusterSpec(data_dir=tmp_path / "data"), {one.name: one.from_option("/dev/zero")}))
    assert told.startswith(flag)
    assert told.endswith("it is no file, but something that may never end")


@pytest.mark.virtual_time
@pytest.mark.parametrize("is_pipe", [True, False])
async def test_nor_is_one_that_a_configuration_names(is_pipe: bool, tmp_path: Path) -> None:
    path = tmp_path / "pipe" if is_pipe else Path("/dev/zero")
    if is_pipe:
        os.mkfifo(path)
    file = tmp_path / "admission.yaml"
    plugins = f'plugins: [{{"name": "PodNodeSelector", "path": "{path}"}}]'
    file.write_text(f"apiVersion: apiserver.config.svcapi.io/v1\nkind: AdmissionConfiguration\n{plugins}\n")
    (one,) = [one for one in settings(ClusterSpec) if one.flag == "--admission-control-config-file"]
    told = await refused(changed(ClusterSpec(data_dir=tmp_path / "data"), {one.name: one.from_option(str(file))}))
    assert told.endswith(f"{path} can't be read: it is no file, but something that may never end")


@pytest.mark.virtual_time
async def test_so_is_one_of_several(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    spec = ClusterSpec(data_dir=tmp_path / "data")
    told = await refused(replace(spec, service_accounts=replace(spec.service_accounts, key_files=(pipe,))))
    assert told.startswith(f"--service-account-key-file: {pipe} is a pipe")


@pytest.mark.virtual_time
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("plugin", ["log", "webhook"])
async def test_audit_events_have_one_version(dialect: DialectName, plugin: str, tmp_path: Path) -> None:
    """It may be said, as Kubernetes' own API server lets one say it."""
    only = f"{DIALECTS[dialect].group('audit')}/v1"
    spec = ClusterSpec(dialect=dialect, data_dir=tmp_path / "data")
    spec = changed(spec, {"audit.log.path": tmp_path / "log", f"audit.{plugin}.version": f"{only}beta1"})
    wanted = f"--audit-{plugin}-version: this cluster's audit events have the version {only}, not {only}beta1"
    assert await refused(spec) == wanted
    async with open_cluster(changed(spec, {f"audit.{plugin}.version": only})):
        pass
