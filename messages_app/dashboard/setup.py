"""
The setup checklist: the steps of an administrator in a new console. The state of the console ticks each step.

Source: docs/reference/overview.md, "The setup checklist".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User

from messages_app.access import roles
from messages_app.business_keys.registration import CAN_CHANGE_KEYS
from messages_app.core.statements import Statements
from messages_app.dashboard.models import FirstPageVisit
from messages_app.jobs.kinds.registry import archiving_kinds
from messages_app.messages.first_steps import FirstSteps

statements = Statements("messages_app.dashboard")


@dataclass(frozen=True, kw_only=True)
class _Declared:
    """
    A step of the checklist.

    Args:
        name: `has_messages`, or the column of setup_state.sql that says whether it is done.
        why: the reason to do it.
        address: of the page where it is done.
    """

    name: str
    title: str
    why: str
    address: str
    permission: str


_STEPS = (
    _Declared(
        name="has_messages",
        title="Attach a hub or load messages",
        why="Without messages, all other pages are empty.",
        address="/",
        permission=roles.CAN_VIEW_SETTINGS,
    ),
    _Declared(
        name="has_second_admin",
        title="Add a second administrator",
        why="Only another administrator can change the roles of the first one.",
        address="/users/",
        permission=roles.CAN_MANAGE_USERS,
    ),
    _Declared(
        name="has_channel",
        title="Give a watch rule a channel",
        why="Alerts appear on the overview only, until a rule has an email address or a webhook.",
        address="/watch-rules/",
        permission=roles.CAN_CHANGE_WATCH_RULES,
    ),
    _Declared(
        name="has_keys",
        title="Define business keys",
        why="Support finds messages by an order or customer number.",
        address="/business-keys/",
        permission=CAN_CHANGE_KEYS,
    ),
    _Declared(
        name="has_archive",
        title="Schedule the archive",
        why="Old messages move out of the hub's tables every night.",
        address="/schedules/",
        permission=roles.CAN_ARCHIVE,
    ),
)


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step that a user may do, and whether it is done."""

    name: str
    title: str
    why: str
    address: str
    is_done: bool


@dataclass(frozen=True, kw_only=True)
class Setup:
    """
    The checklist of a user.

    Args:
        steps: never empty.
        is_away: whether the user has dismissed it from the overview.
    """

    steps: Sequence[Step]
    is_away: bool

    @property
    def done(self) -> int:
        return sum(step.is_done for step in self.steps)

    @property
    def next_step(self) -> Step | None:
        return next((step for step in self.steps if not step.is_done), None)


def setup_for(user: User, first_steps: FirstSteps) -> Setup | None:
    """Return the checklist of a user; None for users who may do none of its steps."""
    declared = [step for step in _STEPS if user.has_perm(step.permission)]
    if not declared:
        return None
    done = _read_state() | {"has_messages": first_steps.has_messages or first_steps.is_attached}
    return Setup(
        steps=[
            Step(
                name=step.name,
                title=step.title,
                why=step.why,
                address=step.address,
                is_done=done[step.name],
            )
            for step in declared
        ],
        is_away=FirstPageVisit.objects.filter(pk=user.pk, setup_away_at__isnull=False).exists(),
    )


def keep_setup_away(user: User, *, is_away: bool) -> None:
    """Hide the checklist on the overview from this user, or show it again."""
    statements.count("keep_setup_away", {"user_id": user.pk, "is_away": is_away})


def _read_state() -> dict[str, bool]:
    row = statements.only_row("setup_state", {"role": "admin", "kinds": archiving_kinds()})
    return dict(zip([step.name for step in _STEPS[1:]], row, strict=True))
