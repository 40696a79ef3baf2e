"""The page on reaching into pods lists what there is."""

import re
from pathlib import Path

from svcsim.nodes.images.base_image import lacking
from svcsim.nodes.shell.programs.shells import PROGRAMS, SHELLS

PAGE = (Path(__file__).resolve().parents[2] / "docs/how-to/reach-into-pods.md").read_text()
OF_THE_SHELL = {*SHELLS, "[["}
"""What the page tells of where it tells what there is in scripts."""


def test_it_lists_the_programs_there_are():
    listed = PAGE.partition("Beside it there are:\n")[2].partition("\n- ")[0]
    named = {text.split()[0] for text in re.findall("`([a-z[][^`]*)`", listed)}
    assert named == {name for name, program in PROGRAMS.items() if program.image != "agnhost"} - OF_THE_SHELL


def test_images_lack_only_programs_that_there_are():
    for image in ("busybox", "alpine", "redis", "nginx", "httpd"):
        assert lacking(image)
        assert set(lacking(image)) <= set(PROGRAMS)
