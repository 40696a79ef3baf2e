"""The working directory: beside the real shells, what is printed was the same."""

import pytest

from tests.nodes.shell.container import Container


@pytest.mark.parametrize("shell", ["sh", "bash"])
@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("cd l; pwd; pwd -P; pwd -L; pwd -LP; pwd -PL; pwd -P x", "/w/l /w/r/s /w/l /w/r/s /w/l /w/r/s"),
        ("cd l/..; pwd; cd -P l; pwd; echo $PWD $OLDPWD; cd -L ..; pwd; cd -- -; pwd", "/w /w/r/s /w/r/s /w /w/r /w/r/s /w/r/s"),
        ("cd -PL l; pwd; cd -LP .; pwd; cd -P; pwd; cd -P -; echo $PWD", "/w/l /w/r/s /root /w/r/s /w/r/s"),
        ("cd l; /bin/pwd; /bin/pwd -L; env pwd -P; sh -c 'pwd -P'; x=$(cd -P . && pwd); echo $x", "/w/r/s /w/l /w/r/s /w/r/s /w/r/s"),
        ("cd -x || echo $?; pwd -x || echo $?; cd -P nope || echo no; cd l/f || echo no; pwd", "2 2 no no /w"),
    ],
)
async def test_links_on_the_way_to_it(shell: str, script: str, says: str):
    _, out, _ = await Container().run(shell, "-c", f"mkdir -p /w/r/s; echo > /w/r/s/f; ln -s /w/r/s /w/l; cd /w; {script}")
    assert out.split() == says.split()
