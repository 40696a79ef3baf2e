"""Spans that others ask for, as long as the API takes them: nothing stumbles over when they would be over."""

import logging

import pytest

from svcsim.dialect import KUBERNETES
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request
from svcsim.meta.objects import gvk_of, name_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Json, Object
from svcsim.printing.why.kinds import explainer_of
from svcsim.printing.why.verdict import Facts
from tests.controllers.batch import cron_job
from tests.controllers.jobs import job
from tests.controllers.running import Running, deployment, running, template

LONGEST = 2**63 - 1
LONGEST_OF_32 = 2**31 - 1
PROTOBUF = "application/vnd.kubernetes.protobuf"
TAINT: Object = {"key": "leaving", "effect": "NoExecute"}


def pod(name: str, **spec: Json) -> Object:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": template(name, **spec)["spec"]}


def probed(seconds: int) -> Object:
    made = pod("probed")
    made["spec"]["containers"][0]["livenessProbe"] = {
        "exec": {"command": ["true"]},
        **dict.fromkeys(("initialDelaySeconds", "periodSeconds", "timeoutSeconds"), LONGEST_OF_32),
        "terminationGracePeriodSeconds": seconds,
    }
    return made


ASKED: tuple[tuple[str, str, Object], ...] = (
    ("v1", "pods", pod("tolerant", tolerations=[{**TAINT, "operator": "Exists", "tolerationSeconds": LONGEST}])),
    ("v1", "pods", pod("impatient", tolerations=[{**TAINT, "operator": "Exists", "tolerationSeconds": -LONGEST}])),
    ("v1", "pods", pod("limited", activeDeadlineSeconds=LONGEST_OF_32)),
    ("v1", "pods", probed(LONGEST)),
    ("batch/v1", "jobs", job("slow", "exit 1", activeDeadlineSeconds=LONGEST, ttlSecondsAfterFinished=LONGEST_OF_32)),
    ("batch/v1", "jobs", job("kept", "true", ttlSecondsAfterFinished=LONGEST_OF_32)),
    ("batch/v1", "cronjobs", cron_job("late", startingDeadlineSeconds=LONGEST, timeZone="America/New_York")),
    ("batch/v1", "cronjobs", cron_job("seldom", "@every 2562047h")),
    (
        "apps/v1",
        "deployments",
        deployment("patient", 1, minReadySeconds=LONGEST_OF_32 - 1, progressDeadlineSeconds=LONGEST_OF_32),
    ),
)


async def read_in_every_form(r: Running, version: str, plural: str) -> None:
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    for accept in ("application/json", PROTOBUF, "application/json;as=Table;v=v1;g=meta.k8s.io"):
        answer = await r.client.transport.send(Request("GET", f"{root}/namespaces/default/{plural}", "", {"accept": accept}))
        assert answer.status == 200, (plural, accept, answer.body)


@pytest.mark.virtual_time
async def test_spans_without_end_are_waited_for_and_told(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    async with running() as r:
        for version, plural, obj in ASKED:
            await r.client.resource(version, plural, "default").create(obj)
        await r.clock.sleep(120)
        for node in await r.client.resource("v1", "nodes").list_all():
            await r.client.resource("v1", "nodes").patch(name_of(node), {"spec": {"taints": [TAINT]}})
        await r.clock.sleep(1200)
        for version, plural in dict.fromkeys((version, plural) for version, plural, _ in ASKED):
            await read_in_every_form(r, version, plural)
            for obj in await r.client.resource(version, plural, "default").list_all():
                kind = {"pods": "Pod", "jobs": "Job", "cronjobs": "CronJob", "deployments": "Deployment"}[plural]
                whole = {**obj, "apiVersion": version, "kind": kind}
                verdict = explainer_of(version.rpartition("/")[0], gvk_of(whole).kind).explain(
                    whole, Facts(r.clock.now(), KUBERNETES, [], {})
                )
                assert verdict.state
        assert await r.exists(r.pods, "tolerant")
        assert not await r.exists(r.pods, "impatient")
    assert [(record.name, record.getMessage(), record.exc_info) for record in caplog.records] == []


@pytest.mark.parametrize("seconds", [2**32, LONGEST, -1])
@pytest.mark.virtual_time
async def test_a_token_ends_at_a_time_that_can_be_read_or_is_refused(seconds: int) -> None:
    async with running(nodes=0) as r:
        await r.clock.sleep(1)
        path = "/api/v1/namespaces/default/serviceaccounts/default/token"
        wish = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": seconds}}
        try:
            answer = await r.client.request("POST", path, body=wish)
        except StatusError as error:
            if error.code != 422:
                raise
        else:
            assert parse_time(answer["status"]["expirationTimestamp"]) > r.clock.now()


@pytest.mark.parametrize("text", ["1e300", "9223372036854775807", "1" + 400 * "0", "1e400"], ids=lambda text: text[:20])
@pytest.mark.parametrize("move", ["step", "advance"])
@pytest.mark.virtual_time
async def test_the_clock_goes_no_further_than_times_can_be_written(move: str, text: str) -> None:
    async with running(nodes=0, clock_speed=0.0) as r:
        with pytest.raises(StatusError) as refused:
            await answered(
                r, Request("PUT", "/svcsim/v1/clock", "", {"content-type": "application/json"}, f'{{"{move}": {text}}}'.encode())
            )
        assert refused.value.code in {400, 409}


async def answered(r: Running, request: Request) -> Object:
    answer = await r.client.transport.send(request)
    body: Object = decode_json(answer.body)
    if answer.status != 200:
        raise StatusError(answer.status, body["reason"], body["message"])
    return body
