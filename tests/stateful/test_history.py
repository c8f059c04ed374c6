"""Deliveries, ends and decisions about a few documents, against the three states of each."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.complete import abandon_document, complete_document
from messages_app.document_history.services.errors import DocumentConflict, DocumentNotFound, LeaseLost
from messages_app.document_history.services.in_doubt import resubmit_document, settle_document
from messages_app.document_history.states import InDoubtState, Verdict
from tests.stateful.machine import StoredMachine, check
from tests.support.histories import ADA, entries_of, make_trigger

UUIDS = st.sampled_from(["a", "b", "c"])
EXPECTED = {None: Verdict.NEW, "processing": Verdict.IN_DOUBT, "completed": Verdict.DUPLICATE}


class History(StoredMachine):
    def __init__(self) -> None:
        super().__init__()
        self.states: dict[str, str | None] = dict.fromkeys("abc")
        self.tokens: dict[str, str] = {}

    @initialize()
    def begins(self) -> None:
        make_trigger("t-1")

    @rule(uuid=UUIDS, count=st.integers(-1, 3))
    def is_delivered(self, uuid: str, count: int) -> None:
        checked = check_document(trigger_id="t-1", uuid=uuid, redelivery_count=count)
        assert checked.verdict is EXPECTED[self.states[uuid]]
        if checked.verdict is Verdict.NEW:
            self.states[uuid], self.tokens[uuid] = "processing", checked.token

    @rule(uuid=UUIDS)
    def ends(self, uuid: str) -> None:
        of = {"trigger_id": "t-1", "uuid": uuid}
        if self.states[uuid] is None:
            with pytest.raises((DocumentNotFound, LeaseLost)):
                complete_document(**of, token="forged")
            return
        with pytest.raises(LeaseLost):
            complete_document(**of, token="forged")
        if uuid in self.tokens:
            complete_document(**of, token=self.tokens[uuid])
            self.states[uuid] = "completed"

    @rule(uuid=UUIDS)
    def goes_back(self, uuid: str) -> None:
        if uuid not in self.tokens:
            return
        was_there = abandon_document(trigger_id="t-1", uuid=uuid, token=self.tokens[uuid])
        assert was_there == (self.states[uuid] == "processing")
        if was_there:
            self.states[uuid] = None
            del self.tokens[uuid]

    @precondition(lambda self: self._open())
    @rule(data=st.data(), settles=st.booleans())
    def is_decided(self, data: st.DataObject, settles: bool) -> None:
        line = data.draw(st.sampled_from(self._open()))
        uuid = line.document_uuid
        of = {"in_doubt_id": line.pk, "actor": ADA, "reason": "r"}
        if settles:
            settle_document(**of)
            self.states[uuid] = "completed"
            self.tokens.pop(uuid, None)
        elif self.states[uuid] == "completed":
            with pytest.raises(DocumentConflict):
                resubmit_document(**of)
        else:
            self.states[uuid], self.tokens[uuid] = "processing", resubmit_document(**of).token

    def _open(self) -> list[DocumentInDoubt]:
        return list(DocumentInDoubt.objects.filter(state=InDoubtState.OPEN).order_by("pk"))

    @invariant()
    def has_the_entries_of_the_model(self) -> None:
        for uuid, state in self.states.items():
            found = set(entries_of(uuid))
            expected = {None: set(), "processing": {"processing"}, "completed": {"completed"}}[state]
            assert found - {"processing"} == expected - {"processing"}
            assert state == "completed" or found == expected


@pytest.mark.django_db
class TestDocumentHistory:
    def test_agrees_with_the_model(self):
        check(History)
