"""
Bodies, headers, methods, ids and actions of the API.

Source: docs/contributing/spec/bad_input.md, "REST calls".
"""

from tests.bad_input.cases import Section, case

MALFORMED, INVALID = "400 malformed_json", "400 invalid_value"
CANCEL = "POST messages/{failed}/cancel/"
NEW = "POST messages/{new}/cancel/"
WHY = {"reason": "r"}
JOB = {"kind": "restart", "filter": {"state": "FAILED"}, "reason": "r", "dry_run": True}

IDS = {
    "A01": ["abc"],
    "A02": ["-1"],
    "A03": ["9223372036854775808"],
    "A04": ["9" * 5000],
    "A05": ["1.5"],
    "A06": ["%00"],
    "A07": ["%D9%A1"],
    "A08": ["1_0", "%201"],
    "A09": ["..%2f..%2fetc%2fpasswd"],
}
BODIES = [
    ("A12", b"{", MALFORMED),
    ("A13", b"[]", INVALID),
    ("A14", b"null", INVALID),
    ("A15", b'"x"', INVALID),
    ("A16", b"NaN", MALFORMED),
    ("A16", b'{"reason": NaN}', MALFORMED),
    ("A17", b'{"reason": 1e999}', MALFORMED),
    ("A18", b'{"reason": "a", "reason": "b"}', MALFORMED),
    ("A19", b"[" * 100_000 + b"]" * 100_000, "400 too_deep"),
    ("A20", b'{"a":' * 50_000 + b"1" + b"}" * 50_000, "400 too_deep"),
    ("A24", '{"reason": "r"}'.encode("utf-16"), "400 invalid_encoding"),
    ("A24", '{"reason": "\xe9"}'.encode("latin-1"), "400 invalid_encoding"),
    ("A25", b"\xef\xbb\xbf" + b'{"reason": "r"}', MALFORMED),
    ("A26", b'{"reason": "a\\u0000b"}', "400 reason:invalid_value"),
    ("A27", b'{"reason": "\\ud800"}', "400 reason:invalid_value"),
]
TYPES = [
    ("A47", "application/xml", "415 unsupported_media_type"),
    ("A48", "", "415 unsupported_media_type"),
    ("A49", "application/json; charset=zzz", "415 unsupported_media_type"),
    ("A50", "multipart/form-data; boundary=", "415 unsupported_media_type"),
    ("A50", "multipart/form-data; boundary=x", "415 unsupported_media_type"),
]
TOKENS = [
    ("A52", "Token", "401 not_authenticated"),
    ("A53", "Token a b", "401 not_authenticated"),
    ("A54", "Token \xff\xfe", "401 not_authenticated"),
    ("A55", "Token {revoked}", "401 token_revoked"),
    ("A55", "Token {expired}", "401 token_expired"),
    ("A55", "Token {disabled}", "401 not_authenticated"),
    ("A58", "Token {token_support}, Token {token_support}", "400 ambiguous_parameter"),
]
# The largest that is taken, and the next larger (docs/contributing/spec/promises.md, S-40).
MAX_BYTES, MAX_REASON, MAX_KEY, MAX_DEPTH = 2_621_440, 1000, 255, 50
BODY = b'{"reason": "r"}'
LIMITS = [
    case("A21", NEW, "200", body=BODY.rjust(MAX_BYTES)),
    case("A21", NEW, "413 body_too_large", body=BODY.rjust(MAX_BYTES + 1)),
    case("A28", NEW, "200", body={"reason": "r" * MAX_REASON}),
    case("A28", NEW, "400 reason:too_long", body={"reason": "r" * (MAX_REASON + 1)}),
    case("A65", NEW, "200", body=WHY, headers={"Idempotency-Key": "k" * MAX_KEY}),
    case(
        "A65",
        NEW,
        "400 Idempotency-Key:invalid_value",
        body=WHY,
        headers={"Idempotency-Key": "k" * (MAX_KEY + 1)},
    ),
    # The body itself is the first of them, the text within the last.
    *(
        case("A19", NEW, answer, body=b'{"reason": %s1%s}' % (b"[" * deep, b"]" * deep))
        for deep, answer in ((MAX_DEPTH - 2, "400 reason:invalid_value"), (MAX_DEPTH - 1, "400 too_deep"))
    ),
]
METHODS = [
    ("A41", "PATCH messages/{failed}/", {"state": "OK"}),
    ("A42", "PUT messages/{failed}/", {"state": "OK"}),
    ("A43", "DELETE messages/{failed}/", {}),
    ("A44", "POST messages/", {}),
    *(("A45", f"{method} messages/", {}) for method in ("TRACE", "CONNECT", "FOO", "PROPFIND")),
]

CASES = [
    *(case(row, f"GET messages/{text}/", "404 not_found") for row, texts in IDS.items() for text in texts),
    case("A10", "GET messages/{archived}/", "200", '"archived":true'),
    case("A11", CANCEL, "400 reason:required"),
    *(case(row, CANCEL, answer, body=raw) for row, raw, answer in BODIES),
    *LIMITS,
    case("A12", CANCEL, MALFORMED, "Line 1, column 2", body=b"{"),
    case("A18", CANCEL, MALFORMED, "twice", body=b'{"a": 1, "a": 2}'),
    case("A21", CANCEL, "413 body_too_large", body=b" " * 2_700_000),
    case("A22", CANCEL, "411 length_required", environ={"HTTP_TRANSFER_ENCODING": "chunked"}, body=b"x"),
    case("A28", CANCEL, "400 reason:too_long", body={"reason": "r" * 10_001}),
    case("A29", NEW, "200", body={"reason": "<script>alert(1)</script>"}),
    case("A30", NEW, "200", body={"reason": "x\r\nSet-Cookie: a=b"}),
    case("A31", CANCEL, "400 state:unknown_field", body=WHY | {"state": "OK"}),
    case(
        "A32",
        CANCEL,
        "400 expected_state:invalid_value",
        "PARTLY_FAILED",
        body=WHY | {"expected_state": "NOPE"},
    ),
    case(
        "A33",
        NEW,
        "412 precondition_failed",
        '"current_state": "NEW"',
        body=WHY | {"expected_state": "POSTPONED"},
    ),
    *(
        case("A34", f"POST messages/{{{state}}}/cancel/", "409 state_conflict", "current_state", body=WHY)
        for state in ("ok", "failed", "cancel")
    ),
    case("A35", "POST messages/{held}/restart/", "409 in_job", "job_id", body=WHY),
    case("A36", "POST messages/{archived}/cancel/", "409 archived", body=WHY),
    case("A37", "POST messages/{unknown}/cancel/", "404 not_found", body=WHY),
    case("A38", "POST messages/{processing}/restart/", "409 state_conflict", body=WHY),
    case("A39", "POST messages/{failed}/restart/", "400 total:invalid_value", body=WHY | {"total": "yes"}),
    case("A40", "POST messages/{failed}/restart/", "400 total:invalid_value", body=WHY | {"total": 1}),
    *(case(row, call, "405 method_not_allowed", body=body) for row, call, body in METHODS),
    case("A46", NEW, "200", body=WHY, headers={"X-HTTP-Method-Override": "DELETE"}),
    *(case(row, CANCEL, answer, body=b"<a/>", content_type=kind) for row, kind, answer in TYPES),
    case("A51", "GET messages/", "406 not_acceptable", headers={"Accept": "text/csv"}),
    *(
        case(row, "GET messages/", answer, role="", headers={"Authorization": text})
        for row, text, answer in TOKENS
    ),
    case("A56", CANCEL, "403 permission_denied", role="support", body=WHY),
    case("A56", CANCEL, "403 permission_denied", "needs the scope messages:act", role="reader", body=WHY),
    case("A57", "GET messages/?token={token_support}", "401 not_authenticated", role=""),
    case("A57", "GET messages/", "401", role="", headers={"Cookie": "token={token_support}"}),
    case("A61", "GET messages/", "400", hides=("evil",), headers={"Host": "evil.example"}),
    case("A62", NEW, "200", body=WHY, headers={"X-Forwarded-For": "1.2.3.4"}),
    case("A63", NEW, "200", body=WHY, environ={"HTTP_X_FORWARDED_PROTO": "ftp"}),
    *(
        case(
            "A65",
            "POST jobs/",
            "400 Idempotency-Key:invalid_value",
            body=JOB,
            headers={"Idempotency-Key": key},
        )
        for key in ("k" * 256, "a b", "", "a\0b", "\xe9")
    ),
    case(
        "A66",
        NEW,
        "422 idempotency_key_reused",
        headers={"Idempotency-Key": "k"},
        after=((NEW, WHY),),
        body={"reason": "another"},
    ),
    case("A69", NEW, "412 precondition_failed", body=WHY, headers={"If-Match": '"nonsense"'}),
    case("A69", NEW, "200", body=WHY, headers={"If-Match": "*"}),
    *(
        case("A69", NEW, "400 If-Match:invalid_value", body=WHY, headers={"If-Match": text})
        for text in ("nonsense", '"open', "", "**")
    ),
    case("A69", "POST jobs/", "400 If-Match:not_supported", body=JOB, headers={"If-Match": "*"}),
    case("A69", "GET messages/", "400 If-None-Match:not_supported", headers={"If-None-Match": '"x"'}),
    case("A71", "GET messages/?" + "a" * 20_000, "400 unknown_parameter"),
    case("A79", "GET messages/{payload}/payload/", "200", '"masked":true', hides=("Ada",), role="support"),
    case("A80", "GET messages/{failed}/?format=api", "400 format:unknown_parameter"),
    *(case("A80", f"GET messages/{{failed}}.{ending}/", "404 not_found") for ending in ("json", "xml")),
]

_ACCESS = "messages_app/access/"
SECTION = Section(
    prefix="A",
    count=80,
    cases=CASES,
    elsewhere={
        "A23": "messages_app/management/commands/test_up.py::TestUp::test_answers_requests_that_reach_no",
        "A59": f"{_ACCESS}test_authentication.py::TestSessionAuthentication::test_needs_the_csrf_token",
        "A60": f"{_ACCESS}test_authentication.py::TestSessionAuthentication::test_refuses_another_origin",
        "A67": f"{_ACCESS}test_idempotency.py::TestActOnce::test_refuses_while_the_first_is_in_progress",
        "A68": f"{_ACCESS}test_idempotency.py::TestPost::test_separates_the_keys_of_users",
        "A70": "messages_app/management/commands/test_up.py::TestUp::test_answers_requests_that_reach_no",
        "A77": f"{_ACCESS}test_rate_limits.py::TestTokenLimit",
        "A78": f"{_ACCESS}test_permissions.py::TestHasRight::test_asks_the_same_for_head",
    },
    not_offered={
        "A64": "the contract takes an Idempotency-Key, and requires none",
        **dict.fromkeys(
            ("A72", "A73", "A74", "A75", "A76"),
            "no bulk call of ids: the contract has jobs; the page's own is D01 to D16",
        ),
    },
)
