"""CronJobs in a running cluster; whoever runs their jobs is played by the tests."""

import asyncio

import pytest

from svcsim.chance import Chance
from svcsim.client.api import Client
from svcsim.client.controller import ControllerContext
from svcsim.client.events import EventRecorder
from svcsim.client.in_process import InProcessTransport
from svcsim.cluster import parts
from svcsim.cluster.cluster import open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.controllers.cronjob.controller import CronJobController
from svcsim.meta.times import parse_time
from svcsim.meta.types import User
from tests.controllers.batch import POD, cron_job, end, job
from tests.controllers.running import Running, running
from tests.virtual import START_S, run_virtual

MINUTE = int(START_S // 60)
"""The minute in which clusters here begin."""
pytestmark = pytest.mark.virtual_time


@pytest.fixture(autouse=True)
def _nobody_runs_jobs(monkeypatch):
    """What stands on its own here is the CronJob: its jobs end when a test says so."""
    monkeypatch.setattr(parts, "CONTROLLERS", tuple(one for one in parts.CONTROLLERS if one[0] != "job-controller"))


class Batch(Running):
    def __init__(self, r: Running) -> None:
        super().__init__(r.cluster)
        self.cron_jobs = self.client.resource("batch/v1", "cronjobs", "default")
        self.jobs = self.client.resource("batch/v1", "jobs", "default")

    async def at(self, minutes: float) -> None:
        """Wait until so many minutes after the beginning, and a little longer."""
        await self.clock.sleep(START_S + minutes * 60 + 0.5 - self.clock.now())

    async def names(self) -> list[str]:
        """Jobs there are, each by the minute after the beginning that it is for."""
        return [of_minute(one["metadata"]["name"]) for one in await self.jobs.list_all()]

    async def status(self, name: str = "c"):
        return (await self.cron_jobs.get(name)).get("status") or {}

    async def active(self, name: str = "c") -> list[str]:
        return [of_minute(one["name"]) for one in (await self.status(name)).get("active") or []]

    async def reasons(self, name: str = "c") -> list[str]:
        return [reason for reason, _ in await self.events_of(name)]

    async def end(self, name: str, kind: str = "Complete") -> None:
        await end(self, self.jobs, name, kind)
        await self.clock.sleep(0.1)


def of_minute(name: str) -> str:
    base, _, minute = name.rpartition("-")
    return f"{base}+{int(minute) - MINUTE}" if minute.isdecimal() else name


@pytest.mark.parametrize("dialect", ["kubernetes", "svcapi"])
async def test_a_job_starts_at_its_time_as_the_template_says(dialect):
    async with running(nodes=0, dialect=dialect) as r:
        b = Batch(r)
        metadata = {"labels": {"app": "a"}, "annotations": {"note": "b"}}
        template = {"metadata": metadata, "spec": {"template": {"spec": POD}, "backoffLimit": 2}}
        made = await b.cron_jobs.create(cron_job("c", "30 6 * * *", template, timeZone="Asia/Tokyo"))
        await b.at(21 * 60 + 30 - 0.02)
        assert await b.names() == []
        await b.at(21 * 60 + 30)
        (started,) = await b.jobs.list_all()
        assert started["metadata"]["name"] == f"c-{MINUTE + 21 * 60 + 30}"
        assert started["metadata"]["labels"] == {"app": "a"}
        key = f"batch.{b.dialect.domain}/cronjob-scheduled-timestamp"
        assert started["metadata"]["annotations"] == {"note": "b", key: "2026-01-02T06:30:00+09:00"}
        assert started["metadata"]["creationTimestamp"] == "2026-01-01T21:30:00Z"
        (reference,) = started["metadata"]["ownerReferences"]
        assert reference == {
            "apiVersion": "batch/v1", "kind": "CronJob", "name": "c", "uid": made["metadata"]["uid"],
            "controller": True, "blockOwnerDeletion": True,
        }  # fmt: skip
        assert started["spec"]["backoffLimit"] == 2
        status = await b.status()
        assert status["lastScheduleTime"] == "2026-01-01T21:30:00Z"
        assert [{**one, "resourceVersion": ""} for one in status["active"]] == [
            {
                "apiVersion": "batch/v1", "kind": "Job", "name": started["metadata"]["name"], "namespace": "default",
                "uid": started["metadata"]["uid"], "resourceVersion": "",
            }
        ]  # fmt: skip
        assert await b.events_of("c") == [("SuccessfulCreate", f"Created job {started['metadata']['name']}")]


async def test_what_became_of_a_job_stands_in_the_status_and_in_events():
    async with running(nodes=0) as r:
        b = Batch(r)
        await b.cron_jobs.create(cron_job("c", "@hourly"))
        await b.at(60)
        await b.at(65)
        await b.end(f"c-{MINUTE + 60}")
        assert await b.status() == {"lastScheduleTime": "2026-01-01T01:00:00Z", "lastSuccessfulTime": "2026-01-01T01:05:00Z"}
        assert (await b.events_of("c"))[-1] == ("SawCompletedJob", f"Saw completed job: c-{MINUTE + 60}, condition: Complete")
        await b.at(130)
        await b.end(f"c-{MINUTE + 120}", "Failed")
        assert await b.status() == {"lastScheduleTime": "2026-01-01T02:00:00Z", "lastSuccessfulTime": "2026-01-01T01:05:00Z"}
        assert (await b.events_of("c"))[-1] == ("SawCompletedJob", f"Saw completed job: c-{MINUTE + 120}, condition: Failed")


async def test_jobs_run_side_by_side_unless_forbidden():
    async with running(nodes=0) as r:
        b = Batch(r)
        await b.cron_jobs.create(cron_job("allow"))
        await b.cron_jobs.create(cron_job("forbid", concurrencyPolicy="Forbid"))
        await b.at(3)
        assert await b.active("allow") == ["allow+1", "allow+2", "allow+3"]
        assert await b.active("forbid") == ["forbid+1"]
        refusal = "Not starting job because prior execution is running and concurrency policy is Forbid"
        assert await b.events_of("forbid") == [("SuccessfulCreate", f"Created job forbid-{MINUTE + 1}"), ("JobAlreadyActive", refusal)]
        # When it has ended, the latest time that was missed isn't too late.
        await b.at(3.5)
        await b.end(f"forbid-{MINUTE + 1}")
        assert await b.active("forbid") == ["forbid+3"]
        assert (await b.status("forbid"))["lastScheduleTime"] == "2026-01-01T00:03:00Z"


async def test_a_time_that_was_forbidden_is_missed_after_its_deadline():
    async with running(nodes=0) as r:
        b = Batch(r)
        await b.cron_jobs.create(cron_job("c", "*/10 * * * *", concurrencyPolicy="Forbid", startingDeadlineSeconds=60))
        await b.at(22)
        await b.end(f"c-{MINUTE + 10}")
        assert await b.active() == []
        await b.at(30)
        assert await b.active() == ["c+30"]


async def test_one_job_takes_the_place_of_another():
    async with running(nodes=0) as r:
        b = Batch(r)
        await b.cron_jobs.create(cron_job("c", concurrencyPolicy="Replace"))
        for minute in (1, 2, 3):
            await b.at(minute)
            assert await b.names() == await b.active() == [f"c+{minute}"]
        assert (await b.events_of("c"))[:3] == [
            ("SuccessfulCreate", f"Created job c-{MINUTE + 1}"),
            ("SuccessfulDelete", f"Deleted job c-{MINUTE + 1}"),
            ("SuccessfulCreate", f"Created job c-{MINUTE + 2}"),
        ]
        assert set(await b.reasons()) == {"SuccessfulCreate", "SuccessfulDelete"}


async def test_the_oldest_that_have_ended_go():
    async with running(nodes=0) as r:
        b = Batch(r)
        await b.cron_jobs.create(cron_job("c", successfulJobsHistoryLimit=2, failedJobsHistoryLimit=1))
        for minute, kind in ((1, "Complete"), (2, "Failed"), (3, "Complete"), (4, "Complete"), (5, "Failed")):
            await b.at(minute)
            await b.end(f"c-{MINUTE + minute}", kind)
        assert await b.names() == ["c+3", "c+4", "c+5"]
        gone = [message for reason, message in await b.events_of("c") if reason == "SuccessfulDelete"]
        assert gone == [f"Deleted job c-{MINUTE + 1}", f"Deleted job c-{MINUTE + 2}"]
        await b.cron_jobs.patch("c", {"spec": {"successfulJobsHistoryLimit": 0, "suspend": True}})
        await b.clock.sleep(1)
        assert await b.names() == ["c+5"]


async def test_while_suspended_nothing_starts_and_afterwards_the_latest_time_does():
    async with running(nodes=0) as r:
        b = Batch(r)
        await b.cron_jobs.create(cron_job("c", "@hourly", suspend=True))
        await b.cron_jobs.create(cron_job("late", "@hourly", suspend=True, startingDeadlineSeconds=600))
        await b.at(150)
        assert await b.names() == []
        for name in ("c", "late"):
            await b.cron_jobs.patch(name, {"spec": {"suspend": False}})
        await b.clock.sleep(1)
        assert await b.names() == ["c+120"]
        await b.at(180)
        assert await b.names() == ["c+120", "c+180", "late+180"]


async def test_many_missed_times_are_told_and_the_latest_starts():
    async with running(nodes=0) as r:
        b = Batch(r)
        await b.cron_jobs.create(cron_job("c", suspend=True))
        await b.cron_jobs.create(cron_job("few", "*/2 * * * *", suspend=True))
        await b.at(101)
        for name in ("c", "few"):
            await b.cron_jobs.patch(name, {"spec": {"suspend": False}})
        await b.clock.sleep(1)
        assert await b.names() == ["c+101", "few+100"]
        too_many = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
        assert await b.events_of("c") == [("TooManyMissedTimes", too_many), ("SuccessfulCreate", f"Created job c-{MINUTE + 101}")]
        assert await b.reasons("few") == ["SuccessfulCreate"]


async def test_another_schedule_counts_from_when_it_was_given():
    async with running(nodes=0) as r:
        b = Batch(r)
        await b.cron_jobs.create(cron_job("c", "0 12 * * *"))
        await b.at(30)
        await b.cron_jobs.patch("c", {"spec": {"schedule": "15 * * * *"}})
        await b.at(40)
        await b.cron_jobs.patch("c", {"metadata": {"annotations": {"any": "change"}}})
        await b.at(74)
        assert await b.names() == []
        await b.at(75)
        assert await b.names() == ["c+75"]
        await b.cron_jobs.patch("c", {"spec": {"timeZone": "Asia/Kolkata"}})
        await b.at(104)
        assert await b.names() == ["c+75"]
        await b.at(105)
        assert await b.names() == ["c+75", "c+105"]


async def test_a_date_that_never_comes_is_told():
    async with running(nodes=0) as r:
        b = Batch(r)
        await b.cron_jobs.create(cron_job("c", "59 23 31 2 *"))
        await b.clock.sleep(1)
        why = "invalid schedule: 59 23 31 2 * : time difference between two schedules is less than 1 second"
        assert await b.events_of("c") == [("InvalidSchedule", why)]
        await b.cron_jobs.patch("c", {"spec": {"schedule": "@hourly"}})
        await b.at(60)
        assert await b.names() == ["c+60"]


async def test_jobs_that_others_made_are_told_of_and_those_that_went_are_let_go():
    async with running(nodes=0) as r:
        b = Batch(r)
        made = await b.cron_jobs.create(cron_job("c", "@hourly"))
        await b.jobs.create(job("manual", owner=made))
        await b.clock.sleep(1)
        assert await b.events_of("c") == [("UnexpectedJob", "Saw a job that the controller did not create or forgot: manual")]
        assert await b.status() == {}
        await b.end("manual")
        assert (await b.status())["lastSuccessfulTime"]
        await b.at(60)
        await b.jobs.delete(f"c-{MINUTE + 60}", propagation="Background")
        await b.clock.sleep(1)
        assert await b.active() == []
        assert (await b.events_of("c"))[-1] == ("MissingJob", f"Active job went missing: c-{MINUTE + 60}")


async def test_a_job_of_that_name_that_is_a_strangers_is_let_be():
    async with running(nodes=0) as r:
        b = Batch(r)
        await b.jobs.create(job(f"c-{MINUTE + 1}"))
        await b.cron_jobs.create(cron_job("c"))
        await b.at(1)
        assert await b.status() == {}
        await b.at(2)
        assert await b.active() == ["c+2"]


async def test_a_cron_job_on_its_way_out_starts_nothing():
    async with running(nodes=0) as r:
        b = Batch(r)
        await b.cron_jobs.create({**cron_job("c"), "metadata": {"name": "c", "namespace": "default", "finalizers": ["example.com/wait"]}})
        await b.at(1)
        await b.cron_jobs.delete("c")
        await b.end(f"c-{MINUTE + 1}")
        await b.at(5)
        assert await b.names() == ["c+1"]
        assert "active" not in await b.status()


async def test_a_job_that_is_refused_is_told_and_tried_again():
    async with running(nodes=0) as r:
        b = Batch(r)
        quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none"}, "spec": {"hard": {"count/jobs.batch": "0"}}}
        quotas = b.client.resource("v1", "resourcequotas", "default")
        await quotas.create(quota)
        await b.cron_jobs.create(cron_job("c", "@hourly"))
        await b.at(61)
        assert await b.names() == []
        ((reason, message),) = await b.events_of("c")
        assert reason == "FailedCreate"
        assert message.startswith("Error creating job: ")
        assert "exceeded quota" in message
        await quotas.delete("none")
        await b.at(80)
        assert await b.active() == ["c+60"]


async def test_several_starts_in_one_minute_are_one_job():
    async with running(nodes=0) as r:
        b = Batch(r)
        await b.cron_jobs.create(cron_job("c", "@every 20s"))
        await b.clock.sleep(30)
        (first,) = await b.names()
        await b.end((await b.jobs.list_all())[0]["metadata"]["name"])
        await b.clock.sleep(25)
        assert (await b.names(), await b.active()) == ([first], [])
        assert parse_time((await b.status())["lastScheduleTime"]) >= START_S + 40
        await b.at(1.5)
        assert len(await b.names()) == 2


def test_a_restart_between_the_job_and_the_status_starts_no_second_one(tmp_path):
    """The job is there and the status doesn't say so: it is noted then."""
    spec = {"dialect": "kubernetes", "nodes": 0, "seed": 1, "data_dir": tmp_path / "c"}

    async def before() -> None:
        async with open_cluster(ClusterSpec(**spec, start_s=START_S)) as cluster:
            b = Batch(Running(cluster))
            made = await b.cron_jobs.create(cron_job("c", "@hourly"))
            await b.jobs.create(job(f"c-{MINUTE + 60}", owner=made))

    async def after() -> None:
        async with open_cluster(ClusterSpec(**spec, start_s=START_S + 3700)) as cluster:
            b = Batch(Running(cluster))
            await b.clock.sleep(5)
            assert (await b.names(), await b.active(), await b.reasons()) == (["c+60"], ["c+60"], [])
            await b.at(121)
            assert await b.active() == ["c+60", "c+120"]

    run_virtual(before())
    run_virtual(after())


def test_of_the_hours_in_which_nothing_ran_the_latest_is_made_up_for(tmp_path):
    """Unless it is too late for that."""
    spec = {"dialect": "kubernetes", "nodes": 0, "seed": 1, "data_dir": tmp_path / "c"}

    async def before() -> None:
        async with open_cluster(ClusterSpec(**spec, start_s=START_S)) as cluster:
            b = Batch(Running(cluster))
            await b.cron_jobs.create(cron_job("c", "@hourly", concurrencyPolicy="Replace"))
            await b.cron_jobs.create(cron_job("late", "@hourly", startingDeadlineSeconds=60))
            await b.at(61)
            assert await b.names() == ["c+60", "late+60"]

    async def after() -> None:
        async with open_cluster(ClusterSpec(**spec, start_s=START_S + 5.5 * 3600)) as cluster:
            b = Batch(Running(cluster))
            await b.clock.sleep(5)
            assert await b.names() == ["c+300", "late+60"]
            await b.at(361)
            assert await b.names() == ["c+360", "late+60", "late+360"]
            assert await b.active("late") == ["late+60", "late+360"]

    run_virtual(before())
    run_virtual(after())


async def test_a_clock_that_is_stepped_over_hours_misses_nothing():
    async with running(nodes=0) as r:
        b = Batch(r)
        await b.cron_jobs.create(cron_job("c", "@hourly"))
        await b.clock.sleep(1)
        b.clock.set_speed(0)
        await b.clock.step(5 * 3600.0)
        assert await b.active() == [f"c+{60 * hour}" for hour in (1, 2, 3, 4, 5)]


async def test_a_status_that_somebody_writes_meanwhile_costs_no_second_job():
    async with running(nodes=0) as r:
        b = Batch(r)
        await b.cron_jobs.create(cron_job("c"))
        await b.at(1)
        for minute in (2, 3, 4):
            await b.clock.sleep(START_S + minute * 60 - b.clock.now())  # with the controller
            await b.cron_jobs.patch("c", {"metadata": {"annotations": {"minute": str(minute)}}})
        await b.at(4)
        assert await b.active() == await b.names() == [f"c+{minute}" for minute in (1, 2, 3, 4)]
        assert set(await b.reasons()) == {"SuccessfulCreate"}


@pytest.mark.parametrize("policy", ["Allow", "Forbid", "Replace"])
async def test_two_controllers_start_one_job(policy):
    async with running(nodes=0) as r:
        b = Batch(r)
        client = Client(InProcessTransport(r.cluster.pipeline.handle, User("other", ("system:masters",))), r.dialect)
        events = EventRecorder(client, r.clock, "cronjob-controller")
        context = ControllerContext(client, r.cluster.informers, r.cluster.served_types, r.clock, Chance(2), r.dialect, events)
        other = asyncio.create_task(CronJobController(context).run())
        await b.cron_jobs.create(cron_job("c", concurrencyPolicy=policy))
        for minute in (1, 2, 3):
            await b.at(minute)
            newest = f"c+{minute}"
            expected = {"Allow": [f"c+{one}" for one in range(1, minute + 1)], "Forbid": ["c+1"], "Replace": [newest]}[policy]
            assert await b.names() == await b.active() == expected
        other.cancel()
        await asyncio.gather(other, return_exceptions=True)


async def test_a_cron_job_made_anew_begins_anew():
    """Jobs of the one before, that nobody has deleted yet, are none of its own."""
    async with running(nodes=0) as r:
        b = Batch(r)
        await b.cron_jobs.create(cron_job("c"))
        await b.at(2)
        await b.cron_jobs.delete("c", propagation="Orphan")
        await b.until_gone(b.cron_jobs, "c")
        await b.cron_jobs.create(cron_job("c", concurrencyPolicy="Forbid"))
        await b.at(3)
        assert await b.active() == ["c+3"]
        assert await b.names() == ["c+1", "c+2", "c+3"]


async def test_with_it_go_its_jobs():
    async with running(nodes=0) as r:
        b = Batch(r)
        await b.cron_jobs.create(cron_job("c"))
        await b.at(2)
        await b.cron_jobs.delete("c", propagation="Foreground")
        await b.until_gone(b.cron_jobs, "c")
        await b.at(4)
        assert await b.names() == []


async def test_in_a_namespace_on_its_way_out_nothing_is_told():
    async with running(nodes=0) as r:
        b = Batch(r)
        namespaces = b.client.resource("v1", "namespaces")
        await namespaces.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
        wish = cron_job("c")
        wish["metadata"] = {"name": "c", "namespace": "shop", "finalizers": ["example.com/wait"]}
        await b.cron_jobs.within("shop").create(wish)
        await namespaces.delete("shop")
        await b.at(3)
        assert await b.jobs.within("shop").list_all() == []
        assert await b.client.resource("v1", "events", "shop").list_all() == []
