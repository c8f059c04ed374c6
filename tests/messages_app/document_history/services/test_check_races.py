"""Of many concurrent callers with separate connections exactly one gets New, whatever else happens."""

import itertools
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Mapping
from functools import partial

import pytest
from django.db import connection

from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.services import resolvers
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.complete import complete_document
from messages_app.document_history.services.delivery import Checked
from messages_app.document_history.services.errors import DocumentConflict
from messages_app.document_history.services.in_doubt import resubmit_document, settle_document
from messages_app.document_history.services.sweep import sweep_entries
from messages_app.document_history.states import Verdict
from tests.support.histories import ADA, entries_of, make_trigger, store_entry
from tests.support.threads import in_threads
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db(transaction=True)

CALLERS = 16


def verdicts(answers: list[Checked]) -> Counter[Verdict]:
    return Counter(answer.verdict for answer in answers)


class TestCheck:
    @pytest.mark.parametrize("rounds", [50, pytest.param(400, marks=pytest.mark.slow)])
    def test_answers_new_to_one_of_sixteen_round_after_round(self, rounds):
        make_trigger()
        told: dict[str, list[Verdict]] = {f"u-{number}": [] for number in range(rounds)}
        start = threading.Barrier(CALLERS)

        def caller() -> None:
            for uuid in told:
                start.wait(timeout=30)
                told[uuid].append(check_document(trigger_id="t-1", uuid=uuid).verdict)

        assert in_threads(*[caller] * CALLERS) == [None] * CALLERS
        for uuid, found in told.items():
            assert Counter(found) == {Verdict.NEW: 1, Verdict.IN_DOUBT: CALLERS - 1}, uuid
        assert DocumentInDoubt.objects.count() == rounds
        assert set(DocumentInDoubt.objects.values_list("deliveries", flat=True)) == {CALLERS - 1}

    def test_answers_new_once_while_others_complete_and_sweep(self):
        """None of its entries has expired, so the sweeper may make no one New again."""
        make_trigger()
        ended = threading.Event()
        news = itertools.count()
        completed = itertools.count()

        def caller() -> None:
            for _ in range(60):
                checked = check_document(trigger_id="t-1", uuid="u-1")
                if checked.verdict is Verdict.NEW:
                    next(news)
                    complete_document(trigger_id="t-1", uuid="u-1", token=checked.token)
                    next(completed)

        def sweeper() -> None:
            while not ended.wait(0.01):
                sweep_entries()

        sweeping = threading.Thread(target=lambda: (sweeper(), connection.close()))
        sweeping.start()
        answers = in_threads(*[caller] * 8)
        ended.set()
        sweeping.join()
        assert answers == [None] * 8
        assert (next(news), next(completed)) == (1, 1)

    @pytest.mark.slow
    def test_accepts_one_delivery_if_a_resolver_accepts_all(self):
        start = threading.Barrier(8)

        def let_all(asked: Mapping[str, object]) -> Mapping[str, object]:
            start.wait(timeout=10)
            return {"status": "NEW"}

        resolvers.register_resolver("tests.all")(let_all)
        try:
            make_trigger(resolver="tests.all")
            for number in range(20):
                uuid = f"u-{number}"
                began = store_entry("processing", uuid=uuid)
                answers = in_threads(*[partial(check_document, trigger_id="t-1", uuid=uuid)] * 8)
                assert verdicts(answers) == {Verdict.NEW: 1, Verdict.IN_DOUBT: 7}
                assert entries_of(uuid)["processing"] > began
        finally:
            resolvers.unregister_resolver("tests.all")


class TestResolving:
    def test_is_done_by_the_first_of_two_people(self):
        make_trigger()
        for number in range(30):
            uuid = f"u-{number}"
            check_document(trigger_id="t-1", uuid=uuid)
            check_document(trigger_id="t-1", uuid=uuid)
            line = DocumentInDoubt.objects.get(document_uuid=uuid)
            answers = in_threads(
                partial(resubmit_document, in_doubt_id=line.pk, actor=ADA, reason="run"),
                partial(settle_document, in_doubt_id=line.pk, actor=ADA, reason="done"),
            )
            refused = [answer for answer in answers if isinstance(answer, DocumentConflict)]
            assert len(refused) == 1
            line.refresh_from_db()
            assert refused[0].current_state == line.state
            assert ("completed" in entries_of(uuid)) == (line.state == "settled")


_HOLD = """
import django; django.setup()
from messages_app.document_history.services.check import check_document
print(check_document(trigger_id="t-1", uuid="u-1").verdict, flush=True)
input()
"""


class TestAKilledClient:
    def test_leaves_its_document_in_doubt(self):
        make_trigger()
        client = subprocess.Popen(
            [sys.executable, "-c", _HOLD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | database_of_tests(),
        )
        try:
            assert client.stdout.readline().strip() == "NEW"
        finally:
            client.send_signal(signal.SIGKILL)
            client.communicate()
        answers = in_threads(
            *[partial(check_document, trigger_id="t-1", uuid="u-1", redelivery_count=1)] * 16
        )
        assert verdicts(answers) == {Verdict.IN_DOUBT: 16}
        line = DocumentInDoubt.objects.get()
        resubmitted = resubmit_document(in_doubt_id=line.pk, actor=ADA, reason="its node died")
        complete_document(trigger_id="t-1", uuid="u-1", token=resubmitted.token)
        assert check_document(trigger_id="t-1", uuid="u-1").verdict is Verdict.DUPLICATE

    def test_leaves_nothing_if_it_dies_before_its_commit(self):
        make_trigger()
        program = _HOLD.replace(
            "print(check_document",
            "from django.db import transaction\ntransaction.atomic().__enter__()\nprint(check_document",
        )
        client = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | database_of_tests(),
        )
        assert client.stdout.readline().strip() == "NEW"
        # A check of the same document waits until it is decided whether there is one.
        client.send_signal(signal.SIGKILL)
        client.communicate()
        assert check_document(trigger_id="t-1", uuid="u-1").verdict is Verdict.NEW
