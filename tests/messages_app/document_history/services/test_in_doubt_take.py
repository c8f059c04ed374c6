from functools import partial

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.services import resolvers
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.complete import complete_document
from messages_app.document_history.services.errors import (
    DocumentConflict,
    InDoubtNotFound,
    LeaseLost,
    TriggerNotFound,
)
from messages_app.document_history.services.in_doubt import (
    NOBODY,
    Resubmitted,
    resubmit_document,
    take_one,
    take_resubmitted,
)
from messages_app.document_history.services.sweep import sweep_entries
from messages_app.document_history.services.triggers import change_trigger
from tests.support.histories import ADA, entries_of, make_older, make_trigger, store_entry
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db


def resubmitted(uuid: str = "u-1", trigger_id: str = "t-1") -> DocumentInDoubt:
    """Store a document that an operator has resubmitted on its page."""
    store_entry("processing", uuid=uuid, trigger_id=trigger_id)
    check_document(trigger_id=trigger_id, uuid=uuid, document={"uuid": uuid})
    line = DocumentInDoubt.objects.get(document_uuid=uuid, trigger_id=trigger_id, state="open")
    assert resubmit_document(in_doubt_id=line.pk, actor=ADA, reason="run it", takes=False) is None
    return line


def take(trigger_id: str = "t-1") -> Resubmitted | None:
    return take_resubmitted(trigger_id=trigger_id, actor=ADA)


class TestTakeResubmitted:
    def test_returns_each_once_the_oldest_first_with_its_content_and_token(self):
        make_trigger()
        for uuid in ("u-1", "u-2"):
            resubmitted(uuid)
        first, second = take(), take()
        assert [each.line.document for each in (first, second)] == [{"uuid": "u-1"}, {"uuid": "u-2"}]
        assert take() is None
        complete_document(trigger_id="t-1", uuid="u-1", token=first.token)
        assert set(entries_of("u-1")) == {"processing", "completed"}
        assert AuditEntry.objects.filter(action="take_document").count() == 2

    def test_goes_only_to_its_own_trigger(self):
        make_trigger()
        make_trigger("t-2")
        resubmitted()
        assert take("t-2") is None

    def test_reports_that_the_trigger_does_not_exist(self):
        with pytest.raises(TriggerNotFound, match="No trigger has the id 't-9'"):
            take("t-9")

    def test_skips_documents_whose_token_was_returned_by_the_resubmission(self):
        make_trigger()
        store_entry("processing")
        check_document(trigger_id="t-1", uuid="u-1")
        line = DocumentInDoubt.objects.get()
        assert resubmit_document(in_doubt_id=line.pk, actor=ADA, reason="mine").token
        assert take() is None

    def test_skips_a_document_that_a_resolver_has_accepted_meanwhile(self):
        resolvers.register_resolver("tests.all")(lambda asked: {"status": "NEW"})
        try:
            make_trigger()
            line = resubmitted()
            change_trigger(trigger_id="t-1", actor=ADA, resolver="tests.all")
            assert check_document(trigger_id="t-1", uuid="u-1").verdict == "NEW"
            assert take() is None
            line.refresh_from_db()
            assert line.taken_by == NOBODY
        finally:
            resolvers.unregister_resolver("tests.all")

    def test_skips_a_document_that_was_swept_meanwhile(self):
        make_trigger()
        resubmitted()
        make_older("3 days")
        sweep_entries()
        assert take() is None

    def test_returns_a_document_without_entries_without_a_token(self):
        make_trigger(use_history=False)
        check_document(trigger_id="t-1", uuid="u-1", redelivery_count=1)
        resubmit_document(
            in_doubt_id=DocumentInDoubt.objects.get().pk, actor=ADA, reason="run it", takes=False
        )
        assert take().token is None

    def test_invalidates_earlier_tokens(self):
        make_trigger()
        token = check_document(trigger_id="t-1", uuid="u-1").token
        check_document(trigger_id="t-1", uuid="u-1")
        line = DocumentInDoubt.objects.get()
        resubmit_document(in_doubt_id=line.pk, actor=ADA, reason="run it", takes=False)
        take()
        with pytest.raises(LeaseLost):
            complete_document(trigger_id="t-1", uuid="u-1", token=token)


@pytest.mark.django_db(transaction=True)
class TestTakeResubmittedAtOnce:
    def test_returns_each_document_to_only_one_of_many(self):
        make_trigger()
        for number in range(12):
            resubmitted(f"u-{number}")
        taken = in_threads(*[take] * 16)
        uuids = [each.line.document_uuid for each in taken if each is not None]
        assert len(uuids) == len(set(uuids))
        assert len(uuids) + sum(take() is not None for _ in range(12)) == 12

    def test_is_either_taken_or_resolved_and_never_both(self):
        resolvers.register_resolver("tests.all")(lambda asked: {"status": "NEW"})
        try:
            make_trigger()
            for number in range(20):
                resubmitted(f"u-{number}")
            change_trigger(trigger_id="t-1", actor=ADA, resolver="tests.all")
            for number in range(20):
                line = DocumentInDoubt.objects.get(document_uuid=f"u-{number}")
                taken, checked = in_threads(
                    partial(_took, line.pk),
                    partial(check_document, trigger_id="t-1", uuid=line.document_uuid),
                )
                seen_before = checked.verdict == "NEW" and taken
                assert not seen_before or _was_begun_again(line)
        finally:
            resolvers.unregister_resolver("tests.all")


def _took(in_doubt_id: int) -> bool:
    try:
        take_one(in_doubt_id=in_doubt_id, actor=ADA)
    except DocumentConflict:
        return False
    return True


def _was_begun_again(line: DocumentInDoubt) -> bool:
    """Whether the check came after the taking: it then saw, and overwrote, the taker's own start."""
    line.refresh_from_db()
    return entries_of(line.document_uuid)["processing"] > line.decided_start


class TestTakeOne:
    def test_rejects_any_other(self):
        with pytest.raises(InDoubtNotFound):
            take_one(in_doubt_id=99, actor=ADA)

    def test_rejects_a_document_that_is_not_resubmitted_or_was_taken(self):
        make_trigger()
        store_entry("processing", uuid="u-9")
        check_document(trigger_id="t-1", uuid="u-9")
        still_open = DocumentInDoubt.objects.get()
        line = resubmitted()
        for _ in range(2):
            with pytest.raises(DocumentConflict, match="is open, not resubmitted") as refused:
                take_one(in_doubt_id=still_open.pk, actor=ADA)
            assert refused.value.current_state == "open"
        assert take_one(in_doubt_id=line.pk, actor=ADA).line.document == {"uuid": "u-1"}
        with pytest.raises(DocumentConflict, match="Already taken by ada") as refused:
            take_one(in_doubt_id=line.pk, actor=ADA)
        assert refused.value.current_state == "taken"
        still_open.refresh_from_db()
        assert (still_open.taken_at, still_open.taken_by) == (None, "")

    def test_takes_the_named_one_of_several(self):
        make_trigger(), make_trigger("t-2")
        lines = [resubmitted(uuid) for uuid in ("u-1", "u-2", "u-3")]
        other = resubmitted("u-2", "t-2")
        taken = take_one(in_doubt_id=lines[1].pk, actor=ADA)
        assert taken.line.pk == lines[1].pk
        taken_ones = DocumentInDoubt.objects.exclude(taken_at=None)
        assert [line.pk for line in taken_ones] == [lines[1].pk]
        assert take("t-2").line.pk == other.pk
        assert [take().line.pk, take().line.pk, take()] == [lines[0].pk, lines[2].pk, None]
