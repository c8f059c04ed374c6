"""The search for a text in errors finds groups of failures, newest first, within a fence."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from messages_app.core.statements import Statements
from messages_app.messages.failures import error_search
from messages_app.messages.failures.error_search import find_error_texts
from messages_app.messages.failures.models import FailureGroup

pytestmark = pytest.mark.django_db


def make_group(number: int, **columns: object) -> FailureGroup:
    now = timezone.now()
    values = {
        "fingerprint": f"{number:032}",
        "service_name": "billing",
        "operation_name": "create",
        "failed_error_code": "E103",
        "summary": "Connection refused",
        "example": "Connection refused: pay.bank.example",
        "first_seen": now,
        "last_seen": now - timedelta(minutes=number),
        **columns,
    }
    return FailureGroup.objects.create(**values)


class TestFindErrorTexts:
    def test_finds_a_text_in_any_case_in_summary_and_example(self):
        refused = make_group(1)
        make_group(2, summary="Read timed out", example="Read timed out")
        for text in ("REFUSED", "bank.example", "e103"):
            (kind,) = find_error_texts(text)
            assert (kind.name, kind.title) == ("failure_group", "Errors with this text")
            assert refused.pk in [int(hit.url.strip("/").split("/")[-1]) for hit in kind.hits], text
        (kind,) = find_error_texts("timed out")
        assert [hit.about for hit in kind.hits] == ["billing · E103"]

    def test_shows_the_newest_first_and_says_that_there_are_more(self):
        groups = [make_group(number) for number in range(7)]
        (kind,) = find_error_texts("refused")
        assert [hit.url for hit in kind.hits] == [f"/failures/{group.pk}/" for group in groups[:5]]
        assert kind.more

    def test_reads_only_the_newest_groups(self, monkeypatch):
        monkeypatch.setattr(error_search, "MAX_SEARCHED_GROUPS", 2)
        make_group(3, summary="Rare text", example="Rare text")
        assert [*find_error_texts("rare")]
        make_group(1)
        make_group(2)
        assert not [*find_error_texts("rare")]

    @pytest.mark.parametrize("text", ["", "re", "no such error", "ref\0used", "%"])
    def test_finds_nothing_otherwise(self, text):
        make_group(1)
        assert [*find_error_texts(text)] == []

    def test_reads_the_index_of_the_list(self):
        rows = [
            FailureGroup(
                fingerprint=f"{number:032}",
                service_name="s",
                operation_name="o",
                summary="x",
                example="x",
                first_seen=timezone.now(),
                last_seen=timezone.now() - timedelta(seconds=number),
            )
            for number in range(5_000)
        ]
        FailureGroup.objects.bulk_create(rows)
        text = Statements("messages_app.messages.failures").read_text("find_groups")
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE failure_group")
            cursor.execute(f"EXPLAIN {text}", {"text": "x", "most_groups": 100, "limit": 5})
            plan = str(cursor.fetchall())
        assert "failure_group_last_idx" in plan
        assert "Seq Scan" not in plan
