"""What programs in containers reach: services by their names and addresses, pods, the API server, and what is outside of the cluster."""

import asyncio
import ipaddress
import json
from collections.abc import Mapping

import pytest

from svcsim.meta.times import parse_time
from svcsim.meta.types import Json, Object
from svcsim.nodes.network.pod_network import PodNetwork
from svcsim.nodes.processes.processes import Processes
from svcsim.nodes.processes.runs import Asked
from tests.controllers.test_endpoint_families_runs import DUAL
from tests.living import Living, is_ready, living, name, phase, pod
from tests.nodes.test_processes import ONCE, ended, exit_code, log, of_containers, script
from tests.nodes.test_streams import run, sh

HEADLESS: Object = {"clusterIP": "None"}
WAITS = (
    "until nslookup {0}.$(cat /var/run/secrets/kubernetes.io/serviceaccount/namespace).svc.cluster.local; do echo waiting; sleep 2; done"
)


async def service(cluster: Living, service_name: str = "web", **spec: Json) -> Object:
    made = {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 80}], **spec}
    return await cluster.client.resource("v1", "services", "default").create({"metadata": {"name": service_name}, "spec": made})


def server(pod_name: str = "web-0", **more: Json) -> Object:
    made = pod(pod_name, image="nginx:1.27", **more)
    made["metadata"]["labels"] = {"app": "web"}
    return made


def box(image: str = "debian:12") -> Object:
    return pod("box", image=image, command=["sleep", "99999"])


async def said(cluster: Living, text: str) -> str:
    """What a script in the pod ``box`` says and complains of."""
    return await sh(cluster, "box", text)


@pytest.mark.virtual_time
async def test_init_containers_wait_for_services():
    waiting = [script(WAITS.format(one), one) for one in ("first", "second")]
    async with living() as cluster:
        await cluster.pods.create(of_containers(script("sleep 3600"), initContainers=waiting))
        await cluster.sleep(60)
        (made,) = await cluster.pods.list_all()
        assert ["running" in one["state"] for one in made["status"]["initContainerStatuses"]] == [True, False]
        assert "server can't find first.default.svc.cluster.local: NXDOMAIN\n\nwaiting\n" in await log(cluster, "web", "container=first")
        for number, one in enumerate(("first", "second"), 1):
            await service(cluster, one)
            await cluster.sleep(5)
            (made,) = await cluster.pods.list_all()
            assert [status["ready"] for status in made["status"]["initContainerStatuses"]] == [True] * number + [False] * (2 - number)
        await cluster.until(lambda pods: phase(pods[0]) == "Running")


@pytest.mark.virtual_time
async def test_names_are_told_as_the_clusters_dns_tells_them():
    async with living() as cluster:
        for one in ("web-0", "web-1"):
            await cluster.run_pod(server(one, hostname=one, subdomain="pets"))
        await cluster.run_pod(box())
        web = await service(cluster)
        await service(cluster, "pets", **HEADLESS)
        await service(cluster, "docs", type="ExternalName", externalName="docs.example.org", selector=None, ports=None)
        await service(cluster, "alias", type="ExternalName", externalName="web.default.svc.cluster.local", selector=None, ports=None)
        await cluster.sleep(5)
        address = web["spec"]["clusterIP"]
        pods = {name(one): one["status"]["podIP"] for one in await cluster.pods.list_all() if name(one) != "box"}
        for host in ("web", "web.default", "web.default.svc", "web.default.svc.cluster.local", "WEB.default.svc.cluster.local.", "alias"):
            assert (await said(cluster, f"getent hosts {host}")).split() == [address, host], host
        assert await said(cluster, "nslookup pets | grep -c ^Address:") == "3\n"
        assert await said(cluster, "getent hosts web-1.pets | awk '{print $1}'") == f"{pods['web-1']}\n"
        dashed = pods["web-0"].replace(".", "-")
        assert (await said(cluster, f"getent hosts {dashed}.default.pod.cluster.local")).split()[0] == pods["web-0"]
        for host in ("docs", "example.com"):
            assert "203.0.113." in await said(cluster, f"nslookup {host}")
        assert "name = web.default.svc.cluster.local\n" in await said(cluster, f"nslookup {address}")
        for host in ("nobody", "web.elsewhere", "web-9.pets", "web.dev", "nobody.invalid"):
            ran = await run(cluster, "box", "nslookup", host)
            assert (ran.code, f"** server can't find {host}: NXDOMAIN" in ran.out) == (1, True)


@pytest.mark.virtual_time
async def test_requests_reach_the_pods_behind_services():
    async with living() as cluster:
        for one in ("web-0", "web-1"):
            await cluster.run_pod(server(one))
        made = await cluster.run_pod(box())
        web = await service(cluster, type="NodePort")
        await service(cluster, "nobody", selector={"app": "nobody"})
        await cluster.sleep(5)
        several = await said(cluster, "for i in 1 2 3 4; do wget -qO- http://web; done")
        told = [json.loads(one) for one in several.replace("}\n{", "}\0{").split("\0")]
        assert {one["pod"] for one in told} == {"web-0", "web-1"}
        assert (
            await said(cluster, "curl -s -o /dev/null -w '%{http_code} ' web web/nothing; curl -sf web/nothing || echo $?")
            == "200 404 22\n"
        )
        node_port, node = web["spec"]["ports"][0]["nodePort"], made["status"]["hostIP"]
        assert '"port": 80' in await said(cluster, f"wget -qO- http://{node}:{node_port}")
        assert await said(cluster, "wget -O /tmp/page -q web && grep -c port /tmp/page") == "1\n"
        for text, code, why in (
            ("wget -O- http://nobody", 1, "Connection refused"),
            ("wget -O- http://web:81", 1, "Connection refused"),
            ("wget -O- http://missing", 1, "wget: bad address 'missing'"),
            ("curl -m 3 http://10.99.99.99", 28, "curl: (28) Connection timed out after 3001 milliseconds"),
            ("curl http://localhost:80", 7, "curl: (7) Failed to connect to localhost port 80"),
            ("curl -s -X PUT -d a=b web/x", 0, '"method": "PUT"'),
            ("echo hi > /tmp/said; curl -s --data-binary @/tmp/said web; curl -d @/nope web", 26, '"method": "POST"'),
            ("curl -sI web", 0, "HTTP/1.1 200 OK"),
            ("curl -sSf --retry 2 --retry-connrefused nobody", 7, "curl: (7) Failed to connect to nobody port 80"),
            ("wget -S --spider -T 2 web", 0, "remote file exists"),
            ("cd /tmp; wget -q web; wget -q web", 1, "can't open 'index.html': File exists"),
            ("nc -zv web 80", 0, " open"),
            ("nc -zw1 nobody 80", 1, "Connection refused"),
        ):
            ran = await run(cluster, "box", "sh", "-c", text)
            assert (ran.code, why in ran.out + ran.err) == (code, True), (text, ran)


@pytest.mark.virtual_time
async def test_the_api_server_answers_pods_by_the_rights_of_their_accounts():
    account = "/var/run/secrets/kubernetes.io/serviceaccount"
    ask = f'curl -s --cacert {account}/ca.crt -H "Authorization: Bearer $(cat {account}/token)" https://kubernetes.default.svc'
    async with living() as cluster:
        await cluster.run_pod(box())
        assert json.loads(await said(cluster, f"{ask}/api"))["kind"] == "APIVersions"
        refused = json.loads(await said(cluster, f"{ask}/api/v1/namespaces/default/pods"))
        assert "system:serviceaccount:default:default" in refused["message"]
        assert await said(cluster, "curl -sk -o /dev/null -w '%{http_code}' https://kubernetes.default.svc/api/v1/pods") in {"401", "403"}


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("wget -q -O- http://web || exit 7", 0),
        ("wget -q -O- http://nobody || exit 7", 7),
        ("while ! nc -z web 80; do sleep 1; done; exit 5", 5),
        ("curl -fsS --retry 3 --retry-delay 1 --retry-connrefused http://nobody", 127),
        ("wget -q https://example.com/file.tgz && ls file.tgz && exit 4", 4),
    ],
)
async def test_how_a_container_ends_depends_on_whom_it_reaches(text: str, code: int):
    async with living() as cluster:
        await cluster.run_pod(server())
        await service(cluster)
        await cluster.sleep(2)
        assert exit_code(await ended(cluster, of_containers(script(text), pod_name="asks", **ONCE))) == code


@pytest.mark.virtual_time
async def test_a_loop_that_asks_for_ever_costs_nothing_until_somebody_looks():
    async with living() as cluster:
        await cluster.run_pod(server())
        await service(cluster)
        await cluster.run_pod(of_containers(script("while sleep 0.01; do wget -q -O- http://web; done"), pod_name="load"))
        process = cluster.cluster.nodes.reach.processes
        made = await cluster.pods.get("load")
        started_at = made["status"]["containerStatuses"][0]["state"]["running"]["startedAt"]
        await cluster.sleep(3600)
        assert process.process_of(made["metadata"]["uid"], "main", started_at) is None
        assert '"pod": "web-0"' in await log(cluster, "load", "tailLines=20")


@pytest.mark.virtual_time
async def test_what_is_asked_of_a_service_is_answered_as_things_were_when_it_was_asked():
    async with living() as cluster:
        await cluster.run_pod(of_containers(script("while true; do nslookup late >/dev/null && echo there || echo none; sleep 10; done")))
        await cluster.sleep(60)
        await service(cluster, "late")
        await cluster.sleep(60)
        lines = (await log(cluster, "web")).split()
        assert (lines, set(lines)) == (sorted(lines), {"none", "there"})


@pytest.mark.virtual_time
async def test_images_have_the_programs_that_they_are_known_for():
    async with living() as cluster:
        await cluster.run_pod(server())
        await cluster.run_pod(box("busybox:1.36"))
        assert (await run(cluster, "box", "curl", "http://web")).code == 127
        assert '"pod": "web-0"' in (await run(cluster, "web-0", "curl", "-s", "localhost")).out


ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
API = f'curl -s -o /dev/null -w "%{{http_code}} " -H "Authorization: Bearer $(cat {ACCOUNT}/token)" https://kubernetes.default.svc'
MAPS, OWN = "/api/v1/namespaces/default/configmaps", "/api/v1/namespaces/default/pods"


async def let_all(cluster: Living) -> None:
    """Let pods do everything."""
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}
    subject = {"kind": "ServiceAccount", "name": "default", "namespace": "default"}
    binding = {"metadata": {"name": "all"}, "roleRef": role, "subjects": [subject]}
    await cluster.client.resource("rbac.authorization.k8s.io/v1", "clusterrolebindings").create(binding)


@pytest.mark.virtual_time
async def test_what_a_container_runs_by_itself_changes_nothing_in_the_cluster():
    made = '-X POST -H "Content-Type: application/json" -d \'{"metadata": {"generateName": "c-"}}\''
    async with living() as cluster:
        await let_all(cluster)
        await cluster.run_pod(box())
        before = len(await cluster.client.resource("v1", "configmaps", "default").list_all())
        text = f"{API}{MAPS} {made}; {API}{MAPS} -X DELETE; {API}{MAPS}"
        await ended(cluster, of_containers(script(text, image="curlimages/curl"), pod_name="asks", **ONCE))
        assert await log(cluster, "asks") == "405 405 200 "
        assert await said(cluster, f"{API}{MAPS} {made}") == "201 "
        assert len(await cluster.client.resource("v1", "configmaps", "default").list_all()) == before + 1


@pytest.mark.virtual_time
async def test_no_process_waits_for_what_it_has_to_be_run_for_itself():
    paths = (f"{OWN}/asks/log", f"{OWN}/asks:80/proxy/", "/api/v1/nodes/node-1/proxy/containerLogs/default/asks/main")
    text = "; ".join(
        [*(f"{API}{path}" for path in paths), f"{API}/api/v1/watch/namespaces/default/pods -m 2", f"{API}'{OWN}?wat%63h=1' -m 2"]
    )
    async with living(nodes=1) as cluster:
        await let_all(cluster)
        await ended(cluster, of_containers(script(text, image="curlimages/curl"), pod_name="asks", **ONCE))
        assert await log(cluster, "asks") == "405 405 405 000 000 "
        await cluster.run_pod(box())
        assert await said(cluster, f"{API}/api/v1/watch/namespaces/default/pods -m 1; {API}'{OWN}?watch' -m 1") == "000 000 "


@pytest.mark.virtual_time
async def test_traffic_goes_where_its_service_has_it_go():
    async with living() as cluster:
        for number in (1, 2, 3):
            await cluster.run_pod(server(f"web-{number}", nodeName=f"node-{number}"))
        await cluster.run_pod(pod("box", image="debian:12", command=["sleep", "99999"], nodeName="node-2"))
        await service(cluster, "any")
        await service(cluster, "same", sessionAffinity="ClientIP")
        await service(cluster, "here", internalTrafficPolicy="Local")
        await service(cluster, "near", trafficDistribution="PreferSameNode")
        await service(cluster, "elsewhere", internalTrafficPolicy="Local", selector={"app": "elsewhere"})
        await service(cluster, "manual", selector=None)
        web_3 = await cluster.pods.get("web-3")
        by_hand = {
            "metadata": {"name": "manual-1", "labels": {"kubernetes.io/service-name": "manual"}},
            "addressType": "IPv4",
            "ports": [{"port": 80}],
            "endpoints": [{"addresses": [web_3["status"]["podIP"]]}],
        }
        await cluster.client.resource("discovery.k8s.io/v1", "endpointslices", "default").create(by_hand)
        await cluster.sleep(5)

        async def asked(host: str) -> set[str]:
            return set((await said(cluster, f"for i in 1 2 3 4 5 6; do wget -qO- {host} | grep '\"pod\"'; done")).split('"')[3::4])

        assert len(await asked("any")) == 3
        assert len(await asked("same")) == 1
        assert await asked("here") == {"web-2"}
        assert await asked("near") == {"web-2"}
        assert await asked("manual") == {"web-3"}
        assert "Connection refused" in await said(cluster, "wget -qO- elsewhere")


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    "command",
    [
        ["nc", "-z", "late", "80"],
        ["sh", "-c", "wget -qO- http://late/ >/dev/null"],
        ["sh", "-c", "if nslookup late; then exit 0; fi; exit 1"],
    ],
)
async def test_a_probe_that_asks_another_host_finds_what_that_answers(command: list[str]):
    probe = {"exec": {"command": command}, "periodSeconds": 2, "failureThreshold": 1}
    async with living() as cluster:
        await cluster.run_pod(server())
        await cluster.pods.create(
            of_containers({"name": "main", "image": "busybox", "command": ["sleep", "9999"], "readinessProbe": probe})
        )
        await cluster.sleep(20)
        assert not is_ready(await cluster.pods.get("web"))
        await service(cluster, "late")
        await cluster.sleep(5)
        assert is_ready(await cluster.pods.get("web"))
        await cluster.client.resource("v1", "services", "default").delete("late")
        await cluster.sleep(5)
        assert not is_ready(await cluster.pods.get("web"))


@pytest.mark.virtual_time
async def test_a_probe_that_asks_its_own_container_succeeds_as_others_do():
    probe = {"exec": {"command": ["curl", "-f", "http://localhost:8080/health"]}}
    async with living() as cluster:
        await cluster.run_pod(of_containers({"name": "main", "image": "my/app:1", "readinessProbe": probe, "livenessProbe": probe}))


@pytest.mark.virtual_time
async def test_a_request_that_is_under_way_is_given_up_with_whoever_has_its_process_run(monkeypatch: pytest.MonkeyPatch):
    """As any other is: what waits is told, and doesn't just vanish in the middle of what it has begun."""
    told: list[type[BaseException]] = []

    async def never(_self: PodNetwork, _server: str, _name: str) -> tuple[str, ...]:
        try:
            await asyncio.Event().wait()
        except BaseException as error:
            told.append(type(error))
            raise
        return ()

    async with living() as cluster:
        await cluster.run_pod(of_containers(script("while sleep 1; do wget -qO- other; done")))
        await cluster.sleep(5)
        made = await cluster.pods.get("web")
        monkeypatch.setattr(PodNetwork, "addresses", never)
        looking = asyncio.ensure_future(cluster.cluster.nodes.reach.processes.catch_up(made))
        await cluster.sleep(10)
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
        assert told == [asyncio.CancelledError]
        monkeypatch.undo()
        assert "bad address 'other'" in await log(cluster, "web")


@pytest.mark.virtual_time
async def test_pods_are_reached_by_their_addresses_of_both_families():
    async with living(**DUAL) as cluster:
        made = await cluster.run_pod(server())
        await cluster.run_pod(box())
        await service(cluster, "both", ipFamilyPolicy="RequireDualStack")
        await service(cluster, "sixth", clusterIP="None", ipFamilies=["IPv6"])
        await cluster.sleep(5)
        second = made["status"]["podIPs"][1]["ip"]
        longer = ipaddress.ip_address(second).exploded
        for host in ("sixth", f"[{second}]", f"[{longer}]", "both"):
            assert '"pod": "web-0"' in await said(cluster, f"curl -s http://{host}"), host
        assert [one.count(":") > 1 for one in (await said(cluster, "nslookup -type=aaaa both | grep '^Address: '")).splitlines()] == [True]
        assert (await run(cluster, "box", "curl", "-4", "sixth")).code == 6


@pytest.mark.virtual_time
async def test_what_waits_for_a_service_for_long_is_looked_at_less_often_and_goes_on_at_once(monkeypatch: pytest.MonkeyPatch):
    looks = 0
    catch_up = Processes.catch_up

    async def counted(self: Processes, pod: Object, *more: Mapping[str, Asked]) -> None:
        nonlocal looks
        looks += 1
        await catch_up(self, pod, *more)

    monkeypatch.setattr(Processes, "catch_up", counted)
    async with living() as cluster:
        await cluster.pods.create(of_containers(script("sleep 99"), initContainers=[script(WAITS.format("late"), "wait")]))
        await cluster.sleep(3600)
        assert looks < 500
        assert (await log(cluster, "web", "container=wait")).count("waiting\n") >= 1600
        await service(cluster, "late")
        await cluster.sleep(3)
        (made,) = await cluster.pods.list_all()
        assert phase(made) == "Running"
        ended_at = made["status"]["initContainerStatuses"][0]["state"]["terminated"]["finishedAt"]
        assert cluster.cluster.clock.now() - parse_time(ended_at) < 5


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    "text",
    [
        "wget -qO /tmp/x.tgz https://dl.k8s.io/x.tgz && tar xzf /tmp/x.tgz -C /tmp",
        "set -e; wget -qO- https://x.io/health | grep -q ok",
    ],
)
async def test_what_a_host_outside_would_have_said_fails_nobody(text: str):
    async with living(nodes=1) as cluster:
        assert exit_code(await ended(cluster, of_containers(script(text), **ONCE))) == 0
