"""
Forms and pages.

Source: docs/contributing/spec/bad_input.md, "Pages".

The hub's tables are not in the admin: rows about a change list apply to the list of messages and its
action, rows about a change form to addresses that do not exist.
"""

from tests.bad_input.cases import Section, case

ACT = "POST /messages/act/"
HUB = "/admin/messages_app/message/"
LOG_IN = "POST /login/"
NEW_JOB = "/jobs/new/?kind=restart&state=FAILED"
SCHEDULE = "POST /schedules/new/?kind=archive"
NIGHTLY = {"every": "cron", "cron": "0 2 * * *", "zone": "UTC", "reason": "r", "to": "tables"}
OWN = {"older_than_months": "2", "view": "own"}
PAYLOAD = "GET /messages/{payload}/payload/"
MASKED = [
    "?correlation_id__regex=(a%2B)%2B$",
    "?payload__startswith=%3Ca",
    "?payload__regex=(",
    "?externalcall__msg__payload__contains=x",
]


def _act(row: str, answer: str, *says: str, role: str = "operator", **fields: object):
    return case(row, ACT, answer, *says, role=role, form={"action": "cancel"} | fields)


CASES = [
    _act("D01", "400", "No messages were selected"),
    _act("D02", "400", "action must be one of", action="nope", msg_id="{new}"),
    *(_act("D03", "400", "must be a message", msg_id=text) for text in ("abc", "1.0", "")),
    _act("D04", "400", "must be a message", msg_id="1\0"),
    _act("D05", "400", "must be a message", msg_id="9223372036854775808"),
    _act("D05", "200", "None of these messages", msg_id="{unknown}"),
    *(_act("D07", "400", "No messages were selected", select_across=text) for text in ("x", "0", "true")),
    _act("D08", "400", "No messages were selected", select_across="1"),
    # With `action` as many fields as a form may have, and one more (docs/contributing/spec/promises.md,
    # S-40).
    _act("D10", "400", "At most", "job", msg_id=[str(n) for n in range(1, 600)]),
    _act("D10", "400", "too many fields", msg_id=[str(n) for n in range(1, 601)]),
    _act("D11", "400", "action must be one of", action="", index="99", msg_id="{new}"),
    _act("D12", "403", role="support", msg_id="{new}"),
    case("D13", "GET /messages/act/?action=cancel&msg_id={new}", "405"),
    _act("D14", "200", "0 cancelled", confirmed="1", target="{cancel}:NEW", reason="r"),
    _act("D15", "200", "is OK, not NEW", confirmed="1", target="{ok}:NEW", reason="r"),
    *(
        _act("D16", "400", confirmed="1", target=text, reason="r")
        for text in ("5", "x:NEW", "{new}:NOPE", "{new}:NEW\0")
    ),
    case("D16", f"POST {NEW_JOB}", "400", form={"shown": "forged", "reason": "r"}),
    *(case("D17", f"GET /messages/{text}/", "404") for text in ("abc", "-1", 2**63, "%00", "9" * 5000)),
    *(case("D17", f"GET /jobs/{text}/", "404") for text in ("abc", "-1", 2**63, "%00", "9" * 5000)),
    case("D18", f"GET {HUB}add/", "302|404"),
    case("D19", f"POST {HUB}{{ok}}/delete/", "302|404", form={"post": "yes"}),
    *(case("D20", f"POST {HUB}{{ok}}/change/", "302|404", form={"state": "OK"}) for _ in "1"),
    case("D21", f"POST {HUB}{{ok}}/change/", "302|404", form={"payload": "x"}),
    case("D22", f"POST {HUB}", "302|404", form={"form-0-state": "OK", "form-TOTAL_FORMS": "1"}),
    case("D23", f"POST {HUB}{{ok}}/change/", "302|404", form={"externalcall_set-0-state": "OK"}),
    case("D24", f"POST {HUB}", "302|404", form={"form-TOTAL_FORMS": "1000000"}),
    case("D25", f"POST {HUB}", "302|404", form={"_save": "1"}),
    *(case("D26", f"GET /messages/?o={text}", "400", "o") for text in ("zz", "99", "-1.-1.1", "9" * 3000)),
    *(case("D27", f"GET /messages/?p={text}", "400") for text in ("-1", "abc", "1" + "0" * 30)),
    case("D28", "GET /messages/?all=", "302|400"),
    case("D29", "GET /messages/?object_id=%00", "400"),
    case("D30", "GET /messages/?q=" + "x" * 200_000, "400|414"),
    case("D31", "GET /messages/?q=" + "%20".join(["word"] * 1000), "400"),
    case("D32", "GET /messages/?q=%22unbalanced", "400"),
    case("D33", "GET /messages/?correlation_id=%25_%5C", "200"),
    case("D34", "GET /messages/?service__exact=a%00b", "400"),
    *(
        case(row, f"GET /messages/{query}", "400")
        for row, query in zip(("D37", "D36", "D35", "D38"), MASKED, strict=True)
    ),
    case("D39", "GET /audit/?user__password__startswith=pbkdf2", "400"),
    case("D40", "GET /messages/?state=NOPE", "400", "NOPE"),
    *(
        case("D41", f"GET /messages/?receive_timestamp_from={text}", "400")
        for text in ("x", "0000-01-01T00:00Z", "2026-13-01T00:00Z", "2026-02-30T00:00Z")
    ),
    case("D42", "GET /messages/?receive_timestamp_from=0001-01-01T00:00%2B14:00", "400"),
    *(case("D43", f"GET /messages/?{query}", "400") for query in ("_connector=OR", "_negated=1")),
    case("D44", "GET /messages/?_to_field=payload", "400"),
    case("D45", "GET /messages/?_popup=1", "400"),
    case("D46", "GET /admin/r/9/abc/", "302|404"),
    case("D47", "GET /admin/autocomplete/?app_label=auth&model_name=user&field_name=x", "302|403"),
    *(
        case("D49", LOG_IN, "200", "error", form={"username": name, "password": "x"}, role="")
        for name in ("a\0b", "x" * 10_000, "\u202eada", "\U0001f600")
    ),
    case("D49", LOG_IN, "200", "4096", form={"username": "operator", "password": "x" * 5000}, role=""),
    case("D49", "POST /password/", "400", "at most 4096", form={"old_password": "x" * 5000}),
    case("D52", LOG_IN, "200", "error", form={"username": "' OR 1=1 --", "password": "x"}, role=""),
    *(
        case("D56", SCHEDULE, "400", role="admin", form=NIGHTLY | {"older_than_months": text})
        for text in ("", "0", "-1", "x", "9" * 400)
    ),
    *(
        case(
            "D57",
            SCHEDULE,
            "400",
            role="admin",
            form=NIGHTLY | {"older_than_months": "2", **OWN, "line": text},
        )
        for text in ("x" * 1_000_000, "%ff%fe", "[" * 10_000, "zzz:1")
    ),
    case("D58", "GET /jobs/new/?kind=archive", "403"),
    case("D58", "GET /jobs/new/?kind=nonsense", "400"),
    case("D63", PAYLOAD, "200", "onerror", hides=("<img src=x",), payload="<img src=x onerror=alert(1)>"),
    case("D64", PAYLOAD, "200", "U+202E", hides=("\u202e",), payload="safe \u202egnp.exe"),
    case(
        "D65",
        "POST /messages/views/",
        "302|200|400",
        hides=("<svg onload",),
        form={"name": "<svg onload=alert(1)>", "query": "state=FAILED"},
    ),
    case("D67", "GET /messages/{failed}/", "403", role="service"),
    case("D68", "GET /login/", "200", role="", headers={"Cookie": "django_language=" + "x" * 10_000}),
    case("D70", "POST /messages/{new}/cancel/", "302", form={"reason": "r"}, role=""),
]

_ACCESS = "messages_app/access/"
_STARTING = "messages_app/jobs/views/create/test_views.py::TestStarting::"
SECTION = Section(
    prefix="D",
    count=70,
    cases=CASES,
    elsewhere={
        "D09": f"{_STARTING}test_requires_another_preview_if",
        "D48": f"{_ACCESS}test_views.py::TestLogIn::test_redirects_only_within_this_site",
        "D50": f"{_ACCESS}test_throttling.py::TestLogIn",
        "D51": f"{_ACCESS}test_throttling.py::TestLogIn",
        "D53": f"{_ACCESS}test_views.py::TestPasswords",
        "D54": f"{_ACCESS}test_views.py::TestLogIn::test_changes_the_session_id",
        "D55": f"{_ACCESS}test_views.py::TestLogIn::test_is_not_cached_by_browsers",
        "D60": "messages_app/shared/test_text_safety_cells.py::TestCell::test_holds_no_formula",
        "D61": "messages_app/messages/listing/test_part_views_export.py::Test",
        "D62": "messages_app/messages/detail/test_content_views.py::TestContent::test_shows_a_piece_of_20",
        "D66": "messages_app/messages/listing/saved_views/test_views.py::TestViewsPage::test_rejects_an",
        "D69": f"{_ACCESS}test_views.py::TestForms",
    },
    not_offered={
        "D06": "users who may see messages see all rows: permissions are by role, not by row",
        "D59": "no page takes a file",
    },
)
