"""``auth reconcile``: roles and bindings as files have them, by what they mean rather than by how it is written.

A role lacks nothing that other rules of it give; what it has besides stays unless it is to be removed. A binding to another role has to be
made anew, since it can't be changed.
"""

from typing import NamedTuple

from svcsim.auth.rbac.covering import Right, rules_of, single_uncovered
from svcsim.cli.failure import CommandError, raise_all
from svcsim.cli.flags import switch
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.files import FILE_FLAGS, load_items, require_files
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.reporting import PRINT_FLAGS, Reporter
from svcsim.cli.shared.write_options import DRY_RUN_FLAG, dry_run
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import metadata_of
from svcsim.meta.types import Object

_ROLES, _BINDINGS = ("Role", "ClusterRole"), ("RoleBinding", "ClusterRoleBinding")


class Plan(NamedTuple):
    """What is to be done with one object."""

    operation: str
    """Empty, ``create``, ``update`` or ``recreate``."""
    obj: Object
    added: tuple[str, ...] = ()
    """Rules or subjects, as they are told."""
    removed: tuple[str, ...] = ()


def run(call: Call) -> None:
    """Reconcile every role and binding of the files, and tell what it took."""
    dry = dry_run(call)
    if dry == "server":
        raise CommandError("--dry-run=server for command reconcile is not supported yet")
    require_files(call, "reconcile")
    items, errors = load_items(call.session, call.options.items("filename"), recursive=call.options.on("recursive"))
    report = Reporter(call, dry, typed=True)
    for item in items:
        if item.obj["kind"] not in (*_ROLES, *_BINDINGS):
            continue
        try:
            plan = _plan(call, item)
            obj = plan.obj if dry == "client" else _carried_out(call, item, plan)
        except (StatusError, CommandError) as error:
            errors.append(error)
            continue
        report.done(obj, "reconciled")
        _tell(call, item, plan)
    raise_all(errors)


def _plan(call: Call, item: Item) -> Plan:
    wanted = item.obj
    try:
        present = call.session.get(item.path)
    except StatusError as error:
        if error.code != 404:
            raise
        rules = tuple(_rule(rule) for rule in wanted.get("rules") or ())
        return Plan("create", wanted, rules or tuple(_subject(one) for one in wanted.get("subjects") or ()))
    merged = _described(present, wanted)
    if wanted["kind"] in _ROLES:
        return _role(call, merged, present, wanted)
    return _binding(call, merged, present, wanted)


def _described(present: Object, wanted: Object) -> Object:
    """What is there, with the labels and annotations of the file that it lacks."""
    metadata = dict(metadata_of(present))
    for name in ("labels", "annotations"):
        if metadata_of(wanted).get(name):
            metadata[name] = {**metadata_of(wanted)[name], **(metadata.get(name) or {})}
    return {**present, "metadata": metadata}


def _role(call: Call, merged: Object, present: Object, wanted: Object) -> Plan:
    if "aggregationRule" in wanted and "aggregationRule" in present:
        there = present["aggregationRule"].get("clusterRoleSelectors") or []
        lacking = [one for one in wanted["aggregationRule"].get("clusterRoleSelectors") or () if one not in there]
        obj = {**merged, "aggregationRule": {"clusterRoleSelectors": [*there, *lacking]}}
        return Plan("update" if obj != present else "", obj)
    missing, extra = single_uncovered(rules_of(present), wanted), single_uncovered(rules_of(wanted), present)
    removed = extra if call.options.on("remove-extra-permissions") else []
    rules = present.get("rules") or []
    if removed:
        rules = wanted.get("rules") or []
    elif missing:
        rules = [*rules, *(right.as_rule() for right in missing)]
    obj = {**merged, "rules": rules} if missing or removed else merged
    return Plan("update" if obj != present else "", obj, _rights(missing), _rights(removed))


def _binding(call: Call, merged: Object, present: Object, wanted: Object) -> Plan:
    if present["roleRef"] != wanted["roleRef"]:
        return Plan("recreate", wanted)
    there, named = present.get("subjects") or [], wanted.get("subjects") or []
    missing = [one for one in named if one not in there]
    extra = [one for one in there if one not in named] if call.options.on("remove-extra-subjects") else []
    obj = {**merged, "subjects": named if extra else [*there, *missing]} if missing or extra else merged
    return Plan("update" if obj != present else "", obj, tuple(map(_subject, missing)), tuple(map(_subject, extra)))


def _carried_out(call: Call, item: Item, plan: Plan) -> Object:
    session = call.session
    if plan.operation == "recreate":
        session.send("DELETE", item.path)
    if plan.operation in ("create", "recreate"):
        _ensure_namespace(call, item.namespace)
        return session.write("POST", item.resource.path(item.namespace), plan.obj)
    return session.write("PUT", item.path, plan.obj) if plan.operation else plan.obj


def _ensure_namespace(call: Call, namespace: str) -> None:
    """What is to be made in a namespace needs it."""
    if namespace:
        try:
            call.session.get(f"/api/v1/namespaces/{namespace}")
        except StatusError as error:
            if error.code != 404:
                raise
            call.session.write("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})


def _tell(call: Call, item: Item, plan: Plan) -> None:
    if not plan.operation:
        return
    what = "rules" if item.obj["kind"] in _ROLES else "subjects"
    lines = [f"\treconciliation required {plan.operation}"]
    for words, changes in (("missing {} added", plan.added), ("extra {} removed", plan.removed)):
        if changes:
            lines += [f"\t{words.format(what)}:", *(f"\t\t{change}" for change in changes)]
    call.session.err.write("".join(f"{line}\n" for line in lines))


def _rights(rights: list[Right]) -> tuple[str, ...]:
    return tuple(_rule(right.as_rule()) for right in rights)


_RULE_WORDS = (
    *(("Verbs", "verbs"), ("APIGroups", "apiGroups"), ("Resources", "resources")),
    *(("ResourceNames", "resourceNames"), ("NonResourceURLs", "nonResourceURLs")),
)
_SUBJECT_WORDS = (("Kind", "kind"), ("APIGroup", "apiGroup"), ("Name", "name"), ("Namespace", "namespace"))


def _rule(rule: Object) -> str:
    return "{" + " ".join(f"{word}:[{' '.join(rule.get(name) or ())}]" for word, name in _RULE_WORDS) + "}"


def _subject(subject: Object) -> str:
    return "{" + " ".join(f"{word}:{subject.get(name) or ''}" for word, name in _SUBJECT_WORDS) + "}"


RECONCILE = Command(
    "reconcile",
    "reconcile -f FILENAME [flags]",
    "Bring roles and bindings to what files say, by what they allow and whom they bind.",
    (
        *FILE_FLAGS,
        DRY_RUN_FLAG,
        *PRINT_FLAGS,
        switch("remove-extra-permissions", "Also take away rights that the files don't give."),
        switch("remove-extra-subjects", "Also take away subjects that the files don't bind."),
    ),
    run,
)
