"""What stands somewhere in a tree of files: whether two paths lead to the same, and having it stand elsewhere, as the system calls do."""

import posixpath

from svcsim.nodes.shell.tree import IS_DIRECTORY, NO_DIRECTORY, FileError, Node, Tree

_FULL = "Directory not empty"
_WITHIN_ITSELF = "Invalid argument"


def standing(tree: Tree, path: str, *, follow: bool) -> Node | None:
    """What stands at a path, if anything does."""
    try:
        return tree.find(path, follow=follow)
    except FileError:
        return None


def is_within(tree: Tree, inner: str, outer: str) -> bool:
    """Whether a path, at which there may be nothing yet, leads into a directory, or to it. Raises `FileError`."""
    where = (
        tree.real_path(inner) if tree.has(inner) else posixpath.join(tree.real_path(posixpath.dirname(inner)), posixpath.basename(inner))
    )
    return f"{where}/".startswith(f"{tree.real_path(outer).rstrip('/')}/")


def rename(tree: Tree, source: str, target: str) -> None:
    """Have what stands at one path stand at the other, as it is: in the place of a file, or of an empty directory. Raises `FileError`."""
    node, before = tree.find(source, follow=False), standing(tree, target, follow=False)
    if node.is_directory and is_within(tree, target, source):
        raise FileError(_WITHIN_ITSELF)
    if before is not None and before.is_directory is not node.is_directory:
        raise FileError(IS_DIRECTORY if before.is_directory else NO_DIRECTORY)
    if before is not None and before.children:
        raise FileError(_FULL)
    _take(tree, source)
    try:
        if before is not None and before.is_directory:
            _take(tree, target)
        _put(tree, target, node)
    except FileError:
        _put(tree, source, node)
        if before is not None and standing(tree, target, follow=False) is None:
            _put(tree, target, before)
        raise


def _take(tree: Tree, path: str) -> None:
    tree.remove(path, recursive=True)


def _put(tree: Tree, path: str, node: Node) -> None:
    """As `Tree.add`, of a node that isn't new: it stays whose it was."""
    uid, gid, mode = node.uid, node.gid, node.mode
    try:
        tree.add(path, node)
    finally:
        node.uid, node.gid, node.mode = uid, gid, mode
