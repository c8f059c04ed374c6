import pytest

from messages_app.jobs.previewing.previews import preview_of
from tests.stores import set_process, store

pytestmark = pytest.mark.django_db


def preview(filter: dict[str, object], **options: object) -> dict[str, object]:
    return preview_of(kind="reprocess", filter=filter, options=options, user=None).as_report()


class TestStoredPreview:
    def test_counts_what_would_be_done_and_why_the_rest_would_not(self):
        for status in (26, 26, 25, 1):
            set_process(store(), status=status)
        set_process(store(refresh=True, entity="order"), status=10)
        report = preview({"source_system": "crm"})
        assert (report["planned"], report["to_do"], report["is_exact"]) == (5, 3, True)
        assert report["skipped"] == {"state_conflict": 1, "refresh": 1}
        assert report["by_state"] == {"26": 2, "25": 1, "1": 1, "10": 1}
        assert report["by_entity"] == {"customer": 4, "order": 1}
        assert len(report["samples"]) == 3

    def test_takes_the_refreshes_that_are_named(self):
        set_process(store(refresh=True, entity="order"), status=10)
        assert preview({"status": "10"}, refresh_entities=["order"])["to_do"] == 1
        assert preview({"status": "10"}, refresh_entities=["customer"])["to_do"] == 0

    def test_estimates_a_set_that_is_large(self, monkeypatch):
        monkeypatch.setattr("messages_app.jobs.previewing.stored._MOST_READ", 2)
        for _ in range(6):
            set_process(store(), status=26)
        report = preview({"status": "26"})
        assert (report["planned"], report["is_exact"]) == (6, False)
