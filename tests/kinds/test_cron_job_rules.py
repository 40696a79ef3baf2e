"""What is wrong with a CronJob, in the usual words; schedules; what a table shows of one."""

import pytest

from svcsim.kinds.batch.cron_job import CRON_JOB
from svcsim.meta.cron import ScheduleError, check_schedule
from tests.kinds.helpers import ago, change_findings, created, findings, row
from tests.kinds.workload_rules import NEGATIVE

POD = {"containers": [{"name": "a", "image": "a:1"}], "restartPolicy": "Never"}


def cron_job(name="c", job=None, **spec):
    template = {"spec": {"template": {"spec": POD}, **(job or {})}}
    whole = {"schedule": "0 3 * * *", "jobTemplate": template, **spec}
    return {"metadata": {"name": name}, "spec": {field: value for field, value in whole.items() if value is not None}}


TEMPLATE = "spec.jobTemplate.spec"
NO_ZONE = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
SCHEDULES = {
    "error": "expected exactly 5 fields, found 1: [error]",
    "1 2 3 4": "expected exactly 5 fields, found 4: [1 2 3 4]",
    "0 1 2 3 4 5": "expected exactly 5 fields, found 6: [0 1 2 3 4 5]",
    "60 * * * *": "end of range (60) above maximum (59): 60",
    "* 24 * * *": "end of range (24) above maximum (23): 24",
    "* * 0 * *": "beginning of range (0) below minimum (1): 0",
    "* * 32 * *": "end of range (32) above maximum (31): 32",
    "* * * 0 *": "beginning of range (0) below minimum (1): 0",
    "* * * 13 *": "end of range (13) above maximum (12): 13",
    "* * * * 7": "end of range (7) above maximum (6): 7",
    "5-1 * * * *": "beginning of range (5) beyond end of range (1): 5-1",
    "1-2-3 * * * *": "too many hyphens: 1-2-3",
    "1/2/3 * * * *": "too many slashes: 1/2/3",
    "*/0 * * * *": "step of range should be a positive number: */0",
    "x * * * *": 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax',
    "*/x * * * *": 'failed to parse int from */x: strconv.Atoi: parsing "x": invalid syntax',
    "* * * * mondays": 'failed to parse int from mondays: strconv.Atoi: parsing "mondays": invalid syntax',
    "-1 * * * *": 'failed to parse int from -1: strconv.Atoi: parsing "": invalid syntax',
    "@sometimes": "unrecognized descriptor: @sometimes",
    "@every day": 'failed to parse duration @every day: time: invalid duration "day"',
    "@every 5": 'failed to parse duration @every 5: time: missing unit in duration "5"',
}
GOOD = (
    *("* * * * *", "0 0 * * 0", "*/15 0-23/2 1,15 jan-DEC MON-fri", "5/10 ? ? * ?", "0 0 31 12 6", "1,,2 * * * *"),
    *("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly", "@every 1h30m", "@every 1.5s", "  0   1 * * *"),
)


@pytest.mark.parametrize("schedule", GOOD)
def test_schedules(schedule):
    check_schedule(schedule)
    assert findings(CRON_JOB, cron_job(schedule=schedule)) == []


@pytest.mark.parametrize(("schedule", "why"), SCHEDULES.items())
def test_what_is_no_schedule(schedule, why):
    with pytest.raises(ScheduleError) as caught:
        check_schedule(schedule)
    assert str(caught.value) == why
    assert findings(CRON_JOB, cron_job(schedule=schedule)) == [f'spec.schedule: Invalid value: "{schedule}": {why}']


def zone(name, *whys):
    return cron_job(timeZone=name), [f'spec.timeZone: Invalid value: "{name}": {why}' for why in whys]


LOCAL = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (cron_job(), []),
        (cron_job(schedule=None), ["spec.schedule: Required value"]),
        (cron_job(schedule=""), ["spec.schedule: Required value"]),
        *[
            (cron_job(schedule=f"{prefix}=UTC 0 * * * *"), [f'spec.schedule: Invalid value: "{prefix}=UTC 0 * * * *": {NO_ZONE}'])
            for prefix in ("TZ", "CRON_TZ")
        ],
        (
            cron_job(schedule="TZ=Mars/Base 0 * * * *"),
            [
                'spec.schedule: Invalid value: "TZ=Mars/Base 0 * * * *": provided bad location Mars/Base: unknown time zone Mars/Base',
                f'spec.schedule: Invalid value: "TZ=Mars/Base 0 * * * *": {NO_ZONE}',
            ],
        ),
        (
            cron_job(schedule="TZ=UTC"),
            [
                'spec.schedule: Invalid value: "TZ=UTC": invalid schedule format: nothing follows the time zone',
                f'spec.schedule: Invalid value: "TZ=UTC": {NO_ZONE}',
            ],
        ),
        zone("Europe/Paris"),
        zone("UTC"),
        zone("America/Argentina/Buenos_Aires"),
        zone("", "timeZone must be nil or non-empty string"),
        zone("Mars/Base", "unknown time zone Mars/Base"),
        zone("../etc/passwd", "unknown time zone ../etc/passwd"),
        zone("Europe//Paris", "unknown time zone Europe//Paris"),
        zone(" Europe/Paris", "unknown time zone  Europe/Paris"),
        zone("-Europe/Paris", "unknown time zone -Europe/Paris"),
        zone("Local", LOCAL),
        zone("LOCAL", LOCAL, "unknown time zone LOCAL"),
        *[
            (cron_job(**{name: -1}), [f"spec.{name}: Invalid value: -1: {NEGATIVE}"])
            for name in ("startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit")
        ],
        (cron_job(successfulJobsHistoryLimit=0, failedJobsHistoryLimit=0, startingDeadlineSeconds=0), []),
        (
            cron_job(concurrencyPolicy="Perhaps"),
            ['spec.concurrencyPolicy: Unsupported value: "Perhaps": supported values: "Allow", "Forbid", "Replace"'],
        ),
        (cron_job("c" * 52), []),
        (cron_job("c" * 53), [f'metadata.name: Invalid value: "{"c" * 53}": must be no more than 52 characters']),
        *[
            (cron_job(job={name: -1}), [f"{TEMPLATE}.{name}: Invalid value: -1: {NEGATIVE}"])
            for name in ("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished")
        ],
        (
            cron_job(job={"selector": {"matchLabels": {"a": "b"}}}),
            [f'{TEMPLATE}.selector: Invalid value: {{"matchLabels":{{"a":"b"}}}}: `selector` will be auto-generated'],
        ),
        (cron_job(job={"manualSelector": False}), []),
        (
            cron_job(job={"manualSelector": True}),
            [f'{TEMPLATE}.manualSelector: Unsupported value: true: supported values: "nil", "false"'],
        ),
        (
            cron_job(job={"template": {"spec": {**POD, "restartPolicy": "Always"}}}),
            [f'{TEMPLATE}.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
        ),
        (
            cron_job(job={"completionMode": "Indexed"}),
            [f"{TEMPLATE}.completions: Required value: when completion mode is Indexed"],
        ),
        (
            cron_job(job={"podFailurePolicy": {"rules": [{"action": "FailJob"}]}}),
            [f"{TEMPLATE}.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required"],
        ),
        (
            cron_job(jobTemplate=None),
            [
                f"{TEMPLATE}.template.spec.containers: Required value",
                f'{TEMPLATE}.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
            ],
        ),
    ],
)
def test_what_is_wrong_with_a_cron_job(obj, expected):
    assert findings(CRON_JOB, obj) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (cron_job(), cron_job(schedule="@daily", suspend=True, job={"completions": 3}), []),
        (cron_job(), cron_job(timeZone="Europe/Paris"), []),
        (cron_job(), cron_job(timeZone="Mars/Base"), ['spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base']),
        (cron_job(timeZone="Mars/Base"), cron_job(timeZone="Mars/Base", suspend=True), []),
        (cron_job("c" * 60), cron_job("c" * 60, suspend=True), []),
    ],
)
def test_what_may_change_of_a_cron_job(before, after, expected):
    assert change_findings(CRON_JOB, before, after) == expected


def test_what_a_cron_job_fills_in():
    obj = created(CRON_JOB, cron_job())
    names = ("concurrencyPolicy", "suspend", "successfulJobsHistoryLimit", "failedJobsHistoryLimit")
    assert [obj["spec"][name] for name in names] == ["Allow", False, 3, 1]
    assert list(obj["spec"]["jobTemplate"]["spec"]) == ["template"], "what a job fills in it fills in when it is made"
    assert obj["spec"]["jobTemplate"]["spec"]["template"]["spec"]["dnsPolicy"] == "ClusterFirst"
    assert obj["status"] == {}


def test_a_cron_job_in_one_line():
    obj = {**cron_job(suspend=False, timeZone="Europe/Paris"), "status": {"active": [{}, {}], "lastScheduleTime": ago(90)}}
    assert row(CRON_JOB, obj, wide=True) == {
        "Schedule": "0 3 * * *",
        "Timezone": "Europe/Paris",
        "Suspend": "False",
        "Active": 2,
        "Last Schedule": "90s",
        "Age": "<unknown>",
        "Containers": "a",
        "Images": "a:1",
        "Selector": "<none>",
    }
    bare = row(CRON_JOB, cron_job(suspend=True))
    assert (bare["Timezone"], bare["Suspend"], bare["Active"], bare["Last Schedule"]) == ("<none>", "True", 0, "<none>")


def test_what_a_cron_job_is_warned_of():
    def warnings(obj):
        return [text for found in CRON_JOB.strategy.warnings for text in found(created(CRON_JOB, obj))]

    assert warnings(cron_job()) == []
    assert warnings(cron_job("a.b"))[0].startswith("metadata.name: this is used in Pod names and hostnames")
    many = {"completionMode": "Indexed", "completions": 100_001, "parallelism": 10_001}
    assert warnings(cron_job(job=many))[0].startswith("spec.jobTemplate.spec: In Indexed Jobs with a number of completions")
