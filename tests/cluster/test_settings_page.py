"""The reference of settings is the one that their declarations give, and what it shows is read."""

import json
import re
from pathlib import Path

from svcsim.cluster.settings import from_json, settings
from svcsim.cluster.settings_page import settings_page
from svcsim.cluster.spec import ClusterSpec

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"


def test_the_page_is_not_stale():
    is_fresh = PAGE.read_text() == settings_page()
    assert is_fresh, "docs/settings.md is stale; make it anew with: python -m svcsim.cluster.settings_page > docs/settings.md"


def test_every_option_has_its_row():
    rows = re.findall(r"(?m)^\| `(--[a-z0-9-]+)` \| `([A-Za-z0-9.]+)` \|", settings_page())
    assert dict(rows) == {one.flag: ".".join(one.json_path) for one in settings(ClusterSpec) if one.flag}


def test_its_example_is_read():
    example = json.loads(re.findall(r"```json\n(.*?)\n```", settings_page(), re.DOTALL)[0])
    spec = from_json(ClusterSpec, example)
    assert (spec.nodes, spec.oidc.issuer_url) == (5, "https://example.com")
