"""``svcsim up --enable-admission-plugins`` and ``--disable-admission-plugins``, in processes of its own and over the wire."""

import json
from pathlib import Path

from tests.cli.own.test_runtime_config import Run, svcsim

__all__ = ["svcsim"]

POD = json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}})


def tolerations(svcsim: Run, file: Path) -> str:
    file.write_text(POD)
    created = svcsim("--cluster", "rc", "apply", "-f", str(file))
    assert created.returncode == 0, created.stderr
    return svcsim("--cluster", "rc", "get", "pod", "p", "-o", "jsonpath={.spec.tolerations[*].key}").stdout


def test_a_plugin_that_is_switched_off_stays_off_when_the_cluster_starts_again(svcsim: Run, tmp_path: Path):
    off = ("--disable-admission-plugins", "DefaultTolerationSeconds")
    started = svcsim("up", "rc", "--nodes", "0", *off)
    assert started.returncode == 0, started.stderr
    assert tolerations(svcsim, tmp_path / "pod.json") == ""
    svcsim("down", "rc")
    assert svcsim("up", "rc").returncode == 0
    other = svcsim("up", "rc", "--disable-admission-plugins", "ServiceAccount")
    wanted = 'error: cluster "rc" is already running, with another --disable-admission-plugins; stop it first: svcsim down rc\n'
    assert (other.returncode, other.stderr) == (1, wanted)
    assert svcsim("up", "rc", *off).returncode == 0


def test_a_plugin_that_was_switched_off_is_switched_on_again_by_its_option_alone(svcsim: Run, tmp_path: Path):
    assert svcsim("up", "rc", "--nodes", "0", "--disable-admission-plugins", "DefaultTolerationSeconds").returncode == 0
    svcsim("down", "rc")
    again = svcsim("up", "rc", "--enable-admission-plugins", "DefaultTolerationSeconds")
    assert again.returncode == 0, again.stderr
    assert tolerations(svcsim, tmp_path / "pod.json") != ""


def test_a_plugin_nobody_knows_is_told_in_one_line_and_leaves_nothing_behind(svcsim: Run, tmp_path: Path):
    refused = svcsim("up", "rc", "--enable-admission-plugins", "Nope")
    plugins = (
        "NamespaceAutoProvision, NamespaceExists, SecurityContextDeny, LimitPodHardAntiAffinityTopology, AlwaysPullImages, "
        "PodSecurityPolicy, PodNodeSelector, ImagePolicyWebhook, PodTolerationRestriction, EventRateLimit, ExtendedResourceToleration, "
        "PersistentVolumeLabel, OwnerReferencesPermissionEnforcement"
    )
    wanted = f'error: --enable-admission-plugins: there is no admission plugin "Nope"; there are {plugins}\n'
    assert (refused.returncode, refused.stderr) == (1, wanted)
    assert not (tmp_path / "clusters" / "rc").exists()
    without = svcsim("up", "rc", "--enable-admission-plugins", "none").stderr
    back = "to take back what was said before, give no name: --enable-admission-plugins="
    assert without == f'error: --enable-admission-plugins: there is no admission plugin "none"; {back}\n'
    meant = svcsim("up", "rc", "--enable-admission-plugins", "PodSecurty").stderr
    assert meant == 'error: --enable-admission-plugins: there is no admission plugin "PodSecurty"; did you mean "PodSecurity"?\n'


def test_a_plugin_that_knows_nobody_to_ask_is_not_switched_on(svcsim: Run):
    refused = svcsim("up", "rc", "--enable-admission-plugins", "ImagePolicyWebhook")
    wanted = "error: ImagePolicyWebhook is on, and no file given by --admission-control-config-file says whom it asks\n"
    assert (refused.returncode, refused.stderr) == (1, wanted)


def test_who_gives_services_their_addresses_is_no_plugin_that_anybody_switches(svcsim: Run):
    refused = svcsim("up", "rc", "--disable-admission-plugins", "ServiceAddresses")
    assert refused.returncode == 1
    assert 'there is no admission plugin "ServiceAddresses"; ' in refused.stderr
    assert "ServiceAddresses" not in refused.stderr.partition(";")[2]
