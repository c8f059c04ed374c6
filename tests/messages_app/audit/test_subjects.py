import pytest

from messages_app.audit.models import AuditEntry
from messages_app.audit.subjects import subjects_of


class TestSubjectsOf:
    def test_names_each_subject_and_links_to_its_page(self):
        found = [(subject.name, subject.address) for subject in subjects_of(AuditEntry(msg_id=7, job_id=3))]
        assert found == [("Message 7", "/messages/7/"), ("Job 3", "/jobs/3/")]

    def test_has_no_link_without_a_row(self):
        assert list(subjects_of(AuditEntry())) == []

    def test_names_a_subject_of_a_kind_without_pages(self):
        (subject,) = subjects_of(AuditEntry(subject_kind="webhook", subject="5"))
        assert (subject.name, subject.address) == ("Webhook 5", "")

    @pytest.mark.parametrize(
        ("kind", "key", "name", "address"),
        [
            ("definition", "5", "Source definition 5", "/message-store/definitions/5/"),
            (
                "store_message",
                "3f0c1b2a-7d11-4f0e-9b1e-000000000002",
                "Store message 3f0c1b2a-7d11-4f0e-9…",
                "/message-store/messages/3f0c1b2a-7d11-4f0e-9b1e-000000000002/",
            ),
            ("in_doubt", "4", "In doubt 4", "/document-history/in-doubt/4/"),
            ("failure_group", "7", "Failure group 7", "/failures/7/"),
            ("watch_rule", "3", "Watch rule 3", "/watch-rules/3/"),
            (
                "trigger",
                "3f0c1b2a-7d11-4f0e-9b1e-000000000001",
                "Trigger 3f0c1b2a-7d11-4f0e-9…",
                "/document-history/triggers/3f0c1b2a-7d11-4f0e-9b1e-000000000001/",
            ),
            ("cp_message", "A" * 32, f"CP message {'A' * 20}…", f"/cp-queue/messages/{'A' * 32}/"),
        ],
    )
    def test_includes_the_subjects_of_every_package(self, kind, key, name, address):
        found = list(subjects_of(AuditEntry(subject_kind=kind, subject=key)))
        assert [(subject.name, subject.address) for subject in found] == [(name, address)]
