"""Flags for every command, given to svcsim's own: what makes no difference there is taken, what would is not passed over."""

import pytest

GLOBAL = (
    "--cluster k",
    "--kubeconfig nowhere",
    "--context x",
    "--namespace a",
    "-n a",
    "-na",
    "--namespace=a",
    "--request-timeout 5s",
    "-s x",
)


@pytest.mark.parametrize("flag", GLOBAL)
@pytest.mark.parametrize("line", ["completion bash", "clusters"])
def test_commands_about_no_cluster_take_all_of_them(run, flag, line):
    plain = run(line)
    assert plain[0] == 0
    assert run(f"{flag} {line}") == plain
    assert run(f"{line} {flag}") == plain


@pytest.mark.parametrize("command", ["up", "down", "use", "status", "kubeconfig", "logs-server", "clock", "replay"])
def test_a_namespace_makes_no_difference_to_commands_for_clusters(run, command):
    for line in (f"-n a {command} --help", f"{command} --namespace=a --help", f"{command} --request-timeout 5s --help"):
        assert run(line)[0] == 0


def test_a_cluster_named_in_another_way_is_not_passed_over(run):
    status, _, err = run("--context other down")
    assert (status, err.splitlines()[0]) == (1, "error: unknown flag: --context")


def test_a_flag_without_its_value_is_told(run):
    assert run("completion bash --context")[2].splitlines()[0] == "error: flag needs an argument: --context"
