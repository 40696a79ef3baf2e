"""The scenario format, written down once as data.

The checker and the published JSON Schema both follow from `SCENARIO`. What the format knows and this version doesn't take yet stands
under ``later``, so that the checker can say so by name.
"""

from svcsim.cluster.spec import ClusterSpec
from svcsim.scenario.cluster_block import cluster_block
from svcsim.scenario.shapes import (
    Anything,
    Cel,
    Either,
    Field,
    FilePath,
    Flag,
    ListOf,
    MapOf,
    Moment,
    Number,
    Rate,
    Shape,
    Span,
    Struct,
    Text,
)

API_VERSION = "svcsim.dev/v1"
KIND = "Scenario"
BOUNDS = ("eq", "ne", "lt", "lte", "gt", "gte")
MODES = ("eventually", "always", "never", "order")
ACTIONS = ("apply", "create", "patch", "delete", "scale", "label", "request", "load", "wait", "advance", "sleep")
FAULTS = ("node-down", "pod-crash", "image-pull-failure", "slow-start")
LATER_FAULTS = (
    *("node-pressure", "api-latency", "api-error", "watch-drop", "watch-gone", "slow-watch"),
    *("webhook-fail", "clock-skew", "disk-full", "token-expiry", "controller-stop"),
)

_AS = Field("as", Text(), "The user who does it; an administrator unless told")
_NAMESPACE = Field("namespace", Text(), "The namespace; default unless told")
_KIND = Field("kind", Text(), "The objects' kind", required=True)
_TYPE = (_KIND, Field("apiVersion", Text(), "Their API version, where two groups have a kind of that name"))
_NAME = Field("name", Text(), "The object's name")
_LABELS = Field("labels", MapOf(Text()), "Labels they carry")
_WHERE = Field("where", Cel(), "What holds for them: CEL over the object's fields")
_MATCH = Field("match", MapOf(Anything()), "What they look like: maps as subsets, lists by merge key; $exact asks for the whole")
_WITHIN = Field("within", Span(), "How long it may take, in cluster time; timeouts.step unless told")
_SELECTION = (*_TYPE, _NAME, Field("namespace", Text(), "Their namespace; all unless told"), _LABELS, _WHERE, _MATCH)
_SOURCES = (
    Field("file", FilePath(), "A YAML file of objects, relative to the scenario"),
    Field("object", MapOf(Anything()), "One object, inline"),
    Field("objects", ListOf(MapOf(Anything())), "Objects, inline"),
)
_SOURCE_NAMES = ("file", "object", "objects")

COUNT = Struct(
    "a count",
    (*_SELECTION, *(Field(bound, Number(0), f"The number they are compared with ({bound})") for bound in BOUNDS)),
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
    "a moment of an order",
    (
        Field("reason", Text(), "An Event with this reason"),
        Field("on", Text(), "What the Event or the write is about: kind/name"),
        Field("message", Text(), "What the Event says; * stands for anything"),
        Field("kind", Text(), "A write of an object of this kind"),
        Field("type", Text(("ADDED", "MODIFIED", "DELETED")), "What the write did"),
        _WHERE,
    ),
    at_least_one=("reason", "on", "kind"),
)
EXPECTATION = Struct(
    "an expectation",
    (
        Field("eventually", SUBJECT, "It comes to hold"),
        Field("always", SUBJECT, "It holds throughout: for a time, or over the step"),
        Field("never", SUBJECT, "No such object shows up at any moment of the step"),
        Field("order", ListOf(_MOMENT_OF_ORDER), "These happen one after the other, counted from the step's beginning"),
        _WITHIN,
        Field("for", Span(), "How long it holds, in cluster time"),
    ),
    exactly_one=MODES,
    later={"latency": "", "response": "say `expect` beside the action", "journal": "", "match": "", "count": "say eventually: {count: …}"},
)
INVARIANT = Struct(
    "an invariant",
    (
        Field("always", SUBJECT, "It holds at every moment of the run"),
        Field("never", SUBJECT, "No such object shows up at any moment of the run"),
    ),
    exactly_one=("always", "never"),
    later={"eventually": "say it in a step's expect", "order": "say it in a step's expect"},
)

_TARGETS = (
    _NAME,
    Field("selector", Text(), "A label selector: app=web,tier!=cache"),
    Field("all", Flag(), "All of them in the namespace"),
)
_TARGET_NAMES = ("name", "selector", "all")

_VERBS: tuple[Field, ...] = (
    Field(
        "apply",
        Struct(
            "apply",
            (*_SOURCES, _NAMESPACE, _AS, Field("manager", Text(), "The field manager"), Field("force", Flag(), "Take fields over")),
            exactly_one=_SOURCE_NAMES,
        ),
        "Make objects as they are written: created, or patched to it",
    ),
    Field("create", Struct("create", (*_SOURCES, _NAMESPACE, _AS), exactly_one=_SOURCE_NAMES), "Create objects"),
    Field(
        "patch",
        Struct(
            "patch",
            (
                *_TYPE,
                Field("name", Text(), "The object's name", required=True),
                _NAMESPACE,
                Field("type", Text(("merge", "json", "strategic", "apply")), "The kind of patch; merge unless told"),
                Field("patch", Anything(), "The patch", required=True),
                Field("subresource", Text(), "The sub-resource it goes to: status"),
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
                Field("grace", Span(), "The grace period"),
                Field("propagation", Text(("Background", "Foreground", "Orphan")), "What becomes of what they own"),
                Field("missing", Text(("fail", "ignore")), "What a name that isn't there means; fail unless told"),
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
                Field("name", Text(), "The object's name", required=True),
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
            (*_TYPE, *_TARGETS, _NAMESPACE, Field("labels", MapOf(Anything()), "Labels to set; null takes one off", required=True), _AS),
            exactly_one=_TARGET_NAMES,
        ),
        "Label objects",
    ),
    Field(
        "request",
        Struct(
            "request",
            (
                Field("method", Text(("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")), "The HTTP method; GET unless told"),
                Field("path", Text(), "The path, query included", required=True),
                Field("body", Anything(), "The JSON body"),
                Field("contentType", Text(), "The body's media type; application/json unless told"),
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
                Field("template", FilePath(), "A YAML file of one object; each copy's name gets a number", required=True),
                Field("count", Number(1), "How many to create", required=True),
                Field("rate", Rate(), "How many in a span of cluster time: 50/s; all at once unless told"),
                Field("burst", Number(1), "How many come at once; 1 unless told"),
                Field("arrival", Text(("uniform", "poisson")), "Evenly, or independently of each other; uniform unless told"),
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
                Field(
                    "for", Text(), "condition=Ready, condition=Ready=False, create or delete, as kubectl wait has it; create unless told"
                ),
                _WITHIN,
            ),
        ),
        "Wait until all selected objects are as told, and there is at least one",
    ),
    Field("advance", Span(), "Let cluster time pass; steps a cluster whose clock is paused"),
    Field("sleep", Span(), "Let cluster time pass"),
)

ACTION = Struct(
    "an action",
    (
        *_VERBS,
        Field(
            "expect",
            Struct(
                "an expected answer",
                (
                    Field("status", Number(100), "The HTTP status"),
                    Field("reason", Text(), "The Status's reason: Conflict"),
                    Field("message", Text(), "The Status's message; * stands for anything"),
                ),
                at_least_one=("status", "reason", "message"),
            ),
            "How it is answered; success unless told",
        ),
        Field("save", MapOf(Cel()), "Values of the answer to remember under saved.NAME"),
    ),
    exactly_one=ACTIONS,
    later=dict.fromkeys(
        ("replace", "evict", "cli", "exec", "watch", "snapshot", "restore", "assert", "foreach", "repeat", "parallel", "retry", "use"), ""
    ),
)

_FAULT = Struct(
    "a fault",
    (
        Field("type", Text(FAULTS, later=LATER_FAULTS), "What goes wrong", required=True),
        Field(
            "target",
            Struct(
                "a target",
                (
                    Field("kind", Text(("Node", "Pod")), "Node or Pod"),
                    Field("name", Text(), "The object's name; * stands for anything"),
                    Field("namespace", Text(), "The pods' namespace; any unless told"),
                    Field("selector", Text(), "A label selector: app=web,tier!=cache"),
                    Field("labels", MapOf(Text()), "Labels the pods carry"),
                    Field("image", Text(), "The containers' image; * stands for anything"),
                ),
                at_least_one=("name", "selector", "labels", "image", "namespace"),
            ),
            "What it happens to",
            required=True,
        ),
        Field("percent", Number(0, fraction=True), "How many of those it could hit are hit; 100 unless told"),
        Field("message", Text(), "What image-pull-failure says"),
        Field("factor", Number(1, fraction=True), "How many times longer slow-start takes; 10 unless told"),
        Field("at", Span(), "When, counted from the step's beginning; at once unless told"),
        Field("for", Span(), "For how long; until the end of the scenario unless told"),
    ),
)

_CATCH = Struct(
    "something to look at after a failure",
    (
        Field("events", Struct("events", (Field("namespace", Text(), "The namespace; all unless told"),)), "Print the Events"),
        Field("describe", Struct("describe", (*_TYPE, _NAME, _NAMESPACE)), "Print objects"),
    ),
    exactly_one=("events", "describe"),
)

_STEP = Struct(
    "a step",
    (
        Field("id", Text(), "The step's name in reports", required=True),
        Field("if", Cel(), "Skip the step unless this is true: CEL over vars and saved"),
        Field("faults", ListOf(_FAULT), "What goes wrong meanwhile"),
        Field("do", ListOf(ACTION), "What is done, one after the other"),
        Field("expect", ListOf(EXPECTATION), "What must hold, one after the other"),
        Field("catch", ListOf(_CATCH), "What to look at if the step fails"),
    ),
    later={"finally": "say it once, under spec.finally"},
)

_CLOCK: Shape = Either(
    Text(("virtual", "real")),
    Struct(
        "a clock",
        (
            Field("mode", Text(("virtual", "real")), "virtual: time jumps to the next thing that happens"),
            Field("start", Moment(), "When cluster time begins"),
            Field("speed", Number(0.1, fraction=True), "Cluster seconds in one real second"),
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
                    Field("labels", MapOf(Text()), "Labels, to choose scenarios by"),
                ),
            ),
            "Its name",
            required=True,
        ),
        Field(
            "spec",
            Struct(
                "a scenario's spec",
                (
                    Field("description", Text(), "What it shows, in a line"),
                    Field("seed", Number(0), "All that is random follows from it; 1 unless told"),
                    Field("clock", _CLOCK, "How cluster time passes; virtual unless told"),
                    Field("cluster", cluster_block(ClusterSpec), "The cluster it runs on"),
                    Field(
                        "timeouts",
                        Struct(
                            "timeouts",
                            (
                                Field("step", Span(), "What within comes to where it isn't told; 30s unless told"),
                                Field("scenario", Span(), "For all steps, in cluster time; 1h unless told"),
                                Field("cleanup", Span(), "For finally, in cluster time; 30s unless told"),
                                Field("wall", Span(), "A guard in real seconds; 60s unless told"),
                            ),
                        ),
                        "How long things may take",
                    ),
                    Field("vars", MapOf(Anything()), "Values for ${vars.NAME}; --var and SVCSIM_VAR_NAME replace them"),
                    Field("matrix", ListOf(MapOf(Anything())), "One run for each of these sets of vars"),
                    Field("invariants", ListOf(INVARIANT), "What holds over the whole run"),
                    Field("steps", ListOf(_STEP), "What happens, one after the other", required=True),
                    Field("finally", ListOf(ACTION), "What is done at the end, whatever happened"),
                ),
                later={"stages": ""},
            ),
            "The scenario",
            required=True,
        ),
    ),
)
