"""The dashboard as a program."""

from pathlib import Path

import pytest

from svcsim.client.transport import Transport
from svcsim.cluster.cluster import Cluster
from svcsim.dialect import SVCAPI
from svcsim.tui.app import main
from tests.tui.terminal import create, dashboard, pod


def _never() -> Transport:
    raise AssertionError("no connection is wanted")


def test_without_a_terminal_it_says_so_and_does_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    with (tmp_path / "out").open("w") as file:
        monkeypatch.setattr("sys.stdout", file)
        assert main(_never, SVCAPI, "default", "test") == 1
    assert "needs a terminal" in capsys.readouterr().err


async def test_without_colours_none_are_used_and_the_chosen_row_is_still_marked(cluster: Cluster, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NO_COLOR", "1")
    await create(cluster.client("test"), pod("web-1"))
    async with dashboard(cluster) as terminal:
        await terminal.shows("web-1")
        segments = [segment for strip in terminal.app.screen._compositor.render_strips() for segment in strip]
        filtered = terminal.app._filters[-1].apply(segments, terminal.app.screen.background_colors[1])
        styles = [segment.style for segment in filtered if segment.style is not None]
        assert all(
            (style.color is None or style.color.is_default) and (style.bgcolor is None or style.bgcolor.is_default) for style in styles
        )
        assert any(segment.style is not None and segment.style.reverse and "web-1" in segment.text for segment in segments)
