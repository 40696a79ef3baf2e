"""A scenario whose manifest binds a service to a program on this machine: what the cluster asks the service, the program answers."""

from pathlib import Path

from tests.outbound.program import PATH, program
from tests.scenario.replaying import Replayer

MANIFEST = """\
apiVersion: v1
kind: Service
metadata:
  name: my-api
  annotations: {{svcsim.dev/bound-to: 443=127.0.0.1:{port}}}
spec: {{ports: [{{port: 443}}]}}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {{name: v1.flavours.example.com}}
spec:
  group: flavours.example.com
  version: v1
  groupPriorityMinimum: 2000
  versionPriority: 15
  service: {{name: my-api, namespace: default}}
  insecureSkipTLSVerify: true
"""
SPEC = f"""\
  cluster: {{dialect: kubernetes, nodes: 0}}
  seed: 3
  steps:
  - id: bind
    do:
    - apply: {{file: api.yaml}}
    expect:
    - eventually: {{kind: APIService, name: v1.flavours.example.com, where: "condition('Available')"}}
      within: 1m
  - id: ask
    do:
    - request: {{path: {PATH}/flavours/sweet}}
      expect: {{status: 200}}
    - request: {{path: {PATH}/flavours/sour}}
      expect: {{status: 404}}
"""


def test_the_program_answers_and_the_journal_is_the_same_every_time(replay: Replayer, tmp_path: Path):
    with program(tmp_path, "my-api.default.svc") as port:
        (tmp_path / "api.yaml").write_text(MANIFEST.format(port=port))
        first, again = replay(SPEC), replay(SPEC)
    assert (first.code, again.code) == (0, 0), first.out + first.err
    assert len({run.of_type("scenario")[0]["journalHash"] for run in (first, again)}) == 1


def test_without_the_program_the_service_leads_nowhere(replay: Replayer, tmp_path: Path):
    with program(tmp_path, "my-api.default.svc") as port:
        (tmp_path / "api.yaml").write_text(MANIFEST.format(port=port))
    outcome = replay(SPEC)
    assert outcome.code == 1
    assert "v1.flavours.example.com" in outcome.out
