"""The scenario format, written down once as data.

The checker and the published JSON Schema both follow from `SCENARIO`. What the format knows and this version doesn't take yet stands
under ``later``, so that the checker can say so by name.
"""

from svcsim import limits
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.wait_condition import FORMS
from svcsim.meta.webhook_faults import ANSWERS, FAILURES, WEBHOOK_FAIL
from svcsim.scenario.cluster_block import cluster_block
from svcsim.scenario.shapes import (
    Anything,
    ApiObject,
    Cel,
    Either,
    Field,
    Flag,
    KindAndName,
    KindName,
    LabelValue,
    ListOf,
    ManifestPath,
    MapOf,
    Moment,
    Name,
    Number,
    Rate,
    Selector,
    Shape,
    Span,
    Struct,
    Text,
    UrlPath,
    WaitFor,
)

API_VERSION = "svcsim.dev/v1"
KIND = "Scenario"
BOUNDS = ("eq", "ne", "lt", "lte", "gt", "gte")
MODES = ("eventually", "always", "never", "order")
ACTIONS = ("apply", "create", "patch", "delete", "scale", "label", "request", "load", "wait", "advance", "sleep")
_FAILURE_HINTS = (("5xx", "say error, with a code such as 503"), ("malformed", "say no-json"))
FAULTS = ("node-down", "pod-crash", "image-pull-failure", "slow-start", WEBHOOK_FAIL)
LATER_FAULTS = (
    *("node-pressure", "api-latency", "api-error", "watch-drop", "watch-gone", "slow-watch"),
    *("clock-skew", "disk-full", "token-expiry", "controller-stop"),
)

_SOMEBODY = Struct(
    "a user",
    (
        Field("user", Text(), "The user's name", required=True),
        Field("groups", ListOf(Text(), empty=True), "The groups the user is in; for a service account those of its namespace by default"),
        Field("uid", Text(), "The user's uid"),
        Field("extra", MapOf(ListOf(Text(empty=True))), "What else is told of the user: lists of texts by name"),
    ),
)
_AS = Field("as", Either(Text(), _SOMEBODY), "The user who does it, by name or with groups; an administrator by default")
_NAMESPACE = Field("namespace", Name(), 'The namespace; "default" if left out')
_ANY_NAMESPACE = Field("namespace", Name(), "The namespace; all namespaces by default")
_KIND = Field("kind", KindName(), "The kind of the objects", required=True)
_TYPE = (_KIND, Field("apiVersion", Text(), "Their API version, where two groups have a kind of that name"))
_NAME = Field("name", Name(), "The object's name")
_LABELS = Field("labels", MapOf(Text(empty=True)), "Labels they carry")
_WHERE = Field("where", Cel(condition=True), "A condition they meet: CEL over the object's fields")
_MATCH = Field("match", MapOf(Anything()), "What they look like: maps match as subsets, lists by merge key; $exact matches the whole value")
_WITHIN = Field("within", Span(), "How long it may take, in cluster time; timeouts.step by default")
_SELECTION = (*_TYPE, _NAME, Field("namespace", Name(), "Their namespace; all namespaces by default"), _LABELS, _WHERE, _MATCH)
_SOURCE_NAMES = ("file", "object", "objects")


def _sources(*names: str) -> tuple[Field, ...]:
    """Where the objects of an action come from, and what can name each of them."""
    return (
        Field("file", ManifestPath(names), "A YAML file of objects, relative to the scenario"),
        Field("object", ApiObject(names), "One object, inline"),
        Field("objects", ListOf(ApiObject(names)), "Objects, inline"),
    )


COUNT = Struct(
    "a count",
    (*_SELECTION, *(Field(bound, Number(0), f"The number to compare with ({bound})") for bound in BOUNDS)),
    at_least_one=BOUNDS,
)
SUBJECT = Struct(
    "a selection of objects",
    (
        Field("count", COUNT, "How many objects there are"),
        *(Field(one.name, one.shape, one.doc) for one in _SELECTION),
    ),
    exactly_one=("count", "kind"),
    later={"watch": "", "events": "select Events by kind: Event", "journal": ""},
)
_MOMENT_OF_ORDER = Struct(
    "an event of an order",
    (
        Field("reason", Text(), "An Event with this reason; * stands for anything"),
        Field("on", KindAndName(), "What the Event or the write is about: kind/name; * stands for anything"),
        Field("message", Text(), "What the Event says; * stands for anything"),
        Field("kind", KindName(), "A write of an object of this kind"),
        Field("type", Text(("ADDED", "MODIFIED", "DELETED")), "What the write did"),
        _WHERE,
    ),
    at_least_one=("reason", "on", "kind"),
)
EXPECTATION = Struct(
    "an expectation",
    (
        Field("eventually", SUBJECT, "It becomes true"),
        Field("always", SUBJECT, "It stays true: for a time, or during the whole step"),
        Field("never", SUBJECT, "No such object appears at any moment of the step"),
        Field("order", ListOf(_MOMENT_OF_ORDER), "These happen one after the other, from the beginning of the step"),
        _WITHIN,
        Field("for", Span(), "How long it must stay true, in cluster time"),
    ),
    exactly_one=MODES,
    later={"latency": "", "response": "use `expect` of the action", "journal": "", "match": "", "count": "use eventually: {count: …}"},
)
INVARIANT = Struct(
    "an invariant",
    (
        Field("always", SUBJECT, "It is true at every moment of the run"),
        Field("never", SUBJECT, "No such object appears at any moment of the run"),
    ),
    exactly_one=("always", "never"),
    later={"eventually": "use it in a step's expect", "order": "use it in a step's expect"},
)

_TARGETS = (
    _NAME,
    Field("selector", Selector(), "A label selector: app=web,tier!=cache"),
    Field("all", Flag(only_true=True), "All objects in the namespace"),
)
_TARGET_NAMES = ("name", "selector", "all")
_MISSING = Field("missing", Text(("fail", "ignore")), "What to do if there is no such object; fail by default, with all: ignore")

_VERBS: tuple[Field, ...] = (
    Field(
        "apply",
        Struct(
            "apply",
            (
                *_sources("name"),
                _NAMESPACE,
                _AS,
                Field("manager", Text(), "The field manager"),
                Field("force", Flag(), "Take over fields that other managers own"),
            ),
            exactly_one=_SOURCE_NAMES,
        ),
        "Create the objects, or patch them to what is written",
    ),
    Field("create", Struct("create", (*_sources("name", "generateName"), _NAMESPACE, _AS), exactly_one=_SOURCE_NAMES), "Create objects"),
    Field(
        "patch",
        Struct(
            "patch",
            (
                *_TYPE,
                Field("name", Name(), "The object's name", required=True),
                _NAMESPACE,
                Field("type", Text(("merge", "json", "strategic", "apply")), "The type of the patch; merge by default"),
                Field("patch", Anything(), "The patch", required=True),
                Field("subresource", Name(), "The subresource to patch: status"),
                _AS,
            ),
        ),
        "Patch an object",
    ),
    Field(
        "delete",
        Struct(
            "delete",
            (
                *_TYPE,
                *_TARGETS,
                _NAMESPACE,
                Field("grace", Span(whole=True), "The grace period, in whole seconds"),
                Field("propagation", Text(("Background", "Foreground", "Orphan")), "What happens to dependents"),
                _MISSING,
                _AS,
            ),
            exactly_one=_TARGET_NAMES,
        ),
        "Delete objects",
    ),
    Field(
        "scale",
        Struct(
            "scale",
            (
                *_TYPE,
                Field("name", Name(), "The object's name", required=True),
                _NAMESPACE,
                Field("replicas", Number(0), "How many", required=True),
                _AS,
            ),
        ),
        "Set an object's replicas",
    ),
    Field(
        "label",
        Struct(
            "label",
            (
                *_TYPE,
                *_TARGETS,
                _NAMESPACE,
                Field("labels", MapOf(LabelValue()), "Labels to set; null removes one", required=True),
                _MISSING,
                _AS,
            ),
            exactly_one=_TARGET_NAMES,
        ),
        "Label objects",
    ),
    Field(
        "request",
        Struct(
            "request",
            (
                Field("method", Text(("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")), "The HTTP method; GET by default"),
                Field("path", UrlPath(), "The path, including the query", required=True),
                Field("body", Anything(), "The JSON body"),
                Field("contentType", Text(), "The body's media type; application/json by default"),
                _AS,
            ),
        ),
        "Send any request",
    ),
    Field(
        "load",
        Struct(
            "load",
            (
                Field("template", ManifestPath(single=True), "A YAML file of one object; each copy's name gets a number", required=True),
                Field("count", Number(1, maximum=limits.SCENARIO_OBJECTS), "How many to create", required=True),
                Field("rate", Rate(), "How many per unit of cluster time, such as 50/s; all at once by default"),
                Field("burst", Number(1), "How many are created at once; 1 by default"),
                Field("arrival", Text(("uniform", "poisson")), "Evenly, or independently of each other; uniform by default"),
                _NAMESPACE,
                _AS,
            ),
        ),
        "Create many objects, spread over time",
    ),
    Field(
        "wait",
        Struct(
            "wait",
            (
                *_SELECTION,
                Field("for", WaitFor(), f"{FORMS}, as in kubectl wait; create by default"),
                _WITHIN,
            ),
        ),
        "Wait until all selected objects match, and there is at least one",
    ),
    Field("advance", Span(), "Let cluster time pass; steps a cluster whose clock is paused"),
    Field("sleep", Span(), "Let cluster time pass"),
)

EXPECTED_ANSWER = Struct(
    "an expected answer",
    (
        Field("status", Number(100, maximum=599), "The HTTP status"),
        Field("reason", Text(empty=True), "The Status's reason: Conflict"),
        Field("message", Text(empty=True), "The Status's message; * stands for anything"),
    ),
    at_least_one=("status", "reason", "message"),
)
ACTION = Struct(
    "an action",
    (
        *_VERBS,
        Field("expect", EXPECTED_ANSWER, "The expected answer; success by default"),
        Field("save", MapOf(Cel()), "Values of the answer to keep as saved.NAME"),
    ),
    exactly_one=ACTIONS,
    later=dict.fromkeys(
        ("replace", "evict", "cli", "exec", "watch", "snapshot", "restore", "assert", "foreach", "repeat", "parallel", "retry", "use"), ""
    ),
)

_PERCENT_DOC = (
    "Percentage of the targets that are affected, of nodes and of pods that crash rounded up; of webhooks, of the calls; 100 by default"
)

_FAILURES_DOC = (
    "timeout (no answer within its timeoutSeconds), slow (delay, then it is asked), error (code, message), deny (code, message), "
    "wrong-uid, no-json and bad-patch (answers that are none), refused (nobody listens)"
)
FAULT = Struct(
    "a fault",
    (
        Field("type", Text(FAULTS, later=LATER_FAULTS), "What goes wrong", required=True),
        Field(
            "target",
            Struct(
                "a target",
                (
                    Field("kind", Text(("Node", "Pod")), "Node for node-down, Pod for other faults of pods, and may be left out"),
                    Field(
                        "name",
                        Text(),
                        "The name of the object, or of webhooks for webhook-fail; * stands for anything. node-down takes nothing else",
                    ),
                    Field("configuration", Text(), "The name of the webhooks' configuration; * stands for anything; for webhook-fail"),
                    Field("namespace", Text(), "The pods' namespace; * stands for anything; any by default"),
                    Field("selector", Selector(), "A label selector: app=web,tier!=cache"),
                    Field("labels", MapOf(Text(empty=True)), "Labels the pods carry, in the place of selector"),
                    Field("image", Text(), "The containers' image; * stands for anything; for image-pull-failure and slow-start"),
                ),
                at_least_one=("name", "selector", "labels", "image", "namespace", "configuration"),
            ),
            "What it happens to",
            required=True,
        ),
        Field("percent", Number(0, fraction=True, maximum=100, above=True), _PERCENT_DOC),
        Field("message", Text(), "The error message of image-pull-failure; what webhook-fail says in the modes error and deny"),
        Field("mode", Text(FAILURES, hints=_FAILURE_HINTS), f"How webhooks fail: {_FAILURES_DOC}"),
        Field("delay", Span(above=True), "How long a webhook takes in the mode slow; as long as its timeoutSeconds, and it has timed out"),
        Field("code", Number(400, maximum=599), "The HTTP status in the mode error, 500 by default; that of the refusal in the mode deny"),
        Field("factor", Number(1, fraction=True), "How many times longer a slow start takes; 10 by default"),
        Field("at", Span(), "When, from the beginning of the step; at once by default"),
        Field("for", Span(above=True), "For how long; until the end of the scenario by default. pod-crash strikes once and takes none"),
        Field("missing", Text(("fail", "ignore")), "What to do if it has struck nothing when the scenario ends; fail by default"),
    ),
)

WEBHOOK = Struct(
    "a webhook",
    (
        Field("name", Text(), "Its name in the configuration that registers it; * stands for anything", required=True),
        Field("configuration", Text(), "The name of that configuration; * stands for anything; any by default"),
        Field("allow", Flag(only_true=True), "It lets everything through"),
        Field("deny", Text(), "It refuses everything, and says this"),
        Field("patch", ListOf(MapOf(Anything())), "It lets everything through with this JSON patch: a list of operations"),
        Field("code", Number(400, maximum=599), "The HTTP status of what it refuses; 400 by default"),
        Field("warnings", ListOf(Text()), "What it warns of"),
        Field("missing", Text(("fail", "ignore")), "What to do if it has answered nothing when the scenario ends; fail by default"),
    ),
    exactly_one=ANSWERS,
)

CATCH = Struct(
    "something to look at after a failure",
    (
        Field("events", Struct("events", (_ANY_NAMESPACE,)), "Print the Events"),
        Field("describe", Struct("describe", (*_TYPE, _NAME, _ANY_NAMESPACE)), "Print objects"),
    ),
    exactly_one=("events", "describe"),
)

_STEP = Struct(
    "a step",
    (
        Field("id", Text(), "The step's name in reports", required=True),
        Field("if", Cel(condition=True), "Run the step only if this is true: CEL over vars and saved"),
        Field("faults", ListOf(FAULT), "Faults during the step"),
        Field("do", ListOf(ACTION), "Actions, one after the other"),
        Field("expect", ListOf(EXPECTATION), "Expectations, one after the other"),
        Field("catch", ListOf(CATCH), "What to print if the step fails"),
    ),
    at_least_one=("do", "expect", "faults"),
    later={"finally": "use spec.finally instead"},
)

_CLOCK: Shape = Either(
    Text(("virtual", "real")),
    Struct(
        "a clock",
        (
            Field("mode", Text(("virtual", "real")), "virtual (time jumps to the next event) or real"),
            Field("start", Moment(), "When cluster time begins"),
            Field("speed", Number(limits.SLOWEST_PACE, fraction=True, maximum=limits.FASTEST_PACE), "Cluster seconds per real second"),
        ),
    ),
)

SCENARIO = Struct(
    "a scenario",
    (
        Field("apiVersion", Text((API_VERSION,)), "The format's version", required=True),
        Field("kind", Text((KIND,)), "Scenario", required=True),
        Field(
            "metadata",
            Struct(
                "metadata",
                (
                    Field("name", Text(), "The scenario's name in reports", required=True),
                    Field("labels", MapOf(Text(empty=True), empty=True), "Labels to select scenarios by"),
                ),
            ),
            "Name and labels",
            required=True,
        ),
        Field(
            "spec",
            Struct(
                "a scenario's spec",
                (
                    Field("description", Text(empty=True), "What the scenario shows, in one line"),
                    Field("seed", Number(0), "The seed of everything random; 1 by default"),
                    Field("clock", _CLOCK, "How cluster time passes; virtual by default"),
                    Field("cluster", cluster_block(ClusterSpec), "The cluster to run on"),
                    Field(
                        "timeouts",
                        Struct(
                            "timeouts",
                            (
                                Field("step", Span(), "The default of within; 30s by default"),
                                Field("scenario", Span(), "For all steps, in cluster time; 1h by default"),
                                Field("cleanup", Span(), "For finally, in cluster time; 30s by default"),
                                Field("wall", Span(), "For the whole run, in real time; 60s by default"),
                            ),
                        ),
                        "Timeouts",
                    ),
                    Field("vars", MapOf(Anything(), empty=True), "Values for ${vars.NAME}; --var and SVCSIM_VAR_NAME replace them"),
                    Field("matrix", ListOf(MapOf(Anything(), empty=True)), "Sets of vars; the scenario runs once for each"),
                    Field("webhooks", ListOf(WEBHOOK), "Admission webhooks that the simulator answers for; no program has to run"),
                    Field("invariants", ListOf(INVARIANT), "Conditions that must hold during the whole run"),
                    Field("steps", ListOf(_STEP, empty=True), "The steps, one after the other", required=True),
                    Field("finally", ListOf(ACTION), "Actions at the end, also after a failure"),
                ),
                later={"stages": ""},
            ),
            "The scenario",
            required=True,
        ),
    ),
)
