"""
Counts of ended external calls, and the calls that the pass has counted. Only the pass writes them.

Source: docs/how_it_works/calls.md.
"""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from messages_app.core.plain_model import PlainModel
from messages_app.shared.system_names import MAX_SYSTEM


class _Ends(PlainModel):
    minute = models.DateTimeField()
    service_name = models.CharField(max_length=30)
    external_system = models.CharField(max_length=MAX_SYSTEM)

    class Meta(PlainModel.Meta):
        abstract = True


class CallRollup(_Ends):
    """The ended calls of a service to a system. Minutes become hours after 3 hours, days after 15 days."""

    # The pass adds to it; windows of the map.
    pk = models.CompositePrimaryKey("minute", "service_name", "external_system")
    succeeded = models.IntegerField()
    failed = models.IntegerField()

    class Meta(PlainModel.Meta):
        db_table = "call_rollup"
        # The pages of one service and of one system.
        indexes = [
            models.Index(fields=["service_name", "minute"], name="call_rollup_service_idx"),
            models.Index(fields=["external_system", "minute"], name="call_rollup_system_idx"),
        ]


class CallTook(_Ends):
    """Ended calls by duration, in five minutes, an hour or a day; steps as in MessageTook."""

    # The pass adds to it.
    pk = models.CompositePrimaryKey("minute", "service_name", "external_system", "step")
    step = models.SmallIntegerField()
    calls = models.IntegerField()

    class Meta(PlainModel.Meta):
        db_table = "call_took"
        # The pages of one service and of one system.
        indexes = [
            models.Index(fields=["service_name", "minute"], name="call_took_service_idx"),
            models.Index(fields=["external_system", "minute"], name="call_took_system_idx"),
        ]


class CountedCall(PlainModel):
    """
    A call as the pass found it last.

    The table has calls with an id after `safe`, calls that have not succeeded, and calls that changed after
    `kept_from` (CallPass).
    """

    call_id = models.BigIntegerField(primary_key=True)
    state = models.CharField(max_length=20)
    updated_at = models.DateTimeField()

    class Meta(PlainModel.Meta):
        db_table = "counted_call"
        indexes = [
            # The pass: calls that can still end, by id.
            models.Index(fields=["call_id"], name="counted_call_open_idx", condition=~Q(state="OK")),
            # The pass: calls to forget, oldest first.
            models.Index(fields=["updated_at"], name="counted_call_old_idx", condition=Q(state="OK")),
        ]


class CallPass(PlainModel):
    """
    The position of the pass: one row, or none before the first pass.

    Attributes:
        front: the highest id of a call that was read.
        safe: no transaction that can still commit has a call up to this id.
        mark: the next `safe`, as soon as all transactions before `mark_xid` have ended.
        event_front, event_safe, event_mark: the same for the ids of changes of states.
        watched: the last open call that was compared; 0: the next is the first.
        kept_from: calls up to `safe` that are not in CountedCall were counted if they changed before.
    """

    id = models.SmallIntegerField(primary_key=True, default=1)
    front = models.BigIntegerField()
    safe = models.BigIntegerField()
    mark = models.BigIntegerField()
    event_front = models.BigIntegerField()
    event_safe = models.BigIntegerField()
    event_mark = models.BigIntegerField()
    mark_xid = models.BigIntegerField()
    watched = models.BigIntegerField(db_default=0)
    kept_from = models.DateTimeField()
    done_at = models.DateTimeField(db_default=Now())

    class Meta(PlainModel.Meta):
        db_table = "call_pass"
        constraints = [models.CheckConstraint(condition=Q(id=1), name="call_pass_is_one")]
