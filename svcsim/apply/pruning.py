"""Fields that an applier no longer applies are removed, unless another manager owns them.

A field is removed if the applier applied it last time and no manager owns it now. A struct is also removed when nothing in it is owned any
longer, together with fields in it that had no owner. The applied fields are compared in the version in which they were applied, those of
others in theirs.
"""

from svcsim.apply.conversion import Conversions, converted
from svcsim.apply.fieldset import LEAF, SELF, FieldSet, difference, intersection, is_member, union
from svcsim.apply.managers import Managers
from svcsim.apply.topology import Fields, Node
from svcsim.apply.typed import compare, merge, remove, with_named_parents
from svcsim.apply.typed_write import ALWAYS_HELD, tracked
from svcsim.meta.types import Object


def pruned(node: Node, merged: Object, version: str, last: FieldSet, last_version: str, managers: Managers) -> Conversions[Object]:
    """A merged object without what was applied ``last`` and has no owner now.

    ``managers`` are those after the apply. Everything is of ``version``, but for ``last``.
    """
    held: dict[str, FieldSet] = {}
    for manager, owned in managers.items():
        held[manager.api_version] = union(held.get(manager.api_version, {}), owned.fields)
    if len(held) == 1 and version == last_version:
        return _without_unowned(node, merged, last, held[version])
    return (yield from _pruned_in_versions(node, merged, version, last, last_version, held))


def _pruned_in_versions(
    node: Node, merged: Object, version: str, last: FieldSet, last_version: str, held: dict[str, FieldSet]
) -> Conversions[Object]:
    held_then = held.pop(last_version, {})
    if not difference(last, held_then):
        return merged
    if version != last_version:
        then = yield from converted((merged,), version, last_version)
        node, merged_then = then.node, then.objects[0]
    else:
        merged_then = merged
    left = _without_unowned(node, merged_then, last, held_then)
    shown, current = merged_then, last_version
    for other, fields in held.items():
        there = yield from converted((shown, left), current, other)
        (shown, left), current = there.objects, other
        left = _with_owned(there.node, shown, left, fields)
    if current != last_version:
        back = yield from converted((left,), current, last_version)
        left = _with_dangling(node, merged_then, back.objects[0], last, held_then)
    if version == last_version:
        return left
    return (yield from converted((left,), last_version, version)).objects[0]


def _without_unowned(node: Node, merged: Object, last: FieldSet, held: FieldSet) -> Object:
    gone = difference(last, held)
    left: Object = remove(node, merged, _unowned(node, gone, union(held, ALWAYS_HELD))) if gone else merged
    return left


def _unowned(node: Node, gone: FieldSet, held: FieldSet) -> FieldSet:
    """The part of ``gone`` to be removed, which isn't held: its members, and the named fields in which nothing is held any longer."""
    named = node.known if isinstance(node, Fields) else {}
    out: FieldSet = {}
    for element, inner in gone.items():
        if element == SELF:
            continue
        still_held = held.get(element)
        if still_held is None if element[2:] in named else is_member(inner):
            out[element] = LEAF
            continue
        rest = _unowned(node.below(element), inner, still_held or {})
        if rest:
            out[element] = rest
    return out


def _with_owned(node: Node, merged: Object, left: Object, held: FieldSet) -> Object:
    """What is left, with all that managers of this version own."""
    removed, modified, _ = compare(node, tracked(merged), tracked(left))
    kept: Object = remove(node, merged, difference(removed, with_named_parents(node, held)))
    if intersection(modified, held):
        return kept
    whole: Object = merge(node, kept, left)
    return whole


def _with_dangling(node: Node, merged: Object, left: Object, last: FieldSet, held: FieldSet) -> Object:
    """What is left, with all that went though it was never applied, or is held still.

    Items that hold what is owned in several versions are such, and fields that another version doesn't have: they come back from none.
    """
    removed, _, _ = compare(node, tracked(merged), tracked(left))
    gone = difference(intersection(removed, with_named_parents(node, last)), with_named_parents(node, held))
    kept: Object = remove(node, merged, gone)
    whole: Object = merge(node, kept, left)
    return whole
