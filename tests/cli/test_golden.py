"""What commands print, byte for byte: as the golden files have it, and as kubectl does it."""

import shutil

import pytest

from tests.cli import golden

CASES = [pytest.param(command, expected, id=f"{name}: {command}") for name in golden.FILES for command, expected in golden.blocks(name)]
KUBECTLS_OWN = [case for case in CASES if not case.id.startswith("own:")]


@pytest.mark.parametrize(("command", "expected"), CASES)
def test_svcsim_prints_what_the_golden_file_has(command, expected, cli, stub, monkeypatch):
    monkeypatch.chdir(golden.DIRECTORY)
    status, out, err = cli(command)
    assert golden.neutral(golden.block(command, status, out, err), stub.url) == expected


@pytest.mark.skipif(not shutil.which("kubectl"), reason="kubectl is not on the PATH")
@pytest.mark.parametrize(("command", "expected"), KUBECTLS_OWN)
def test_kubectl_prints_the_same(command, expected, tmp_path):
    assert golden.kubectl(command, tmp_path) == expected
