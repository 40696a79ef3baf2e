"""What a job is to do: in a Job, and in the template from which a CronJob makes Jobs."""

from svcsim.kinds.batch.job_policy_rules import pod_failure_policy_rules, success_policy_rules
from svcsim.kinds.batch.job_spec_rules import domain_prefixed, job_spec_rules, pods_end
from svcsim.kinds.shared.checks import not_negative
from svcsim.kinds.shared.pod_spec.spec import POD_TEMPLATE_SPEC
from svcsim.kinds.shared.words import COMPLETION_MODE, CONDITION_STATUS, EXIT_CODE_OPERATOR, FAILURE_ACTION, POD_REPLACEMENT
from svcsim.schema.common import LABEL_SELECTOR, OBJECT_META
from svcsim.schema.types import Bool, Field, Int, List, Str, Struct

_ON_EXIT_CODES = Struct(
    "PodFailurePolicyOnExitCodesRequirement",
    Field(1, "containerName", Str(), "Name of the container; all containers if unset", presence=True),
    Field(2, "operator", EXIT_CODE_OPERATOR, "Whether the exit code is to be one of the values, or none", required=True, unchecked=True),
    Field(
        3,
        "values",
        List(Int(), list_type="set", unique=False),
        "Exit codes, in order; with In, 0 is none of them",
        required=True,
        unchecked=True,
    ),
    doc="What the exit codes of a pod's containers have to be",
)
_ON_POD_CONDITION = Struct(
    "PodFailurePolicyOnPodConditionsPattern",
    Field(1, "type", Str(), "Type of the condition", required=True, unchecked=True),
    Field(2, "status", CONDITION_STATUS, "What the condition has to be", default="True"),
    doc="A condition that a pod has to have",
)
_FAILURE_RULE = Struct(
    "PodFailurePolicyRule",
    Field(1, "action", FAILURE_ACTION, "What becomes of the job, or of one index, or of the count", required=True, unchecked=True),
    Field(2, "onExitCodes", _ON_EXIT_CODES, "What the exit codes of the containers have to be"),
    Field(3, "onPodConditions", List(_ON_POD_CONDITION, list_type="atomic"), "Conditions of which the pod has to have one"),
    doc="What is done when a pod fails in a certain way",
)
_FAILURE_POLICY = Struct(
    "PodFailurePolicy",
    Field(1, "rules", List(_FAILURE_RULE, list_type="atomic"), "The first that fits counts", required=True, presence=True),
    doc="What is done when pods fail, beside counting them",
)
_SUCCESS_RULE = Struct(
    "SuccessPolicyRule",
    Field(1, "succeededIndexes", Str(), "Indexes that have to succeed, as in 1,3-5", presence=True),
    Field(2, "succeededCount", Int(), "How many of them have to succeed"),
    doc="When a job has succeeded before all indexes have",
)
_SUCCESS_POLICY = Struct(
    "SuccessPolicy",
    Field(1, "rules", List(_SUCCESS_RULE, list_type="atomic"), "The first that holds counts", required=True, unchecked=True),
    doc="When a job has succeeded; if unset, when all indexes have",
)
JOB_SPEC = Struct(
    "JobSpec",
    Field(1, "parallelism", Int(), "How many pods may run at the same time", rules=(not_negative,)),
    Field(2, "completions", Int(), "How many pods have to succeed; if unset, one, after which no more start", rules=(not_negative,)),
    Field(3, "activeDeadlineSeconds", Int(bits=64), "Seconds after its start when the job fails", rules=(not_negative,)),
    Field(11, "podFailurePolicy", _FAILURE_POLICY, "What is done when pods fail, beside counting them"),
    Field(16, "successPolicy", _SUCCESS_POLICY, "When the job has succeeded, if not when all pods have"),
    Field(7, "backoffLimit", Int(), "How many failures there may be before the job fails", rules=(not_negative,)),
    Field(12, "backoffLimitPerIndex", Int(), "How many failures of one index there may be before it fails", rules=(not_negative,)),
    Field(13, "maxFailedIndexes", Int(), "How many indexes may fail before the job does", rules=(not_negative,)),
    Field(4, "selector", LABEL_SELECTOR, "Label selector of the pods that belong to it; made by the server unless manualSelector is set"),
    Field(5, "manualSelector", Bool(), "Whether the selector and the labels of the pods are the author's to choose"),
    Field(
        6,
        "template",
        POD_TEMPLATE_SPEC,
        "Template from which the pods are created; their restart policy is Never or OnFailure",
        required=True,
        default={},
    ),
    Field(8, "ttlSecondsAfterFinished", Int(), "Seconds after its end when the job is deleted", rules=(not_negative,)),
    Field(9, "completionMode", COMPLETION_MODE, "Whether pods are told apart by an index", presence=True),
    Field(10, "suspend", Bool(), "Whether no pods are to run"),
    Field(
        14,
        "podReplacementPolicy",
        POD_REPLACEMENT,
        "Whether a pod is replaced once it terminates, or once it has failed",
        presence=True,
    ),
    Field(15, "managedBy", Str(), "Which controller acts on the job, as example.com/name", presence=True, rules=(domain_prefixed,)),
    rules=(job_spec_rules, pod_failure_policy_rules, success_policy_rules, pods_end),
    doc="Desired state of a job",
)
JOB_TEMPLATE_SPEC = Struct(
    "JobTemplateSpec",
    Field(1, "metadata", OBJECT_META, "Labels and annotations of the jobs"),
    Field(2, "spec", JOB_SPEC, "Desired state of the jobs", default={}),
    doc="Template from which jobs are created",
)
