"""
Business documents of 1 to 20 kB: templates made once per operation and size, filled in per message.

Everything is escaped for COPY when the template is made; what is filled in needs no escaping.
"""

from functools import cache
from random import Random
from typing import Protocol

from messages_app.demo.rows import moment_of
from messages_app.demo.world import OPERATIONS, Operation, make_dice

# Target sizes in bytes, and how often each occurs: most documents are small, a few are long.
_SIZES = (1_080, 1_250, 1_400, 1_700, 2_100, 2_700, 3_600, 5_200, 8_500, 13_000, 19_000)
_SHARES = (22, 20, 16, 13, 10, 7, 5, 3.5, 2, 1, 0.5)
_SHORT_SIZES = _SIZES[:5]
_TEMPLATE_SEED = 20

FIRST_NAMES = (
    "Anna", "Jan", "Petra", "Tomáš", "Eva", "Lukas", "Marie", "Jonas", "Zoë", "Karel", "Ingrid", "Miloš",
    "Sofia", "Henrik", "Lea", "Pavel", "Nora", "Adam", "Júlia", "Oskar",
)  # fmt: skip
LAST_NAMES = (
    "Novak", "Lindqvist", "Horák", "Meier", "Svoboda", "Berg", "Dvořák", "Keller", "Marek", "Olsen",
    "Fischer", "Kučera", "Larsen", "Weiss", "Pokorný", "Brandt", "Urban", "Schmid", "Beran", "Holm",
)  # fmt: skip
_STREETS = ("Mill Lane", "Station Road", "Harbour Street", "Lime Avenue", "Castle Hill", "Garden Square")
_CITIES = ("Northbridge", "Eastwick", "Lakeview", "Oldport", "Riverton", "Highfield", "Stonebury")
_PRODUCTS = (
    "Smart meter E450",
    "Wall box 11 kW",
    "Heat pump service",
    "Gas boiler check",
    "Router GX2",
    "Solar kit S",
)
_ATTRIBUTES = (
    "language",
    "segment",
    "contactChannel",
    "newsletter",
    "creditLimit",
    "branch",
    "salesperson",
    "vatId",
)
_WORDS = (
    "thank you for your order", "your invoice is attached", "our technician will call",
    "please check the address", "the tariff changes next month", "your meter was read",
    "we could not reach you", "payment was received",
)  # fmt: skip


# The fields of a template: correlation_id, process_id, object_id, reference, source_system, time, number,
# name, city, postal_code.
_SOAP_OPEN = """<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" \
xmlns:trc="http://hub.example/ws/Trace-v1">
  <soapenv:Header>
    <trc:traceHeader>
      <trc:traceIdentifier>
        <trc:applicationID>%(source_system)s</trc:applicationID>
        <trc:timestamp>%(time)s</trc:timestamp>
        <trc:correlationID>%(correlation_id)s</trc:correlationID>
        <trc:processID>%(process_id)s</trc:processID>
      </trc:traceIdentifier>
    </trc:traceHeader>
  </soapenv:Header>
  <soapenv:Body>
"""
_SOAP_CLOSE = """
  </soapenv:Body>
</soapenv:Envelope>"""

_DOCUMENT_OPEN = """    <{tag}Request xmlns="http://hub.example/ws/{service}-v1">
      <requestId>%(correlation_id)s</requestId>
      <{entity}Id>%(object_id)s</{entity}Id>
      <reference>%(reference)s</reference>
      <createdAt>%(time)s</createdAt>
      <party>
        <name>%(name)s</name>
        <address>
          <street>{street} %(number)s</street>
          <city>%(city)s</city>
          <postalCode>%(postal_code)s</postalCode>
          <country>{country}</country>
        </address>
      </party>
      <amount currency="EUR">%(number)s.{cents:02d}</amount>
      <items>
"""
_DOCUMENT_CLOSE = """      </items>
    </{tag}Request>"""


class Sender(Protocol):
    """The columns of a message that its documents contain, of a draft or a stored row."""

    @property
    def correlation_id(self) -> str: ...

    @property
    def process_id(self) -> str | None: ...

    @property
    def object_id(self) -> str | None: ...

    @property
    def source_system(self) -> str: ...


def fill_template(
    message: Sender,
    *,
    at: float,
    number: int,
    random: Random,
    reference: str = "",
    has_postal_code: bool = True,
) -> dict[str, object]:
    """
    Return the values of the document templates for one message.

    Args:
        at: when it was sent, in seconds since 1970.
        reference: the id of the object of its parent.
        has_postal_code: without it, the hub refuses the message (failures.INVALID_INPUT).
    """
    return {
        "correlation_id": message.correlation_id,
        "process_id": message.process_id or "",
        "object_id": message.object_id or "",
        "reference": reference,
        "source_system": message.source_system,
        "time": str(moment_of(at)).replace(" ", "T"),
        "number": number % 9_000 + 10,
        "name": choose_name(random),
        "city": choose_city(random),
        "postal_code": f"{number % 83 * 997 + 10_000}" if has_postal_code else "",
    }


def payload_template(operation: Operation, random: Random) -> str:
    """Return one of the operation's templates, weighted by how often its size occurs."""
    return random.choices(_make_templates(operation.name), _shares_of(operation.content))[0]


def wrap_in_envelope(payload: str, fill: dict[str, object]) -> str:
    """Return the whole input request around a filled payload, escaped for COPY."""
    return f"{_SOAP_OPEN % fill}{payload}{_SOAP_CLOSE}"


def request_envelope(operation: Operation, fill: dict[str, object]) -> str:
    """Return the hub's request to an external system, escaped for COPY."""
    return _request_template(operation.name) % fill


def response_envelope(operation: Operation, fill: dict[str, object]) -> str:
    """Return the external system's response, escaped for COPY."""
    return _response_template(operation.name) % fill


def choose_name(random: Random) -> str:
    return f"{random.choice(FIRST_NAMES)} {random.choice(LAST_NAMES)}"


def choose_city(random: Random) -> str:
    return random.choice(_CITIES)


def _sizes_of(content: str) -> tuple[int, ...]:
    return _SHORT_SIZES if content == "text" else _SIZES


def _shares_of(content: str) -> tuple[float, ...]:
    return _SHARES[: len(_sizes_of(content))]


@cache
def _make_templates(name: str) -> tuple[str, ...]:
    operation = OPERATIONS[name]
    # Its own source of random numbers, the same for every seed: filler text need not vary.
    random = make_dice(f"{_TEMPLATE_SEED} {name}")
    return tuple(_make_document(operation, size, random) for size in _sizes_of(operation.content))


def _make_document(operation: Operation, size: int, random: Random) -> str:
    words = {
        "tag": operation.name,
        "service": operation.service,
        "entity": operation.entity_type.lower().replace("_", ""),
        "street": random.choice(_STREETS),
        "country": random.choice(("AT", "CZ", "DE", "SE")),
        "cents": random.randrange(100),
    }
    text = _DOCUMENT_OPEN.format(**words)
    close = _DOCUMENT_CLOSE.format(**words)
    make_item = _ITEMS[operation.content]
    number = 1
    while len(text) + len(close) < size:
        text += make_item(number, random)
        number += 1
    return text + close


def _order_line(number: int, random: Random) -> str:
    return (
        f'        <line no="{number}">\n          <product>{random.choice(_PRODUCTS)}</product>\n'
        f"          <quantity>{random.randrange(1, 9)}</quantity>\n"
        f'          <price currency="EUR">{random.randrange(20, 900)}.{random.randrange(100):02d}</price>\n'
        "        </line>\n"
    )


def _invoice_line(number: int, random: Random) -> str:
    return (
        f'        <line no="{number}" vatRate="{random.choice((10, 15, 21))}">\n'
        f"          <text>{random.choice(('energy', 'distribution', 'standing charge', 'service'))}</text>\n"
        f'          <quantity unit="kWh">{random.randrange(1, 4000)}</quantity>\n'
        f"          <net>{random.randrange(1, 700)}.{random.randrange(100):02d}</net>\n        </line>\n"
    )


def _ledger_entry(number: int, random: Random) -> str:
    return (
        f'        <entry no="{number}" side="{random.choice(("debit", "credit"))}">\n'
        f"          <account>{random.randrange(311_000, 699_999)}</account>\n"
        f"          <amount>{random.randrange(1, 9000)}.{random.randrange(100):02d}</amount>\n"
        f"          <variableSymbol>{random.randrange(10**8, 10**9)}</variableSymbol>\n        </entry>\n"
    )


def _meter_reading(number: int, random: Random) -> str:
    return (
        f'        <reading register="1.8.{number % 4}" quality="{random.choice("AAAEB")}">\n'
        f"          <at>2025-{random.randrange(1, 13):02d}-{random.randrange(1, 29):02d}T00:00:00Z</at>\n"
        f'          <value unit="kWh">{random.randrange(1000, 99_999)}.{random.randrange(1000):03d}</value>\n'
        "        </reading>\n"
    )


def _customer_attribute(number: int, random: Random) -> str:
    return (
        f'        <attribute name="{random.choice(_ATTRIBUTES)}" version="{number}">'
        f"{random.randrange(16**6):06x}</attribute>\n"
    )


def _work_task(number: int, random: Random) -> str:
    return (
        f'        <task no="{number}" minutes="{random.randrange(15, 180, 15)}">\n'
        f"          <street>{random.choice(_STREETS)} {random.randrange(1, 90)}</street>\n"
        f"          <city>{random.choice(_CITIES)}</city>\n"
        f"          <technician>{choose_name(random)}</technician>\n        </task>\n"
    )


def _text_sentence(number: int, random: Random) -> str:
    return f'        <p n="{number}">{random.choice(_WORDS)}, {random.choice(_WORDS)}</p>\n'


_ITEMS = {
    "order_line": _order_line,
    "invoice_line": _invoice_line,
    "entry": _ledger_entry,
    "reading": _meter_reading,
    "attribute": _customer_attribute,
    "task": _work_task,
    "text": _text_sentence,
}


@cache
def _request_template(name: str) -> str:
    operation = OPERATIONS[name]
    return (
        f'<{name} xmlns="http://hub.example/out/{operation.service}">\n'
        "  <correlationId>%(correlation_id)s</correlationId>\n  <object>%(object_id)s</object>\n"
        "  <sentAt>%(time)s</sentAt>\n  <name>%(name)s</name>\n  <value>%(number)s</value>\n"
        f"</{name}>"
    )


@cache
def _response_template(name: str) -> str:
    operation = OPERATIONS[name]
    return (
        f'<{name}Response xmlns="http://hub.example/out/{operation.service}">\n  <result>OK</result>\n'
        f"  <object>%(object_id)s</object>\n  <reference>%(number)s</reference>\n</{name}Response>"
    )
