from messages_app.audit.models import AuditEntry
from messages_app.audit.subjects import subjects_of


class TestSubjectsOf:
    def test_names_each_thing_and_leads_to_its_page(self):
        found = [(subject.name, subject.address) for subject in subjects_of(AuditEntry(msg_id=7, job_id=3))]
        assert found == [("Message 7", "/messages/7/"), ("Job 3", "/jobs/3/")]

    def test_has_none_where_no_row_is_meant(self):
        assert list(subjects_of(AuditEntry())) == []
