"""
Calls of the document history.

A UUID that is missing, blank or too long is judged by the vendor's rules.

Source: docs/contributing/spec/bad_input.md, "Document history"; docs/contributing/spec/document_history.md,
"Identifiers".
"""

from tests.bad_input.cases import Section, case

INVALID, REQUIRED, LONG, RANGE = "invalid_value", "required", "too_long", "out_of_range"
CHECK, COMPLETE = "POST document-history/check/", "POST document-history/complete/"
TRIGGERS = "POST document-history/triggers/"
NEW, DOUBT, DUPLICATE = '"status":"NEW"', '"status":"IN_DOUBT"', '"status":"DUPLICATE"'
ASKED = {"trigger_id": "t-1", "uuid": "u-1"}
BEGUN = (CHECK, ASKED)
WITH = {"trigger_id": "t-1", "uuid": "u-1", "token": "{token}"}


def _check(row: str, answer: str, *says: str, **changes: object):
    return case(row, CHECK, answer, *says, body=ASKED | changes)


CASES = [
    case("H01", CHECK, "200", DOUBT, '"rule":"no_uuid"', body={"trigger_id": "t-1"}),
    _check("H02", "200", DOUBT, uuid=""),
    _check("H02", "200", DOUBT, uuid=" "),
    _check("H02", "200", DOUBT, '"rule":"uuid_too_long"', uuid="x" * 300),
    _check("H02", f"400 uuid:{LONG}", uuid="x" * 4_001),
    case("H02", CHECK, f"400 uuid:{INVALID}", body=b'{"trigger_id": "t-1", "uuid": "a\\u0000b"}'),
    case("H02", CHECK, f"400 uuid:{INVALID}", body=b'{"trigger_id": "t-1", "uuid": "\\ud800"}'),
    _check("H03", "200", NEW, '"uuid":" ended "', uuid=" ended "),
    _check("H04", "200", NEW, uuid="ENDED"),
    case(
        "H05",
        CHECK,
        "200",
        NEW,
        after=((CHECK, ASKED | {"uuid": "\u00e9"}),),
        body=ASKED | {"uuid": "e\u0301"},
    ),
    _check("H06", "200", NEW, uuid="00000000-0000-0000-0000-000000000000"),
    *(_check("H07", "400", uuid=value) for value in (7, ["u"], {"u": 1}, None)),
    *(_check("H08", "200", NEW, uuid=text) for text in ("' OR 1=1 --", "<script>alert(1)</script>")),
    case("H09", CHECK, f"400 trigger_id:{REQUIRED}", body={"uuid": "u"}),
    _check("H10", "404 not_found", trigger_id="t-9"),
    _check("H12", f"400 trigger_id:{LONG}", trigger_id="x" * 300),
    _check("H12", f"400 {INVALID}", trigger_id="a\0b"),
    _check("H12", "404 not_found", trigger_id="../t-1"),
    _check("H13", "200", NEW, '"decided_by":"history"', redelivery_count=-1),
    _check("H14", "200", NEW, redelivery_count=0),
    _check("H15", "200", DOUBT, uuid="started", redelivery_count=0),
    _check("H16", "200", DUPLICATE, uuid="ended", redelivery_count=0),
    _check("H17", "200", NEW, redelivery_count=3),
    _check("H18", "200", DOUBT, uuid="started", redelivery_count=3),
    _check("H19", "200", DUPLICATE, uuid="ended", redelivery_count=3),
    *(_check("H21", f"400 redelivery_count:{RANGE}", redelivery_count=value) for value in (-2, 2**31)),
    *(_check("H21", f"400 redelivery_count:{INVALID}", redelivery_count=v) for v in (1.5, "1", True)),
    _check("H21", "200", NEW, redelivery_count=None),
    case(
        "H26",
        CHECK,
        "409 content_conflict",
        after=((CHECK, ASKED | {"content_sha256": "a" * 64}),),
        body=ASKED | {"content_sha256": "b" * 64},
    ),
    *(_check("H27", f"400 content_sha256:{INVALID}", content_sha256=v) for v in ("a" * 63, "g" * 64, 5)),
    case(
        "H28",
        CHECK,
        "200",
        '"hash_checked":false',
        after=((CHECK, ASKED | {"content_sha256": "a" * 64}),),
        body=ASKED,
    ),
    case("H29", CHECK, "413 body_too_large", body=b'{"document": "' + b"x" * 2_700_000 + b'"}'),
    case("H30", CHECK, "200", "{token}", headers={"Idempotency-Key": "k"}, after=(BEGUN,), body=ASKED),
    case("H31", CHECK, "200", DOUBT, after=(BEGUN,), body=ASKED),
    case("H32", COMPLETE, f"400 token:{REQUIRED}", after=(BEGUN,), body=ASKED),
    *(
        case(row, COMPLETE, "409 lease_lost", after=(BEGUN,), body=ASKED | {"token": token})
        for row, token in (("H33", "x"), ("H33", "x" * 300))
    ),
    case("H34", COMPLETE, "409 lease_lost", after=(BEGUN,), body=WITH | {"uuid": "started"}),
    case("H35", COMPLETE, "404 not_found", body=ASKED | {"token": "x"}),
    case("H36", COMPLETE, "200", '"status":"completed"', after=(BEGUN, (COMPLETE, WITH)), body=WITH),
    case("H39", COMPLETE, "400 outcome:unknown_field", after=(BEGUN,), body=WITH | {"outcome": "maybe"}),
    case("H42", COMPLETE, "400 msg_id:unknown_field", after=(BEGUN,), body=WITH | {"msg_id": 5}),
    *(
        case(
            "H43",
            f"POST document-history/in-doubt/1/{step}/",
            "403 permission_denied",
            role="support",
            body={"reason": "r"},
        )
        for step in ("resubmit", "settle")
    ),
    *(
        case(
            "H44",
            f"POST document-history/in-doubt/{{doubt}}/{step}/",
            f"400 reason:{REQUIRED}",
            body=body,
        )
        for step in ("resubmit", "settle")
        for body in ({}, {"reason": " "})
    ),
    *(
        case(
            "H45",
            "POST document-history/in-doubt/{doubt}/settle/",
            "400 status:unknown_field",
            body={"reason": "r", "status": v},
        )
        for v in ("IN_DOUBT", "OK", None)
    ),
    *(
        case("H46", f"POST document-history/in-doubt/{text}/settle/", "404 not_found", body={"reason": "r"})
        for text in ("abc", "-1", "9" * 30, "%00", "{unknown}")
    ),
    case("H58", "GET document-history/entries/?uuid=%25", "200", '"results":[]'),
    *(
        case("H60", f"GET document-history/entries/?{query}", "400")
        for query in ("ordering=token", "fields=token")
    ),
    case("H60", "GET document-history/entries/", "200", hides=("token",)),
    *(
        case("H62", f"DELETE document-history/{path}", "404|405")
        for path in ("entries/", "entries/u-1/", "triggers/t-1/")
    ),
    *(
        case(
            "H63",
            TRIGGERS,
            f"400 history_ttl_seconds:{code}",
            role="admin",
            body={"name": "n", "history_ttl_seconds": v},
        )
        for v, code in (
            (0, RANGE),
            (-1, RANGE),
            (2**40, RANGE),
            ("1", INVALID),
            (1.5, INVALID),
            (True, INVALID),
        )
    ),
    *(
        case("H63", f"GET document-history/triggers/t-1/expiring/{query}", "400")
        for query in (
            "",
            "?history_ttl_seconds=0",
            "?history_ttl_seconds=x",
            "?history_ttl_seconds=" + "9" * 30,
        )
    ),
    _check("H65", "400 seen_at:unknown_field", seen_at="2030-01-01T00:00:00Z"),
    _check("H71", "400 zzz:unknown_field", zzz=1),
    *(
        case("H71", call, "400", role="admin", body=raw)
        for call in (CHECK, COMPLETE, TRIGGERS)
        for raw in (b"\xef\xbb\xbf{}", b"[" * 100_000, b'{"a": 1, "a": 1}', '{"a": 1}'.encode("utf-16"))
    ),
    case("H72", "GET document-history/entries/?token=x", "400 token:unknown_parameter"),
    *(
        case("H10", f"GET document-history/triggers/{text}/", "404 not_found")
        for text in ("t-9", "%00", "..%2f", "x" * 5000, "%D9%A1")
    ),
]

_CASES = "messages_app/document_history/test_hard_cases.py::TestTheCaseOf::"
_CHANGING = "messages_app/document_history/services/"
_RACES = f"{_CHANGING}test_check_races.py::TestCheck::"
_AWAY = f"{_CHANGING}test_check_without_database.py::TestCheck::"
SECTION = Section(
    prefix="H",
    count=72,
    cases=CASES,
    elsewhere={
        "H11": f"{_CASES}test_21_a_history_that_is_no_longer_used",
        "H20": f"{_CASES}test_7_a_document_delivered_again_with_nothing_to_ask",
        "H22": f"{_CASES}test_2_a_service_that_failed",
        "H23": f"{_CASES}test_13_a_sweep_between_the_entries",
        "H24": f"{_RACES}test_answers_new_to_one_of_sixteen_round_after_round",
        "H25": f"{_CASES}test_14_two_triggers",
        "H40": "messages_app/document_history/test_hard_cases.py::TestSettling",
        "H41": f"{_CASES}test_13_a_sweep_between_the_entries",
        "H47": f"{_CHANGING}test_check_races.py::TestResolving::test_is_done_by_the_first_of_two_people",
        "H48": f"{_CHANGING}test_in_doubt.py::TestResubmit::test_begins_again_and_audits_who_and_why",
        "H49": f"{_CASES}test_19_a_resubmission",
        "H50": f"{_CASES}test_18_a_resolver_that_says_odd_things",
        "H52": f"{_AWAY}test_is_answered_503_over_rest_while_the_database_is_away",
        "H53": f"{_AWAY}test_is_answered_503_over_rest_while_the_database_is_away",
        "H55": f"{_AWAY}test_never_answers_new_twice_while_the_database_restarts",
        "H64": f"{_CHANGING}test_sweep.py::TestSweepBesideChecks::test_lets_checks_pass",
        "H66": f"{_CHANGING}test_triggers.py::TestChangeTrigger::test_keeps_unnamed_properties",
        "H67": f"{_CHANGING}test_triggers.py::TestCreateTrigger::test_refuses_an_id_that_was_used_before",
        "H68": "messages_app/document_history/test_plans.py::Test",
        "H70": f"{_CASES}test_4_only_a_completed_entry",
    },
    not_offered={
        **dict.fromkeys(
            ("H37", "H38"),
            'success and failure both complete (docs/contributing/spec/document_history.md, "Entries")',
        ),
        "H51": "a resolver is the hub's own code, called by its registered name; no address",
        "H54": "the console has one database; a replica refuses writes, which is a 503",
        **dict.fromkeys(("H56", "H57"), "a check is about one document"),
        "H59": "no time range is needed: each list has an index (docs/contributing/spec/design.md, R-9)",
        "H61": "users with access to the history see all of it; a confined token only checks documents",
        "H69": 'one database by its definition (docs/contributing/spec/interfaces.md, "Settings")',
    },
)
