"""The format's reference is the one the format gives."""

import re
from pathlib import Path

from svcsim.scenario.reference import reference

PAGE = Path(__file__).parents[2] / "docs" / "scenarios.md"


def test_the_page_is_not_stale():
    is_fresh = PAGE.read_text() == reference()
    assert is_fresh, "docs/scenarios.md is stale; make it anew with: python -m svcsim.scenario.reference > docs/scenarios.md"


def test_every_link_in_it_leads_somewhere():
    titles = {re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"(?m)^## (.*)$", reference())}
    links = re.findall(r"\]\(#([^)]*)\)", reference())
    assert links
    assert [link for link in links if link not in titles] == []
