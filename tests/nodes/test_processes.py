"""What first processes of containers do: it is in their logs, in their files, and in how they end."""

import asyncio
import base64
import re
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest

from svcsim import limits
from svcsim.clock import turn
from svcsim.meta.http import Request
from svcsim.meta.types import Json, Object
from svcsim.nodes.processes.first_process import FirstProcess
from tests.calls import calls
from tests.living import Living, is_ready, living, name, phase, pod
from tests.nodes.test_streams import of, run, sh
from tests.virtual import START_S

ONCE: Object = {"restartPolicy": "Never"}


async def log(cluster: Living, pod_name: str, query: str = "") -> str:
    asked = Request("GET", f"/api/v1/namespaces/default/pods/{pod_name}/log", query)
    response = await cluster.client.transport.call(asked)
    assert response.status == 200, response.body
    if response.stream is not None:
        return b"".join([piece async for piece in response.stream]).decode()
    return response.body.decode()


def script(text: str, pod_name: str = "main", *, image: str = "busybox:1", **more: Json) -> Object:
    return {"name": pod_name, "image": image, "command": ["sh", "-c", text], **more}


def of_containers(*containers: Object, pod_name: str = "web", annotations: dict[str, str] | None = None, **spec: Json) -> Object:
    made = pod(pod_name, **spec)
    made["metadata"]["annotations"] = annotations or {}
    made["spec"]["containers"] = list(containers)
    return made


async def ended(cluster: Living, obj: Object, within_s: float = 60.0) -> Object:
    """Create a pod and wait until it has ended."""
    await cluster.pods.create(obj)
    await cluster.until(lambda pods: any(name(one) == name(obj) and phase(one) in {"Succeeded", "Failed"} for one in pods), within_s)
    return await cluster.pods.get(name(obj))


def exit_code(obj: Object) -> int:
    code: int = obj["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"]
    return code


def is_in_run(obj: Object, restarts: int) -> bool:
    (status,) = obj["status"].get("containerStatuses") or [{}]
    return status.get("restartCount") == restarts and "running" in status["state"]


# --- what commands that end say ---


@pytest.mark.virtual_time
async def test_the_environment_is_in_the_log():
    async with living(nodes=1) as cluster:
        core = cluster.client.resource
        await core("v1", "configmaps", "default").create(of("ConfigMap", "special", data={"how": "very", "type": "charm"}))
        await core("v1", "secrets", "default").create(of("Secret", "login", data={"user": base64.b64encode(b"admin").decode()}))
        one = script(
            "env",
            envFrom=[{"configMapRef": {"name": "special"}}],
            resources={"limits": {"memory": "64Mi"}},
            env=[
                {"name": "LEVEL", "valueFrom": {"configMapKeyRef": {"name": "special", "key": "how"}}},
                {"name": "USERNAME", "valueFrom": {"secretKeyRef": {"name": "login", "key": "user"}}},
                {"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
                {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
                {"name": "MEMORY", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory"}}},
            ],
        )
        made = await ended(cluster, of_containers(one, **ONCE))
        lines = (await log(cluster, "web")).splitlines()
        expected = {"how=very", "type=charm", "LEVEL=very", "USERNAME=admin", f"POD_IP={made['status']['podIP']}", "NODE=node-1"}
        assert expected | {"MEMORY=67108864", "KUBERNETES_SERVICE_PORT=443"} <= set(lines)


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["printenv", "GREETING", "NAME"], "Warm greetings to\nKubernetes\n"),
        (["echo", "$(GREETING) $(NAME) $$(NAME) $(OTHER)"], "Warm greetings to Kubernetes $(NAME) $(OTHER)\n"),
        (["sh", "-c", "echo $(GREETING) ${NAME}; echo $GREETING | wc -w"], "Warm greetings to Kubernetes\n3\n"),
        (["sh", "-c", "cat /etc/config/a; ls /etc/config; echo no >&2"], "1\na\nb\nno\n"),
        (["cat", "/etc/labels/labels"], 'app="shop"\ntier="front"'),
        (["sh", "-c", "printf one; sleep 3; printf 'two\\nthree'"], "onetwo\nthree"),
        (["bash", "-c", "for i in 1 2 3; do echo $i; done"], "1\n2\n3\n"),
        (["sh", "-c", "if [[ -e /etc/config/b ]]; then echo there; fi"], "there\n"),
        (["env", "-i", "A=b c", "sh", "-c", "echo [$A]"], "[b c]\n"),
        (["sh", "-c", "true"], ""),
        (["sh", "-c", "cat <<EOF > /tmp/f\n$NAME $(GREETING)\nEOF\ncat /tmp/f"], "Kubernetes Warm greetings to\n"),
        (["bash", "-c", 'while read w; do echo $w; done <<< "$NAME"'], "Kubernetes\n"),
    ],
)
async def test_what_a_command_says_is_in_the_log(command: list[str], said: str):
    async with living(nodes=1) as cluster:
        await cluster.client.resource("v1", "configmaps", "default").create(of("ConfigMap", "settings", data={"a": "1\n", "b": "2\n"}))
        env = [{"name": "GREETING", "value": "Warm greetings to"}, {"name": "NAME", "value": "Kubernetes"}]
        mounts = [{"name": "config", "mountPath": "/etc/config"}, {"name": "labels", "mountPath": "/etc/labels"}]
        one: Object = {"name": "main", "image": "debian:12", "command": command, "env": env, "volumeMounts": mounts}
        downward: Object = {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}
        volumes: list[Json] = [{"name": "config", "configMap": {"name": "settings"}}, {"name": "labels", "downwardAPI": downward}]
        wanted = of_containers(one, volumes=volumes, **ONCE)
        wanted["metadata"]["labels"] = {"app": "shop", "tier": "front"}
        assert exit_code(await ended(cluster, wanted)) == 0
        assert await log(cluster, "web") == said


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("test -f /etc/passwd", 0),
        ("test -f /nope", 1),
        ("cat /nope || exit 7", 7),
        ("grep -q root /etc/passwd && exit 5", 5),
        ("ls /nope; echo after", 0),
        ("set -e; ls /nope; echo never", 1),
        ("[ $PATH = x ] || exit 9", 9),
        ("i=0; while [ $i -lt 5 ]; do i=$((i+1)); sleep 1; done; exit $i", 5),
        ("exit 3", 3),
        ("seq 5 | while read i; do sleep 1; [ $i = 4 ] && exit 6; done", 6),
        ("printf '2\\n3\\n' > /tmp/f; while read n; do s=$((s + n)); done < /tmp/f; exit $s", 5),
        ("echo a b > /tmp/f; n=$(echo c >> /tmp/f; wc -l /tmp/f | awk {'print $1'}); exit $n", 2),
        ("echo x > /nope/x", 1),
        ("set -u; echo $none; exit 3", 2),
        ("timeout 5 sh -c 'until [ -f /tmp/ok ]; do sleep 1; done'", 124),
        ("timeout 5 sh -c 'sleep 60 & wait $!'", 124),
        ("touch /tmp/h; sleep 5; test $(( $(date +%s) - $(stat -c %Y /tmp/h) )) -lt 3", 1),
        ("set -o nounset; echo ${NONE:-none}; exit 3", 3),
    ],
)
async def test_a_container_ends_as_what_it_runs_does(text: str, code: int):
    async with living(nodes=1) as cluster:
        assert exit_code(await ended(cluster, of_containers(script(text), **ONCE))) == code


UNFORESEEN = "echo a > /f; exit $(wc -l < /f)"
DOUBLED: list[Json] = [{"name": "V0", "value": "x" * 10}, *({"name": f"V{n}", "value": f"$(V{n - 1})" * 2} for n in range(1, 60))]


@pytest.mark.parametrize(
    "container",
    [
        script(UNFORESEEN, env=DOUBLED),
        script("echo a", env=DOUBLED),
        script("sleep 1000", env=DOUBLED),
        script("sleep 1000", env=[{"name": "ONE", "value": "x" * 128 * 1024}]),
        {"name": "main", "image": "example.com/server:1", "command": ["sh"], "env": DOUBLED},
        {**script(""), "command": ["sh", "-c", UNFORESEEN, *["$(V12)"] * 100], "env": DOUBLED[:13]},
        {**script(""), "command": ["sh", "-c", UNFORESEEN, "$(V12)" * 100], "env": DOUBLED[:13]},
    ],
)
@pytest.mark.virtual_time
async def test_who_would_be_given_more_than_a_kernel_hands_over_is_not_started(container: Object):
    async with living(nodes=1) as cluster:
        assert exit_code(await ended(cluster, of_containers(container, **ONCE))) == 255
        assert await log(cluster, "web") == "exec sh: argument list too long\n"


@pytest.mark.virtual_time
async def test_a_server_that_would_be_given_too_much_crashes_again_and_again():
    async with living(nodes=1) as cluster:
        await cluster.pods.create(of_containers({"name": "main", "image": "nginx:1", "env": DOUBLED}))
        await cluster.sleep(60)
        status = (await cluster.pods.get("web"))["status"]["containerStatuses"][0]
        assert (status["ready"], status["state"]["waiting"]["reason"]) == (False, "CrashLoopBackOff")
        assert status["lastState"]["terminated"]["exitCode"] == 255


@pytest.mark.virtual_time
async def test_part_of_a_volume_whose_name_grows_without_end_is_not_mounted():
    mounts = [{"name": "v", "mountPath": "/v", "subPathExpr": "$(V59)"}]
    async with living(nodes=1) as cluster:
        container = script("sleep 1000", env=DOUBLED, volumeMounts=mounts)
        await cluster.pods.create(of_containers(container, volumes=[{"name": "v", "emptyDir": {}}]))
        await cluster.sleep(30)
        waiting = (await cluster.pods.get("web"))["status"]["containerStatuses"][0]["state"]["waiting"]
        assert (waiting["reason"], waiting["message"]) == ("CreateContainerConfigError", "argument list too long")


@pytest.mark.virtual_time
async def test_a_command_of_a_client_is_refused_what_is_too_long():
    async with living(nodes=1) as cluster:
        await cluster.client.resource("v1", "configmaps", "default").create({"metadata": {"name": "long"}, "data": {"a": "x" * 900_000}})
        env = [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "long", "key": "a"}}}, {"name": "B", "value": "$(A)$(A)$(A)"}]
        await cluster.run_pod(of_containers({"name": "main", "image": "nginx:1", "env": env}))
        done = await run(cluster, "web", "echo", "a")
        assert "argument list too long" in str(done)


@pytest.mark.virtual_time
async def test_the_digits_of_pi():
    async with living(nodes=1) as cluster:
        one: Object = {"name": "pi", "image": "perl:5.34.0", "command": ["perl", "-Mbignum=bpi", "-wle", "print bpi(2000)"]}
        await ended(cluster, of_containers(one, **ONCE))
        said = await log(cluster, "web")
        assert said.startswith("3.14159265358979323846")
        assert (len(said), said[2 + 761 : 2 + 767]) == (2002, "999999")


@pytest.mark.virtual_time
async def test_lines_have_their_times_and_the_run_before_its_own_log():
    async with living(nodes=1) as cluster:
        one = script("echo run; sleep 5; date; test -f /nope")
        await cluster.pods.create(of_containers(one))
        await cluster.until(lambda pods: is_in_run(pods[0], 2))
        status = (await cluster.pods.get("web"))["status"]["containerStatuses"][0]
        began, last = status["state"]["running"]["startedAt"], status["lastState"]["terminated"]
        await cluster.sleep(3)
        stamps = [line.split(" ", 1) for line in (await log(cluster, "web", "timestamps=true")).splitlines()]
        assert [stamp[:19] for stamp, _ in stamps][:1] == [began[:19]]
        assert [text for _, text in stamps][:1] == ["run"]
        assert last["exitCode"] == 1
        before = (await log(cluster, "web", "previous=true&timestamps=true")).splitlines()
        assert before[0].startswith(last["startedAt"][:19])
        assert re.search(r"Z Thu Jan  1 00:00:\d\d UTC 2026$", before[1])


@pytest.mark.virtual_time
async def test_what_is_not_understood_is_as_it_was():
    async with living(nodes=1) as cluster:
        await cluster.run_pod(of_containers(script("echo starting; wget http://web; ./run")))
        await cluster.sleep(30)
        assert (await cluster.pods.get("web"))["status"]["containerStatuses"][0]["restartCount"] == 0
        assert await log(cluster, "web") == "starting\n"
        puzzling = of_containers(script("cat /etc/hostname; sort --parallel=2 /etc/passwd; sleep 5"), pod_name="odd", **ONCE)
        assert exit_code(await ended(cluster, puzzling)) == 0


@pytest.mark.virtual_time
async def test_annotations_go_before_what_a_command_comes_to():
    async with living(nodes=1) as cluster:
        one = script("echo begun; test -f /nope")
        made = await ended(cluster, of_containers(one, annotations={"svcsim.dev/exit-code": "4", "svcsim.dev/run-for": "7s"}, **ONCE))
        assert exit_code(made) == 4
        assert await log(cluster, "web") == "begun\n"
        said = of_containers(one, pod_name="said", annotations={"svcsim.dev/log-lines": "mine"}, **ONCE)
        said["metadata"]["annotations"]["svcsim.dev/run-for"] = "5s"
        await ended(cluster, said)
        assert set((await log(cluster, "said")).splitlines()) == {"mine"}


# --- files ---


@pytest.mark.virtual_time
async def test_init_containers_prepare_what_the_others_find():
    async with living(nodes=1) as cluster:
        mount: list[Json] = [{"name": "work", "mountPath": "/work"}]
        wanted = of_containers(
            script("cat /work/index; sleep 3600", volumeMounts=mount),
            initContainers=[
                script("echo prepared > /work/index; echo one", "one", volumeMounts=mount),
                script("test -s /work/index && echo two >> /work/index", "two", volumeMounts=mount),
            ],
            volumes=[{"name": "work", "emptyDir": {}}],
        )
        await cluster.run_pod(wanted)
        assert await log(cluster, "web") == "prepared\ntwo\n"
        assert await log(cluster, "web", "container=one") == "one\n"
        assert await sh(cluster, "web", "cat /work/index") == "prepared\ntwo\n"


@pytest.mark.virtual_time
async def test_containers_see_what_their_siblings_write_when_they_write_it():
    async with living(nodes=1) as cluster:
        mount: list[Json] = [{"name": "data", "mountPath": "/data"}]
        page: list[Json] = [{"name": "data", "mountPath": "/usr/share/nginx/html"}]
        wanted = of_containers(
            {"name": "nginx", "image": "nginx:1.29", "volumeMounts": page},
            script("sleep 10; echo Hello from the other > /data/index.html; touch /data/ready; sleep 3600", "writer", volumeMounts=mount),
            script("until test -f /data/ready; do echo waiting; sleep 2; done; cat /data/index.html", "reader", volumeMounts=mount),
            volumes=[{"name": "data", "emptyDir": {}}],
            restartPolicy="OnFailure",
        )
        await cluster.run_pod(wanted)
        assert (await run(cluster, "web", "cat", "/usr/share/nginx/html/index.html", container="nginx")).code == 1
        await cluster.sleep(20)
        assert (await run(cluster, "web", "cat", "/usr/share/nginx/html/index.html", container="nginx")).out == "Hello from the other\n"
        *waiting, last = (await log(cluster, "web", "container=reader")).splitlines()
        assert (set(waiting), last) == ({"waiting"}, "Hello from the other")
        assert 5 <= len(waiting) <= 7


@pytest.mark.virtual_time
async def test_a_command_of_a_client_can_end_what_a_process_waits_for():
    async with living(nodes=1) as cluster:
        await cluster.pods.create(of_containers(script("until [ -f /tmp/go ]; do sleep 1; done; echo gone; exit 6"), **ONCE))
        await cluster.sleep(30)
        assert phase(await cluster.pods.get("web")) == "Running"
        await sh(cluster, "web", "touch /tmp/go")
        await cluster.sleep(3)
        assert exit_code(await cluster.pods.get("web")) == 6
        assert await log(cluster, "web") == "gone\n"


@pytest.mark.virtual_time
async def test_why_it_ended_is_in_the_file_for_that_or_in_its_log():
    async with living(nodes=1) as cluster:
        env = [{"name": "WHY", "value": "tired"}]
        made = await ended(cluster, of_containers(script("echo $WHY > /dev/termination-log; exit 3", env=env), **ONCE))
        assert made["status"]["containerStatuses"][0]["state"]["terminated"]["message"] == "tired\n"
        logged = script("echo $WHY; exit 1", env=env, terminationMessagePolicy="FallbackToLogsOnError")
        made = await ended(cluster, of_containers(logged, pod_name="two", **ONCE))
        assert made["status"]["containerStatuses"][0]["state"]["terminated"]["message"] == "tired\n"
        logged["command"] = ["sh", "-c", "/bin/echo -n tired; /bin/false"]
        made = await ended(cluster, of_containers(logged, pod_name="three", **ONCE))
        assert made["status"]["containerStatuses"][0]["state"]["terminated"]["message"] == "tired"


# --- loops ---

COUNTER = 'i=0; while true; do echo "$i: $(date)"; i=$((i+1)); sleep 1; done'


@pytest.mark.virtual_time
async def test_a_loop_counts_on_and_is_followed():
    async with living(nodes=1) as cluster:
        await cluster.run_pod(of_containers(script(COUNTER)))
        await cluster.sleep(20)
        lines = (await log(cluster, "web")).splitlines()
        assert len(lines) >= 20
        assert [line.split(":")[0] for line in lines] == [str(number) for number in range(len(lines))]
        assert re.fullmatch(r"3: Thu Jan  1 00:00:\d\d UTC 2026", lines[3])
        seconds = [int(line.split(":")[3][:2]) for line in lines]
        assert [later - earlier for earlier, later in pairwise(seconds)] == [1] * (len(lines) - 1)
        asked = Request("GET", "/api/v1/namespaces/default/pods/web/log", "follow=true&tailLines=1")
        response = await cluster.client.transport.call(asked)
        assert response.stream is not None
        pieces = [await anext(response.stream) for _ in range(5)]
        assert [piece.decode().split(":")[0] for piece in pieces] == [str(len(lines) - 1 + number) for number in range(5)]
        await response.stream.aclose()


BUSY = "while true; do seq 30000 | tr 0-9 a-j > /tmp/s; echo; done"


@pytest.mark.virtual_time
async def test_what_is_work_takes_time_and_more_and_more_where_it_never_ends():
    async with living(nodes=1) as cluster:
        await cluster.run_pod(of_containers(script(BUSY)))
        begun = len((await log(cluster, "web")).splitlines())
        await cluster.sleep(20)
        then = len((await log(cluster, "web")).splitlines())
        await cluster.sleep(86_400)
        assert 0 < begun < then < 80
        assert then < len((await log(cluster, "web")).splitlines()) < 140


@pytest.mark.virtual_time
async def test_of_a_pod_that_is_gone_nothing_is_run_any_more():
    async with living(nodes=1) as cluster:
        await cluster.run_pod(of_containers(script("while true; do for i in $(seq 100); do :; done; sleep 0.1; done")))
        await cluster.sleep(60)
        with calls(FirstProcess.go_on) as gone_on:
            looking = asyncio.create_task(log(cluster, "web"))
            while len(gone_on) < 50:
                await turn()
            await cluster.pods.delete("web", grace_period_s=0)
            await looking
        assert len(gone_on) < 100


@pytest.mark.virtual_time
async def test_of_a_loop_that_nobody_looked_at_for_long_only_the_end_is_run():
    async with living(nodes=1) as cluster:
        await cluster.run_pod(of_containers(script(COUNTER)))
        first = (await log(cluster, "web")).splitlines()[0]
        await cluster.sleep(86_400)
        lines = (await log(cluster, "web")).splitlines()
        assert limits.FIRST_PROCESS_TURNS <= len(lines) <= limits.LOG_TAIL_LINES
        last = int(lines[-1].split(":")[0])
        assert 86_400 <= last <= 86_400 + 10
        assert [int(line.split(":")[0]) for line in lines] == list(range(last - len(lines) + 1, last + 1))
        assert first.startswith("0: Thu Jan  1 00:00:0")
        assert lines[-1].split(": ", 1)[1].startswith("Fri Jan  2 00:00:")


@pytest.mark.virtual_time
@pytest.mark.parametrize("text", ["while true; do echo y; done", "while :; do :; done", "i=0; while [ $i -ge 0 ]; do i=$((i+1)); done"])
async def test_what_goes_round_without_a_pause_holds_up_nobody(text: str):
    async with living(nodes=1) as cluster:
        await cluster.run_pod(of_containers(script(text)))
        await cluster.sleep(3_600)
        assert len((await log(cluster, "web")).splitlines()) <= limits.LOG_TAIL_LINES
        assert (await cluster.pods.get("web"))["status"]["containerStatuses"][0]["restartCount"] == 0


@pytest.mark.virtual_time
async def test_logs_in_files_are_streamed_by_a_sidecar():
    async with living(nodes=1) as cluster:
        mount: list[Json] = [{"name": "varlog", "mountPath": "/var/log"}]
        count = 'i=0; while true; do echo "$i: one" >> /var/log/1.log; echo "INFO $i" >> /var/log/2.log; i=$((i+1)); sleep 1; done'
        wanted = of_containers(
            script(count, "count", volumeMounts=mount),
            {"name": "one", "image": "busybox:1", "args": ["/bin/sh", "-c", "tail -n+1 -F /var/log/1.log"], "volumeMounts": mount},
            script("tail -n+1 -f /var/log/2.log", "two", volumeMounts=mount),
            volumes=[{"name": "varlog", "emptyDir": {}}],
        )
        await cluster.run_pod(wanted)
        await cluster.sleep(10)
        first = (await log(cluster, "web", "container=one")).splitlines()
        assert first[:3] == ["0: one", "1: one", "2: one"]
        assert len(first) >= 9
        await cluster.sleep(10)
        second = (await log(cluster, "web", "container=one")).splitlines()
        assert second == [f"{number}: one" for number in range(len(second))]
        assert len(second) >= len(first) + 9
        assert (await log(cluster, "web", "container=two")).startswith("INFO 0\nINFO 1\n")
        assert await log(cluster, "web", "container=count") == ""
        found = await sh(cluster, "web", "wc -l < /var/log/1.log; sleep 5; wc -l < /var/log/1.log", container="count")
        before, after = map(int, found.split())
        assert after - before == 5


@pytest.mark.virtual_time
async def test_what_is_mounted_changes_while_a_loop_reads_it():
    async with living(nodes=1) as cluster:
        maps = cluster.client.resource("v1", "configmaps", "default")
        await maps.create(of("ConfigMap", "sport", data={"sport": "football"}))
        one = script(
            "while true; do echo my sport is $(cat /etc/config/sport); sleep 10; done",
            volumeMounts=[{"name": "c", "mountPath": "/etc/config"}],
        )
        await cluster.run_pod(of_containers(one, volumes=[{"name": "c", "configMap": {"name": "sport"}}]))
        await cluster.sleep(30)
        assert set((await log(cluster, "web")).splitlines()) == {"my sport is football"}
        await maps.patch("sport", {"data": {"sport": "cricket"}})
        await cluster.sleep(30)
        lines = (await log(cluster, "web")).splitlines()
        assert (lines[0], lines[-1]) == ("my sport is football", "my sport is cricket")


@pytest.mark.virtual_time
async def test_a_node_looks_no_more_at_what_never_ends():
    async with living(nodes=1) as cluster:
        await cluster.run_pod(of_containers(script("cat /etc/hostname; while true; do date; sleep 1; done")))
        await cluster.run_pod(of_containers(script("tail -F /tmp/log"), pod_name="tail"))
        with calls(FirstProcess.go_on) as done:
            await cluster.sleep(600)
        assert done == []
        assert len((await log(cluster, "web")).splitlines()) > 600


# --- as much as there is room for ---


@pytest.mark.virtual_time
async def test_a_log_keeps_its_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "SAID_BYTES", 20 * (limits.SAID_LINE_COSTS_BYTES + 6))
    async with living(nodes=1) as cluster:
        await ended(cluster, of_containers(script("for i in $(seq 1 100); do printf 'l%05d\\n' $i; done"), **ONCE))
        assert (await log(cluster, "web")).splitlines() == [f"l{number:05d}" for number in range(81, 101)]


@pytest.mark.virtual_time
async def test_more_pods_than_there_may_be_are_run_anew_when_somebody_looks_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "FIRST_PROCESSES", 2)
    async with living(nodes=1) as cluster:
        mount: list[Json] = [{"name": "work", "mountPath": "/work"}]
        volumes: list[Json] = [{"name": "work", "emptyDir": {}}]
        for number in range(4):
            one = script(f"while true; do echo {number} >> /work/log; sleep 1; done", volumeMounts=mount)
            await cluster.run_pod(of_containers(one, pod_name=f"p{number}", volumes=volumes))
        for _ in range(2):
            for number in range(4):
                assert set((await sh(cluster, f"p{number}", "cat /work/log")).splitlines()) == {str(number)}
        (counted,) = (await sh(cluster, "p0", "wc -l < /work/log")).split()
        assert int(counted) < 60, "a second run doesn't write behind what the first has written"


@pytest.mark.virtual_time
async def test_nothing_is_kept_of_pods_that_are_gone():
    async with living(nodes=1) as cluster:
        processes = cluster.cluster.nodes.reach.processes
        await cluster.run_pod(of_containers(script(f"echo x > /tmp/x; {COUNTER}")))
        asked = Request("GET", "/api/v1/namespaces/default/pods/web/log", "follow=true&tailLines=1")
        response = await cluster.client.transport.call(asked)
        assert response.stream is not None
        assert await anext(response.stream)
        assert processes.files.of_pods
        await cluster.pods.delete("web")
        assert [piece async for piece in response.stream]
        await cluster.sleep(60)
        assert not processes.files.of_pods
        assert processes.files.used_bytes == 0


@pytest.mark.virtual_time
async def test_a_log_that_is_followed_ends_with_its_pod_however_soon_that_goes(caplog: pytest.LogCaptureFixture):
    async with living(nodes=1) as cluster:
        for number in range(20):
            await cluster.run_pod(of_containers(script("while true; do date; sleep 1; done"), pod_name=f"p{number}"))
            asked = Request("GET", f"/api/v1/namespaces/default/pods/p{number}/log", "follow=true")
            response = await cluster.client.transport.call(asked)
            assert response.stream is not None
            assert await anext(response.stream)
            reading = asyncio.create_task(read_all(response.stream))
            await cluster.sleep(0.05 * number)
            await cluster.pods.delete(f"p{number}", grace_period_s=0)
            await reading
        assert "refused" not in caplog.text


async def read_all(stream: AsyncIterator[bytes]) -> bytes:
    return b"".join([piece async for piece in stream])


# --- the cluster is started again ---


@pytest.mark.virtual_time
async def test_after_a_new_start_logs_say_the_same_and_files_are_there_again(tmp_path: Path):
    mount: list[Json] = [{"name": "work", "mountPath": "/work"}]
    wanted = of_containers(
        script("cat /work/index; date; env | grep HOME; sleep 20; date; sleep 3600", volumeMounts=mount),
        script("until test -f /nope; do date; sleep 3; done", "waits"),
        initContainers=[script("echo prepared > /work/index; date", "one", volumeMounts=mount)],
        volumes=[{"name": "work", "emptyDir": {}}],
    )
    asked = [("web", "container=one"), ("web", "container=main&timestamps=true"), ("web", "container=waits")]
    async with living(data_dir=tmp_path, durability="process", nodes=1) as cluster:
        await cluster.run_pod(wanted)
        await cluster.sleep(30)
        before = [await log(cluster, name, query) for name, query in asked]
        assert before[0].startswith("Thu Jan  1 00:00:")
        assert len(before[1].splitlines()) == 4
    async with living(data_dir=tmp_path, durability="process", nodes=1, start_s=START_S + 60) as cluster:
        await cluster.until(lambda pods: is_ready(pods[0]))
        after = [await log(cluster, name, query) for name, query in asked]
        assert after[:2] == before[:2]
        assert after[2].startswith(before[2])
        assert await sh(cluster, "web", "cat /work/index", container="main") == "prepared\n"
        await sh(cluster, "web", "touch /nope", container="waits")
        await cluster.sleep(5)
        status = (await cluster.pods.get("web"))["status"]["containerStatuses"][1]
        assert status["lastState"]["terminated"]["exitCode"] == 0


@pytest.mark.virtual_time
async def test_what_counts_up_to_its_end_is_run_as_far_and_no_farther(tmp_path: Path):
    counting = of_containers(script("i=0; while [ $i -lt 3000 ]; do i=$((i+1)); sleep 1; done; echo $i; exit 4"), **ONCE)
    async with living(data_dir=tmp_path, durability="process", nodes=1) as cluster:
        await cluster.run_pod(counting)
    async with living(data_dir=tmp_path, durability="process", nodes=1, start_s=START_S + 86_400) as cluster:
        await cluster.until(lambda pods: phase(pods[0]) == "Failed")
        assert exit_code(await cluster.pods.get("web")) == 4
        assert await log(cluster, "web") == "3000\n"


@pytest.mark.virtual_time
async def test_a_command_line_without_any_measure_is_not_even_read():
    async with living(nodes=1) as cluster:
        await cluster.run_pod(of_containers(script("echo hi; " * limits.FIRST_COMMAND_CHARS + "sleep 3600")))
        assert "hi" not in await log(cluster, "web")


# --- hooks ---


@pytest.mark.virtual_time
async def test_what_a_hook_writes_is_there():
    async with living(nodes=1) as cluster:
        hook: Object = {"postStart": {"exec": {"command": ["/bin/sh", "-c", "echo Hello from the postStart handler > /usr/share/message"]}}}
        await cluster.run_pod(of_containers({"name": "main", "image": "nginx:1.29", "lifecycle": hook}))
        assert (await run(cluster, "web", "cat", "/usr/share/message")).out == "Hello from the postStart handler\n"
        both = of_containers(
            script(
                "sleep 2; cat /tmp/hook; sleep 3600",
                lifecycle={"postStart": {"exec": {"command": ["sh", "-c", "echo said; echo hooked > /tmp/hook"]}}},
            ),
            pod_name="two",
        )
        await cluster.run_pod(both)
        await cluster.sleep(3)
        assert await log(cluster, "two") == "hooked\n"


@pytest.mark.virtual_time
async def test_commands_run_in_a_container_whose_hook_is_at_work():
    async with living(nodes=1) as cluster:
        hook: Object = {"postStart": {"exec": {"command": ["sh", "-c", "echo begun > /tmp/hook; sleep 30; echo done >> /tmp/hook"]}}}
        await cluster.pods.create(of_containers({"name": "main", "image": "nginx:1.29", "lifecycle": hook}))
        await cluster.sleep(10)
        assert "waiting" in (await cluster.pods.get("web"))["status"]["containerStatuses"][0]["state"]
        assert await sh(cluster, "web", "cat /tmp/hook; sleep 40; cat /tmp/hook; touch /tmp/mine") == "begun\nbegun\ndone\n"
        assert "running" in (await cluster.pods.get("web"))["status"]["containerStatuses"][0]["state"]
        assert await sh(cluster, "web", "ls /tmp") == "hook\nmine\n"


@pytest.mark.virtual_time
async def test_a_command_ends_with_the_container_whose_hook_fails():
    async with living(nodes=1) as cluster:
        hook: Object = {"postStart": {"exec": {"command": ["sh", "-c", "sleep 20; exit 1"]}}}
        await cluster.pods.create(of_containers({"name": "main", "image": "nginx:1.29", "lifecycle": hook}))
        await cluster.sleep(10)
        assert (await run(cluster, "web", "sleep", "3600")).code == 137
        (event,) = [one for one in await cluster.events("web") if one["reason"] == "FailedPostStartHook" and one["type"] == "Warning"]
        assert event["count"] == 1


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["cp", "-r", "/autoinstrumentation/.", "/tmp"], 0),
        (["sh", "-c", "cp /plugins/velero-plugin-for-aws /tmp/."], 0),
        (["sh", "-c", "set -e; cat /proc/meminfo > /dev/null; echo read"], 0),
        (["sh", "-c", "cd /app && ls package.json"], 0),
        (["sh", "-c", "set -eu; echo $NGINX_VERSION"], 0),
        (["sh", "-c", "cat /etc/app.conf || exit 7"], 7),
        (["sh", "-c", "if ! cat /etc/app.conf; then exit 5; fi"], 5),
        (["sh", "-c", "cat /tmp/state"], 1),
        (["sh", "-c", "mkdir /data; cat /data/state"], 1),
        (["cat", "/does-not-exist"], 1),
    ],
)
async def test_what_may_be_in_an_image_is_not_told_to_be_missing(command: list[str], code: int):
    one = {"name": "main", "image": "example/app:1", "command": command}
    async with living(nodes=1) as cluster:
        assert exit_code(await ended(cluster, of_containers(one, **ONCE))) == code
