import pytest
from django.conf import settings

from messages_app.core.request_body import MAX_DEPTH, StrictJsonParser
from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import make_message
from tests.support.routes import api_views

pytestmark = pytest.mark.django_db


def nested(depth: int, opening: str, closing: str) -> bytes:
    return (opening * depth + closing * depth).encode()


@pytest.fixture
def operator() -> ApiClient:
    return caller("operator")


def sent(operator: ApiClient, raw: bytes, *, content_type: str = "application/json", **extra: str):
    path = f"messages/{make_message(state='NEW').msg_id}/cancel/"
    return operator.send("POST", path, raw, content_type=content_type, **extra)


class TestStrictJsonParser:
    @pytest.mark.parametrize(
        ("raw", "status", "code"),
        [
            (b"{", 400, "malformed_json"),
            (b"[]", 400, "invalid_value"),
            (b"null", 400, "invalid_value"),
            (b'"x"', 400, "invalid_value"),
            (b"NaN", 400, "malformed_json"),
            (b'{"reason": NaN}', 400, "malformed_json"),
            (b'{"reason": -Infinity}', 400, "malformed_json"),
            (b'{"reason": 1e999}', 400, "malformed_json"),
            (b'{"reason": ' + b"9" * 5000 + b"}", 400, "malformed_json"),
            (b'{"reason": "r", "reason": "r"}', 400, "malformed_json"),
            (b'{"reason": {"a": 1, "a": 2}}', 400, "malformed_json"),
            (b"{'reason': 'r'}", 400, "malformed_json"),
            (b'{"reason": "r"} {}', 400, "malformed_json"),
            (b"\xef\xbb\xbf" + b'{"reason": "r"}', 400, "malformed_json"),
            (nested(100_000, "[", "]"), 400, "too_deep"),
            (nested(50_000, '{"a":', "") + b"1" + b"}" * 50_000, 400, "too_deep"),
            (b'{"reason":' + nested(MAX_DEPTH + 1, "[", "]") + b"}", 400, "too_deep"),
            ('{"reason": "r"}'.encode("utf-16"), 400, "invalid_encoding"),
            ('{"reason": "\xe9"}'.encode("latin-1"), 400, "invalid_encoding"),
            (b'{"reason": "\xed\xa0\x80"}', 400, "invalid_encoding"),
            (b"", 400, "required"),
            (b" " * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1), 413, "body_too_large"),
        ],
        ids=lambda value: str(value)[:40],
    )  # fmt: skip
    def test_refuses_a_body_that_it_cannot_read(self, operator, raw, status, code):
        body = problem(sent(operator, raw))
        assert (body["status"], body["code"]) == (status, code)

    @pytest.mark.parametrize(
        ("raw", "field", "message"),
        [
            (b'{"reason": "a\\u0000b"}', "reason", "reason must not contain NUL."),
            (b'{"reason": "\\ud800"}', "reason", "reason must not contain half of a surrogate pair."),
            (b'{"reason": "\\udc00\\ud800"}', "reason", "reason must not contain half of a surrogate pair."),
            (b'{"reason": [[["a\\u0000"]]]}', "reason", "reason must not contain NUL."),
            (b'{"reason": "r", "a": {"b": [{"c": "\\u0000"}]}}', "a.b.c", "a.b.c must not contain NUL."),
            (b'{"\\ud800": "r"}', "body", "body must not contain half of a surrogate pair."),
            (b'{"a": {"\\u0000": {"b": "\\u0000"}}}', "a", "a must not contain NUL."),
        ],
    )
    def test_names_the_field_with_a_text_that_cannot_be_stored(self, operator, raw, field, message):
        body = problem(sent(operator, raw))
        assert (body["status"], body["code"], body["detail"]) == (400, "invalid_value", message)
        assert body["errors"] == [{"field": field, "code": "invalid_value", "message": message}]

    def test_parses_the_bodies_of_all_calls(self):
        assert {parser for _, view in api_views() for parser in view.parser_classes} == {StrictJsonParser}

    def test_reports_the_position_of_an_error(self, operator):
        body = problem(sent(operator, b'{\n  "reason" "r"}'))
        assert body["detail"].startswith("Line 2, column 12: ")

    def test_takes_any_text(self, operator):
        assert sent(operator, '{"reason": "\\ud83d\\ude42 \u00e9 🙂"}'.encode()).status_code == 200

    @pytest.mark.parametrize(
        "content_type",
        [
            "application/xml",
            "text/plain",
            "",
            "multipart/form-data; boundary=",
            "application/x-www-form-urlencoded",
            "application/json; charset=zzz",
            "application/jsonx",
        ],
    )
    def test_refuses_other_content(self, operator, content_type):
        body = problem(sent(operator, b'{"reason": "r"}', content_type=content_type))
        assert (body["status"], body["code"]) == (415, "unsupported_media_type")

    @pytest.mark.parametrize("charset", ["utf-8", "UTF-8", "utf8", '"utf-8"', "us-ascii"])
    def test_takes_utf_8_by_its_names(self, operator, charset):
        response = sent(operator, b'{"reason": "r"}', content_type=f"application/json; charset={charset}")
        assert response.status_code == 200

    def test_refuses_another_charset(self, operator):
        body = problem(sent(operator, b'{"reason": "r"}', content_type="application/json; charset=utf-16"))
        assert body["code"] == "invalid_encoding"

    def test_refuses_a_body_of_unknown_length(self, operator):
        body = problem(sent(operator, b"", HTTP_TRANSFER_ENCODING="chunked"))
        assert (body["status"], body["code"]) == (411, "length_required")

    def test_refuses_a_large_body_only_by_its_length(self, operator):
        body = problem(sent(operator, b"{}", CONTENT_LENGTH=str(50 * 2**20)))
        assert body["code"] == "body_too_large"
