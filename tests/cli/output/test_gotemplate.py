"""What golden files don't hold about Go templates: where they differ from kubectl's on purpose, and that they always end."""

import pytest

from svcsim import limits
from tests.cli.golden import DIRECTORY

DEEP = limits.TEMPLATE_LEVELS


@pytest.mark.parametrize(
    "template", ["{{" + "(" * DEEP + "1" + ")" * DEEP + "}}", "{{if 1}}" * DEEP + "{{end}}" * DEEP, "{{if 1}}x{{else if 1}}" * 5000]
)
def test_a_template_that_nests_too_deep_is_refused(template, cli):
    refused = cli(["get", "cm", "c", "-o", f"go-template={template}"])
    assert refused.err.endswith(f"template: output:1: more than {DEEP} levels of actions and parentheses\n")


def test_a_template_that_includes_itself_ends(cli):
    done = cli(["get", "cm", "c", "-o", 'go-template={{define "t"}}x{{template "t"}}{{end}}{{template "t"}}'])
    assert (done.status, f"exceeded maximum template depth ({DEEP})" in done.err) == (1, True)


def test_a_path_that_leads_nowhere_is_an_error_where_that_is_asked_for(cli):
    refused = cli("get cm c -o jsonpath='{.data.nope}x{.kind}' --allow-missing-template-keys=false")
    head, label, template, _, given = refused.err.splitlines()
    assert head == (
        'error: error executing jsonpath "{.data.nope}x{.kind}": Error executing template: nope is not found. '
        "Printing more information for debugging the template:"
    )
    assert (label, template) == ("\ttemplate was:", "\t\t{.data.nope}x{.kind}")
    assert given.startswith('\t\tmap[string]interface {}{"apiVersion":"v1", "binaryData":map[string]interface {}{"bin":"AAEC"}, ')
    assert cli("get cm c -o jsonpath='{.data.nope}x{.kind}'").out == "xConfigMap"


def test_every_command_that_prints_objects_takes_templates(cli, monkeypatch):
    monkeypatch.chdir(DIRECTORY)
    template = "--template={{.kind}}/{{.metadata.name}}"
    for command in (
        "get cm c", "label cm c a=b", "annotate cm c a=b", "patch cm c -p {}", "create cm fresh", "apply -f manifests/cm.yaml",
        "create -f manifests/cmnew.yaml", "wait cm/c --for=create", "get cm c --watch --request-timeout=1s",
    ):  # fmt: skip
        assert cli([*command.split(), template]).out.startswith("ConfigMap/"), command
