import json

import pytest

from messages_app.jobs.models import Job
from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import make_external_call, make_message

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> ApiClient:
    return caller("admin", "view_payload")


class TestFields:
    def test_choose_the_members_of_each_object_of_a_list(self, admin):
        messages = [make_message(state="FAILED").pk for _ in range(3)]
        answer = admin.get("messages/?fields=msg_id,state&page_size=2").json()
        assert answer["results"] == [{"msg_id": msg_id, "state": "FAILED"} for msg_id in messages[:0:-1]]
        assert set(answer) == {"next", "previous", "results"}

    def test_are_kept_in_the_addresses_of_other_pages(self, admin):
        oldest, *_ = [make_message().pk for _ in range(3)]
        first = admin.get("messages/?page_size=2&fields=msg_id").json()
        second = admin.client.get(first["next"], headers=admin.headers).json()
        assert second["results"] == [{"msg_id": oldest}]
        back = admin.client.get(second["previous"], headers=admin.headers).json()
        assert back["results"] == first["results"]

    def test_choose_the_members_of_one_object(self, admin):
        message = make_message(state="FAILED")
        answer = admin.get(f"messages/{message.pk}/?fields=state,%20allowed_actions,msg_id")
        assert answer.json() == {
            "msg_id": message.pk,
            "state": "FAILED",
            "allowed_actions": ["restart"],
        }

    def test_have_up_to_2000_characters(self, admin):
        message = make_message(state="FAILED")
        for count, status in ((1_995, 200), (1_996, 400)):
            answer = admin.get(f"messages/{message.pk}/?fields=state{'%20' * count}")
            assert answer.status_code == status, count

    def test_may_name_a_member_of_a_member_only_as_a_whole(self, admin):
        job = Job.objects.create(kind="restart", state="done", reason="r", report={"moved": {"message": 3}})
        assert admin.get(f"jobs/{job.pk}/?fields=report").json() == {"report": {"moved": {"message": 3}}}
        assert problem(admin.get(f"jobs/{job.pk}/?fields=report.moved"))["code"] == "unknown_field"

    def test_make_a_list_of_jobs_light(self, admin):
        for _ in range(20):
            Job.objects.create(kind="restart", state="done", reason="r", report={"x": "y" * 10_000})
        whole, light = admin.get("jobs/"), admin.get("jobs/?fields=job_id,state,done,failed")
        assert len(whole.content) > 200_000
        assert len(light.content) < 2_000
        assert set(light.json()["results"][0]) == {"job_id", "state", "done", "failed"}

    @pytest.mark.parametrize(
        ("text", "code", "detail"),
        [
            ("stat", "unknown_field", "Unknown field 'stat'. Did you mean 'state'?"),
            ("msg_id,payload", "unknown_field", "Unknown field 'payload'."),
            ("", "required", "fields must be names, separated by commas."),
            ("msg_id,", "required", "fields must be names, separated by commas."),
            ("msg_id&fields=state", "ambiguous_parameter", "fields is given more than once."),
            ("state," * 500 + "state", "too_long", "fields can have at most 2000 characters."),
        ],
    )
    def test_refuse_what_they_cannot_choose(self, admin, text, code, detail):
        told = problem(admin.get(f"messages/?fields={text}"))
        assert (told["status"], told["code"]) == (400, code)
        assert told["errors"][0]["field"] == "fields"
        assert detail in told["detail"]

    def test_are_refused_after_the_permission(self):
        assert problem(ApiClient().get("messages/?fields=nope"))["status"] == 401
        confined = caller("admin", username="bo", scopes=["jobs:run"])
        assert problem(confined.get("messages/?fields=nope"))["status"] == 403

    def test_do_not_change_the_entity_tag(self, admin):
        message = make_message(state="FAILED")
        whole = admin.get(f"messages/{message.pk}/").headers["ETag"]
        assert admin.get(f"messages/{message.pk}/?fields=state").headers["ETag"] == whole
        again = admin.get(f"messages/{message.pk}/?fields=state", **{"If-None-Match": whole})
        assert (again.status_code, again.content) == (304, b"")

    def test_belong_to_a_get_only(self, admin):
        message = make_message(state="FAILED")
        told = problem(admin.post(f"messages/{message.pk}/restart/?fields=state", {"reason": "r"}))
        assert told["code"] == "unknown_parameter"

    def test_work_at_every_list_and_object(self, admin):
        """Every GET except that of a file describes the parameter, and accepts the members of its answer."""
        make_external_call(make_message())
        answer = admin.get("schema/", Accept="application/vnd.oai.openapi+json")
        paths = json.loads(answer.content)["paths"]
        calls = {address: calls["get"] for address, calls in paths.items() if "get" in calls}
        without = {
            address
            for address, call in calls.items()
            if "fields" not in {each["name"] for each in call.get("parameters", ())}
        }
        assert without == {"/api/v1/jobs/{job_id}/download/"}
        checked = 0
        for address in calls.keys() - without:
            whole = admin.client.get(address, headers=admin.headers)
            if "{" in address or whole.status_code != 200:
                continue
            rows = whole.json().get("results", [whole.json()])
            for name in rows[0] if rows else ():
                chosen = admin.client.get(f"{address}?fields={name}", headers=admin.headers)
                assert chosen.status_code == 200, (address, name, chosen.content)
                assert {*chosen.json().get("results", [chosen.json()])[0]} == {name}, address
                checked += 1
        assert checked > 60
