"""Other requests of programs: ids, waits, formats, tokens, schedules, the audit."""

from tests.bad_input.cases import Section, case

INVALID, REQUIRED, RANGE = "invalid_value", "required", "out_of_range"
HUGE = 2**63 + 1
TOKEN = {"name": "n", "reason": "r"}
SCHEDULE = {"kind": "restart", "filter": {"state": "FAILED"}, "reason": "r", "cron": "0 0 * * *"}
IDS = [
    ("T01", "", REQUIRED),
    ("T01", "1,,2", REQUIRED),
    ("T02", "abc", INVALID),
    ("T02", "1;2", INVALID),
    ("T02", "%D9%A1", INVALID),
    ("T02", "1.0", INVALID),
    ("T03", "-9223372036854775809", RANGE),
    ("T03", "9223372036854775808", RANGE),
    ("T03", "9" * 5000, RANGE),
    ("T04", ",".join(["1"] * 1001), RANGE),
]
JOB_IDS = [("T05", [], REQUIRED), ("T05", [None], INVALID), ("T05", [[1]], INVALID), ("T05", [-HUGE], RANGE)]
CASES = [
    *(case(row, f"GET messages/?msg_id={text}", f"400 msg_id:{code}") for row, text, code in IDS),
    case("T04", "GET messages/?msg_id=" + ",".join(["1"] * 1000), "200"),
    *(
        case(
            row,
            "POST jobs/",
            f"400 filter.msg_id:{code}",
            body={"kind": "restart", "filter": {"msg_id": ids}, "reason": "r"},
        )
        for row, ids, code in JOB_IDS
    ),
    *(
        case("T06", f"GET jobs/?{query}", f"400 {answer}")
        for query, answer in (
            ("state=DONE", "state:invalid_value"),
            ("kind=", "kind:required"),
            ("kind=restart,nope", "kind:invalid_value"),
            ("stat=done", "stat:unknown_parameter"),
        )
    ),
    *(
        case("T07", f"GET schema/?{query}", f"400 {answer}", role="support")
        for query, answer in (
            ("format=xml", "format:invalid_value"),
            ("format=", "format:required"),
            ("lang=de", "lang:unknown_parameter"),
        )
    ),
    *(
        case("T08", f"GET cp-queue/dispatches/?messageguid={text}", "400 messageguid:invalid_value")
        for text in ("x", "g" * 32, "0" * 33, "%7B" + "0" * 30 + "%7D")
    ),
    *(
        case("T09", f"GET {kind}/{text}/", "404 not_found", role="admin")
        for kind in ("requests", "responses", "tokens", "schedules")
        for text in ("abc", "-1", "9" * 30, "%00")
    ),
    *(
        case("T10", f"GET requests/5/?msg_id={text}", f"400 msg_id:{code}")
        for text, code in (("x", INVALID), (-HUGE, RANGE), ("", REQUIRED))
    ),
    *(
        case("T11", "POST tokens/", f"400 {answer}", role="admin", body=TOKEN | body)
        for body, answer in (
            ({"name": "n\u0000"}, "invalid_value"),
            ({"name": "n" * 61}, "name:too_long"),
            ({"days": 10**9}, "days:out_of_range"),
            ({"scopes": ["all"]}, "scopes:invalid_value"),
            ({"scopes": []}, "scopes:required"),
            ({"user": "", "scopes": None}, "user:required"),
            ({"requests_per_minute": 0}, "requests_per_minute:out_of_range"),
        )
    ),
    case("T12", "POST tokens/", "403 permission_denied", body=TOKEN),
    case("T12", "DELETE tokens/1/", "403 permission_denied", body={"reason": "r"}),
    *(
        case("T13", "POST schedules/", f"400 {answer}", role="admin", body=SCHEDULE | body)
        for body, answer in (
            ({"cron": "every night"}, "cron:invalid_value"),
            ({"zone": "Mars"}, "zone:invalid_value"),
            ({"filter": {"stat": "OK"}}, "filter.stat:unknown_parameter"),
            ({"filter": {}}, "filter:required"),
            ({"options": {"canry": 5}}, "options.canry:unknown_field"),
            ({"owner": "root"}, "owner:unknown_field"),
        )
    ),
    case("T14", "POST schedules/", "403 permission_denied", body=SCHEDULE),
    *(
        case("T15", f"GET audit/?{query}", f"400 {answer}")
        for query, answer in (
            ("outcome=maybe", "outcome:invalid_value"),
            ("at_from=today", "at_from:invalid_value"),
            ("details=x", "details:unknown_parameter"),
        )
    ),
    *(
        case("T16", f"{method} me/", "405 method_not_allowed", body={})
        for method in ("POST", "DELETE", "PUT")
    ),
]
SECTION = Section(prefix="T", count=16, cases=CASES)
