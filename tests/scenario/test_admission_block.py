"""Which admission plugins a scenario's cluster has, and the file they go by."""

import pytest

from svcsim.scenario.runner import main
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
    where = f"{replay.directory}/test.yaml:5:37"
    assert f"{where}: {file}: it must be a WebhookAdmissionConfiguration" in outcome.err
    assert [line["type"] for line in outcome.lines] == ["file"], outcome.lines
    assert "Traceback" not in outcome.err


NO_LIMITS = "apiVersion: eventratelimit.admission.svcapi.io/v1alpha1, kind: Configuration"


@pytest.mark.parametrize(
    ("admission", "configuration", "why"),
    [
        (
            "{configFile: a.yaml}",
            "{kind: Nonsense}",
            "5:37: {file}: it must be an AdmissionConfiguration of apiserver.",
        ),
        ("{configFile: a.yaml}", "[]", "5:37: {file}: it is no object"),
        ("{configFile: '${vars.file}'}", "%s, more: 1", '5:37: {file}: it has no field "more"; it has apiVersion, kind, plugins'),
        ("{configFile: a.yaml}", "%s, plugins: [{name: X}]", '5:37: {file}: there is nothing to configure of a plugin "X"; there is of '),
        (
            "{configFile: a.yaml}",
            "%s, plugins: [{name: PodNodeSelector, configuration: {}}]",
            "5:37: {file}: podNodeSelectorPluginConfig: it is missing, or no map of selectors",
        ),
        (
            "{configFile: a.yaml}",
            "%s, plugins: [{name: ImagePolicyWebhook, configuration: {imagePolicy: {}}}]",
            "5:37: {file}: imagePolicy.svcConfigFile is missing",
        ),
        (
            "{configFile: a.yaml}",
            f"%s, plugins: [{{name: EventRateLimit, configuration: {{{NO_LIMITS}}}}}]",
            "5:37: {file}: limits: there is none, and there has to be one at least",
        ),
        ("{enable: [EventRateLimit]}", "", "5:34: EventRateLimit is on, and no configFile says what its limits are"),
        ("'${vars.block}'", "", "5:24: EventRateLimit is on, and no configFile says what its limits are"),
        ("{enable: [NamespaceExists, ImagePolicyWebhook]}", "", "5:51: ImagePolicyWebhook is on, and no configFile says whom it asks"),
        ("{enable: [EventRateLimit], configFile: a.yaml}", "%s", "5:34: EventRateLimit is on, and {file} doesn't say what its limits are"),
    ],
)
def test_the_check_reads_what_plugins_go_by(replay, admission, configuration, why):
    """Nothing that the run would refuse is called valid, and nothing is said of the command line's options."""
    file = replay.directory / "a.yaml"
    head = "{apiVersion: apiserver.config.svcapi.io/v1, kind: AdmissionConfiguration"
    file.write_text(configuration.replace("%s", head) + ("}" if "%s" in configuration else ""))
    spec = f"  cluster: {{admission: {admission}}}\n  vars: {{file: a.yaml, block: {{enable: [EventRateLimit]}}}}\n"
    path = replay.write(f"{spec}  steps: [{{id: a, do: [{{sleep: 1s}}]}}]\n")
    assert main([str(path)], check_only=True) == 2
    (said,) = replay.capsys.readouterr().err.splitlines()
    assert said.startswith(f"{path}:{why.replace('{file}', str(file))}"), said


def test_a_plugin_that_is_told_what_it_needs_may_be_on(replay):
    (replay.directory / "a.yaml").write_text(
        CONFIGURATION.replace("ValidatingAdmissionWebhook", "EventRateLimit")
        % f"{{{NO_LIMITS}, limits: [{{type: Server, qps: 100, burst: 100}}]}}"
    )
    spec = "  cluster: {admission: {enable: [EventRateLimit], configFile: a.yaml}}\n  steps: [{id: a, do: [{sleep: 1s}]}]\n"
    assert replay(spec).code == 0
