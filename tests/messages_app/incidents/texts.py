"""Error texts of generated outages: real ones of many products, and unknown ones of random words."""

from random import Random

# {h}: the host of the system, {s}: the service, {n}: a number, {w}: a value of the message.
SYSTEM = (
    "java.net.ConnectException: Connection refused ({h})",
    "java.net.SocketTimeoutException: connect timed out: {h}",
    "java.net.SocketTimeoutException: Read timed out",
    "HTTP operation failed invoking http://{h}/ws with statusCode: 503",
    "HTTP operation failed invoking http://{h}/ws with statusCode: 502",
    "org.apache.http.NoHttpResponseException: {h} failed to respond",
    "java.net.UnknownHostException: {h}",
    "javax.net.ssl.SSLHandshakeException: Received fatal alert: handshake_failure",
    "500 Internal Server Error from {h}",
    "I/O error: Connection reset by peer",
    "System {h} is in maintenance until 20:00",
    "Backend not available, code B{n}",
    "No response within 30000 ms from endpoint",
    "System.Net.WebException: The remote server returned an error: (503) Server Unavailable.",
    "dial tcp: connect: connection refused",
    "requests.exceptions.ConnectionError: Max retries exceeded with url: /api (Caused by NewConnectionError)",
)
SLOW = (
    "java.net.SocketTimeoutException: Read timed out",
    "org.apache.camel.ExchangeTimedOutException: The OUT message was not received within: 30000 millis",
    "HTTP operation failed invoking http://{h}/ws with statusCode: 504",
    "Call took longer than 20 s, gave up",
    "context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
    "Zeitüberschreitung beim Warten auf {h}",
)
CODE = (
    "java.lang.NullPointerException\n\tat com.hub.{s}.Mapper.map(Mapper.java:{n})",
    "java.lang.ClassCastException: class com.hub.{s}.A cannot be cast to class com.hub.{s}.B",
    "java.lang.IndexOutOfBoundsException: Index 3 out of bounds for length 3",
    "java.lang.IllegalStateException: unexpected state {w}",
    "java.lang.NoSuchMethodError: com.hub.{s}.Client.send(Ljava/lang/String;)V",
    "java.lang.IllegalArgumentException: No enum constant com.hub.{s}.Kind.{w}",
    "Cannot convert {w} to java.math.BigDecimal",
    "Template {s}.xslt failed at line {n}",
    "AttributeError: 'NoneType' object has no attribute 'price'",
    "TypeError: Cannot read properties of undefined (reading 'lines')",
)
DATA = (
    "cvc-datatype-valid.1.2.1: '{w}' is not a valid value for 'date'",
    "Element <Zipcode> is missing",
    "Unmarshalling error: unexpected element 'amout'",
    "Field currency must be one of EUR, CHF",
    "Value '{w}' of field country is too long",
    "Customer number {n} has a wrong check digit",
    "JSON parse error: Unexpected character at position {n}",
    "Quantity must be greater than 0, was -{n}",
    "Das Feld 'Lieferdatum' fehlt im Auftrag {n}",
    "EDI segment NAD+BY is missing",
    "Unknown unit {w} in line {n}",
)
BACKGROUND = (
    "No customer {n} found",
    "Order {n} is closed",
    "java.lang.NullPointerException\n\tat com.hub.{s}.Check.run(Check.java:88)",
    "Duplicate key value violates unique constraint uk_{s}",
    "java.net.SocketTimeoutException: Read timed out",
    "HTTP operation failed invoking http://{h}/ws with statusCode: 400",
    "HTTP operation failed invoking http://{h}/ws with statusCode: 404",
    "Account of {w} is blocked",
    "Amount {n} exceeds limit",
    "java.net.ConnectException: Connection refused ({h})",
    "Element <Name> is missing",
    "Contract {n} expired",
    "ORA-00060: deadlock detected while waiting for resource",
    "Lock wait timeout exceeded",
    "Produkt {w} ist nicht lieferbar",
)
_VALUES = ("Alpha", "Beta", "x17", "N/A", "2026-13-01", "foo", "Zürich", "12,5", "ABC")
_SYLLABLES = (
    "ka",
    "lo",
    "mi",
    "ter",
    "san",
    "vor",
    "rek",
    "pol",
    "den",
    "ist",
    "ul",
    "gra",
    "fe",
    "ño",
    "zu",
    "bar",
    "tek",
    "lin",
    "os",
    "wal",
    "dri",
    "peq",
    "usz",
    "cho",
    "ent",
    "mar",
    "vis",
    "ola",
    "kup",
)
_LANGUAGES = (
    "der Vorgang {a} wurde von {b} mit Ergebnis {c} beendet",
    "le traitement {a} de {b} a donné {c}",
    "el paso {a} terminó con {b} {c}",
    "zlecenie {a} zakończone przez {b}: {c}",
    "stap {a} gaf {b} terug, {c}",
    "step {a} of {b} ended with {c}",
    "{a} {b} {c}",
    "処理 {a} は {b} で終了しました {c}",
)


def fill_text(random: Random, text: str, host: str, service: str) -> str:
    """Return a text with its values."""
    values = {
        "h": host or "host",
        "s": service,
        "n": str(random.randint(10, 99_999)),
        "w": random.choice(_VALUES),
    }
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def invent_text(random: Random) -> str:
    """Return a text of unknown words, in one of several languages and forms."""
    words = {name: "".join(random.choices(_SYLLABLES, k=random.randint(2, 3))) for name in "abc"}
    name = "".join(random.choices(_SYLLABLES, k=2)).title()
    code = random.randint(100, 999)
    head = random.choice(
        ("", f"ERR-{code}: ", f"[SVC{code}] ", f"com.acme.{{s}}.{name}Exception: ", f"{name}Fault: ")
    )
    end = random.choice(("", " {n}", " (rc={n})")) + random.choice(("", "", " {h}"))
    return head + random.choice(_LANGUAGES).format(**words).capitalize() + end


def replace_some(random: Random, texts: tuple[str, ...], share: float) -> list[str]:
    """Return texts of which a share is unknown."""
    return [invent_text(random) if random.random() < share else text for text in texts]
