"""
XML and other payloads: in the viewer, the masker, the diff, on their way in.

Source: docs/contributing/spec/bad_input.md, "Payloads".
"""

from tests.bad_input.cases import Section, case

VIEW, RAW = "GET /messages/{payload}/payload/", "GET /messages/{payload}/payload/?view=raw"
API = "GET messages/{payload}/payload/"
SECRET = "hunter2"
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
PASSWD = '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>'
REMOTE = "http://127.0.0.1:9/x"

# row, payload, what the page says of it
SHOWN = [
    ("X01", "", "The payload is empty."),
    ("X02", " \n", "The payload is empty."),
    ("X02", "\ufeff", "The payload is empty."),
    *(("X03", text, "") for text in ("plain text", '{"a": 1}', "aGVsbG8=", "UNA:+.? '", "\x01\x02")),
    ("X04", "<a>", "Not well-formed: line 1, column 4"),
    ("X05", "<a/><b/>", "Not well-formed"),
    ("X06", '<a b="1" b="2"/>', "redefined"),
    ("X07", "<a>&nope;</a>", "not defined"),
    ("X08", f"<!DOCTYPE a [<!ENTITY l0 'ha'>{LAUGHS}]><a>&l9;</a>", "DTDs and entities are not processed"),
    ("X09", f'<!DOCTYPE a [<!ENTITY e "{"x" * 100_000}">]><a>{"&e;" * 1000}</a>', "DTDs and entities"),
    ("X10", '<!DOCTYPE a [<!ENTITY e "ok">]><a>&e;&e;</a>', "DTDs and entities"),
    ("X11", PASSWD, "DTDs and entities"),
    ("X12", PASSWD.replace("file:///etc/passwd", REMOTE), "DTDs and entities"),
    ("X13", f'<!DOCTYPE a [<!ENTITY % p SYSTEM "{REMOTE}"> %p;]><a/>', "DTDs and entities"),
    ("X14", f'<!DOCTYPE x SYSTEM "{REMOTE}.dtd"><x/>', "DTDs and entities"),
    ("X15", "<!DOCTYPE html><html/>", "An HTML page"),
    (
        "X16",
        '<a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="file:///etc/passwd"/></a>',
        "passwd",
    ),
    ("X17", f'<a xmlns:xsi="urn:x" xsi:schemaLocation="urn:y {REMOTE}"/>', "schemaLocation"),
    ("X18", '<?xml-stylesheet href="javascript:alert(1)"?><a/>', "xml-stylesheet"),
    ("X19", "<xsl:copy-of xmlns:xsl='urn:x' select=\"document('/etc/passwd')\"/>", "document("),
    ("X20", "<a>" * 200_000, "nested too deeply"),
    ("X21", "<a><b>" * 50_000, "nested too deeply"),
    ("X22", "<a>" + "<b/>" * 100_000 + "</a>", ""),
    ("X23", "<a" + "".join(f' x{n}="1"' for n in range(20_000)) + "/>", ""),
    ("X24", "<a" + "".join(f' xmlns:x{n}="urn:{n}"' for n in range(20_000)) + "/>", ""),
    ("X25", "<a>" + "x" * 1_100_000 + "</a>", "Too large to check"),
    ("X26", "<a><![CDATA[" + "x" * 1_100_000 + "]]></a>", "Too large to check"),
    ("X28", "x" * 1_100_000, ""),
    ("X30", "<a>\x01\x1f</a>", "U+0001"),
    *(("X31", f"<a>&#{code};</a>", "Not well-formed") for code in ("0", "1", "xD800", "xFFFE")),
    ("X33", '<?xml version="1.1"?><a/>', ""),
    ("X34", '<?xml version="1.0" encoding="UTF-16"?><a>ž</a>', "ž"),
    ("X35", '<?xml version="1.0" encoding="cp037"?><a/>', ""),
    ("X35", '<?xml version="1.0" encoding="x-user-defined"?><a/>', ""),
    ("X36", '<?xml version="1.0" encoding="ISO-8859-1"?><a>ž</a>', "ž"),
    ("X37", '\ufeff<?xml version="1.0"?><a>ž</a>', "ž"),
    ("X39", "<a><![CDATA[</script><script>alert(1)//]]></a>", "&lt;/script&gt;"),
    ("X40", '<a onload="alert(1)" href="javascript:alert(1)"/>', "onload"),
    ("X41", "<svg><script>alert(1)</script></svg>", "alert(1)"),
    *(("X42", text, "") for text in ("<a>]]></a>", "<a><!-- a--b --></a>", "<a><? x</a>")),
    ("X43", "<a><?pi " + "x" * 600_000 + "?></a>", ""),
    ("X52", "--b\r\nContent-Type: text/xml\r\n\r\n<a/>\r\n--b--", "Content-Type"),
    ("X53", "\x1f\x8b\x08", ""),
    ("X54", "H4sIAAAAAAAA/w==" * 100, "H4sI"),
    ("X65", "<a>${jndi:ldap://x} {{7*7}} {% now %}</a>", "{{7*7}}"),
    ("X68", "<a>\U0001f600" + "e" + "\u0301" * 10_000 + "</a>", ""),
    ("X69", "<p\u0430ssword>x</p\u0430ssword>", ""),
]
# Text that masked readers must never see.
HIDDEN = [
    ("X44", f"<a><!-- password {SECRET} --></a>"),
    ("X45", f"<Password>{SECRET}</Password>"),
    ("X46", f"<n:password xmlns:n='urn:n'>{SECRET}</n:password>"),
    ("X46", f"<PASSWORD>{SECRET}</PASSWORD>"),
    ("X47", f"<a password='{SECRET}'><![CDATA[{SECRET}]]>{SECRET}</a>"),
    ("X48", f"<a><password>{SECRET}</a>"),
    ("X49", f'<a>{{"password": "{SECRET}"}}</a>'),
    ("X49", f'{{"password": "{SECRET}"}}'),
    ("X50", "<a>4111 1111 1111 1111 hunter2</a>"),
    ("X51", f"<s:Envelope xmlns:s='urn:s'><UsernameToken>{SECRET}</UsernameToken></s:Envelope>"),
]
NEW_MESSAGE = {"system": "crm", "entity": "customer", "process": False}

CASES = [
    *(
        case(row, VIEW, "200", *filter(None, [says]), payload=text)
        for row, text, says in SHOWN
        if "\0" not in text
    ),
    *(
        case(row, call, "200", hides=(SECRET,), payload=text, role="support")
        for row, text in HIDDEN
        for call in (VIEW, RAW, API, f"{VIEW}?view=hex", f"{VIEW}?find={SECRET[1:]}")
    ),
    case("X11", VIEW, "200", hides=("root:",), payload=PASSWD),
    case(
        "X39", VIEW, "200", hides=("<script>alert",), payload="<a><![CDATA[<script>alert(1)</script>]]></a>"
    ),
    case("X29", "POST message-store/", "400", body=NEW_MESSAGE | {"data": "a\0b"}),
    case(
        "X32",
        "POST message-store/",
        "400 data:invalid_value",
        body=b'{"system": "crm", "entity": "e", "data": "\\ud800"}',
    ),
    case(
        "X38",
        "GET /messages/{payload}/payload/download/",
        "200",
        "a\r\nb\rc\u2028d",
        payload="a\r\nb\rc\u2028d",
    ),
    case(
        "X59",
        "GET /messages/{payload}/compare/?with={ok}",
        "200",
        payload="<a>" + "x" * 1_100_000 + "</a>",
    ),
    case("X70", "GET messages/{payload}/envelope/", "200"),
]

_CONTENTS = "messages_app/messages/detail/test_content_views.py::TestContent::"
SECTION = Section(
    prefix="X",
    count=70,
    cases=CASES,
    elsewhere={
        "X12": "messages_app/payloads/test_payload_view.py::TestPayloadView::test_follows_no_address",
        "X27": f"{_CONTENTS}test_shows_a_piece_of_20",
        "X60": "messages_app/payloads/comparison/test_differences.py::TestChanges::test_find_one_change",
        "X66": "messages_app/core/test_error_handlers.py::TestHandlers",
        "X67": "messages_app/shared/test_text_safety_cells.py::TestCell::test_holds_no_formula",
    },
    not_offered={
        **dict.fromkeys(("X55", "X56", "X57", "X58"), "no search by XPath: a word is looked for as text"),
        **dict.fromkeys(
            ("X61", "X62", "X63", "X64"), "a payload cannot be edited: the hub's text is what it received"
        ),
    },
)
