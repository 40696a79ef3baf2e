"""Which admission plugins a scenario's cluster has, and the file they go by."""

import pytest

from tests.scenario.replaying import HEAD
from tests.scenario.test_check import mistakes

POD = "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: web, image: nginx}]}}"
STEPS = f'  steps: [{{id: a, do: [{{create: {{object: {POD}}}}}], expect: [{{eventually: {{kind: Pod, where: "%s"}}}}]}}]'


@pytest.mark.parametrize("dialect", ["svcapi", "kubernetes"])
def test_plugins_are_switched_on_and_off(replay, dialect):
    block = f"  cluster: {{dialect: {dialect}, admission: %s}}\n"
    always, never = (STEPS % f"spec.containers[0].imagePullPolicy == '{policy}'" for policy in ("Always", "IfNotPresent"))
    assert replay(block % "{enable: [AlwaysPullImages]}" + always).code == 0
    pinned = never.replace("image: nginx", "image: 'nginx:1.27'")
    assert replay(block % "{disable: [LimitRanger]}" + pinned).code == 0
    spared = STEPS % "!has(spec.tolerations)"
    assert replay(block % "{disable: [DefaultTolerationSeconds]}" + spared).code == 0
    assert replay("  vars: {off: DefaultTolerationSeconds}\n" + block % "{disable: ['${vars.off}']}" + spared).code == 0


@pytest.mark.parametrize(
    ("block", "why"),
    [
        ("{enable: [AlwaysPullImage]}", "there is no admission plugin 'AlwaysPullImage'; did you mean 'AlwaysPullImages'?"),
        ("{disable: [limitranger]}", "there is no admission plugin 'limitranger'; did you mean 'LimitRanger'?"),
        ("{enable: [Nothing at all]}", "there is no admission plugin 'Nothing at all'; known: "),
        ("{enable: [AlwaysPullImages], disable: [AlwaysPullImages]}", "'AlwaysPullImages' stands in line 5 already"),
        ("{enable: AlwaysPullImages}", "expected a list (items begin with a dash), not the string 'AlwaysPullImages'"),
        ("{on: [AlwaysPullImages]}", "admission has no field 'on'"),
        ("[AlwaysPullImages]", "admission is a map (enable, disable, configFile), not a list"),
        ("{configFile: nowhere.yaml}", "there is no file "),
    ],
)
def test_what_is_no_plugin_is_told_before_anything_runs(tmp_path, block, why):
    found = mistakes(tmp_path, f"{HEAD}  cluster: {{admission: {block}}}\n  steps: [{{id: a, do: [{{sleep: 1s}}]}}]\n")
    assert len(found) == 1, found
    assert why in found[0]


CONFIGURATION = """\
apiVersion: apiserver.config.svcapi.io/v1
kind: AdmissionConfiguration
plugins: [{name: ValidatingAdmissionWebhook, configuration: %s}]
"""


def test_the_plugins_configuration_stands_beside_the_scenario(replay):
    spec = "  cluster: {admission: {configFile: admission.yaml}}\n  steps: [{id: a, do: [{sleep: 1s}]}]\n"
    file = replay.directory / "admission.yaml"
    file.write_text(CONFIGURATION % "{apiVersion: apiserver.config.svcapi.io/v1, kind: WebhookAdmissionConfiguration}")
    outcome = replay(spec)
    assert outcome.code == 0, outcome.out
    file.write_text(CONFIGURATION % "{kind: Nonsense}")
    outcome = replay(spec)
    assert outcome.code == 2
    where = f"{replay.directory}/test.yaml:5:12"
    assert f"{where}: --admission-control-config-file: {file}: it must be a WebhookAdmissionConfiguration" in outcome.err
    assert [line["type"] for line in outcome.lines] == ["file"], outcome.lines
    assert "Traceback" not in outcome.err
