"""The page on how pods behave tells what is so."""

import re
from pathlib import Path

from svcsim.meta.annotation_places import FAILING_PROBES
from svcsim.meta.own_annotations import DOMAIN
from svcsim.nodes.containers.behaviour import Behaviours, read_behaviours
from svcsim.nodes.images.pull_failures import CATALOGUE, failure_in
from svcsim.nodes.staged.files import read_stages
from svcsim.nodes.staged.ready_sets import shipped
from tests.docs.told_pages import follow
from tests.nodes.build import pod_object

PAGE = (Path(__file__).resolve().parents[2] / "docs/how-to/say-how-pods-behave.md").read_text()


def test_its_stages_are_played_as_it_says(tmp_path: Path):
    follow("docs/how-to/say-how-pods-behave.md", tmp_path, "With stages")


def test_it_names_the_annotations_there_are():
    named = re.findall(rf"^\| `{DOMAIN}/([a-z-]+)`", PAGE, re.MULTILINE)
    assert named.pop() == FAILING_PROBES
    values = dict(zip(named, ("1s", "3", "2s", "PT5S", "timeout"), strict=True))
    read = read_behaviours(pod_object(annotations={f"{DOMAIN}/{name}": value for name, value in values.items()}))
    assert read == Behaviours({"": type(read.of[""])(1, 3, 2, 5, "timeout")})


def test_it_names_the_failures_there_are():
    listed = PAGE.partition("know these failures by name:")[2].partition(". Anything else")[0]
    assert re.findall(r"`([a-z-]+)`", listed) == list(CATALOGUE)
    tags = re.findall(r"`(\d{3})`", PAGE.partition("The tags")[2].partition("can't be pulled")[0])
    assert all(failure_in(f"web:{tag}") for tag in tags)
    assert len(tags) == 6


def test_it_names_the_sets_that_are_ready():
    assert sorted(re.findall(r"^\| `((?:pod|node)-[a-z]+)`", PAGE, re.MULTILINE)) == shipped()
    assert len(read_stages(shipped())) == 10
