"""
Shared parts of the calls of the CP queue: fields by the vendor's names, and the queues that a call affects.

A token may be confined to some queues. An answer may name a queue that the caller named. The queue of a
message or of a service is looked up, and one outside the token's queues stays hidden: its messages are
answered like unknown ones.

Source: docs/contributing/spec/interfaces.md, "CP queue"; docs/contributing/spec/cp_queue.md, "Operations";
docs/contributing/spec/promises.md, S-56.
"""

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from messages_app.core.problems import Extra, Problem, not_found, problems_for
from messages_app.core.serializers import (
    ConstantField,
    OptionalReasonField,
    ReasonField,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
)
from messages_app.cp_queue.errors import MessageConflict, MessageNotFound, TokenLost
from messages_app.cp_queue.parameters import InvalidParameter
from messages_app.cp_queue.selectors.pickup_forecast import queue_of, queues_held_by
from messages_app.cp_queue.states import MAX_INT, Outcome

# Longer than any text that the services accept: they say what is wrong with it.
_LONG = 20_000
OUTCOMES = [str(outcome) for outcome in Outcome]


def text_field(help_text: str = "", **options: Any) -> StrictCharField:
    """Return a field that the services check: nothing is trimmed, and they refuse a blank."""
    return StrictCharField(
        max_length=_LONG, allow_blank=True, trim_whitespace=False, help_text=help_text, **options
    )


def number_field(help_text: str = "", **options: Any) -> StrictIntegerField:
    return StrictIntegerField(min_value=0, max_value=MAX_INT, help_text=help_text, **options)


def flag_field(help_text: str = "", **options: Any) -> StrictBooleanField:
    return StrictBooleanField(required=False, default=False, help_text=help_text, **options)


def only_count(help_text: str = "Only count.") -> StrictBooleanField:
    return flag_field(help_text, source="is_dry_run")


def no_flags() -> StrictIntegerField:
    return number_field("0; for compatibility with the vendor's clients.", required=False, default=0)


def output_unicode() -> StrictIntegerField:
    return number_field(
        "For compatibility with the vendor's clients; answers are always Unicode.", required=False
    )


class BodySerializer(StrictSerializer):
    # Every call accepts these; services do not get them.
    Flags = no_flags()
    OutputUnicode = output_unicode()

    def validate_Flags(self, flags: int) -> int:  # noqa: N802 (named after its field)
        if flags != 0:
            raise serializers.ValidationError("Flags must be 0.", code="invalid_value")
        return flags


class ActionSerializer(BodySerializer):
    reason = ReasonField(required=False, default="", allow_blank=True)


class ResetSerializer(BodySerializer):
    reason = OptionalReasonField()


class AnswerSerializer(serializers.Serializer):
    return_code = ConstantField(0, help_text="0: success, also if there was nothing to do.")


def _describe_conflict(error: MessageConflict) -> Problem:
    extra: Extra = {"current_state": error.current_state, "refusal": error.code}
    return Problem(409, "state_conflict", str(error), extra=extra)


as_problems = problems_for(
    {
        InvalidParameter: InvalidParameter.as_problem,
        MessageNotFound: lambda error: not_found(str(error)),
        TokenLost: lambda error: Problem(409, "lease_lost", str(error)),
        MessageConflict: _describe_conflict,
    }
)


def queue_of_message(*, guid: str, reach: frozenset[str]) -> list[str | None]:
    """Return the queue of a message, which its row or the log names."""
    return _hide_queues([queue_of(guid)], reach)


def queues_of_service(*, service: str, reach: frozenset[str]) -> list[str | None]:
    """Return the queues of everything that a service holds."""
    return _hide_queues(queues_held_by(service), reach)


def _hide_queues(queues: Iterable[str | None], reach: frozenset[str]) -> list[str | None]:
    return [queue if queue in reach else None for queue in queues]
