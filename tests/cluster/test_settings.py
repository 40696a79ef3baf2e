"""A setting is declared once; options, JSON and the scenarios' block follow from it."""

from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path

import orjson
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from svcsim import limits
from svcsim.cli.own.app import new_app
from svcsim.cli.own.setting_options import with_setting_options
from svcsim.cluster.admission_spec import AdmissionSpec
from svcsim.cluster.audit_spec import Rate
from svcsim.cluster.settings import SettingError, asked_again, changed, from_json, setting, settings, to_json
from svcsim.cluster.spec import ClusterSpec
from svcsim.cluster.values import (
    Boolean,
    Choice,
    ClockSpeed,
    ClusterNetworks,
    Duration,
    DurationOrForever,
    FilePath,
    FilePaths,
    FilesOrNames,
    Integer,
    Nullable,
    PortRange,
    SomeOfAll,
    String,
    StringList,
    Switch,
    Timestamp,
    UniqueNames,
    Value,
    Words,
)
from svcsim.meta.types import Json
from svcsim.scenario.cluster_block import cluster_block
from svcsim.scenario.expressions import Expressions
from svcsim.scenario.load import read_scenario
from svcsim.scenario.schema import _struct
from svcsim.scenario.shape_check import ShapeCheck


@dataclass(frozen=True, slots=True, kw_only=True)
class Vault:
    """A group of settings with a rule of its own."""

    issuer_url: str = setting("", String(), help="URL of the issuer.", flag="--vault-issuer-url", metavar="URL")
    client_id: str = setting("", String(), help="Whom tokens are issued for.", flag="--vault-client-id")

    def __post_init__(self) -> None:
        if self.issuer_url and not self.client_id:
            raise SettingError("--vault-issuer-url needs --vault-client-id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Larger(ClusterSpec):
    """A copy of the declaration with some settings more."""

    racks: int = setting(1, Integer(1, 8), help="How many racks.", flag="--racks", metavar="N", in_scenario=True)
    off: tuple[str, ...] = setting((), StringList(), help="What to leave out.", flag="--off", json="leaveOut", in_scenario=True)
    strict: bool = setting(False, Boolean(), help="Whether to be strict.", flag="--strict", in_scenario=True)
    grace_s: float = setting(30.0, Duration(), help="How long to wait.", json="grace", flag="--grace", in_scenario=True)
    vault: Vault = Vault()


BLOCK = [
    "dialect",
    "nodes",
    "stages",
    "serviceClusterIPRange",
    "serviceNodePortRange",
    "controllers",
    "schedulerNames",
    "admission",
    "authorization",
    "nodeRanges",
    "racks",
    "leaveOut",
    "strict",
    "grace",
]
NETWORKS = (
    "is one network, or two of different IP families with a comma between them, each of at least 8 addresses, and of IPv6 at most a /64, "
    "such as 10.96.0.0/16,fd00:10:96::/112"
)
NO_NETWORKS = (
    "",
    "10.96.0.0",
    "10.96.0.0/33",
    "10.96.0.0/30",
    "fd00::/63",
    "fd00::/126",
    "10.96.0.0/16,",
    "10.96.0.0/16,10.97.0.0/16",
    "10.96.0.0/16,fd00::/112,fd01::/112",
)


def values(value: Value[Json]) -> st.SearchStrategy[Json]:
    """Everything that a type of settings can be."""
    words = st.text(st.characters(codec="utf-8", exclude_characters=","), min_size=1).map(str.strip).filter(bool)
    match value:
        case Nullable():
            return st.none() | values(value.inner)
        case Choice():
            return st.sampled_from(value.choices)
        case Integer():
            return st.integers(-(2**63) if value.minimum is None else value.minimum, 2**63 - 1 if value.maximum is None else value.maximum)
        case Boolean():
            return st.booleans()
        case String():
            return st.text(st.characters(codec="utf-8"))
        case StringList():
            names = st.from_regex(r"[a-z]{1,5}(\.[a-z]{1,5})?", fullmatch=True)
            some = st.lists(words, min_size=1 if isinstance(value, SomeOfAll) else 0)
            return (st.lists(names, min_size=1, unique=True) if isinstance(value, UniqueNames) else some).map(tuple)
        case FilePath():
            return st.none() | words.map(lambda name: Path("/", name.replace("\0", "")))
        case Duration():
            return st.integers(0, 10**9).map(lambda ms: ms / 1000)
        case ClockSpeed():
            return st.just(0.0) | st.floats(limits.SLOWEST_PACE, limits.FASTEST_PACE)
    return values_of_cluster(value)


def values_of_cluster(value: Value[Json]) -> st.SearchStrategy[Json]:
    """The same of types that only a cluster has."""
    paths = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).map(lambda name: Path("/", name))
    match value:
        case DurationOrForever():
            return st.none() | values(Duration()).filter(lambda span_s: span_s >= value.least_s)
        case Words():
            return st.lists(st.sampled_from(value.choices), min_size=1, unique=True).map(tuple)
        case FilePaths():
            return st.lists(paths).map(tuple)
        case FilesOrNames():
            return st.lists(st.from_regex(r"[a-z-]+", fullmatch=True) | paths.map(str)).map(tuple)
        case Timestamp():
            return st.integers(0, 4 * 10**9).map(float)
        case ClusterNetworks():
            v4 = st.integers(8, 29).map(lambda bits: IPv4Network(f"10.0.0.0/{bits}"))
            v6 = st.integers(64, 125).map(lambda bits: IPv6Network(f"fd00::/{bits}"))
            return st.tuples(v4) | st.tuples(v6) | st.tuples(v4, v6) | st.tuples(v6, v4)
        case Rate():
            return st.floats(0.001, 1e6)
        case Switch():
            return st.booleans()
        case PortRange():
            return st.tuples(st.integers(1, 65535), st.integers(1, 65535)).map(lambda ends: range(min(ends), max(ends) + 1))
    raise AssertionError(f"no values for {value}")


@given(st.fixed_dictionaries({one.name: values(one.value) for one in settings(Larger) if not one.name.startswith("vault.")}))
def test_json_says_all_there_is_to_a_specification(found: dict[str, Json]):
    spec = changed(Larger(), found)
    assert from_json(Larger, orjson.loads(orjson.dumps(to_json(spec)))) == spec


def test_what_json_does_not_say_is_as_by_default():
    assert from_json(ClusterSpec, {}) == ClusterSpec()
    assert from_json(Larger, {"vault": {"clientId": "svc"}}) == Larger(vault=Vault(client_id="svc"))


def test_json_that_an_older_version_kept_is_read():
    kept = {
        "dialect": "kubernetes",
        "nodes": 1,
        "port": 4000,
        "data_dir": "",
        "durability": "process",
        "history_s": 60.0,
        "clock": "x10",
        "seed": 7,
        "dataDir": "",
    }
    wanted = ClusterSpec(dialect="kubernetes", nodes=1, port=4000, durability="process", history_s=60.0, clock_speed=10.0, seed=7)
    assert from_json(ClusterSpec, kept) == wanted
    assert from_json(ClusterSpec, {"disableAdmissionPlugins": ["A"]}) == ClusterSpec(admission=AdmissionSpec(disable=("A",)))
    assert from_json(ClusterSpec, {"history_s": None, "data_dir": "/d", "dataDir": "/d"}) == ClusterSpec(
        history_s=None, data_dir=Path("/d")
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"node": 3}, 'unknown setting "node"'),
        ({"vault": {"issuer": "x"}}, 'unknown setting "vault.issuer"'),
        ({"vault": "x"}, "vault: expected a map"),
        ({"vault": {"issuerUrl": 4}}, "vault.issuerUrl is a string, not 4"),
        ({"vault": {"issuerUrl": "https://x"}}, "--vault-issuer-url needs --vault-client-id"),
        ([], "the settings: expected a map"),
        ({"nodes": "3"}, 'nodes is a whole number from 0 to 5000, not "3"'),
        ({"controllers": []}, "controllers takes names with commas between them, * for all, -* for none; not []"),
        ({"schedulerNames": []}, "schedulerNames takes names, each once, with commas between them; not []"),
        ({"schedulerNames": "a,a"}, 'schedulerNames takes names, each once, with commas between them; not "a,a"'),
        ({"schedulerNames": ["A b"]}, 'schedulerNames takes names, each once, with commas between them; not ["A b"]'),
        ({"nodes": True}, "nodes is a whole number from 0 to 5000, not true"),
        ({"nodes": 5001}, "nodes is a whole number from 0 to 5000, not 5001"),
        ({"dialect": ["a"]}, 'unknown dialect ["a"]; there are: svcapi, kubernetes'),
        ({"no\x1b[31m": 3}, 'unknown setting "no\\u001b[31m"'),
        ({"dialect": "\x1b[31mred\x07"}, 'unknown dialect "\\u001b[31mred\\u0007"; there are: svcapi, kubernetes'),
        ({"dataDir": "/tmp/a\0b"}, 'dataDir is an absolute path, not "/tmp/a\\u0000b"'),
        ({"history": 1e308}, "history takes a duration of 1s or more, such as 5m or 1h, or forever; not 1e+308"),
        ({"history": "-5m"}, 'history takes a duration of 1s or more, such as 5m or 1h, or forever; not "-5m"'),
        ({"clock": "xnan"}, 'clock is real, paused, or a speed from x0.1 to x1000, not "xnan"'),
        ({"clock": "x0.09"}, 'clock is real, paused, or a speed from x0.1 to x1000, not "x0.09"'),
        ({"clock": "x1001"}, 'clock is real, paused, or a speed from x0.1 to x1000, not "x1001"'),
        ({"clock": 1}, "clock is real, paused, or a speed from x0.1 to x1000, not 1"),
        ({"dataDir": "here"}, 'dataDir is an absolute path, not "here"'),
        ({"leaveOut": [1]}, "leaveOut is a list of strings, not [1]"),
        ({"strict": 1}, "strict is true or false, not 1"),
        *(({"serviceClusterIPRange": text}, f'serviceClusterIPRange {NETWORKS}; not "{text}"') for text in NO_NETWORKS),
        *(
            ({"serviceNodePortRange": text}, f'serviceNodePortRange is a range of ports such as 30000-32767, not "{text}"')
            for text in ("", "30000", "32767-30000", "0-10", "60000-65536", "65000+1000", "a-b", "-5-10", "30000 - 32767")
        ),
        ({"start": "now"}, 'start is a time in 1970 or later, such as 2026-01-01T00:00:00Z, not "now"'),
        ({"start": "1969-12-31T23:59:59Z"}, 'start is a time in 1970 or later, such as 2026-01-01T00:00:00Z, not "1969-12-31T23:59:59Z"'),
    ],
)
def test_what_is_wrong_is_said_in_one_line_that_names_the_key(wrong: Json, message: str):
    with pytest.raises(SettingError) as refused:
        from_json(Larger, wrong)
    assert str(refused.value) == message


def larger_up() -> tuple[typer.Typer, list[dict[str, Json]]]:
    """A command like `up` for the larger specification, and what it was called with."""
    calls: list[dict[str, Json]] = []

    def up(name: str = "", *, asked: dict[str, Json], foreground: bool = False) -> None:
        """Start it."""
        calls.append(asked)

    app = new_app()
    app.command("up")(with_setting_options(Larger, up))
    return app, calls


def test_a_new_setting_is_an_option_of_up():
    app, calls = larger_up()
    told = CliRunner().invoke(app, ["--help"]).output
    assert "--racks N" in told
    assert "[default: (1); 1<=x<=8]" in " ".join(told.split())
    assert "--vault-issuer-url URL" in told
    words = ["--racks", "2", "--off", "a,b", "--off", "c", "--strict", "--grace", "1m", "--vault-client-id", "svc", "--nodes", "0"]
    assert CliRunner().invoke(app, words, catch_exceptions=False).exit_code == 0
    assert calls == [
        {"nodes": 0, "racks": 2, "off": ("a", "b", "c"), "strict": True, "grace_s": 60.0, "vault.client_id": "svc"},
    ]
    assert CliRunner().invoke(app, ["--no-strict"]).exit_code == 0
    assert calls[1:] == [{"strict": False}]
    assert changed(Larger(strict=True), calls[0]).vault == Vault(client_id="svc")


def test_a_new_setting_is_in_json():
    spec = Larger(racks=2, off=("a",), vault=Vault(client_id="svc"))
    found = to_json(spec, lambda one: one.name not in {each.name for each in settings(ClusterSpec)})
    assert found == {"racks": 2, "leaveOut": ["a"], "strict": False, "grace": "30s", "vault": {"issuerUrl": "", "clientId": "svc"}}


def test_a_new_setting_is_in_the_block_of_scenarios_and_in_their_schema():
    properties = _struct(cluster_block(Larger), {})["properties"]
    assert list(properties) == BLOCK
    assert properties["racks"]["description"] == "How many racks; 1 by default"
    assert properties["racks"]["anyOf"][0] == {"type": "integer", "minimum": 1, "maximum": 8}


def test_a_new_setting_is_checked_where_a_scenario_says_it(tmp_path: Path):
    file = tmp_path / "block.yaml"
    file.write_text("racks: 9\nleaveOut: a\nstrict: 1\ngrace: soon\nnodes: 1\noff: []\n")
    checked = ShapeCheck("s.yaml", {}, Expressions(lambda: 0.0))
    checked.shape(read_scenario(str(file)), cluster_block(Larger))
    assert [str(mistake) for mistake in checked.mistakes] == [
        "s.yaml:1:8: expected a whole number from 1 to 8, not 9",
        "s.yaml:2:11: expected a list (items begin with a dash), not the string 'a'",
        "s.yaml:3:9: expected true or false, not 1",
        's.yaml:4:8: grace takes a duration such as 5m or 1h, not "soon"',
        f"s.yaml:6:1: a cluster has no field 'off'; known: {', '.join(BLOCK)}",
    ]


def test_every_setting_says_what_it_is_for_and_has_a_place_of_its_own():
    found = settings(ClusterSpec)
    assert [one.name for one in found if not one.help] == []
    for names in ([one.json_path for one in found], [one.flag for one in found if one.flag]):
        assert len(set(names)) == len(names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """Two settings that make one decision."""

    allow: tuple[str, ...] = setting((), StringList(), help="What may.", flag="--allow", replaces=("refuse",))
    refuse: tuple[str, ...] = setting((), StringList(), help="What may not.", flag="--refuse", replaces=("allow",))


def test_asking_for_one_of_two_that_make_one_decision_forgets_what_was_kept_of_the_other():
    kept = Paired(allow=("a",), refuse=("b",))
    assert asked_again(kept, {}) == kept
    assert asked_again(kept, {"allow": ("b",)}) == Paired(allow=("b",))
    assert asked_again(kept, {"allow": ("b",), "refuse": ("c",)}) == Paired(allow=("b",), refuse=("c",))


@dataclass(frozen=True, slots=True, kw_only=True)
class Led:
    """Settings of which one means nothing without another."""

    url: str = setting("", String(), help="Whose.", flag="--url", revocable=True)
    names: tuple[str, ...] = setting((), StringList(), help="Which.", flag="--names", needs="url", revocable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class WithLed:
    led: Led = Led()


def test_what_is_taken_back_takes_along_what_means_nothing_without_it():
    url, names = settings(WithLed)
    assert (url.from_option("none"), names.from_option(["none"]), names.from_option(["none", "a"])) == ("", (), ("none", "a"))
    kept = WithLed(led=Led(url="u", names=("n",)))
    assert asked_again(kept, {"led.names": ()}) == WithLed(led=Led(url="u"))
    assert asked_again(kept, {"led.url": ""}) == WithLed()
    assert asked_again(WithLed(), {"led.url": "u", "led.names": ("n",)}) == kept
    for before, asked in ((WithLed(), {"led.names": ("n",)}), (kept, {"led.url": "", "led.names": ("n",)})):
        with pytest.raises(SettingError, match=r"^--names needs --url, without which it means nothing$"):
            asked_again(before, asked)


def test_a_file_may_be_called_as_things_that_are_ready_are(tmp_path, monkeypatch):
    value = FilesOrNames(("ready",).__contains__)
    for name in ("mine", "ready"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    given = ["mine", "ready", "nobody's", "./ready", "there.yaml", "~/x"]
    expected = (f"{tmp_path}/mine", "ready", "nobody's", f"{tmp_path}/ready", f"{tmp_path}/there.yaml", str(Path("~/x").expanduser()))
    assert value.from_option(given) == expected
    assert [value.meant(one, tmp_path / "else") for one in ("mine", "sub/mine")] == ["mine", f"{tmp_path}/else/sub/mine"]
