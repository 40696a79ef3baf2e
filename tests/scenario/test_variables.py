"""Values come from the file, then the environment, then the command line; the last one wins."""

import pytest

from svcsim.scenario import variables

DECLARED = {"n": 1, "image": "nginx", "flag": True}


def test_the_environment_replaces_the_file_and_the_command_line_both():
    environment = {"SVCSIM_VAR_N": "5", "SVCSIM_VAR_FLAG": "false", "SVCSIM_VAR_OTHER": "x"}
    found = variables.overrides(DECLARED, {"n": "7", "unrelated": "y"}, environment)
    assert found == {"n": "7", "flag": "false"}
    assert variables.resolve(DECLARED, found, None) == {"n": 7, "image": "nginx", "flag": False}


def test_a_variable_that_is_text_stays_text():
    assert variables.resolve(DECLARED, {"image": "1.27"}, {"n": 3}) == {"n": 3, "image": "1.27", "flag": True}


def test_a_variable_no_scenario_has_is_told():
    assert variables.unknown({"imge": "x"}, list(DECLARED)) == "--var imge: no scenario has such a variable; did you mean 'image'?"
    assert variables.unknown({"n": "x"}, list(DECLARED)) == ""


def test_a_pair_without_a_name_is_told():
    with pytest.raises(variables.VariableError, match="--var takes NAME=VALUE, not '=3'"):
        variables.parse(["=3"])
    assert variables.parse(["a=b=c", "d="]) == {"a": "b=c", "d": ""}


@pytest.mark.parametrize("value", [None, True, 0, 1.5, "true", "", "1", "a b", {"a": ["x'y", None, True]}, ["b"], {}])
def test_what_a_run_had_is_given_back_to_it_by_the_command_that_repeats_it(value):
    assert variables.resolve({"v": value}, {"v": variables.as_text(value)}, None) == {"v": value}


def test_a_map_that_is_none_is_told():
    with pytest.raises(variables.VariableError, match="--var m takes JSON here"):
        variables.resolve({"m": {"a": 1}}, {"m": "{a"}, None)


def test_a_variable_of_the_environment_that_is_no_text_is_told():
    with pytest.raises(variables.VariableError, match="SVCSIM_VAR_N is not valid UTF-8"):
        variables.overrides(DECLARED, {}, {"SVCSIM_VAR_N": b"a\xff".decode("utf-8", "surrogateescape")})


def test_rows_that_differ_in_their_type_come_to_the_same_by_one_replacement():
    assert [variables.resolve({"mu": 1}, {"mu": "1"}, row) for row in ({"mu": 1}, {"mu": "50%"})] == [{"mu": 1}] * 2
    assert variables.resolve({"mu": 1}, {"mu": "50%"}, None) == {"mu": "50%"}
