"""The grammar of kubectl-like command lines."""

import pytest

from svcsim.cli.flags import Flag, UsageError, find_command, parse, switch, words

FLAGS = (
    switch("all-namespaces", "", "A"),
    switch("wait", "", default=True),
    switch("watch", "", "w"),
    Flag("output", short="o"),
    Flag("chunk-size", "int64", 500),
    Flag("timeout", "duration", 0.0),
    Flag("dry-run", default="none", bare="unchanged"),
    words("filename", "", "f"),
    Flag("set", "array", []),
)


def options(*argv):
    args, found = parse(FLAGS, list(argv))
    return args, found


@pytest.mark.parametrize("spelled", [("-oyaml",), ("-o=yaml",), ("-o", "yaml"), ("--output=yaml",), ("--output", "yaml")])
def test_a_value_may_be_spelled_in_every_way(spelled):
    assert options(*spelled, "pods")[1].text("output") == "yaml"


def test_flags_stand_before_and_after_arguments():
    args, found = options("pods", "-A", "web", "--output", "name", "more")
    assert args == ["pods", "web", "more"]
    assert found.on("all-namespaces")
    assert found.text("output") == "name"


def test_flags_are_known_as_they_were_written():
    _, found = options("pods", "-Ao", "yaml", "-", "--chunk-size", "3", "--wait=false", "-fx", "--set=", "--", "-w")
    assert found.written == ["-Ao", "yaml", "--chunk-size", "3", "--wait=false", "-fx", "--set="]


@pytest.mark.parametrize(("spelled", "value"), [("--wait=false", False), ("--wait=0", False), ("--wait=T", True), ("--wait", True)])
def test_a_switch_takes_a_value_only_behind_an_equals_sign(spelled, value):
    args, found = options(spelled, "false")
    assert found.on("wait") is value
    assert args == ["false"]


def test_short_switches_can_be_written_together_with_one_that_takes_a_value():
    args, found = options("-Awoyaml", "pods")
    assert (found.on("all-namespaces"), found.on("watch"), found.text("output"), args) == (True, True, "yaml", ["pods"])


def test_a_flag_with_an_optional_value_never_takes_the_next_word():
    args, found = options("--dry-run", "client")
    assert (found.text("dry-run"), args) == ("unchanged", ["client"])


def test_lists_split_at_commas_and_add_up_but_arrays_do_not_split():
    found = options("-f", "a,b", "-f", "c", "--set", "x,y", "--set", "z")[1]
    assert found.items("filename") == ["a", "b", "c"]
    assert found.items("set") == ["x,y", "z"]


def test_everything_behind_two_hyphens_is_an_argument():
    assert options("pods", "--", "-A", "--output")[0] == ["pods", "-A", "--output"]


def test_a_single_hyphen_is_a_value_or_an_argument():
    assert options("-f", "-")[1].items("filename") == ["-"]
    assert options("-")[0] == ["-"]


def test_durations_and_numbers_are_converted():
    found = options("--timeout=1m30s", "--chunk-size", "7")[1]
    assert found.seconds("timeout") == 90.0
    assert found.number("chunk-size") == 7


def test_what_was_spelled_out_is_remembered():
    found = options("--chunk-size=500")[1]
    assert "chunk-size" in found.given
    assert "output" not in found.given


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--foo"], "unknown flag: --foo"),
        (["-z"], "unknown shorthand flag: 'z' in -z"),
        (["-Az"], "unknown shorthand flag: 'z' in -z"),
        (["--output"], "flag needs an argument: --output"),
        (["-o"], "flag needs an argument: 'o' in -o"),
        (["--=x"], "bad flag syntax: --=x"),
        (["--chunk-size=x"], 'invalid argument "x" for "--chunk-size" flag: strconv.ParseInt: parsing "x": invalid syntax'),
        (["--chunk-size=\u0661"], 'invalid argument "\u0661" for "--chunk-size" flag: strconv.ParseInt: parsing "\u0661": invalid syntax'),
        (["-w=maybe"], 'invalid argument "maybe" for "-w, --watch" flag: strconv.ParseBool: parsing "maybe": invalid syntax'),
        (["--timeout=5"], 'invalid argument "5" for "--timeout" flag: time: missing unit in duration "5"'),
    ],
)
def test_mistakes_are_told_in_kubectls_words(argv, message):
    with pytest.raises(UsageError) as error:
        options(*argv)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("argv", "index"),
    [
        (["get", "pods"], 0),
        (["-n", "shop", "get"], 2),
        (["--namespace=shop", "get"], 1),
        (["-nshop", "get"], 1),
        (["--insecure-skip-tls-verify", "get"], 1),
        (["--cluster", "x"], None),
        ([], None),
    ],
)
def test_the_command_is_found_behind_flags_that_all_commands_know(argv, index):
    assert find_command(argv) == index


@pytest.mark.parametrize("flag", ["--help=foo", "-h=foo"])
def test_help_is_a_switch_like_others(run, flag):
    wrong = 'Error: invalid argument "foo" for "-h, --help" flag: strconv.ParseBool: parsing "foo": invalid syntax\n'
    assert run(["get", flag]).err == wrong + "See 'svcsim get --help' for usage.\n"
    assert run(["get", "--help=true"]) == run(["get", "--help"])
