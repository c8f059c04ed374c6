import pytest

from messages_app.core.api_docs import describe_api
from messages_app.core.client_names import CLIENT_NAME, name_calls


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("GET messages/", "messages.list"),
        ("GET messages/{msg_id}/", "messages.get"),
        ("POST messages/{msg_id}/restart/", "messages.restart"),
        ("GET messages/{msg_id}/timeline/", "messages.timeline"),
        ("GET messages/{msg_id}/notes/", "messages.list_notes"),
        ("POST messages/{msg_id}/notes/", "messages.create_note"),
        ("PATCH jobs/{job_id}/", "jobs.update"),
        ("DELETE tokens/{token_id}/", "tokens.delete"),
        ("POST document-history/triggers/{trigger_id}/resume/", "document_history.resume_trigger"),
        ("GET me/", "me.get"),
    ],
)
def test_names_are_as_readers_expect(call, name):
    method, address = call.split()
    assert describe_api()["paths"][f"/api/v1/{address}"][method.lower()][CLIENT_NAME] == name


def test_names_are_different():
    names = [call.get(CLIENT_NAME) for calls in describe_api()["paths"].values() for call in calls.values()]
    assert len(names) > 150
    # A download is a file.
    assert [name for name in names if name is None or names.count(name) > 1] == [None]


def test_a_call_whose_answer_is_a_file_has_no_name():
    call = {"tags": ["jobs"], "responses": {"200": {"content": {"text/csv": {"schema": {}}}}}}
    paths = {"/api/v1/jobs/{job_id}/download/": {"get": call}}
    assert name_calls({"paths": paths}, None, None, True) == {"paths": paths}
    assert CLIENT_NAME not in call
