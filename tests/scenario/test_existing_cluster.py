"""A scenario on a cluster that is up: over the wire, in that cluster's time, and mended afterwards."""

from pathlib import Path

from svcsim.client.kubeconfig import Access
from svcsim.cluster.cluster import open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.scenario.existing_cluster import connected
from svcsim.scenario.model import RunOptions
from svcsim.scenario.results import HELD
from svcsim.scenario.run import Run
from svcsim.scenario.runner import load
from tests.scenario.replaying import HEAD

SPEC = """
  timeouts: {cleanup: 1h}  # at this clock's speed the usual 30 s are over in a moment of a busy machine
  webhooks: [{name: maps.example.com, deny: by nobody, missing: ignore}]
  steps:
  - id: one
    faults: [{type: slow-start, target: {kind: Pod, name: none}, missing: ignore}]
    do:
    - create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: new}}}
    - advance: 100s
    expect:
    - eventually: {count: {kind: ConfigMap, namespace: default, where: "metadata.name in ['old', 'new']", eq: 2}}
      within: 1h
    - eventually: {count: {kind: Event, namespace: default, where: "reason == 'Told'", eq: 1}}
  - id: two
    do:
    - {request: {path: /api/v1/namespaces/default/configmaps, as: bob}, expect: {status: 403, reason: Forbidden}}
    - create:
        object:
          apiVersion: rbac.authorization.svcapi.io/v1
          kind: RoleBinding
          metadata: {name: bobs}
          roleRef: {apiGroup: rbac.authorization.svcapi.io, kind: ClusterRole, name: view}
          subjects: [{kind: User, name: bob, apiGroup: rbac.authorization.svcapi.io}]
    - {request: {path: /api/v1/namespaces/default/configmaps, as: bob}, expect: {status: 200}}
    - {request: {path: /api/v1/namespaces/default/secrets, as: bob}, expect: {status: 403}}
    - request: {path: /api/v1/namespaces/default/secrets, as: {user: bob, groups: ["system:masters"], uid: "7", extra: {a/b: [c, d]}}}
      expect: {status: 200}
  - id: three
    faults: [{type: webhook-fail, mode: slow, delay: 40s, target: {name: maps.example.com}}]
    do:
    - create:
        object:
          apiVersion: admissionregistration.svcapi.io/v1
          kind: ValidatingWebhookConfiguration
          metadata: {name: maps}
          webhooks:
          - name: maps.example.com
            clientConfig: {service: {namespace: default, name: nowhere}}
            rules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [configmaps]}]
            timeoutSeconds: 1
            sideEffects: None
            admissionReviewVersions: [v1]
    - create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: default}}}
      expect: {status: 500, message: "*context deadline exceeded"}
  finally:
  - delete: {kind: ValidatingWebhookConfiguration, name: maps}
  - {delete: {kind: ConfigMap, name: new}}
  - {delete: {kind: RoleBinding, name: bobs}}
"""


async def test_it_sees_what_was_there_and_leaves_nothing_behind(tmp_path: Path):
    file = tmp_path / "s.yaml"
    file.write_text(HEAD + SPEC)
    (scenario,) = load([str(file)], RunOptions())
    spec = ClusterSpec(data_dir=tmp_path / "data", durability="none", nodes=1, history_s=None, clock_speed=100.0, seed=1, served=True)
    async with open_cluster(spec) as cluster:
        old = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "old"}}
        await cluster.client("test").resource("v1", "configmaps", "default").create(old)
        about = {"kind": "ConfigMap", "name": "old", "namespace": "default"}
        told = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "old"}, "reason": "Told", "involvedObject": about}
        await cluster.client("test").resource("v1", "events", "default").create(told)
        served = await cluster.serve()
        access = Access(served.url, ca_pem=served.ca_certificate.read_bytes(), token=served.token)
        async with connected(access, lambda: None) as target:
            result = await Run(scenario, target, fresh=False).play()
        *steps, closing = result.cases
        assert [case.outcome for case in (*steps, closing)] == [HELD] * 4, [case.failure for case in result.cases]
        assert result.cluster_s >= 100
        assert result.journal_hash == ""
        assert cluster.nodes.faults.all() == []
        assert cluster.webhook_faults.all() == []
