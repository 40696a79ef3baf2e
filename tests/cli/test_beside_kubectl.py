"""svcsim and kubectl do the same things to the same cluster, each in a namespace of its own: what they print and leave must be the same."""

import contextlib
import json
import re
import shlex
import shutil
import subprocess

import pytest

from svcsim.client.paths import CLOCK
from tests.cli.test_described_as_by_kubectl import without_ages
from tests.process import environment
from tests.wire.raw import Wire

pytestmark = pytest.mark.skipif(not shutil.which("kubectl") or not shutil.which("diff"), reason="kubectl or diff is not on the PATH")


def _map(name: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n"


MANIFESTS = {
    "web.yaml": """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: a, image: nginx, env: [{name: A, value: "1"}, {name: B, value: "2"}]}
      - {name: b, image: busybox}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: cfg}
data: {a: b}
""",
    "pair.yaml": """
apiVersion: v1
kind: ConfigMap
metadata: {name: one, labels: {app: pair}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: two, labels: {app: pair}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: three, labels: {app: other}}
""",
    "one.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one, labels: {app: pair}}\n",
    "dumped.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: dumped, resourceVersion: '7', uid: a-b-c}\n",
    "among/1-kind.yaml": _map("a1") + "---\napiVersion: v1\nind: ConfigMap\nmetadata: {name: a2}\n---\n" + _map("a3"),
    "among/2-kind-nobody-knows.yaml": _map("b1") + "---\napiVersion: none/v1\nkind: Nope\nmetadata: {name: b2}\n---\n" + _map("b3"),
    "among/3-no-yaml.yaml": "a: [\n---\n" + _map("c1"),
    "among/4-fine.yaml": _map("d1"),
    "among/below/5.yaml": _map("e1"),
    "unread/1.yaml": "a: [\n",
    "unread/2.yaml": "[1]\n",
    "generated.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: gen-}\n",
    "secret.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: Yg==, c: Yg==, x: Yg==}\n",
    "secret2.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: Yg==, c: Yw==, z: Yg==}\n",
}
MANIFESTS["workloads.yaml"] = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: loose}
spec:
  replicas: 0
  selector: {matchExpressions: [{key: a, operator: In, values: [b]}]}
  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: nginx}]}}
---
apiVersion: v1
kind: Service
metadata: {name: plain}
spec: {ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: rs}
spec:
  replicas: 0
  selector: {matchLabels: {a: rs}}
  template: {metadata: {labels: {a: rs}}, spec: {containers: [{name: c, image: nginx}]}}
"""
MANIFESTS["subresources.yaml"] = MANIFESTS["web.yaml"]
MANIFESTS["replaced-status.yaml"] = MANIFESTS["web.yaml"].split("---")[0].replace("replicas: 0", "replicas: 5") + "status: {replicas: 0}\n"
MANIFESTS |= {
    "web2.yaml": MANIFESTS["web.yaml"].replace("nginx", "nginx:2").replace(', {name: B, value: "2"}', "").replace("a: b}", "a: c}"),
    "invalid.yaml": MANIFESTS["web.yaml"].replace("replicas: 0", "replicas: -1"),
    "unknown.yaml": MANIFESTS["web.yaml"].replace("replicas: 0", "replicass: 0"),
}
STATE = "get deploy,cm,secrets,svc,sa -o yaml"

SEQUENCES = {
    "what one may do": """
auth can-i create pods
auth can-i get pods/log
auth can-i get pods --subresource=log
auth can-i get /logs/
auth can-i '*' '*'
auth can-i frob pods
auth can-i get foo
auth can-i get foo.bar
auth can-i get nodes
auth can-i get nodes -n x
auth can-i list deployments.apps -A
auth can-i get pods a -q
auth can-i get deploy/web --subresource=scale
auth can-i
auth can-i --list --all-namespaces
auth can-i --list pods
auth can-i --list
auth can-i --list --no-headers
auth can-i --list -q
auth can-i get pods --no-headers
auth can-i get users
auth can-i approve signers
auth can-i get pods.apps/x
auth can-i use podsecuritypolicies
auth can-i bind clusterroles
auth can-i list /x
auth can-i get /x --subresource=s
auth can-i get Pods
auth can-i get Foo
auth whoami
auth whoami -o json
auth whoami -o yaml
auth whoami -o wide
auth whoami -o jsonpath='{.status.userInfo.username}'
""",
    "roles from flags": """
create role r --verb=get --verb=list,watch --resource=pods,deployments.apps --resource=pods/log --resource-name=a --dry-run=client -o yaml
create role r --verb=get --resource=pods --resource=pods.extensions --dry-run=client -o yaml
create role r --verb=frob --resource=pods --dry-run=client -o yaml
create role r --dry-run=client
create role r --verb=get
create role r --verb='*,get' --resource=pods --dry-run=client -o yaml
create role --verb=get --resource=pods
create role r --verb=get,list --resource=deployments/scale,nodes --resource-name=x --resource-name=y --dry-run=client -o json
create role r --verb=list --resource=pods --resource-name=a --dry-run=client -o name
create role r --verb=list --resource=pods --resource-name=a --dry-run=client
create role r --verb=list --resource=pods --dry-run=server
create role r --verb=get --resource='*' --dry-run=client -o yaml
create role r --verb=get --resource='*.apps' --dry-run=client -o yaml
create role r --verb=get --resource='*/scale' --dry-run=client -o yaml
create role r --verb=get --resource='/scale' --dry-run=client -o yaml
create role r --verb=get --resource=users --dry-run=client -o yaml
create role r --verb=impersonate --resource=users --dry-run=client -o yaml
create role r --verb=impersonate --resource=pods --dry-run=client -o yaml
create role r --verb=bind --resource=clusterroles --dry-run=client -o yaml
create clusterrole c --verb=get --non-resource-url=/logs/* --dry-run=client -o yaml
create clusterrole c --verb=list --non-resource-url=/logs/* --dry-run=client -o yaml
create clusterrole c --verb=get --non-resource-url=logs --dry-run=client -o yaml
create clusterrole c --verb=get --non-resource-url=/a*b --dry-run=client -o yaml
create clusterrole c --verb=get --non-resource-url='*' --dry-run=client -o yaml
create clusterrole c --verb=get --resource=pods --non-resource-url=/x --dry-run=client -o yaml
create clusterrole c --aggregation-rule=a=b,c=d --dry-run=client -o yaml
create clusterrole c --aggregation-rule=a --dry-run=client -o yaml
create clusterrole c --aggregation-rule=a=b --verb=get --resource=pods --dry-run=client -o yaml
create clusterrole c2
create clusterrole c2 --verb=get
create rolebinding b --clusterrole=view --user=u1 --user=u2,u3 --group=g --serviceaccount=ns:sa --dry-run=client -o yaml
create rolebinding b --role=x --dry-run=client -o json
create rolebinding b --clusterrole=c --role=r
create rolebinding b
create rolebinding b --role=r --serviceaccount=x
create rolebinding b --role=r --serviceaccount=a:b:c
create rolebinding b --role=r --serviceaccount=a:
create rolebinding b --role=r --serviceaccount=
create rolebinding b --role=r --user=
create rolebinding b --role=r --user= --group= --dry-run=client -o yaml
create role r --verb=get --resource=pods/ --dry-run=client -o yaml
create role r --verb=get --resource=deployments.v1.apps --dry-run=client -o yaml
create role r --verb=get --resource=deployments.apps --resource-name= --dry-run=client -o yaml
create configmap c --from-literal= --dry-run=client -o yaml
run p --image=a --env= --dry-run=client -o yaml
create clusterrolebinding b2 --clusterrole=view --user=u1 --group=g --serviceaccount=ns:sa --dry-run=client -o yaml
create clusterrolebinding b --clusterrole=x --serviceaccount=a
create token x y
create token
create token default --bound-object-kind=Pod
create token default --bound-object-kind=Foo --bound-object-name=x
create token default --bound-object-name=x
create token default --bound-object-uid=x
create token default --duration=10s
create token default --duration=-10s
create token default --duration=1500ms
create token default --duration=10m500ms
create token default --audience=
create token a/b
create token ..
create token %
create token none
""",
    "client-side apply": """
apply -f web.yaml --dry-run=client
apply -f web.yaml --dry-run=server
apply -f web.yaml
apply -f web.yaml
apply -f web2.yaml --dry-run=client
apply -f web2.yaml --dry-run=server -o name
diff -f web.yaml
diff -f web2.yaml
diff -f invalid.yaml
diff
apply -f web2.yaml
apply -f invalid.yaml
apply -f unknown.yaml
apply -f unknown.yaml --validate=warn
apply -f unknown.yaml --validate=false
apply -f unknown.yaml --validate=nope
apply -f web.yaml --force-conflicts
apply -f web.yaml -o jsonpath='{.items[*].spec.template.spec.containers[*].env}'
create configmap plain
get cm plain -o name
""",
    "server-side apply": """
apply -f web.yaml
apply -f unknown.yaml --server-side
apply -f web2.yaml --server-side
diff -f web.yaml --server-side
apply -f web.yaml --server-side --field-manager=other
apply -f web.yaml --server-side --field-manager=other --dry-run=client
apply -f web.yaml --server-side --field-manager=other --dry-run=server --force-conflicts
apply -f web.yaml --server-side --field-manager=other --force-conflicts
apply -f web.yaml
apply -f web2.yaml --server-side --force-conflicts
get deploy web -o jsonpath='{.metadata.managedFields[?(@.manager=="kubectl")].fieldsV1}'
get deploy web -o jsonpath='{.metadata.managedFields[?(@.manager=="other")].fieldsV1}'
get deploy web -o jsonpath='{.metadata.managedFields[?(@.manager=="kubectl-last-applied")].fieldsV1}'
get deploy web -o jsonpath='{.metadata.managedFields[?(@.manager=="kubectl-client-side-apply")].fieldsV1}'
get cm cfg -o jsonpath='{.metadata.managedFields[?(@.manager=="kubectl")].fieldsV1}'
""",
    "prune": """
apply -f pair.yaml
apply -f one.yaml --prune
apply -f one.yaml --prune --all -l app=pair
apply -f one.yaml --prune -l app=pair --prune-allowlist=core/v1/ConfigMap --dry-run=server
apply -f one.yaml --prune -l app=pair --prune-allowlist=core/v1/ConfigMap
apply -f one.yaml --prune -l app=pair --prune-allowlist=core/v1
apply -f one.yaml --prune -l app=pair --prune-allowlist=core/v1/Nothing
apply -f one.yaml --prune -l app=pair --server-side
apply -f one.yaml --prune --all --prune-allowlist=core/v1/ConfigMap -o name
""",
    "secrets": """
apply -f secret.yaml
diff -f secret2.yaml
""",
    "create": """
create configmap c --from-literal=a=b
create configmap c --from-literal=a=b
create secret generic g --from-literal=a=b -o name
create secret generic g
create serviceaccount robot
create serviceaccount robot
create deployment d --image=nginx --port=80 --replicas=0
create deployment d --image=nginx
create deployment D_ --image=nginx
expose deployment d
expose deployment d
expose deployment d --name=second --port=8080 --target-port=80 --dry-run=server
create service nodeport n --tcp=80
create service nodeport n --tcp=80
create service clusterip h --clusterip=None
create configmap c --from-literal=a=b --dry-run=server
create configmap fresh --from-literal=a=b --dry-run=server -o yaml
run p --image=nginx --overrides='{"spec":{"containers":[{"name":"p","tty":true}]}}' --override-type=strategic --dry-run=client -o yaml
""",
}
SEQUENCES["dry runs"] = """
create deployment web --image=nginx --replicas=0
patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"nginx","image":"x"}]}}}}' --dry-run=client
patch deploy web -p '{"metadata":{"labels":{"a":"b"}}}' --dry-run=server
patch deploy web -p '{"metadata":{"labels":{"app":"web"}}}' --dry-run=server
patch deploy web --type=json -p '[{"op":"remove","path":"/metadata/nope"}]'
patch deploy web --type=json -p '[{"op":"test","path":"/metadata/name","value":"x"}]' --dry-run=client
label deploy web x=y --dry-run=client
label deploy web x=y --dry-run=server
annotate deploy web x=y --dry-run=client
scale deploy web --replicas=1 --dry-run=client
scale deploy web --replicas=1 --dry-run=server
delete deploy web --dry-run=client
delete deploy web --dry-run=server -o name
apply -f one.yaml
replace -f one.yaml --dry-run=client
replace -f one.yaml --dry-run=server
create -f pair.yaml --dry-run=client
create -f web.yaml --dry-run=nope
apply -f pair.yaml --dry-run=client -o json
apply -f pair.yaml --dry-run=server -o name
apply -f one.yaml --server-side --subresource=status
apply -f one.yaml --subresource=status
"""
SEQUENCES["objects as a server once gave them"] = """
diff -f dumped.yaml
apply -f dumped.yaml --dry-run=server
create -f dumped.yaml --dry-run=client -o jsonpath={.metadata.resourceVersion}
create -f dumped.yaml --dry-run=server
create -f dumped.yaml
create -f dumped.yaml
replace -f dumped.yaml
replace -f dumped.yaml --force
delete -f dumped.yaml
apply -f dumped.yaml
"""
SEQUENCES["files among which some can not be read"] = """
create -f among -R --validate=false
get -f among -R -o custom-columns=NAME:.metadata.name
get -f among -R -o name
label -f among -R a=b
describe -f among/4-fine.yaml -f unread
annotate -f among/4-fine.yaml -f unread a=b
replace -f among/below
apply -f among -R --validate=false
patch -f among -p '{"data":{"a":"b"}}'
delete -f among -R
create -f among -R
create -f among/4-fine.yaml -f unread/1.yaml
get -f unread
create -f unread
apply -f unread
delete -f unread
create -f among/4-fine.yaml -f nowhere.yaml
create -f nowhere.yaml -f among/below
delete -f among -R --ignore-not-found
"""
SEQUENCES["names that name nothing"] = """
create configmap precious --from-literal=a=b
delete cm ''
delete cm '' --dry-run=server
delete -f generated.yaml
delete -f one.yaml
replace -f generated.yaml
apply -f generated.yaml
apply -f generated.yaml --server-side
diff -f generated.yaml
label -f generated.yaml a=b
patch -f generated.yaml -p '{}'
describe -f generated.yaml
get ''
get '' ''
get ,
get cm,
get cm ''
get cm ..
get cm a%2fb
label cm '' a=b
rollout restart deploy ''
wait cm '' --for=delete
"""
SEQUENCES["what is refused before anybody is asked"] = """
create deployment web --image=nginx --replicas=0
logs deploy/web --tail=-5
logs deploy/web --limit-bytes=-1
logs deploy/web --since-time=bad
logs deploy/web --since=-5s
get --raw /version -o json
get --raw /version -l a=b
get --raw nope
get --raw /readyz?verbose
get cm --server=https://[::1
get cm -o name --show-labels
diff --bad
wait deploy/web --for=jsonpath= --timeout=500ms
wait deploy/web --for=jsonpath='{.status.replicas}=' --timeout=500ms
wait deploy/web --for=jsonpath='{}' --timeout=500ms
wait deploy/web --for=jsonpath='{.spec.replicas}=0=4' --timeout=500ms
wait deploy/web --for=jsonpath='{.spec.replicas}'=0 --timeout=500ms
"""
SEQUENCES["rollouts of none or paused"] = """
rollout restart deploy -l app=none
rollout pause deploy -l app=none
rollout status deploy -l app=none
rollout undo deploy -l app=none
create deployment web --image=nginx --replicas=0
rollout pause deploy/web
rollout restart deploy/web
rollout undo deploy/web --to-revision=99
rollout undo deploy/web --to-revision=1 --dry-run=client
get deploy.v1beta1.apps -o name
get po.v1beta1
get deploy.v9.app
"""
SEQUENCES["scaling and labels"] = """
create deployment web --image=nginx --replicas=0
create configmap c --from-literal=a=b
scale cm/c deploy/web --replicas=1
scale deploy/web cm/c --replicas=0
scale deploy/web deploy/nope --replicas=0
label cm c a=b=c
label cm c x=-a-
label cm c a/b/c=x
label cm c a=b c=d -o jsonpath='{.metadata.labels}'
get --raw /nothing
delete --raw /nothing
get cm c --subresource=scale
describe namespace default
patch cm c --type=merge -p '{"data":{"a":"b"}}'
delete cm c --force --dry-run=client
"""
SEQUENCES["flags that do not go together"] = """
create configmap one --from-literal=a=b
create deployment web --image=nginx --replicas=0
get cm --output-watch-events -o name
get cm one -o name --request-timeout=-1s
get cm one -o name --request-timeout=-1
get cm one -o name --request-timeout=99999999999
get cm one -o name --request-timeout=999999
get cm one -o name --request-timeout=
delete cm one --now --force --dry-run=client
delete ns nope -n default
delete clusterrole,cm nope -n default
delete cm nope -n default
delete ns nope
delete ns nope -A
delete clusterrole -l no=such -n default
delete ns nope -n default --ignore-not-found
delete ns default -n default --dry-run=client
delete cm one --now --dry-run=client
delete cm one --cascade=true --dry-run=client
delete cm one --cascade=false --dry-run=client
delete --raw nope
delete --raw /x -R
delete --raw /x -o name
label cm --all a=b -l app=web
label cm --all a=b --field-selector=metadata.name=x
label cm one --list -o json
label cm one --list a=b
annotate cm --all a=b -l app=web
annotate cm --all a=b --field-selector=metadata.name=x
annotate cm one --list a=b
get cm one -o jsonpath='{.metadata.annotations}'
replace -f one.yaml --force --dry-run=client
replace -f one.yaml --force --dry-run=server
replace -f one.yaml --grace-period=5
replace -f one.yaml --grace-period=0 --dry-run=client
get cm one -o jsonpath='{.data}'
replace -f one.yaml --force --grace-period=0
apply -f one.yaml --cascade=true --dry-run=client
apply -f one.yaml -l 'a in' --dry-run=client
scale deploy web --replicas=1 --current-replicas=-2
scale deploy/web cm/one --replicas=1 --resource-version=1
scale deploy/zz rs/nope --replicas=2 --dry-run=client
rollout status deploy/web --revision=-1
rollout history deploy/web --revision=-1
logs deploy/web --pod-running-timeout=0s
logs deploy/web --pod-running-timeout=-5s
logs deploy/web -l app=web
"""
SEQUENCES["what nothing can be made of"] = """
create quota q --hard=cpu=x --dry-run=client
create quota q --hard=cpu= --dry-run=client
create quota q --hard=pods=1.5e3,cpu=2000m,x=0.5Gi --dry-run=client -o yaml
create quota q --scopes=A,,B --dry-run=client
create ns '' --dry-run=client
create sa '' --dry-run=client
create job j --from=cronjob/x --dry-run=client -- a
run '' --image=a --dry-run=client
run x --image= --dry-run=client
run x --image=a --annotations=a --dry-run=client
run x --image=a --overrides=x --dry-run=client
run x --image=a --overrides=1 --override-type=strategic --dry-run=client
run x --image=a --expose --port=80 --dry-run=client -o yaml
run x --image=a --expose --port=80 --labels=a=b --dry-run=client -o yaml
"""

SEQUENCES["services and autoscalers of what is there"] = """
create -f workloads.yaml
expose deploy loose --port=80
expose rs rs --port=80 --name=of-rs
expose svc plain
expose svc plain --name=second --selector=a=b -o jsonpath='{.spec.selector}'
expose deploy,rs,svc plain --port=80 --name=third
expose sa default --port=80
autoscale rs rs --max=3
autoscale -f workloads.yaml --max=3
autoscale -f workloads.yaml --max=3
rollout status rs rs
rollout history rs rs
rollout undo rs rs
rollout restart rs rs
rollout pause rs rs
get rs.v9.apps -o name
get hpa.v1.autoscaling -o jsonpath='{.items[*].apiVersion}'
"""
SEQUENCES["subresources and patches"] = """
apply -f subresources.yaml
replace -f replaced-status.yaml --subresource=status
get deploy web -o jsonpath='{.status.replicas} {.spec.replicas}'
replace -f replaced-status.yaml --subresource=nope
replace -f replaced-status.yaml --subresource=scale
edit deploy --subresource=status
edit deploy web --subresource=nope
patch cm cfg --type=merge -p '{data: {a: c}}'
patch cm cfg --type=merge -p ' {"data": {"a": "d"}'
patch cm cfg --type=merge -p 'data: {a: e}'
patch cm cfg --type=json -p '[{op: remove, path: /data/a}]'
get cm cfg -o jsonpath='{.data}'
explain crd.spec.versions.schema.openAPIV3Schema --recursive -o plaintext-openapiv2
"""
SEQUENCES["replacing"] = """
apply -f one.yaml
replace -f one.yaml --timeout=5s
replace -f one.yaml --timeout=nope
replace -f one.yaml --cascade=orphan
replace -f one.yaml --cascade=nope --force
replace -f one.yaml --cascade=true --force
replace -f one.yaml --cascade=foreground --force --timeout=60s
replace --raw nope -f one.yaml
create --raw nope -f one.yaml
create --raw /nothing -f one.json
replace --raw /x
replace --raw /x -f one.yaml -f pair.yaml
replace --raw /x -f one.yaml -o name
replace --raw /x -f one.yaml -R
replace --raw /x -f nosuch
replace --raw /x -f http://localhost/x
replace --raw /nothing -f one.json
replace --raw /api/v1/namespaces/replacing-by-NAME/configmaps/one -f one.yaml
"""
SEQUENCES["files that say too little"] = """
apply -f no-version.yaml
apply -f no-kind.yaml
apply -f no-kind.yaml --validate=warn
apply -f no-kind.yaml --validate=false
apply -f no-version.yaml --server-side
apply -f list.json
apply -f text.txt
apply -f text.txt --validate=false
apply -f poor-list.json
create -f no-version.yaml
create -f list.json
replace -f no-kind.yaml
delete -f no-kind.yaml
diff -f no-version.yaml
apply -f half.yaml
apply -f two.json
get cm -o name
"""
SEQUENCES["what is no workload"] = """
create configmap c --from-literal=a=b
create service clusterip alone --clusterip=None
patch svc alone --type=json -p '[{"op":"remove","path":"/spec/selector"}]'
logs cm/c
logs svc/alone
logs ns/default
explain foo
explain foo.bar
config view --context=nope --minify
"""
SEQUENCES["sets and jobs"] = """
apply -f sets.yaml
apply -f sets.yaml
rollout status ds/d --watch=false
rollout status sts/s --watch=false
rollout status ds/lazy --watch=false
rollout status rc/r --watch=false
patch ds d --subresource=status --type=merge -p '{"status":{"observedGeneration":1,"desiredNumberScheduled":3,"updatedNumberScheduled":1}}'
rollout status ds/d --watch=false
patch ds d --subresource=status --type=merge -p '{"status":{"updatedNumberScheduled":3,"numberAvailable":2}}'
rollout status ds/d --watch=false
patch ds d --subresource=status --type=merge -p '{"status":{"numberAvailable":3}}'
rollout status ds/d
patch sts s --subresource=status --type=merge -p '{"status":{"observedGeneration":1,"replicas":3,"readyReplicas":1}}'
rollout status sts/s --watch=false
patch sts s --subresource=status --type=merge -p '{"status":{"readyReplicas":3,"updatedReplicas":1}}'
rollout status sts/s --watch=false
patch sts s --subresource=status --type=merge -p '{"status":{"updatedReplicas":2}}'
rollout status sts/s --revision=7
rollout pause ds/d
rollout resume sts/s
rollout restart rc/r
rollout restart ds/d sts/s
scale sts/s rc/r --replicas=4
scale ds/d --replicas=4
autoscale sts s --max=3
expose rc r --port=80
expose sts s --port=80
patch sts s -p '{"spec":{"serviceName":"x"}}'
get ds,sts,rc -o jsonpath='{.items[*].spec.replicas}'
create job j --image=busybox -- date
create job j --image=busybox
create cronjob c --image=busybox --schedule='@daily'
create cronjob bad --image=busybox --schedule='never'
create cronjob d --image=busybox --schedule='0 3 * * *' --restart=Never -- date
create job again --from=cronjob/c
create job again --from=cronjob/nope
get cronjobs -o name
get jobs -o jsonpath='{.items[*].spec.template.spec.restartPolicy} {.items[*].spec.completions}'
delete job j --cascade=orphan --wait=false
delete cronjob c d
"""
SEQUENCES["numbers that are none or too large"] = """
scale deploy/x --replicas=99999999999999999999
scale deploy/x --replicas=-99999999999999999999
scale deploy/x --replicas=x
scale deploy/x --replicas=
scale deploy/x --replicas=0x
scale deploy/x --replicas=_1
scale deploy/x --replicas=1__0
scale deploy/x --replicas=9\\"
scale deploy/x --replicas='1 0'
scale deploy/x --replicas=010
scale deploy/x --replicas=0b11
scale deploy/x --replicas=0o7
scale deploy/x --replicas=1_0
scale deploy/x --replicas=0x10
scale deploy/x --replicas=1 --current-replicas=2147483648
scale deploy/x --replicas=1 --current-replicas=-2147483649
scale deploy/x --replicas=1 --current-replicas=99999999999999999999
scale deploy/x --replicas=1 --current-replicas=x
autoscale deploy x --max=2147483648
autoscale deploy x --max=-2147483649
autoscale deploy x --max=99999999999999999999
autoscale deploy x --max=x
autoscale deploy x --max=2 --min=2147483648
autoscale deploy x --max=2 --min=-2147483649
autoscale deploy x --max=2 --min=99999999999999999999
autoscale deploy x --max=2 --min=x
autoscale deploy x --max=2 --cpu-percent=2147483648
autoscale deploy x --max=2 --cpu-percent=-2147483649
autoscale deploy x --max=2 --cpu-percent=99999999999999999999
autoscale deploy x --max=2 --cpu-percent=x
create deploy q --image=x --dry-run=client -r=2147483648
create deploy q --image=x --dry-run=client -r=-2147483649
create deploy q --image=x --dry-run=client -r=99999999999999999999
create deploy q --image=x --dry-run=client -r=x
create deploy q --image=x --dry-run=client --port=2147483648
create deploy q --image=x --dry-run=client --port=-2147483649
create deploy q --image=x --dry-run=client --port=99999999999999999999
create deploy q --image=x --dry-run=client --port=x
create priorityclass q --dry-run=client --value=2147483648
create priorityclass q --dry-run=client --value=-2147483649
create priorityclass q --dry-run=client --value=99999999999999999999
create priorityclass q --dry-run=client --value=x
create svc nodeport q --tcp=80 --dry-run=client --node-port=9223372036854775808
create svc nodeport q --tcp=80 --dry-run=client --node-port=99999999999999999999
create svc nodeport q --tcp=80 --dry-run=client --node-port=x
delete cm nope --grace-period=9223372036854775808
delete cm nope --grace-period=99999999999999999999
delete cm nope --grace-period=x
replace -f nope --grace-period=9223372036854775808
replace -f nope --grace-period=99999999999999999999
replace -f nope --grace-period=x
apply -f nope --grace-period=9223372036854775808
apply -f nope --grace-period=99999999999999999999
apply -f nope --grace-period=x
diff -f nope --concurrency=9223372036854775808
diff -f nope --concurrency=99999999999999999999
diff -f nope --concurrency=x
get cm --chunk-size=9223372036854775808
get cm --chunk-size=99999999999999999999
get cm --chunk-size=x
describe cm --chunk-size=9223372036854775808
describe cm --chunk-size=99999999999999999999
describe cm --chunk-size=x
rollout undo deploy/x --to-revision=9223372036854775808
rollout undo deploy/x --to-revision=99999999999999999999
rollout undo deploy/x --to-revision=x
rollout history deploy/x --revision=9223372036854775808
rollout history deploy/x --revision=99999999999999999999
rollout history deploy/x --revision=x
rollout status deploy/x --revision=9223372036854775808
rollout status deploy/x --revision=99999999999999999999
rollout status deploy/x --revision=x
logs x --tail=9223372036854775808
logs x --tail=99999999999999999999
logs x --tail=x
logs x --limit-bytes=9223372036854775808
logs x --limit-bytes=99999999999999999999
logs x --limit-bytes=x
logs x --max-log-requests=9223372036854775808
logs x --max-log-requests=99999999999999999999
logs x --max-log-requests=x
create deploy q --image=x --dry-run=client -o yaml -r 2147483647
create deploy q --image=x --dry-run=client -o yaml -r 0x10
run q --image=x --dry-run=client --port=99999999999999999999
run q --image=x --dry-run=client --port=0x1
create deploy there --image=x --replicas=0
expose deploy there --port=99999999999999999999
expose deploy there --port=1_0
expose deploy there --port=80 --dry-run=client -o yaml --target-port=99999999999999999999
expose deploy there --port=80 --dry-run=client -o yaml --target-port=3000000000
expose deploy there --port=80 --dry-run=client -o yaml --target-port=+80
expose deploy there --port=80 --dry-run=client -o yaml --target-port='!!'
expose deploy there --port=80 --dry-run=client -o yaml --target-port=http
create svc clusterip q --dry-run=client --tcp=99999999999999999999
create svc clusterip q --dry-run=client --tcp=65536
create svc clusterip q --dry-run=client --tcp=80:99999999999999999999
create svc clusterip q --dry-run=client --tcp=x
"""
SEQUENCES["spans of time that are none"] = """
wait deploy/there --for=delete --timeout=1
wait deploy/there --for=delete --timeout=-1x
wait deploy/there --for=delete --timeout=1d
wait deploy/there --for=delete --timeout=s
wait deploy/there --for=delete --timeout=''
wait deploy/there --for=delete --timeout=1h1
wait deploy/there --for=delete --timeout='1 s'
wait deploy/there --for=delete --timeout=1ö
rollout status deploy/there --timeout=1
rollout status deploy/there --timeout=-1x
rollout status deploy/there --timeout=1d
rollout status deploy/there --timeout=s
rollout status deploy/there --timeout=''
rollout status deploy/there --timeout=1h1
rollout status deploy/there --timeout='1 s'
rollout status deploy/there --timeout=1ö
scale deploy there --replicas=0 --timeout=1
scale deploy there --replicas=0 --timeout=-1x
scale deploy there --replicas=0 --timeout=1d
scale deploy there --replicas=0 --timeout=s
scale deploy there --replicas=0 --timeout=''
scale deploy there --replicas=0 --timeout=1h1
scale deploy there --replicas=0 --timeout='1 s'
scale deploy there --replicas=0 --timeout=1ö
delete cm nope --timeout=1
delete cm nope --timeout=-1x
delete cm nope --timeout=1d
delete cm nope --timeout=s
delete cm nope --timeout=''
delete cm nope --timeout=1h1
delete cm nope --timeout='1 s'
delete cm nope --timeout=1ö
logs nope --since=1
logs nope --since=-1x
logs nope --since=1d
logs nope --since=s
logs nope --since=''
logs nope --since=1h1
logs nope --since='1 s'
logs nope --since=1ö
logs nope --pod-running-timeout=1
logs nope --pod-running-timeout=-1x
logs nope --pod-running-timeout=1d
logs nope --pod-running-timeout=s
logs nope --pod-running-timeout=''
logs nope --pod-running-timeout=1h1
logs nope --pod-running-timeout='1 s'
logs nope --pod-running-timeout=1ö
"""
SEQUENCES["paths that do not fit and lists in order"] = """
create cm v10 --from-literal=k=v10
create cm v9 --from-literal=k=v9
create cm v02 --from-literal=k=v02
create cm v1 --from-literal=k=v1
get cm -o name --sort-by=.metadata.name
get cm -o name --sort-by=.data.k
get cm -o custom-columns=N:.metadata.name,K:.data.k --sort-by=.data.k
get cm --sort-by=.metadata.name --no-headers -o custom-columns=N:.metadata.name
apply -f web.yaml
wait deploy/web --for=jsonpath='{.spec.template.spec.containers[5].name}'=a --timeout=500ms
wait deploy/web --for=jsonpath='{.spec.template.spec.containers[-3].name}'=a --timeout=500ms
wait deploy/web --for=jsonpath='{.spec.template.spec.containers[0:3].name}'=a --timeout=500ms
wait deploy/web --for=jsonpath='{.spec.template.spec.containers[1:0].name}'=a --timeout=500ms
wait deploy/web --for=jsonpath='{.metadata.name[0]}'=a --timeout=500ms
wait deploy/web --for=jsonpath='{.spec.template.spec.containers[?(@.name>3)].name}'=a --timeout=500ms
wait deploy/web --for=jsonpath='{.spec.template.spec.containers[0].name}'=a --timeout=500ms
"""
SEQUENCES["types named twice"] = """
apply -f empty-sets.yaml
get ds,daemonsets,daemonset.apps -o name
get rc,all -o name
get all,rc -o name
get events.v1.,ev -o name
get ev/nope ev/nope2
get ev.events.k8s.io -o name
delete ev nope
delete ds,daemonsets --all --dry-run=client
label sts,statefulsets --all a=b
get all d
get rc,sts s -o name
"""
SEQUENCES["described or explained"] = """
apply -f described.yaml
describe pod attributed
describe pod plain
describe quota
describe svc alone
describe mutatingadmissionpolicies
describe rs
describe rs -A -l a=none
events --for pod/attributed
events --for pod/plain
autoscale ds d --max=4
autoscale job j --max=4
explain pod.
explain pod.spec.hostNetwork.
explain pod..spec
explain pod...
explain .spec
explain .
explain ''
explain pod.spec.containers[0].name
explain pod. -o plaintext-openapiv2
"""
SETS = "{metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: nginx}]}}"
NOWHERE = "{metadata: {labels: {app: a}}, spec: {nodeSelector: {no: such}, containers: [{name: a, image: nginx}]}}"
MANIFESTS["sets.yaml"] = f"""
apiVersion: apps/v1
kind: DaemonSet
metadata: {{name: d}}
spec: {{selector: {{matchLabels: {{app: a}}}}, template: {NOWHERE}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {{name: lazy}}
spec: {{selector: {{matchLabels: {{app: a}}}}, template: {NOWHERE}, updateStrategy: {{type: OnDelete}}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: s}}
spec:
  replicas: 3
  selector: {{matchLabels: {{app: a}}}}
  template: {SETS}
  updateStrategy: {{rollingUpdate: {{partition: 1}}}}
---
apiVersion: v1
kind: ReplicationController
metadata: {{name: r}}
spec: {{replicas: 0, template: {SETS}}}
"""
MANIFESTS["empty-sets.yaml"] = MANIFESTS["sets.yaml"].replace("replicas: 3", "replicas: 0")
SEQUENCES["revisions of daemon sets"] = """
apply -f sets.yaml
delete ds lazy
rollout status ds/d
rollout history ds/d
annotate ds/d kubernetes.io/change-cause=second
patch ds d -p '{"spec": {"template": {"spec": {"containers": [{"name": "a", "image": "nginx:2"}]}}}}'
rollout status ds/d
rollout history ds/d
rollout history ds/d --revision=2
rollout history ds/d --revision=9
rollout undo ds/d --dry-run=client
rollout undo ds/d
rollout status ds/d
rollout history ds/d
rollout undo ds/d --to-revision=2
rollout history ds
rollout undo ds/d --to-revision=9
rollout restart ds/d
rollout status ds/d
rollout history ds/d
get controllerrevisions -o custom-columns=N:.revision,I:.data.spec.template.spec.containers[0].image --sort-by=.revision
"""
SEQUENCES["some of many"] = """
apply -f web.yaml
create deployment other --image=nginx --replicas=0
create configmap empty
label cm cfg x=1
get cm cfg empty -o name
get cm -o name --sort-by='{.metadata.labels.x}'
get cm -o name --sort-by='{.data.a}'
get deploy -o name --sort-by='{.metadata.labels.nope}'
scale -f some.yaml --replicas=1
scale -f some.yaml --replicas=0 --dry-run=client
scale -f some.yaml --replicas=0 --dry-run=server
scale -f some.yaml --replicas=0 --current-replicas=1
scale -f some.yaml --replicas=0 -o name
autoscale deploy web --max=3 --dry-run=client
autoscale -f some.yaml --max=3 --dry-run=client
autoscale -f some.yaml --max=3 --dry-run=server
autoscale -f some.yaml --max=3
rollout pause -f some.yaml
rollout pause deploy/missing deploy/web cm/cfg
rollout resume -f some.yaml
rollout resume deploy/missing deploy/gone deploy/web
rollout restart -f some.yaml
rollout history -f some.yaml
rollout history -f some.yaml --revision=7
rollout status -f some.yaml --timeout=10s
rollout undo -f some.yaml
rollout undo cm/cfg deploy/missing
rollout undo pod/none
wait
wait --for=create
wait --for=delete
wait deploy/web --for=jsonpath='{.status.conditions[*].type}' --timeout=500ms
wait deploy/web --for=jsonpath='{.status.conditions[*].type}=Available' --timeout=500ms
wait deploy/web --for=jsonpath='{.status.conditions[?(@.type=="Available")].status}=True' --timeout=10s
wait deploy/web --for=jsonpath='{.status.conditions[?(@.type=="a=b")].status}=True' --timeout=500ms
wait deploy/web --for=jsonpath='{.metadata.name}==web' --timeout=500ms
wait deploy/web --for=jsonpath== --timeout=500ms
wait deploy/web --for=jsonpath='{.metadata.name}="web"' --timeout=500ms
wait deploy/web --for=jsonpath='{.metadata.nope}' --timeout=500ms
wait deploy/missing deploy/web --for=create --timeout=500ms
wait deploy/other deploy/web --for=create --timeout=500ms
wait deploy/other deploy/web --for=condition=Available=False --timeout=500ms
"""
SOME = (
    ("apps/v1", "Deployment", "web"),
    ("apps/v1", "Deployment", "missing"),
    ("v1", "ConfigMap", "cfg"),
    ("apps/v1", "Deployment", "gone"),
    ("apps/v1", "Deployment", "other"),
)
HALF = "---\n".join(("metadata: {name: before}\nkind: ConfigMap\napiVersion: v1\n", "kind: Foo\n", MANIFESTS["one.yaml"]))
MANIFESTS |= {
    "one.json": '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}}',
    "no-version.yaml": "kind: Foo\n",
    "no-kind.yaml": "apiVersion: v1\n",
    "list.json": "[]",
    "text.txt": "foo",
    "poor-list.json": '{"apiVersion": "v1", "kind": "List", "items": [{}]}',
    "half.yaml": HALF,
    "some.yaml": "---\n".join(f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: {name}}}\n" for version, kind, name in SOME),
    "two.json": "".join(f'{{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {{"name": "{name}"}}}}\n' for name in ("four", "five")),
}
MANIFESTS["described.yaml"] = f"""
apiVersion: v1
kind: Pod
metadata: {{name: attributed}}
spec:
  nodeName: none
  containers: [{{name: a, image: nginx}}]
  volumes:
  - {{name: v, csi: {{driver: d, volumeAttributes: {{b: "2", a: "1"}}}}}}
  - {{name: w, csi: {{driver: d, volumeAttributes: {{c: d}}}}}}
---
apiVersion: v1
kind: Pod
metadata: {{name: plain}}
spec: {{nodeName: none, containers: [{{name: a, image: nginx}}], volumes: [{{name: w, csi: {{driver: d}}}}]}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {{name: scoped}}
spec: {{hard: {{pods: "5"}}, scopes: [NotTerminating, BestEffort]}}
---
apiVersion: v1
kind: Service
metadata: {{name: alone}}
spec: {{ports: [{{port: 80}}]}}
---
apiVersion: v1
kind: Event
metadata: {{name: x}}
involvedObject: {{kind: Pod, name: plain}}
reason: Own
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {{name: d}}
spec: {{selector: {{matchLabels: {{app: a}}}}, template: {SETS}}}
---
apiVersion: batch/v1
kind: Job
metadata: {{name: j}}
spec: {{suspend: true, template: {{spec: {{restartPolicy: Never, containers: [{{name: a, image: nginx}}]}}}}}}
"""

VOLUMES = """
apiVersion: v1
kind: PersistentVolume
metadata: {name: here, labels: {a: b}}
spec:
  capacity: {storage: 5Gi}
  accessModes: [ReadWriteOnce, ReadOnlyMany]
  persistentVolumeReclaimPolicy: Retain
  storageClassName: slow
  hostPath: {path: /data}
  nodeAffinity:
    required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [node-1, node-2]}]}]}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: there}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteMany], nfs: {server: s, path: /p}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: attributed}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteMany], csi: {driver: d, volumeHandle: h, volumeAttributes: {b: "2", a: "1"}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: used}
spec: {accessModes: [ReadWriteOnce], storageClassName: slow, resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: unused}
spec:
  accessModes: [ReadWriteMany]
  volumeName: there
  storageClassName: ""
  dataSource: {kind: PersistentVolumeClaim, name: used}
  resources: {requests: {storage: 1Gi}}
---
apiVersion: v1
kind: Pod
metadata: {name: user, labels: {app: user}}
spec:
  containers: [{name: a, image: nginx}]
  volumes: [{name: v, persistentVolumeClaim: {claimName: used}}]
---
apiVersion: v1
kind: Service
metadata: {name: user}
spec: {selector: {app: user}, ports: [{port: 80}]}
"""

QUOTAS = """
apiVersion: v1
kind: ResourceQuota
metadata: {name: scoped}
spec: {hard: {pods: "5"}, scopes: [NotTerminating, BestEffort]}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: unscoped}
spec: {hard: {pods: "5"}}
"""

_NEUTRAL = (
    (r"\bkube-api-access-\w{5}\b", "kube-api-access-xxxxx"),
    (r"(LIVE|MERGED)-\w+", r"\1"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( [+-]\d{4}|Z)?", "TIME"),
    (r'("?resourceVersion"?): .*', r"\1: R"),
    (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UID"),
    (r"generation: \d+", "generation: N"),
    (r"observedGeneration: \d+", "observedGeneration: N"),
    (r"10\.\d+\.\d+\.\d+", "IP"),
    (r"nodePort: \d+", "nodePort: N"),
    (r"(?m)^W\d{4} .*\n", ""),  # kubectl's own log
    (r"by-(svcsim|kubectl)", "by-NAME"),
    (r"\bkubectl (?=apply|create)", "svcsim "),
    (r"'kubectl ", "'svcsim "),
)


@pytest.fixture
def ours(cluster, run_with_children):
    """Run svcsim."""

    def ours(*words):
        done = run_with_children(["--kubeconfig", str(cluster.kubeconfig), *words])
        return done.status, neutral(done.out), neutral(done.err)

    return ours


@pytest.fixture
def theirs(cluster):
    """Run kubectl."""
    environ = environment(cluster.home)

    def theirs(*words):
        line = ["kubectl", "--kubeconfig", str(cluster.kubeconfig), *words]
        done = subprocess.run(line, capture_output=True, text=True, env=environ, check=False)
        return done.returncode, neutral(done.stdout), neutral(done.stderr)

    return theirs


@pytest.fixture
def settle(cluster):
    """Let the controllers do all there is to do, pods of a StatefulSet one after the other too, so that none of it comes between."""
    wire = Wire(cluster)

    def settle():
        for wish in ({"speed": 0}, {"step": 10}, {"speed": 1}):
            assert wire.ask("PUT", CLOCK, wish).status == 200

    yield settle
    wire.close()


def does(program, namespace, commands, settle):
    """Run commands with a program in a namespace of its own: what each printed, and what is there in the end."""
    told = []
    program("create", "namespace", namespace)
    for command in (*commands, STATE):
        settle()
        words = shlex.split(command)
        status, out, err = program(*words) if "namespace" in command else program("-n", namespace, *words)
        told.append((command if command != STATE else "", status, without_status(out), err))
    return told


def neutral(text):
    """The text without what differs from time to time."""
    for pattern, instead in _NEUTRAL:
        text = re.sub(pattern, instead, text)
    return text


def without_status(text):
    """YAML without what controllers write in their own time."""
    return re.sub(r"(?m)^( *)status:\n(\1 .*\n|\1- .*\n)*", "", re.sub(r'(?m)^ *deployment.*/revision: "\d+"\n', "", text))


@pytest.mark.parametrize("name", list(SEQUENCES))
def test_both_print_the_same_and_leave_the_same(name, ours, theirs, settle, work_among):
    work_among(MANIFESTS)
    commands = SEQUENCES[name].strip().splitlines()
    namespace = name.replace(" ", "-")
    mine = does(ours, f"{namespace}-by-svcsim", commands, settle)
    others = does(theirs, f"{namespace}-by-kubectl", commands, settle)
    for one, other in zip(mine, others, strict=True):
        assert one == other


def test_both_describe_the_quotas_of_a_namespace(ours, theirs, work_among):
    work_among({"quotas.yaml": QUOTAS})
    assert theirs("create", "namespace", "bounded")[0] == 0
    assert theirs("apply", "-n", "bounded", "-f", "quotas.yaml")[0] == 0
    described = theirs("describe", "namespace", "bounded")
    assert "Scopes:" in described[1]
    assert ours("describe", "namespace", "bounded") == described


@pytest.mark.parametrize("types", ["pv", "pvc", "endpointslices"])
def test_both_describe_the_same(types, ours, theirs, work_among):
    work_among({"volumes.yaml": VOLUMES})
    assert theirs("apply", "-f", "volumes.yaml")[0] == 0
    assert theirs("wait", "pod/user", "--for=condition=Ready", "--timeout=60s")[0] == 0
    assert theirs("wait", "pvc/unused", "--for=jsonpath={.status.phase}=Bound", "--timeout=60s")[0] == 0
    status, described, _ = theirs("describe", types)
    assert status == 0
    assert described
    assert without_ages(ours("describe", types)[1]) == without_ages(described)


SET = """
apiVersion: apps/v1
kind: {kind}
metadata: {{name: d}}
spec:
  {more}
  selector: {{matchLabels: {{app: d}}}}
  template:
    metadata: {{creationTimestamp: null, labels: {{app: d}}}}
    spec: {{nodeSelector: {{none: "1"}}, containers: [{{name: a, image: "nginx:3"}}]}}
"""
REVISIONS = """
rollout history {target}
rollout undo {target}
rollout undo {target} --to-revision=3
controllerrevisions
rollout history {target}
rollout history {target} --revision=2
rollout history {target} --revision=9
rollout history {target} -o name
rollout history {target} --revision=1 -o yaml
rollout undo {target} --to-revision=-1
rollout undo {target} --to-revision=9
rollout undo {target} --dry-run=server
rollout undo {target} --dry-run=client
rollout undo {target}
get {target} -o jsonpath={{.spec.template.spec.containers[0].image}}
rollout undo {target} --to-revision=1
get {target} -o jsonpath={{.spec.template.spec}}
rollout restart {target}
rollout pause {target}
rollout resume {target}
"""


@pytest.mark.parametrize(("kind", "more"), [("DaemonSet", ""), ("StatefulSet", "serviceName: d")])
def test_both_go_back_to_what_controller_revisions_keep(kind, more, cluster, ours, theirs, settle, work_among):
    work_among({"set.yaml": SET.format(kind=kind, more=more)})

    def keep(program, namespace):
        """What a controller would keep: three templates, of which the last is the present one."""
        with contextlib.closing(Wire(cluster)) as wire:
            owner = wire.ask("GET", f"/apis/apps/v1/namespaces/{namespace}/{kind.lower()}s/d").json
        reference = {"apiVersion": "apps/v1", "kind": kind, "name": "d", "uid": owner["metadata"]["uid"], "controller": True}
        for number in (1, 2, 3):
            template = json.loads(json.dumps(owner["spec"]["template"]))
            template["spec"]["containers"][0]["image"] = f"nginx:{number}"
            template["metadata"]["creationTimestamp"] = None
            cause = {"kubernetes.io/change-cause": f"reason {number}"} if number == 2 else {}
            metadata = {"name": f"d-{number}", "labels": {"app": "d"}, "annotations": cause, "ownerReferences": [reference]}
            kept = {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": metadata, "revision": number}
            work_among({"kept.json": json.dumps({**kept, "data": {"spec": {"template": {**template, "$patch": "replace"}}}})})
            assert program("-n", namespace, "create", "-f", "kept.json")[0] == 0

    def all_told(program, name):
        namespace = f"{kind.lower()}-by-{name}"
        assert program("create", "namespace", namespace)[0] == 0
        assert program("-n", namespace, "create", "-f", "set.yaml")[0] == 0
        for command in REVISIONS.format(target=f"{kind.lower()}/d").strip().splitlines():
            settle()
            if command == "controllerrevisions":
                keep(program, namespace)
            else:
                yield command, *program("-n", namespace, *shlex.split(command))

    for mine, other in zip(all_told(ours, "svcsim"), all_told(theirs, "kubectl"), strict=True):
        assert mine == other
