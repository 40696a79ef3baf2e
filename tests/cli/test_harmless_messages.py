"""Messages that quote the command line have nothing in them that could steer a terminal."""

import pytest

WORD = "/x\x1b[31m\x9b31mz.yaml"


@pytest.mark.parametrize(
    "words",
    [
        ["apply", "-f", WORD],
        ["apply", WORD],
        ["config", "view", WORD],
        ["create", "cm", "a", "--from-file", WORD],
        ["diff", "-f", WORD],
        ["diff", WORD],
        ["down", WORD],
        ["get", WORD],
        ["get", "--raw", WORD],
        ["get", f"--{WORD}"],
        ["get", "--chunk-size", WORD],
        ["get", "cm", "--kubeconfig", WORD],
        ["replay", WORD],
        ["replay", "--json", f"/no/such{WORD}", "x.yaml"],
        ["up", "--nodes", WORD],
        [WORD],
    ],
)
def test_a_message_quotes_the_command_line_without_its_escapes(words, run):
    status, out, err = run(words)
    assert status
    assert err.strip()
    assert not [char for char in out + err if not char.isprintable() and char not in "\n\t"]
