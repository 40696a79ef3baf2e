"""``why`` on a cluster whose clock is stepped from state to state."""

import json
import re

import pytest
import yaml

WORKLOADS = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: %(name)s}
spec:
  replicas: 2
  selector: {matchLabels: {app: %(name)s}}
  template: {metadata: {labels: {app: %(name)s}}, spec: {containers: [{name: c, %(container)s}]}}
---
"""
CONTAINERS = {
    "fine": "image: nginx",
    "big": "image: nginx, resources: {requests: {cpu: 1000}}",
    "crash": "image: busybox, command: [sh, -c, 'sleep 1; exit 3']",
    "config": "image: nginx, envFrom: [{configMapRef: {name: nope}}]",
}
OTHERS = """
apiVersion: v1
kind: Pod
metadata: {name: gated}
spec: {schedulingGates: [{name: example.com/wait}], containers: [{name: c, image: nginx}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: held, finalizers: [example.com/stays]}
---
apiVersion: v1
kind: Service
metadata: {name: nowhere}
spec: {selector: {app: nothing}, ports: [{port: 80}]}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: "0 3 * * *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}}}}
"""


@pytest.fixture(params=["svcapi", "kubernetes"])
def shop(request, svcsim, home, tmp_path):
    """A cluster in which nearly everything goes wrong."""
    start = ("--start", "2026-01-01T00:00:00Z", "--clock", "paused", "--seed", "1")
    svcsim("up", "--nodes", "2", "--ephemeral", "--dialect", request.param, *start)
    svcsim("clock", "step", "5s")
    manifest = tmp_path / "shop.yaml"
    manifest.write_text("".join(WORKLOADS % {"name": name, "container": text} for name, text in CONTAINERS.items()) + OTHERS)
    assert svcsim("apply", "-f", str(manifest))[0] == 0
    svcsim("clock", "step", "1m")
    return svcsim


def why(svcsim, *words):
    code, out, err = svcsim("why", *words)
    assert (code, err) == (0, "")
    told = [line.strip() for line in out.splitlines()]
    return told[:-1] if told[-1] == PAUSED else told


PAUSED = "Nothing moves: the clock is paused. To let it go on: svcsim clock resume"


def test_each_is_explained_down_to_the_cause(shop):
    assert why(shop, "deployment/fine") == ["deployment.apps/fine has 2 of 2 replicas available, all of its present template."]
    big = why(shop, "deploy", "big")
    assert big[0] == "deployment.apps/big isn't fully available: it has 0 of 2 replicas available."
    assert big[1].startswith("replicaset.apps/big-")
    assert big[2].endswith(" (and 1 other like it) can't be scheduled.")
    assert big[3:5] == [
        "No node takes it: all 2 nodes have too little cpu left for what it requests.",
        "Taking other pods away wouldn't help.",
    ]
    assert big[-1] == "Next: unless it makes progress, it counts as stuck in 9m (2026-01-01T00:10:05Z)."
    crash = why(shop, "deployment/crash")
    assert "The container c ends again and again" in crash[3]
    assert crash[4].startswith("Next: the container c is started again in ")
    told = 'The container c can\'t be started: CreateContainerConfigError: configmap "nope" not found.'
    assert told in why(shop, "deployment/config")
    assert why(shop, "pod/gated")[1] == "Its scheduling gates hold it back: example.com/wait. Whoever set them has to take them off."
    nowhere = ["service/nowhere leads nowhere.", "Its selector app=nothing matches no pod."]
    assert why(shop, "svc/nowhere") == nowhere
    due = 'Next: the next job is due by its schedule "0 3 * * *" in 178m (2026-01-01T03:00:00Z).'
    assert why(shop, "cronjob", "nightly") == ["cronjob.batch/nightly waits for its time.", due]
    assert why(shop, "svc/nowhere", "pod/gated")[:2] == nowhere, "several may be named"
    assert len([line for line in why(shop, "deployments") if line.startswith("deployment.apps/")]) == 4
    assert why(shop, "node/node-1") == ["node/node-1 is ready."]


def test_a_paused_clock_is_told_where_something_waits_for_it(shop):
    assert shop("why", "deployment/fine")[1].splitlines()[-1] != PAUSED
    for waiting in ("deployment/big", "cronjob/nightly"):
        assert shop("why", waiting)[1].splitlines()[-1] == PAUSED
    assert shop("why", "pod/gated", "--cluster", "default")[1].splitlines()[-1] == PAUSED.replace(
        "clock", "clock --cluster default", 2
    ).replace("the clock --cluster default", "the clock")
    assert shop("clock", "speed", "x0.1")[0] == 0
    assert PAUSED not in shop("why", "pod/gated")[1]


def test_a_pod_that_others_took_the_place_of_is_explained_before_and_after_it_is_gone(shop, tmp_path):
    group = "scheduling.k8s.io" if "k8s.io" in shop("api-versions")[1] else "scheduling.svcapi.io"
    priority = {"apiVersion": f"{group}/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}
    (tmp_path / "high.json").write_text(json.dumps(priority))
    shop("apply", "-f", str(tmp_path / "high.json"))
    host = next(key for key in json.loads(shop("get", "node", "node-1", "-o", "json")[1])["metadata"]["labels"] if "hostname" in key)
    for name, more in (("low", {}), ("high", {"priorityClassName": "high"})):
        container = {"name": "c", "image": "nginx", "resources": {"requests": {"cpu": "5"}}}
        spec = {"containers": [container], "nodeSelector": {host: "node-1"}, **more}
        shop("run", name, "--image=nginx", "--overrides", json.dumps({"spec": spec}))
        shop("clock", "step", "1s" if more else "10s")
    told = why(shop, "pod/low")
    assert told[0].startswith("pod/low is being deleted")
    assert told[1] == "It was taken away: default-scheduler: preempting to accommodate a higher priority pod."
    shop("clock", "step", "1m")
    told = why(shop, "pod/low")
    assert told[0] == "pod/low isn't there any more."
    assert told[1].startswith("A pod of higher priority took its place: Preempted by pod ")
    assert told[2] == "pod/high is running and ready."
    assert json.loads(shop("why", "pod/low", "-o", "json")[1])["state"] == "isn't there any more"
    assert shop("why", "pod/never")[0] == 1
    shop("run", "low", "--image=nginx")
    shop("clock", "step", "10s")
    shop("delete", "pod", "low", "--force", "--grace-period=0")
    shop("clock", "step", "1m")
    told = why(shop, "pod/low")
    assert told[0] == "pod/low isn't there any more."
    assert not any("higher priority" in line for line in told), "that was another of its name"


def test_what_counts_for_nothing_in_annotations_is_told_as_long_as_it_stands_there(shop):
    words = ("--annotations=svcsim.dev/run-fro=1s", "--annotations=svcsim.dev/cpu=lots")
    shop("run", "typo", "--image=nginx", *words)
    shop("clock", "step", "10s")
    told = [
        'annotation svcsim.dev/cpu: "lots" is neither a quantity, such as 250m or 64Mi, nor a percentage; it counts for nothing.',
        "annotation svcsim.dev/run-fro: nothing is known by that name; did you mean svcsim.dev/run-for?",
    ]
    first, *others = why(shop, "pod/typo")
    assert (first, sorted(others)) == ("pod/typo is running and ready.", told)
    shop("annotate", "pod", "typo", "svcsim.dev/run-fro-", "svcsim.dev/cpu=1", "--overwrite")
    shop("clock", "step", "10s")
    assert why(shop, "pod/typo") == ["pod/typo is running and ready."]


STAGES = """
apiVersion: svcsim.dev/v1
kind: Stage
metadata: {name: start}
match: {labels: {app: web}}
when: .status.podIP == null
delay: 1m
patch: |
  status: {phase: Running, podIP: {{ PodIP }}, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: svcsim.dev/v1
kind: Stage
metadata: {name: end}
match: {labels: {app: web}}
when: .metadata.deletionTimestamp and .metadata.annotations.go
delay: 20s
delete: true
---
apiVersion: svcsim.dev/v1
kind: Stage
metadata: {name: wrong}
match: {labels: {app: api}}
when: .metadata.name
patch: "{{ index .spec.containers 5 }}"
"""


@pytest.fixture
def theatre(svcsim, home, tmp_path):
    """A paused cluster in which pods live by stages."""
    (tmp_path / "stages.yaml").write_text(STAGES)
    start = ("--start", "2026-01-01T00:00:00Z", "--clock", "paused", "--seed", "1", "--nodes", "2", "--ephemeral")
    assert svcsim("up", *start, "--stages", str(tmp_path / "stages.yaml"))[0] == 0
    svcsim("clock", "step", "10s")
    for name in ("web", "api"):
        assert svcsim("run", name, "--image=nginx", f"--labels=app={name}", "--annotations=go=on")[0] == 0
    svcsim("clock", "step", "10s")
    return svcsim


def test_the_stages_of_a_pod_are_told_the_next_a_failed_one_and_the_one_that_removes_it(theatre):
    waits = why(theatre, "pod/web")
    assert waits[0] == "pod/web hasn't begun to run yet."
    assert re.fullmatch(r"Next: the stage start is played on it in 5\ds \(2026-01-01T00:01:1\dZ\)\.", waits[1])
    assert why(theatre, "pod/api")[1].startswith("Stage wrong can't be played: template: ")
    theatre("clock", "step", "70s")
    assert why(theatre, "pod/web") == [
        "pod/web is running and ready.",
        "No stage comes next: none of the 2 stages about it matches it as it is.",
        "The stage start needs .status.podIP == null.",
        "The stage end needs .metadata.deletionTimestamp and .metadata.annotations.go.",
        "A stage is about others of its kind: wrong (it needs the label app=api).",
    ]
    assert why(theatre, "pods", "-l", "app=web") == ["pod/web is running and ready."], "of several, what is fine is told in short"
    theatre("delete", "pod", "web", "--wait=false")
    theatre("clock", "step", "5s")
    going = why(theatre, "pod/web")
    assert going[0].startswith("pod/web is being deleted")
    assert re.fullmatch(r"Next: the stage end removes it in 1\ds \(2026-01-01T00:01:.*", going[1])
    assert json.loads(theatre("why", "pod/web", "-o", "json")[1])["next"][0]["what"] == "the stage end removes it"


def test_stages_that_are_not_in_force_yet_are_told_of_after_a_start(svcsim, home, tmp_path):
    (tmp_path / "stages.yaml").write_text(STAGES)
    start = ("--start", "2026-01-01T00:00:00Z", "--clock", "paused", "--seed", "1", "--nodes", "1", "--ephemeral")
    assert svcsim("up", *start, "--stages", str(tmp_path / "stages.yaml"))[0] == 0
    assert svcsim("create", "configmap", "plain")[0] == 0
    plain = svcsim("why", "configmap/plain")[1].splitlines()
    assert plain[1].startswith("  The cluster has just been started: what its stages have in store for it is known once they are in force")
    assert plain[-1] == PAUSED
    svcsim("clock", "step", "1s")
    assert len(svcsim("why", "configmap/plain")[1].splitlines()) == 1


def test_a_node_that_somebody_has_failed_tells_so_and_how_it_is_had_recover(theatre):
    theatre("nodes", "fail", "node-1")
    theatre("nodes", "fail", "node-2", "--for", "10m")
    recovers = "Somebody has made it fail (svcsim nodes fail), and it stays down until somebody has it recover: svcsim nodes recover node-1"
    told = why(theatre, "node/node-1", "--cluster", "default")
    assert told[:2] == ["node/node-1 has failed, and nobody has noticed yet.", f"{recovers} --cluster default."]
    told = why(theatre, "pod/web")
    assert told[0] == "pod/web is on a node that has failed."
    assert any("svcsim nodes recover node-" in line for line in told)
    theatre("clock", "step", "1m")
    told = why(theatre, "node/node-2")
    assert told[1].endswith("fail for a while (svcsim nodes fail --for). To have it recover at once: svcsim nodes recover node-2.")
    assert any(line.startswith("Next: it recovers by itself in 9m") for line in told)
    assert any("svcsim nodes recover node-" in line for line in why(theatre, "pod/web")), "what it is on is explained with it"
    theatre("create", "clusterrole", "look", "--verb=get,list", "--resource=pods,nodes,events")
    theatre("create", "clusterrolebinding", "look", "--clusterrole=look", "--user=jane")
    refused = 'Not all could be looked at: forbidden: User "jane" cannot get path "/svcsim/v1/why"'
    assert refused in theatre("why", "node/node-1", "--as=jane")[1], "who may not ask is told so where something is wrong"
    theatre("nodes", "recover", "node-1", "node-2")
    theatre("clock", "step", "1m")
    assert why(theatre, "node/node-1") == ["node/node-1 is ready."]
    assert theatre("why", "node/node-1", "--as=jane")[1] == "node/node-1 is ready.\n"


def test_a_node_without_a_machine_and_a_machine_without_a_node_say_so_and_what_to_do(shop, tmp_path):
    (tmp_path / "node.yaml").write_text("apiVersion: v1\nkind: Node\nmetadata: {name: theirs}\n")
    shop("apply", "-f", str(tmp_path / "node.yaml"))
    nobody = "No simulated node is behind it, and no stage is about it: unless somebody else reports how it is, nothing becomes of it."
    place = "To have a simulated node in its place: svcsim delete node theirs; svcsim nodes add theirs."
    assert nobody in why(shop, "node/theirs")
    shop("clock", "step", "2m")
    told = why(shop, "node/theirs")
    assert told[1] == nobody
    assert told[2].startswith(place)
    assert shop("delete", "node", "theirs")[0] == 0
    assert shop("nodes", "add", "theirs")[0] == 0
    shop("clock", "step", "10s")
    assert why(shop, "node/theirs") == ["node/theirs is ready."]
    shop("delete", "node", "theirs", "node-2")
    shop("clock", "step", "2h")
    again = "Its machine is still there, and makes itself a Node only when it starts again: svcsim nodes fail node-2 and "
    assert why(shop, "node/node-2")[:2] == ["node/node-2 isn't there any more.", f"{again}svcsim nodes recover node-2."]
    shop("nodes", "fail", "node-2")
    assert why(shop, "node/node-2")[2] == "Its machine makes itself a Node again when it recovers."
    shop("nodes", "recover", "node-2")
    shop("clock", "step", "1m")
    assert why(shop, "node/node-2") == ["node/node-2 is ready."]


def test_what_is_being_deleted_tells_what_holds_it(shop):
    shop("delete", "configmap", "held", "--wait=false")
    told = "holds it: whoever that is for has to do its work and take it off."
    assert why(shop, "configmap/held")[1].startswith("The finalizer example.com/stays, set by ")
    assert why(shop, "configmap/held")[1].endswith(told)
    shop("patch", "deployment", "fine", "-p", '{"metadata":{"finalizers":["example.com/stays"]}}')
    pod = shop("get", "pods", "-l", "app=fine", "-o", "name")[1].split()[0]
    shop("patch", pod, "-p", '{"metadata":{"finalizers":["example.com/stays"]}}')
    shop("delete", "deployment", "fine", "--cascade=foreground", "--wait=false")
    shop("clock", "step", "40s")
    fine = why(shop, "deployment/fine")
    assert fine[0] == "deployment.apps/fine is being deleted, since 40s."
    assert "The finalizer foregroundDeletion holds it: it waits until what it owns, by references with blockOwnerDeletion, is gone." in fine
    assert any(line.startswith("replicaset.apps/fine-") for line in fine)
    assert any(line.startswith(f"{pod} is being deleted") for line in fine), "what it owns is followed down to what is left"
    shop("create", "namespace", "going")
    shop("create", "configmap", "stays", "-n", "going")
    shop("patch", "configmap", "stays", "-n", "going", "-p", '{"metadata":{"finalizers":["example.com/stays"]}}')
    shop("delete", "namespace", "going", "--wait=false")
    shop("clock", "step", "5s")
    going = why(shop, "namespace/going")
    assert going[1] == "Some resources are remaining: configmaps. has 1 resource instances."
    assert "configmap/stays is being deleted." in going or "configmap/stays is being deleted, since 5s." in going
    assert any(line.startswith("The finalizer example.com/stays") for line in going), "what is left is named, and what holds that"


ODD = """
apiVersion: v1
kind: Pod
metadata: {name: rejected}
spec: {nodeName: node-1, containers: [{name: c, image: nginx, resources: {requests: {cpu: 1000}}}]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: leaving, finalizers: [example.com/stays]}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: waiting}
spec: {containers: [{name: c, image: nginx}], volumes: [{name: v, persistentVolumeClaim: {claimName: leaving}}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: lenient}
spec:
  podFailurePolicy: {rules: [{action: Ignore, onExitCodes: {operator: In, values: [42]}}]}
  template: {spec: {restartPolicy: Never, containers: [{name: c, image: busybox, command: [sh, -c, exit 42]}]}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: stuck}
spec:
  replicas: 1
  serviceName: stuck
  selector: {matchLabels: {app: stuck}}
  template: {metadata: {labels: {app: stuck}}, spec: {containers: [{name: c, image: "no:image:name"}]}}
---
apiVersion: v1
kind: Service
metadata: {name: ghost}
spec: {selector: {app: fine}, ports: [{port: 80, targetPort: ghost}]}
"""


def test_odd_states_are_told_as_they_are(shop, tmp_path):
    (tmp_path / "leaving.yaml").write_text(ODD)
    shop("cordon", "node-1", "node-2")
    shop("apply", "-f", str(tmp_path / "leaving.yaml"))
    shop("clock", "step", "5s")
    shop("delete", "pvc", "leaving", "--wait=false")
    shop("uncordon", "node-1", "node-2")
    shop("clock", "step", "1m")
    rejected = why(shop, "pod/rejected")
    assert rejected[0] == "pod/rejected has failed."
    assert not any("is being made" in line for line in rejected)
    waiting = why(shop, "pod/waiting")
    assert [line.partition(" ")[0] for line in waiting if " is being deleted" in line and "/" in line] == ["persistentvolumeclaim/leaving"]
    lenient = why(shop, "job/lenient")
    assert any("failed and count for nothing, by an Ignore rule" in line for line in lenient), lenient
    assert "Next: after a back-off, which doubles from 10s to 10m, the next pod is made in " in lenient[-1]
    shop("patch", "statefulset", "stuck", "-p", '{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"nginx"}]}}}}')
    shop("clock", "step", "1m")
    stuck = why(shop, "statefulset/stuck")
    assert any(
        "it has to be deleted by hand for the present template to be used (svcsim delete pod stuck-0 -n default)" in line for line in stuck
    )
    shop("delete", "pod", "stuck-0", "--wait=false")
    shop("clock", "step", "1m")
    assert why(shop, "statefulset/stuck") == ["statefulset.apps/stuck has 1 of 1 pod ready."]
    told = "Its port 80 leads to what its pods call ghost (targetPort), and none of them has a TCP port of that name."
    assert why(shop, "svc/ghost") == ["service/ghost leads nowhere.", told]


UNATTENDED = """
apiVersion: batch/v1
kind: CronJob
metadata: {name: often}
spec:
  schedule: "* * * * *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: busybox, command: ["true"]}]}}}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: free}
spec: {storageClassName: man, capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /x}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: asks}
spec: {storageClassName: man, accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}}
"""


def test_controllers_that_are_switched_off_are_told_where_something_waits_for_them(svcsim, home, tmp_path):
    start = ("--start", "2026-01-01T00:00:00Z", "--clock", "paused", "--seed", "1", "--nodes", "1", "--ephemeral")
    assert svcsim("up", *start, "--controllers=*,-cronjob,-persistentvolume-binder")[0] == 0
    (tmp_path / "unattended.yaml").write_text(UNATTENDED)
    svcsim("apply", "-f", str(tmp_path / "unattended.yaml"))
    assert why(svcsim, "cronjob/often")[1].startswith("The controller cronjob-controller is switched off"), "though its time hasn't come"
    svcsim("clock", "step", "3m10s")
    off = "is switched off (--controllers): unless another does its work,"
    often = why(svcsim, "cronjob/often")
    assert often[1].startswith("The time at which it was to start a job has passed, 10s ago (2026-01-01T00:03:00Z)")
    assert often[2] == f"The controller cronjob-controller {off} no job is started by it."
    assert why(svcsim, "pv/free")[:2] == [
        "persistentvolume/free waits for its controller.",
        "Nobody has looked at it yet: no controller for PersistentVolumes runs, or it hasn't come to it.",
    ]
    asks = why(svcsim, "pvc/asks")
    assert asks[2] == "The volume free doesn't fit: it is too small (1Gi, and 2Gi is asked for)."
    assert asks[3] == f"The controller pv-binder-controller {off} it is bound to no volume."
    assert why(svcsim, "node/node-1") == ["node/node-1 is ready."]


def test_explanations_can_be_read_by_programs(shop):
    told = json.loads(shop("why", "deployment/crash", "-o", "json")[1])
    assert (told["object"]["name"], told["fine"], told["below"][0]["below"][0]["alike"]) == ("crash", False, 1)
    assert told["below"][0]["below"][0]["next"][0]["at"].startswith("2026-01-01T00:")
    assert [one["fine"] for one in json.loads(shop("why", "deploy/fine", "node/node-1", "-o", "json")[1])] == [True, True]


def test_yaml_says_what_json_does(shop):
    for words in (["deployment/crash"], ["deploy/fine", "node/node-1"]):
        assert yaml.safe_load(shop("why", *words, "-o", "yaml")[1]) == json.loads(shop("why", *words, "-o", "json")[1])


def test_only_what_the_user_may_read_is_read_and_the_rest_is_told(shop):
    shop("create", "role", "look", "--verb=get,list", "--resource=deployments.apps")
    shop("create", "rolebinding", "look", "--role=look", "--user=jane")
    code, out, err = shop("why", "deployment/crash", "--as=jane")
    assert (code, err) == (0, "")
    first, *others = out.splitlines()
    assert first == "deployment.apps/crash isn't fully available: it has 0 of 2 replicas available."
    refused = 'is forbidden: User "jane" cannot list resource "{}"'
    for resource in ("replicasets", "events"):
        assert any(line.startswith("  Not all could be looked at: ") and refused.format(resource) in line for line in others)
    assert shop("why", "pod/gated", "--as=jane")[0] == 1


def test_what_is_read_beside_warns_of_nothing(shop):
    assert shop("create", "service", "clusterip", "bare", "--tcp=80", "--clusterip=None")[0] == 0
    assert shop("patch", "service", "bare", "--type=json", "-p", '[{"op":"remove","path":"/spec/selector"}]')[0] == 0
    assert why(shop, "svc/bare")[0] == "service/bare leads nowhere."


def test_what_can_not_be_meant_is_refused(shop):
    assert shop("why")[0] == 1
    assert shop("why", "configmap/never")[2] == 'Error from server (NotFound): configmaps "never" not found\n'
    assert shop("why", "nothings")[2].startswith('error: the server doesn\'t have a resource type "nothings"')
    assert "allowed formats are: json,yaml" in shop("why", "pods", "-o", "wide")[2]
    assert shop("why", "pods", "-n", "empty") == (0, "", "No resources found\n")


QUOTA = """\
apiVersion: v1
kind: ResourceQuota
metadata: {name: none}
spec: {hard: {count/controllerrevisions.apps: "0"}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: held}
spec:
  selector: {matchLabels: {app: held}}
  template:
    metadata: {labels: {app: held}}
    spec: {containers: [{name: c, image: nginx}]}
"""


def test_what_keeps_a_controller_from_its_work_is_told(svcsim, home, tmp_path):
    assert svcsim("up", "--start", "2026-01-01T00:00:00Z", "--clock", "paused", "--seed", "1", "--nodes", "1", "--ephemeral")[0] == 0
    (tmp_path / "quota.yaml").write_text(QUOTA)
    svcsim("apply", "-f", str(tmp_path / "quota.yaml"))
    svcsim("clock", "step", "10s")
    told = why(svcsim, "daemonset/held")
    assert told[0] == "daemonset.apps/held waits for its controller."
    assert told[1].startswith("The controller daemonset-controller tries, and can't: controllerrevisions.apps ")
    assert "exceeded quota: none" in told[1]
    svcsim("delete", "quota", "none")
    svcsim("clock", "step", "5m")
    assert why(svcsim, "daemonset/held")[0].startswith("daemonset.apps/held has 1 of 1 pod ready")
