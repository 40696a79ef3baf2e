"""What is wrong with a Job, in the usual words; what may change of one; what its status may say."""

import pytest

from svcsim.dialect import DIALECTS
from svcsim.kinds.batch.job import JOB
from svcsim.kinds.batch.job_strategy import pod_labels
from tests.kinds.helpers import ago, context, created, findings, row, status_findings, texts
from tests.kinds.workload_rules import MISMATCH, NEGATIVE, QUALIFIED

UID = "1a2b"
POD = {"containers": [{"name": "a", "image": "a:1"}], "initContainers": [{"name": "i", "image": "i:1"}], "restartPolicy": "Never"}
TEMPLATE = {"spec": POD}
INDEXED = {"completionMode": "Indexed", "completions": 5, "parallelism": 5}
ON_CODES = {"onExitCodes": {"operator": "In", "values": [1]}}
POLICY = "spec.podFailurePolicy.rules[0]"


def job(name="j", **spec):
    whole = {"template": TEMPLATE, **spec}
    return {"metadata": {"name": name, "uid": UID}, "spec": {field: value for field, value in whole.items() if value is not None}}


def template(labels=None, **pod):
    return {**({"metadata": {"labels": labels}} if labels else {}), "spec": {**POD, **pod}}


def failing(*rules, **spec):
    return job(podFailurePolicy={"rules": [{"action": "FailJob", **rule} for rule in rules]}, **spec)


def on_codes(**codes):
    return failing({"onExitCodes": {"operator": "In", "values": [1], **codes}})


def on_conditions(*patterns):
    return failing({"onPodConditions": list(patterns)})


def succeeding(*rules, **spec):
    return job(**{**INDEXED, "successPolicy": {"rules": list(rules)}, **spec})


ACTIONS = '["Count" "FailIndex" "FailJob" "Ignore"]'
CONDITION = {"type": "DisruptionTarget"}
SUCCESS = "spec.successPolicy.rules[0]"
RESTART = "spec.template.spec.restartPolicy"
LONG = "1," * 40_000
NOT_INCREASING = "non-increasing order, previous: 1, current: 1"
OF_MANY = "when completions are above 100000 and used with backoff limit per index"
NO_CONTAINER = "must be one of the container or initContainer names in the pod template"
NOT_IN_FIELD = "the number of indexes in the specified succeededIndexes field"
MANY_INDEXES = (
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to "
    "track completedIndexes when a big number of indexes fail"
)
NOT_INDEXED = "requires indexed completion mode"


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (job(), []),
        *[
            (job(**{name: -1}), [f"spec.{name}: Invalid value: -1: {NEGATIVE}"])
            for name in ("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished")
        ],
        *[
            (job(**{**INDEXED, "backoffLimitPerIndex": 1, name: -1}), [f"spec.{name}: Invalid value: -1: {NEGATIVE}"])
            for name in ("backoffLimitPerIndex", "maxFailedIndexes")
        ],
        (job(template=template(restartPolicy="Always")), [f'{RESTART}: Required value: valid values: "OnFailure", "Never"']),
        (
            job(template={"spec": {"containers": POD["containers"]}}),
            [f'{RESTART}: Required value: valid values: "OnFailure", "Never"'],
        ),
        (
            job(template=template(restartPolicy="Sometimes")),
            [
                f'{RESTART}: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
                f'{RESTART}: Unsupported value: "Sometimes": supported values: "OnFailure", "Never"',
            ],
        ),
        (
            failing(ON_CODES, template=template(restartPolicy="OnFailure")),
            [f'{RESTART}: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified'],
        ),
        (
            job(template=None),
            [
                "spec.template.spec.containers: Required value",
                f'{RESTART}: Required value: valid values: "OnFailure", "Never"',
            ],
        ),
        (job(template=template(labels={"bad key": "v"})), [f'spec.template.labels: Invalid value: "bad key": {QUALIFIED}']),
        (
            job(completionMode="Other"),
            ['spec.completionMode: Unsupported value: "Other": supported values: "NonIndexed", "Indexed"'],
        ),
        (job(completionMode="Indexed", parallelism=1), ["spec.completions: Required value: when completion mode is Indexed"]),
        (
            job(completionMode="Indexed", completions=2, parallelism=100_001),
            ["spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed"],
        ),
        (job(backoffLimitPerIndex=1), [f"spec.backoffLimitPerIndex: Invalid value: 1: {NOT_INDEXED}"]),
        (
            job(maxFailedIndexes=1, backoffLimitPerIndex=1),
            [f"spec.{name}: Invalid value: 1: {NOT_INDEXED}" for name in ("backoffLimitPerIndex", "maxFailedIndexes")],
        ),
        (
            job(**INDEXED, maxFailedIndexes=1),
            ["spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified"],
        ),
        (
            job(**INDEXED, maxFailedIndexes=6, backoffLimitPerIndex=1),
            ["spec.maxFailedIndexes: Invalid value: 6: must be less than or equal to completions"],
        ),
        (
            job(completionMode="Indexed", completions=100_000, maxFailedIndexes=100_001, backoffLimitPerIndex=1),
            [
                "spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to completions",
                "spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to 100000",
            ],
        ),
        (
            job(completionMode="Indexed", completions=100_001, parallelism=10_001, backoffLimitPerIndex=1),
            [
                "spec.maxFailedIndexes: Required value: must be specified when completions is above 100000",
                f"spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 {OF_MANY}",
            ],
        ),
        (
            job(completionMode="Indexed", completions=100_001, maxFailedIndexes=10_001, backoffLimitPerIndex=1),
            [f"spec.maxFailedIndexes: Invalid value: 10001: must be less than or equal to 10000 {OF_MANY}"],
        ),
        (job(completionMode="Indexed", completions=100_001, parallelism=10_001), []),
        (job(managedBy="example.com/mine"), []),
        (job(managedBy=""), ["spec.managedBy: Required value"]),
        (job(managedBy="mine"), ['spec.managedBy: Invalid value: "mine": must be a domain-prefixed path (such as "acme.io/foo")']),
        (job(managedBy="a.io/"), ['spec.managedBy: Invalid value: "a.io/": must be a domain-prefixed path (such as "acme.io/foo")']),
        (job(managedBy=f"example.com/{'x' * 52}"), ["spec.managedBy: Too long: may not be more than 63 bytes"]),
        (
            job(managedBy="example.com/a b"),
            ["spec.managedBy: Invalid value: \"a b\": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"],
        ),
        (
            job(podReplacementPolicy="Now"),
            ['spec.podReplacementPolicy: Unsupported value: "Now": supported values: "Failed", "TerminatingOrFailed"'],
        ),
        (
            failing(ON_CODES, podReplacementPolicy="TerminatingOrFailed"),
            ['spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"'],
        ),
        (
            job(name="a" * 62, **INDEXED),
            [
                f'metadata.name: Invalid value: "{"a" * 62}": will not able to create pod with invalid DNS label: {"a" * 62}-4',
            ],
        ),
        (job(name="a" * 62), []),
        (
            job(name="a.b", **INDEXED),
            ['metadata.name: Invalid value: "a.b": will not able to create pod with invalid DNS label: a.b-4'],
        ),
    ],
)
def test_what_is_wrong_with_a_job(obj, expected):
    assert findings(JOB, obj) == expected


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (failing(ON_CODES), []),
        (failing(), []),
        (failing(*[ON_CODES] * 21), ["spec.podFailurePolicy.rules: Too many: 21: must have at most 20 items"]),
        (failing({"action": "", **ON_CODES}), [f"{POLICY}.action: Required value: valid values: {ACTIONS}"]),
        (
            failing({"action": "Shrug", **ON_CODES}),
            [f'{POLICY}.action: Unsupported value: "Shrug": supported values: "Count", "FailIndex", "FailJob", "Ignore"'],
        ),
        (
            failing({"action": "FailIndex", **ON_CODES}),
            [f'{POLICY}.action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set'],
        ),
        (failing({"action": "FailIndex", **ON_CODES}, **INDEXED, backoffLimitPerIndex=1), []),
        (failing({}), [f"{POLICY}: Invalid value: specifying one of OnExitCodes and OnPodConditions is required"]),
        (
            failing({**ON_CODES, "onPodConditions": [CONDITION]}),
            [f"{POLICY}: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported"],
        ),
        (on_codes(operator=""), [f'{POLICY}.onExitCodes.operator: Required value: valid values: ["In" "NotIn"]']),
        (on_codes(operator="Near"), [f'{POLICY}.onExitCodes.operator: Unsupported value: "Near": supported values: "In", "NotIn"']),
        (on_codes(containerName="a"), []),
        (on_codes(containerName="i"), []),
        (
            on_codes(containerName="z"),
            [f'{POLICY}.onExitCodes.containerName: Invalid value: "z": {NO_CONTAINER}'],
        ),
        (on_codes(values=[]), [f"{POLICY}.onExitCodes.values: Invalid value: []: at least one value is required"]),
        (on_codes(values=list(range(1, 257))), [f"{POLICY}.onExitCodes.values: Too many: 256: must have at most 255 items"]),
        (on_codes(values=[0, 1]), [f"{POLICY}.onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator"]),
        (on_codes(operator="NotIn", values=[0, 1]), []),
        (on_codes(values=[1, 1]), [f"{POLICY}.onExitCodes.values[1]: Duplicate value: 1"]),
        (on_codes(values=[2, 1]), [f"{POLICY}.onExitCodes.values: Invalid value: [2,1]: must be ordered"]),
        (on_conditions(CONDITION), []),
        (on_conditions(*[CONDITION] * 21), [f"{POLICY}.onPodConditions: Too many: 21: must have at most 20 items"]),
        (
            on_conditions({"type": "a b"}),
            [f'{POLICY}.onPodConditions[0].type: Invalid value: "a b": {QUALIFIED}'],
        ),
        (
            on_conditions({"type": ""}),
            [
                f'{POLICY}.onPodConditions[0].type: Invalid value: "": name part must be non-empty',
                f'{POLICY}.onPodConditions[0].type: Invalid value: "": {QUALIFIED}',
            ],
        ),
        (
            on_conditions({**CONDITION, "status": "Maybe"}),
            [f'{POLICY}.onPodConditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"'],
        ),
        (succeeding({"succeededIndexes": "0-2,4", "succeededCount": 3}), []),
        (succeeding({"succeededIndexes": ""}), []),
        (
            job(successPolicy={"rules": [{"succeededCount": 1}]}),
            [f'spec.successPolicy: Invalid value: {{"rules":[{{"succeededCount":1}}]}}: {NOT_INDEXED}'],
        ),
        (
            succeeding(),
            ["spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is specified"],
        ),
        (succeeding(*[{"succeededCount": 1}] * 21), ["spec.successPolicy.rules: Too many: 21: must have at most 20 items"]),
        (
            succeeding({}),
            [f"{SUCCESS}: Required value: at least one of succeededCount or succeededIndexes must be specified"],
        ),
        *[
            (
                succeeding({"succeededIndexes": indexes}),
                [f'{SUCCESS}.succeededIndexes: Invalid value: "{indexes}": error parsing succeededIndexes: {why}'],
            )
            for indexes, why in (
                ("x", 'cannot convert string to integer for index: "x"'),
                ("1-x", 'cannot convert string to integer for index: "x"'),
                (
                    "1-2-3",
                    "the fragment \"1-2-3\" violates the requirement that an index interval can have at most two parts separated by '-'",
                ),
                ("5", 'too large index: "5"'),
                ("1-5", 'too large index: "5"'),
                ("3-1", "non-increasing order, previous: 3, current: 1"),
                ("1,1", "non-increasing order, previous: 1, current: 1"),
                ("2-3,1", "non-increasing order, previous: 3, current: 1"),
                ("-1", 'cannot convert string to integer for index: ""'),
            )
        ],
        (
            succeeding({"succeededIndexes": LONG}),
            [
                f"{SUCCESS}.succeededIndexes: Too long: may not be more than 65536 bytes",
                f'{SUCCESS}.succeededIndexes: Invalid value: "{LONG}": error parsing succeededIndexes: {NOT_INCREASING}',
            ],
        ),
        (succeeding({"succeededCount": -1}), [f"{SUCCESS}.succeededCount: Invalid value: -1: {NEGATIVE}"]),
        (
            succeeding({"succeededCount": 6}),
            [f"{SUCCESS}.succeededCount: Invalid value: 6: must be less than or equal to 5 (the number of specified completions)"],
        ),
        (
            succeeding({"succeededIndexes": "0-1", "succeededCount": 3}),
            [f"{SUCCESS}.succeededCount: Invalid value: 3: must be less than or equal to 2 ({NOT_IN_FIELD})"],
        ),
    ],
)
def test_what_is_wrong_with_the_policies_of_a_job(obj, expected):
    assert findings(JOB, obj) == expected


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_the_server_makes_a_selector_that_is_the_jobs_own(dialect):
    obj = created(JOB, job(), context(dialect))
    domain = f"batch.{dialect.domain}"
    labels = {f"{domain}/job-name": "j", "job-name": "j", f"{domain}/controller-uid": UID, "controller-uid": UID}
    assert obj["spec"]["selector"] == {"matchLabels": {f"{domain}/controller-uid": UID}}
    assert obj["spec"]["template"]["metadata"]["labels"] == obj["metadata"]["labels"] == labels
    own = created(JOB, {**job(template=template(labels={"own": "1"})), "metadata": {"name": "j", "uid": UID, "labels": {"a": "b"}}})
    assert own["metadata"]["labels"] == {"a": "b"}
    assert own["spec"]["template"]["metadata"]["labels"]["own"] == "1"
    by_hand = created(JOB, job(manualSelector=True, selector={"matchLabels": {"a": "b"}}, template=template(labels={"a": "b"})))
    assert by_hand["spec"]["template"]["metadata"]["labels"] == {"a": "b"}
    assert by_hand["spec"]["selector"] == {"matchLabels": {"a": "b"}}


MADE = "spec.template.metadata.labels"
KEY = "batch.kubernetes.io/controller-uid"
NAME_KEY = "batch.kubernetes.io/job-name"


def labels_json(**changed):
    merged = {NAME_KEY: "j", "job-name": "j", KEY: UID, "controller-uid": UID} | {
        name.replace("_", "-"): value for name, value in changed.items()
    }
    return "{" + ",".join(f'"{name}":"{value}"' for name, value in merged.items()) + "}"


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (job(manualSelector=True), ["spec.selector: Required value", f"{MADE}: Invalid value: null: {MISMATCH}"]),
        (
            job(manualSelector=True, selector={"matchLabels": {"a": "b"}}),
            [f"{MADE}: Invalid value: null: {MISMATCH}"],
        ),
        (job(manualSelector=True, selector={"matchLabels": {"a": "b"}}, template=template(labels={"a": "b"})), []),
        (
            job(template=template(labels={"job-name": "other"})),
            [f"{MADE}[job-name]: Invalid value: {labels_json(job_name='other')}: must be 'j'"],
        ),
        (
            job(template=template(labels={"controller-uid": "other"})),
            [f"{MADE}[controller-uid]: Invalid value: {labels_json(controller_uid='other')}: must be '{UID}'"],
        ),
        (
            job(selector={"matchLabels": {"a": "b"}}),
            [
                f"{MADE}: Invalid value: {labels_json()}: {MISMATCH}",
                f'spec.selector: Invalid value: {{"matchLabels":{{"{KEY}":"{UID}","a":"b"}}}}: `selector` not auto-generated',
            ],
        ),
        (
            job(selector={"matchLabels": {KEY: "other"}}),
            [
                f"{MADE}: Invalid value: {labels_json()}: {MISMATCH}",
                f'spec.selector: Invalid value: {{"matchLabels":{{"{KEY}":"other"}}}}: `selector` not auto-generated',
            ],
        ),
        (
            job(selector={"matchExpressions": [{"key": "a", "operator": "Near"}]}),
            ['spec.selector.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator'],
        ),
    ],
)
def test_what_is_wrong_with_the_selector_of_a_job(obj, expected):
    assert findings(JOB, obj) == expected


def changed(before, after, status=None):
    """What is wrong with a change of a job that is as ``before`` says."""
    old, new = ({**created(JOB, obj), "status": status or {}} for obj in (before, after))
    return [
        text.partition(": Invalid value: {")[0]
        for text in texts([f for rule in JOB.strategy.update_rules for f in rule(new, old, context())])
    ]


IMMUTABLE = "field is immutable"
ELSEWHERE = {
    "node selector": {"nodeSelector": {"a": "b"}},
    "tolerations": {"tolerations": [{"operator": "Exists"}]},
    "gates": {"schedulingGates": [{"name": "example.com/a"}]},
    "node affinity": {
        "affinity": {
            "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {"matchExpressions": []}}]}
        }
    },
}
NEAR_OTHERS = {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "z"}]}}}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (job(), job(completions=1, parallelism=3), []),
        (job(), job(parallelism=3), [f"spec.completions: Invalid value: null: {IMMUTABLE}"]),
        (job(), job(backoffLimit=3), []),
        (job(), job(activeDeadlineSeconds=3), []),
        (job(), job(ttlSecondsAfterFinished=3), []),
        (job(), job(suspend=True), []),
        (job(), job(completions=2), [f"spec.completions: Invalid value: 2: {IMMUTABLE}"]),
        (job(**INDEXED), job(**{**INDEXED, "completions": 7, "parallelism": 7}), []),
        (
            job(**INDEXED),
            job(**{**INDEXED, "completions": 7}),
            ["spec.completions: Invalid value: 7: can only be modified in tandem with spec.parallelism"],
        ),
        (job(**INDEXED), job(completions=5, parallelism=5), [f'spec.completionMode: Invalid value: "NonIndexed": {IMMUTABLE}']),
        (
            job(),
            job(manualSelector=True, selector={"matchLabels": {"a": "b"}}, template=template(labels={"a": "b"})),
            ["spec.selector", "spec.template"],
        ),
        (job(), job(template=template(hostname="x")), ["spec.template"]),
        (failing(ON_CODES), failing({"action": "Ignore", **ON_CODES}), ["spec.podFailurePolicy"]),
        (
            job(**INDEXED, backoffLimitPerIndex=1),
            job(**INDEXED, backoffLimitPerIndex=2, backoffLimit=2147483647),
            [f"spec.backoffLimitPerIndex: Invalid value: 2: {IMMUTABLE}"],
        ),
        (job(managedBy="a.io/b"), job(), [f"spec.managedBy: Invalid value: null: {IMMUTABLE}"]),
        (succeeding({"succeededCount": 1}), succeeding({"succeededCount": 2}), ["spec.successPolicy"]),
        *[(job(suspend=True), job(suspend=True, template=template(**pod)), []) for pod in ELSEWHERE.values()],
        *[(job(suspend=True, template=template(**pod)), job(suspend=True), []) for pod in ELSEWHERE.values()],
        *[(job(), job(template=template(**pod)), ["spec.template"]) for pod in ELSEWHERE.values()],
        (job(suspend=True), job(template=template(labels={"a": "b"})), []),
        (job(suspend=True), job(template=template(**NEAR_OTHERS)), ["spec.template"]),
        (job(suspend=True), job(template=template(hostname="x")), ["spec.template"]),
    ],
)
def test_what_may_change_of_a_job(before, after, expected):
    assert changed(before, after) == expected


def test_a_job_that_has_started_stays_where_it_is():
    started = {"startTime": ago(5)}
    assert changed(job(suspend=True), job(template=template(nodeSelector={"a": "b"})), started) == ["spec.template"]


def state(*true, spec=None, **status):
    conditions = [{"type": kind, "status": "True"} for kind in true]
    return {**job(**(spec or {})), "status": {**({"conditions": conditions} if true else {}), **status}}


T1, T2 = "2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z"
COMPLETE, FAILED = ("SuccessCriteriaMet", "Complete"), ("FailureTarget", "Failed")
TIMES = {"startTime": T1, "completionTime": T2}
PER_INDEX = {**INDEXED, "backoffLimitPerIndex": 1}
CONDITIONS = "status.conditions: Invalid value: cannot"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (state(), state(*COMPLETE, **TIMES, succeeded=1), []),
        (state(), state(*FAILED, startTime=T1, failed=1), []),
        *[
            (state(), state(**{"active": 0, name: -1}), [f"status.{name}: Invalid value: -1: {NEGATIVE}", *more])
            for name, more in (
                ("active", []),
                ("succeeded", ["status.succeeded: Invalid value: -1: cannot decrease the succeeded counter"]),
                ("failed", ["status.failed: Invalid value: -1: cannot decrease the failed counter"]),
                ("ready", []),
                ("terminating", []),
            )
        ],
        (
            state(),
            state(uncountedTerminatedPods={"succeeded": ["a", ""], "failed": ["a"]}),
            [
                'status.uncountedTerminatedPods.succeeded[1]: Invalid value: "": must not be empty',
                'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
            ],
        ),
        (
            state("FailureTarget", "Failed", startTime=T1),
            state("FailureTarget", "Failed", "Complete", **TIMES),
            [
                f"{CONDITIONS} set Complete=True and Failed=true conditions",
                f"{CONDITIONS} set Complete=True and FailureTarget=true conditions",
                f"{CONDITIONS} set Complete=True condition without the SuccessCriteriaMet=true condition",
            ],
        ),
        (
            state(),
            state("Failed", startTime=T1),
            [f"{CONDITIONS} set Failed=True condition without the FailureTarget=true condition"],
        ),
        (
            state(),
            state("Complete", **TIMES),
            [f"{CONDITIONS} set Complete=True condition without the SuccessCriteriaMet=true condition"],
        ),
        (
            state(),
            state("SuccessCriteriaMet", "FailureTarget"),
            [f"{CONDITIONS} set SuccessCriteriaMet=True and FailureTarget=true conditions"],
        ),
        (
            state(),
            state("SuccessCriteriaMet", *FAILED, startTime=T1),
            [
                f"{CONDITIONS} set SuccessCriteriaMet=True and Failed=true conditions",
                f"{CONDITIONS} set SuccessCriteriaMet=True and FailureTarget=true conditions",
            ],
        ),
        (
            state(spec={**INDEXED, "successPolicy": {"rules": [{"succeededCount": 1}]}}),
            state("Complete", **TIMES, spec={**INDEXED, "successPolicy": {"rules": [{"succeededCount": 1}]}}),
            [
                f"{CONDITIONS} set Complete=True condition without the SuccessCriteriaMet=true condition",
                f"{CONDITIONS} set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True",
            ],
        ),
        (
            state(),
            state(**TIMES),
            [f'status.completionTime: Invalid value: "{T2}": cannot set completionTime when there is no Complete=True condition'],
        ),
        (state(), state(*COMPLETE, startTime=T1), ["status.completionTime: Required value: completionTime is required for Complete jobs"]),
        (
            state(),
            state(*COMPLETE, startTime=T2, completionTime=T1),
            [f'status.completionTime: Invalid value: "{T1}": must be equal to or after `startTime`'],
        ),
        (state(), state(*FAILED), ["status.startTime: Required value: startTime is required for finished job"]),
        (
            state(spec={"suspend": True, "completions": 0}),
            state(*COMPLETE, completionTime=T2, spec={"suspend": True, "completions": 0}),
            [],
        ),
        (state(), state(*FAILED, startTime=T1, active=1), ["status.active: Invalid value: 1: active>0 is invalid for finished job"]),
        (
            state(),
            state(*FAILED, startTime=T1, terminating=1),
            ["status.terminating: Invalid value: 1: terminating>0 is invalid for finished job"],
        ),
        (
            state(),
            state(*FAILED, startTime=T1, uncountedTerminatedPods={"failed": ["a"]}),
            ['status.uncountedTerminatedPods: Invalid value: {"failed":["a"]}: must be empty for finished job'],
        ),
        (state(), state(active=1, ready=2), ["status.ready: Invalid value: 2: cannot set more ready pods than active"]),
        (
            state(),
            state(completedIndexes="0"),
            ['status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode'],
        ),
        (
            state(spec=INDEXED),
            state(spec=INDEXED, completedIndexes="2,1"),
            [f'status.completedIndexes: Invalid value: "2,1": error parsing completedIndexes: {NOT_INCREASING.replace("1", "2", 1)}'],
        ),
        (
            state(spec=INDEXED),
            state(spec=INDEXED, failedIndexes="1"),
            ['status.failedIndexes: Invalid value: "1": cannot set non-null failedIndexes when backoffLimitPerIndex is null'],
        ),
        (
            state(spec=PER_INDEX),
            state(spec=PER_INDEX, failedIndexes="9"),
            ['status.failedIndexes: Invalid value: "9": error parsing failedIndexes: too large index: "9"'],
        ),
        (state(spec=PER_INDEX), state(spec=PER_INDEX, completedIndexes="0,3", failedIndexes="1-2,4"), []),
        (
            state(spec=PER_INDEX),
            state(spec=PER_INDEX, completedIndexes="0,2-3", failedIndexes="1,3-4"),
            ['status.failedIndexes: Invalid value: "1,3-4": failedIndexes and completedIndexes overlap at index: 3'],
        ),
        (
            state(*FAILED, startTime=T1),
            state("FailureTarget", startTime=T1),
            [f"{CONDITIONS} disable the terminal Failed=True condition"],
        ),
        (
            state("FailureTarget"),
            state(),
            [f"{CONDITIONS} disable the terminal FailureTarget=True condition"],
        ),
        (state("SuccessCriteriaMet"), state(), [f"{CONDITIONS} disable the SuccessCriteriaMet=True condition"]),
        (
            state("Complete", **TIMES),
            state(*COMPLETE, **TIMES),
            [f"{CONDITIONS} set SuccessCriteriaMet=True for Job already has Complete=true conditions"],
        ),
        (state(failed=2), state(failed=1), ["status.failed: Invalid value: 1: cannot decrease the failed counter"]),
        (state(succeeded=2), state(succeeded=1), ["status.succeeded: Invalid value: 1: cannot decrease the succeeded counter"]),
        (state(succeeded=2, spec=INDEXED), state(succeeded=1, spec=INDEXED), []),
        (
            state(*COMPLETE, startTime=T1, completionTime=T1),
            state(*COMPLETE, **TIMES),
            [f'status.completionTime: Invalid value: "{T2}": {IMMUTABLE}'],
        ),
        (state(startTime=T1), state(), ["status.startTime: Required value: startTime cannot be removed for unsuspended job"]),
        (state(startTime=T1), state(startTime=T2), ["status.startTime: Required value: startTime cannot be removed for unsuspended job"]),
        (state(startTime=T1, spec={"suspend": True}), state(spec={"suspend": True}), []),
    ],
)
def test_what_the_status_of_a_job_may_say(before, after, expected):
    assert status_findings(JOB, before, after) == expected


def test_what_a_job_is_unless_it_says():
    names = ("completions", "parallelism", "backoffLimit", "completionMode", "suspend", "podReplacementPolicy")

    def filled_in(**spec):
        return tuple(created(JOB, job(**spec))["spec"].get(name) for name in names)

    assert filled_in() == (1, 1, 6, "NonIndexed", False, "TerminatingOrFailed")
    assert filled_in(parallelism=3) == (None, 3, 6, "NonIndexed", False, "TerminatingOrFailed")
    assert filled_in(completions=3) == (3, 1, 6, "NonIndexed", False, "TerminatingOrFailed")
    assert filled_in(**INDEXED, backoffLimitPerIndex=1) == (5, 5, 2147483647, "Indexed", False, "TerminatingOrFailed")
    assert filled_in(podFailurePolicy={"rules": []}) == (1, 1, 6, "NonIndexed", False, "Failed")
    assert created(JOB, failing({"onPodConditions": [CONDITION]}))["spec"]["podFailurePolicy"]["rules"][0]["onPodConditions"] == [
        {**CONDITION, "status": "True"}
    ]


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (state(spec={"completions": 3}), ("Running", "0/3", "")),
        (state(spec={"parallelism": 1}), ("Running", "0/1", "")),
        (state(spec={"parallelism": 2}, succeeded=1, startTime=ago(90)), ("Running", "1/1 of 2", "90s")),
        (state(*COMPLETE, succeeded=1, startTime=ago(90), completionTime=ago(60)), ("Complete", "1/1", "30s")),
        (state(*FAILED), ("Failed", "0/1", "")),
        (state("Suspended"), ("Suspended", "0/1", "")),
        (state("FailureTarget"), ("FailureTarget", "0/1", "")),
        (state("SuccessCriteriaMet"), ("SuccessCriteriaMet", "0/1", "")),
    ],
)
def test_a_job_in_one_line(obj, expected):
    if not {"completions", "parallelism"} & set(obj["spec"]):
        obj = {**obj, "spec": {**obj["spec"], "completions": 1}}
    shown = row(JOB, obj, wide=True)
    assert (shown["Status"], shown["Completions"], shown["Duration"]) == expected
    assert (shown["Age"], shown["Containers"], shown["Images"], shown["Selector"]) == ("<unknown>", "a", "a:1", "<none>")


def test_a_job_that_goes_is_terminating():
    obj = {**state("Suspended"), "metadata": {"deletionTimestamp": ago(1)}}
    assert row(JOB, obj)["Status"] == "Terminating"
    assert row(JOB, {**state(*COMPLETE), "metadata": {"deletionTimestamp": ago(1)}})["Status"] == "Complete"


def test_what_a_job_is_warned_of():
    def warnings(obj):
        return [text for found in JOB.strategy.warnings for text in found(created(JOB, obj))]

    assert warnings(job(**INDEXED)) == []
    assert warnings(job("a.b"))[0].startswith("metadata.name: this is used in Pod names and hostnames")
    assert warnings(job(completionMode="Indexed", completions=100_001, parallelism=10_001)) == [f"spec: {MANY_INDEXES}"]


def test_a_job_from_before_its_labels_had_a_domain_may_change():
    old = created(JOB, job())
    for name in (KEY, NAME_KEY):
        del old["spec"]["template"]["metadata"]["labels"][name]
    old["spec"]["selector"] = {"matchLabels": {"controller-uid": UID}}
    new = {**old, "spec": {**old["spec"], "parallelism": 4}}
    assert texts([finding for rule in JOB.strategy.update_rules for finding in rule(new, old, context())]) == []
    assert set(pod_labels(old, context().dialect)) == {KEY, NAME_KEY, "controller-uid", "job-name"}
