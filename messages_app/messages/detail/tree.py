"""
The whole family of a message, live and archived, from its topmost ancestor down.

The parent links can be cyclic, and a parent can be missing.

Source: docs/contributing/spec/interfaces.md, "Messages" (`tree/`); docs/contributing/spec/cleverbus.md,
"Parents and children".
"""

from dataclasses import dataclass

from messages_app.core.statements import Statements
from messages_app.messages.tables import MessageNotFound

statements = Statements("messages_app.messages.detail")


MAX_NODES = 10_000


MAX_ANCESTORS = 1000


@dataclass(frozen=True, kw_only=True)
class Relative:
    """One member of a family."""

    msg_id: int
    parent_msg_id: int | None
    parent_binding_type: str | None
    state: str
    service_name: str
    operation_name: str
    archived: bool


@dataclass(frozen=True, kw_only=True)
class Line:
    """
    A message's ancestors.

    Args:
        members: the message itself, its parent, and so on to the top.
        missing: the id of a parent that is neither in the live table nor in the archive.
        circle_at: the id at which the parent links return to a member.
        is_cut: whether more ancestors exist.
    """

    members: list[Relative]
    missing: int | None = None
    circle_at: int | None = None
    is_cut: bool = False

    @property
    def root(self) -> int:
        """The topmost member; in a cycle the one with the smallest id, the same for each of its members."""
        if self.circle_at is None:
            return self.members[-1].msg_id
        ids = [member.msg_id for member in self.members]
        return min(ids[ids.index(self.circle_at) :])


@dataclass(frozen=True, kw_only=True)
class TreeNode:
    """One member of a tree; `depth` is 0 for the root."""

    msg_id: int
    parent_msg_id: int | None
    state: str
    parent_binding_type: str | None
    archived: bool
    depth: int


@dataclass(frozen=True, kw_only=True)
class Tree:
    """A family, level by level; truncated above MAX_NODES members, or if the root has more ancestors."""

    root: int
    nodes: list[TreeNode]
    truncated: bool


def find_ancestors(msg_id: int, *, most: int = MAX_ANCESTORS) -> Line:
    """
    Return the ancestors of a message, up to `most`.

    Raises:
        MessageNotFound: neither the live table nor the archive has it.
    """
    members = statements.fetch_records("ancestors", {"msg_id": msg_id, "most": most}, Relative)
    if not members:
        raise MessageNotFound(msg_id)
    next_parent = members[-1].parent_msg_id
    if next_parent is None:
        return Line(members=members)
    if next_parent in {member.msg_id for member in members}:
        return Line(members=members, circle_at=next_parent)
    if len(members) > most:
        return Line(members=members, is_cut=True)
    return Line(members=members, missing=next_parent)


def find_family(msg_id: int, *, most: int = MAX_NODES) -> Tree:
    """
    Return the whole family of a message.

    Raises:
        MessageNotFound: neither the live table nor the archive has it.
    """
    line = find_ancestors(msg_id)
    nodes = statements.fetch_records("family", {"root": line.root, "most": most + 1}, TreeNode)
    return Tree(root=line.root, nodes=nodes[:most], truncated=line.is_cut or len(nodes) > most)
