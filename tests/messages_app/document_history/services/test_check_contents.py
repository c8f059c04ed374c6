"""
A known UUID with another content is not a Duplicate: docs/contributing/spec/promises.md, I-45;
docs/contributing/spec/bad_input.md, H26 to H28.
"""

import pytest

from messages_app.document_history.models import DocumentContent, DocumentInDoubt, DocumentOutcome
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.complete import abandon_document, complete_document
from messages_app.document_history.services.delivery import Checked
from messages_app.document_history.services.errors import ContentConflict
from messages_app.document_history.services.in_doubt import resubmit_document
from messages_app.document_history.services.sweep import sweep_entries
from tests.support.api_client import caller, problem
from tests.support.histories import ADA, entries_of, make_older, make_trigger

pytestmark = pytest.mark.django_db
ONE, OTHER = "1" * 64, "2" * 64


def check(**more: object) -> Checked:
    return check_document(trigger_id="t-1", uuid="u-1", **more)


def completed(**more: object) -> None:
    complete_document(trigger_id="t-1", uuid="u-1", token=check(**more).token)


class TestCheck:
    def test_distinguishes_a_copy_from_another_document_of_the_same_uuid(self):
        make_trigger()
        completed(content_sha256=ONE)
        copy = check(content_sha256=ONE)
        assert (copy.verdict, copy.is_content_checked) == ("DUPLICATE", True)
        with pytest.raises(ContentConflict):
            check(content_sha256=OTHER)
        assert DocumentOutcome.objects.count() == 1

    def test_reports_that_it_checked_no_hash_if_one_is_missing(self):
        make_trigger()
        completed(content_sha256=ONE)
        assert check().is_content_checked is False
        make_older("3 days")
        sweep_entries()
        completed()
        later = check(content_sha256=OTHER)
        assert (later.verdict, later.is_content_checked) == ("DUPLICATE", False)

    def test_holds_a_hash_only_for_its_own_entries(self):
        make_trigger()
        check(content_sha256=ONE)
        check(content_sha256=ONE)
        resubmit_document(in_doubt_id=DocumentInDoubt.objects.get().pk, actor=ADA, reason="corrected")
        assert check(content_sha256=OTHER).verdict == "IN_DOUBT"

    def test_holds_the_hash_of_the_last_start_of_a_document_that_was_given_up(self):
        make_trigger()
        token = check(content_sha256=ONE).token
        assert abandon_document(trigger_id="t-1", uuid="u-1", token=token)
        completed(content_sha256=OTHER)
        again = check(content_sha256=OTHER)
        assert (again.verdict, again.is_content_checked) == ("DUPLICATE", True)
        with pytest.raises(ContentConflict):
            check(content_sha256=ONE)

    def test_ignores_the_hash_of_another_document_of_the_same_moment(self):
        make_trigger()
        completed()
        time = entries_of("u-1")["processing"]
        DocumentContent.objects.create(trigger_id="t-1", document_uuid="u-2", time=time, sha256=OTHER)
        again = check(content_sha256=ONE)
        assert (again.verdict, again.is_content_checked) == ("DUPLICATE", False)

    def test_keeps_no_hash_longer_than_the_entries(self):
        make_trigger()
        completed(content_sha256=ONE)
        DocumentContent.objects.update(time="2020-01-01T00:00:00Z")
        sweep_entries()
        assert not DocumentContent.objects.exists()


class TestCheckOverRest:
    def test_answers_409_for_another_content(self):
        make_trigger()
        client = caller("operator")
        body = {"trigger_id": "t-1", "uuid": "u-1"}
        assert client.post("document-history/check/", body | {"content_sha256": "A" * 64}).status_code == 200
        same = client.post("document-history/check/", body | {"content_sha256": "a" * 64}).json()
        assert (same["status"], same["hash_checked"]) == ("IN_DOUBT", True)
        answer = client.post("document-history/check/", body | {"content_sha256": OTHER})
        assert (answer.status_code, problem(answer)["code"]) == (409, "content_conflict")

    @pytest.mark.parametrize("value", ["1" * 63, "g" * 64, 7, None])
    def test_refuses_an_invalid_hash(self, value):
        make_trigger()
        answer = caller("operator").post(
            "document-history/check/", {"trigger_id": "t-1", "uuid": "u-1", "content_sha256": value}
        )
        assert problem(answer)["errors"][0]["field"] == "content_sha256"
