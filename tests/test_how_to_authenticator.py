"""The page on adding an authenticator, done as it says: in a copy of the source, served over TLS."""

import http.client
import json
import re
import shutil
import ssl
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from tests.process import ROOT, served
from tests.wire.test_auth import issue

PAGE = ROOT / "docs" / "how-to" / "add-an-authenticator.md"


def _blocks() -> list[str]:
    """The page's pieces of code, without the indent of the list they stand in."""
    return [re.sub(r"(?m)^   ", "", block) for block in re.findall(r"   ```python\n(.*?)   ```", PAGE.read_text(), re.DOTALL)]


def _follow(copy: Path) -> None:
    shutil.copytree(ROOT / "svcsim", copy / "svcsim", ignore=shutil.ignore_patterns("__pycache__"))
    new_file, *insertions = _blocks()
    (copy / "svcsim" / "auth" / "proxy_user.py").write_text(new_file)
    shutil.copy(ROOT / "pyproject.toml", copy)
    target = copy / "svcsim" / "cluster" / "access.py"
    text = target.read_text()
    for before, new in pairwise(line.strip() for block in insertions for line in block.splitlines()):
        if new.endswith("  # new"):
            (indent,) = re.findall(rf"(?m)^( *){re.escape(before)}$", text)
            text = text.replace(f"{indent}{before}\n", f"{indent}{before}\n{indent}{new}\n", 1)
    target.write_text(text)


def _ask(url: str, tls: ssl.SSLContext, *headers: tuple[str, str]) -> tuple[int, str]:
    """The answer's code, and for whom it is."""
    connection = http.client.HTTPSConnection(url.removeprefix("https://"), context=tls)
    connection.putrequest("GET", "/api/v1/nodes")
    for name, value in headers:
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    message = json.loads(answer.read()).get("message", "")
    connection.close()
    return answer.status, message.partition('User "')[2].partition('"')[0]


def test_an_authenticator_that_is_added_as_the_page_says_works(tmp_path: Path):
    _follow(tmp_path)
    subprocess.run([sys.executable, "-m", "ruff", "check", "svcsim/auth"], cwd=tmp_path, check=True)
    with served(tmp_path / "home", "kubernetes", source=tmp_path) as server:
        proxy = issue(server.pki, tmp_path, "front-proxy")
        assert _ask(server.url, proxy, ("X-Remote-User", "jane")) == (403, "jane")
        masters = (("X-Remote-User", "jane"), ("X-Remote-Group", "a, b"), ("X-Remote-Group", "system:masters"))
        assert _ask(server.url, proxy, *masters) == (200, "")
        assert _ask(server.url, proxy) == (403, "front-proxy"), "a rejection gives way to a later identity"
        joe = issue(server.pki, tmp_path, "joe")
        assert _ask(server.url, joe, ("X-Remote-User", "jane")) == (403, "joe")
        nobody = ssl.create_default_context(cafile=str(server.pki / "ca.crt"))
        assert _ask(server.url, nobody, ("X-Remote-User", "jane")) == (403, "system:anonymous")
        assert _ask(server.url, nobody, ("Authorization", f"Bearer {server.token}")) == (200, "")
