"""The effects of a cancel or a restart, as codes for programs and sentences for people."""

from dataclasses import dataclass
from enum import StrEnum


class EffectCode(StrEnum):
    """The codes that the API publishes. Each code belongs to one action or to one aspect of it."""

    SENT_AS_NEW = "sent_as_new"
    SENT_BEFORE = "sent_before"
    CALLS_AGAIN = "calls_again"
    CANCEL_FIRM = "cancel_firm"
    CANCEL_REQUESTED = "cancel_requested"
    NOT_TAKEN_BACK = "not_taken_back"
    NOT_CONFIRMED = "not_confirmed"
    PARENT_WAITS = "parent_waits"
    PARENT_HEALS = "parent_heals"
    PARENT_STAYS = "parent_stays"
    PARENT_NOT_TOLD = "parent_not_told"
    CHILDREN_NONE = "children_none"
    CHILDREN_REFUSED = "children_refused"
    CHILDREN_TWICE = "children_twice"
    CHILDREN_GO_ON = "children_go_on"
    ORDER_FIRST = "order_first"
    ORDER_BEHIND = "order_behind"
    ORDER_FAILS = "order_fails"
    ORDER_WITHOUT_VALUE = "order_without_value"
    ORDER_FREED = "order_freed"
    FUNNEL_FREE = "funnel_free"
    FUNNEL_HELD = "funnel_held"
    FUNNEL_AGAINST_ITSELF = "funnel_against_itself"
    FUNNEL_FREED = "funnel_freed"
    ARCHIVE_LATER = "archive_later"
    ARCHIVE_BY_AGE = "archive_by_age"
    ARCHIVED = "archived"


@dataclass(frozen=True, kw_only=True)
class Effect:
    """
    One effect of an action.

    Args:
        text: one or two sentences.
        msg_ids: the messages that the text names.
        is_warning: whether the effect may be unwanted.
    """

    code: EffectCode
    text: str
    msg_ids: tuple[int, ...] = ()
    is_warning: bool = False


def format_bounded_count(number: int, noun: str, *, more: bool = False) -> str:
    """Write a number with its noun: 1 child, 3 children, 200 or more children."""
    irregular = {"child": "children"}
    plural = irregular.get(noun, f"{noun}s")
    if more:
        return f"{number} or more {plural}"
    return f"{number} {noun}" if number == 1 else f"{number} {plural}"
