from datetime import datetime

import pytest
from django.db import connection
from django.utils import timezone

from messages_app.jobs.preview import samples
from messages_app.jobs.preview.quick import preview_job
from tests.messages_app.jobs.requested import request_of
from tests.support.parameters import quick_first
from tests.support.stores import set_process, store

pytestmark = pytest.mark.django_db


def preview(filter: dict[str, object], **options: object) -> dict[str, object]:
    return preview_job(request_of("reprocess", filter, **options))


class TestStoredPreview:
    def test_counts_changes_and_the_reasons_for_skipped_messages(self):
        for status in (26, 26, 25, 1):
            set_process(store(), status=status)
        set_process(store(refresh=True, entity="order"), status=10)
        for status in (1, 1, 0):
            set_process(store(), status=status)
        before = timezone.now()
        report = preview({"source_system": "crm"}, rate=4.0)
        assert before <= datetime.fromisoformat(report.pop("at")) <= timezone.now()
        assert len(report.pop("samples")) == 3
        basis = {"is_exact": True, "looked_at": 8}
        assert report == {
            "kind": "reprocess",
            "planned": 8,
            "to_do": 3,
            "planned_between": (8, 8),
            "to_do_between": (3, 3),
            "by_state": {"1": 3, "26": 2, "25": 1, "10": 1, "0": 1},
            "by_system": {"crm": 8},
            "by_entity": {"customer": 7, "order": 1},
            "skipped": {"state_conflict": 4, "refresh": 1},
            "kept": {},
            "systems": None,
            "seconds": 0.8,
            "rate": 4.0,
            "rate_is_chosen": True,
            "bytes": None,
            "basis": dict.fromkeys(("counts", "skipped", "systems", "bytes", "seconds"), basis),
            "is_exact": True,
        }
        assert preview({"status": "26"})["skipped"] == {}

    def test_includes_the_named_refreshes(self):
        set_process(store(refresh=True, entity="order"), status=10)
        assert preview({"status": "10"}, refresh_entities=["order"])["to_do"] == 1
        assert preview({"status": "10"}, refresh_entities=["customer"])["to_do"] == 0

    def test_reports_groups_as_estimates_if_the_set_is_not_read_completely(self, monkeypatch):
        monkeypatch.setattr(samples, "MAX_EXACT", 2)
        for _ in range(6):
            set_process(store(), status=26)
        report = preview({"status": "26"})
        assert (report["planned"], report["planned_between"], report["is_exact"]) == (6, (6, 6), False)

    @pytest.mark.parametrize("order", quick_first(["random()", "n", "status, n"]))
    @pytest.mark.parametrize("system", quick_first(["erp", "crm", "mes"]))
    def test_is_correct_for_a_large_set_in_any_order(self, monkeypatch, order, system):
        monkeypatch.setattr(samples, "MAX_EXACT", 100)
        monkeypatch.setattr(samples, "SAMPLES", ((120, 60),))
        with connection.cursor() as cursor:
            cursor.execute(LINES.format(order=order), [])
            cursor.execute(TRUTH, {"system": system})
            planned, to_do = cursor.fetchone()
        report = preview({"source_system": system})
        for name, truth in (("planned", planned), ("to_do", to_do)):
            least, most = report[f"{name}_between"]
            assert least <= truth <= most
            is_one_number = least >= report[name] * 0.91 and most <= report[name] * 1.1
            assert not is_one_number or abs(report[name] - truth) <= 0.1 * truth
        assert report["skipped"]["state_conflict"] > 0


LINES = """
INSERT INTO message_line (message_identifier, message_timestamp, source_system, source_entity, status)
SELECT 'id-' || n, now() - make_interval(secs => n), system, 'customer', status
  FROM (SELECT n, CASE WHEN n %% 100 < 60 THEN 'crm' WHEN n %% 100 < 98 THEN 'erp' ELSE 'mes' END AS system,
               CASE WHEN n < 15000 THEN 26 WHEN n %% 10 = 0 THEN 10 ELSE 1 END AS status
          FROM generate_series(1, 40000) AS n) AS lines
 ORDER BY {order}
"""
# 1 is in progress; 10 is processed and 26 has failed, and an operator may reprocess both.
TRUTH = """
SELECT count(*), count(*) FILTER (WHERE status IN (10, 26)) FROM message_line WHERE source_system = %(system)s
"""
