"""
A second generator of outages, of another style: it draws counts of minutes instead of messages.

It checks that gathering does not depend on the first one.
Source: docs/contributing/decisions/0040-incidents.md, "Measurements".
"""

from math import exp
from random import Random

from messages_app.incidents.gathering.records import Window
from tests.messages_app.incidents.days import DAY, Day

SHAPES = (
    "database",
    "certificate",
    "names",
    "night",
    "big_sender",
    "many_services",
    "clumps",
    "flapping",
    "batch",
)
MIN_FAILURES = 60
_TEXTS = {
    "database": (
        "org.postgresql.util.PSQLException: FATAL: sorry, too many clients already",
        "HikariPool-1 - Connection is not available, request timed out after 30000ms.",
        "org.postgresql.util.PSQLException: This connection has been closed.",
        "Unable to acquire JDBC Connection",
        "ORA-03113: end-of-file on communication channel",
    ),
    "system": (
        "failed to call {h}: 503 Service Unavailable",
        "read tcp 10.1.1.4:5112->10.8.1.1:443: i/o timeout",
        "Post https://{h}/v2/orders: EOF",
        "upstream connect error or disconnect/reset before headers",
        "Der Dienst {h} ist nicht erreichbar",
    ),
    "data": (
        "$.items[{n}].vat: value is required",
        "Ungültige Postleitzahl '{n}'",
        "cvc-complex-type.2.4.a: Invalid content was found starting with element 'Qty'.",
        "Record {n}: column 7 is not a date",
    ),
    "code": (
        "KeyError: 'unit_price'",
        'java.lang.NullPointerException: Cannot invoke "Offer.getTax()" because "offer" is null',
        "class Offer cannot be cast to class Quote",
    ),
    "noise": (
        "Customer {n} has no credit left",
        "read tcp 10.1.1.4:5112->10.8.1.1:443: i/o timeout",
        "409 Conflict: version {n} is not current",
        "Dokument {n} nicht gefunden",
        "java.util.NoSuchElementException: No value present",
        "could not serialize access due to concurrent update",
        "$.address.zip: value is required",
        "Payment {n} was declined",
        "Tarif {n} ist abgelaufen",
        "Quota of partner exceeded for {n}",
    ),
}


class _Hub:
    """Services S1, S2, ... with rates by minute, senders with shares, and the systems of each service."""

    def __init__(self, random: Random, services: int, hourly: float, senders: int) -> None:
        self.random = random
        sizes = [random.paretovariate(1.2) for _ in range(services)]
        self.rates = {f"S{number}": hourly / 60 * size / sum(sizes) for number, size in enumerate(sizes, 1)}
        self.systems = {
            name: random.sample([f"h{n}.net.example" for n in range(1, 9)], 2) for name in self.rates
        }
        self.shares = {
            name: {f"U{number}": random.uniform(0.1, 1) for number in range(1, senders + 1)}
            for name in self.rates
        }
        self.noise = random.uniform(0.002, 0.012)
        self.offices = random.random() < 0.5

    def find_rate(self, service: str, minute: int) -> float:
        is_night = self.offices and not 7 * 60 <= minute < 19 * 60
        return self.rates[service] * (0.15 if is_night else 1.3)

    def choose_users(self, system: str, count: int) -> list[str]:
        """Let the largest services and some others use a system, and return them."""
        ranks = sorted(self.rates, key=lambda name: -self.rates[name])
        users = [ranks[0], *self.random.sample(ranks[1:], count - 1)]
        for name in users:
            self.systems[name][0] = system
        return users


class _Writer:
    """Writes failures of a day."""

    def __init__(self, random: Random, day: Day, hub: _Hub) -> None:
        self.random, self.day, self.hub = random, day, hub

    def draw_count(self, mean: float) -> int:
        """Return a number of a Poisson distribution."""
        if mean > 30:
            return max(0, round(self.random.gauss(mean, mean**0.5)))
        limit, count, product = exp(-mean), 0, self.random.random()
        while product > limit:
            count += 1
            product *= self.random.random()
        return count

    def send_all(self) -> None:
        for service in self.hub.rates:
            total = sum(self.hub.shares[service].values())
            for minute in range(1, DAY + 1):
                rate = self.hub.find_rate(service, minute)
                for sender, share in self.hub.shares[service].items():
                    if count := self.draw_count(rate * share / total):
                        self.day.messages[service, sender, minute] += count

    def fail_noise(self, clump: float = 1.0) -> None:
        for service in self.hub.rates:
            for minute in range(1, DAY + 1):
                for _ in range(self.draw_count(self.hub.find_rate(service, minute) * self.hub.noise / clump)):
                    text = self.random.choice(_TEXTS["noise"])
                    for _ in range(max(1, self.draw_count(clump)) if clump > 1 else 1):
                        late = minute + (self.random.randint(0, 6) if clump > 1 else 0)
                        self.fail_one("", late, service, text, self.random.choice(self.hub.systems[service]))

    def fail_range(self, name, service, first, last, share, texts, *, system="", sender="", delay=0) -> None:
        """Let a share of the traffic of a service, or of one sender, fail with these texts."""
        senders = self.hub.shares[service]
        part = senders[sender] / sum(senders.values()) if sender else 1.0
        for minute in range(first, last + 1):
            count = self.draw_count(self.hub.find_rate(service, minute) * part * share)
            for _ in range(count):
                text = self.random.choices(texts, [3, 2, 1, 1, 1][: len(texts)])[0]
                self.fail_one(name, minute + self.random.randint(0, delay), service, text, system, sender)

    def fail_one(self, name, minute, service, text, system="", sender="") -> None:
        senders = self.hub.shares[service]
        number = self.random.randint(1, 3)
        has_call = name or any(word in text for word in ("tcp", "409", "Quota"))
        self.day.add_failure(
            minute,
            name,
            service=service,
            operation=f"op{number}",
            sender=sender or self.random.choices(list(senders), list(senders.values()))[0],
            system=system if has_call else "",
            code="" if name else "E1",
            text=text.replace("{h}", system).replace("{n}", str(self.random.randint(1, 9999))),
        )


def _choose_range(random: Random, shortest: int = 8, longest: int = 240) -> tuple[int, int]:
    length = random.randint(shortest, longest)
    first = random.randint(90, DAY - shortest)
    return first, min(first + length, DAY)


def _fail_system(
    writer: _Writer, name: str, users: list[str], system: str, texts, times, share: float
) -> None:
    delay = writer.random.choice((0, 3, 12))
    for service in users:
        writer.fail_range(name, service, *times, share, texts, system=system, delay=delay)


def _write_shape(shape: str, random: Random, writer: _Writer) -> None:
    hub = writer.hub
    names = sorted(hub.rates, key=lambda name: -hub.rates[name])
    first, last = _choose_range(random)
    share = random.uniform(0.3, 1)
    texts = random.sample(_TEXTS["system"], random.randint(1, 4))
    if shape == "database":
        some = random.sample(_TEXTS["database"], 3)
        for service in names:
            writer.fail_range("database", service, first, last, share, some, delay=random.choice((0, 5)))
    elif shape == "certificate":
        users = hub.choose_users("x.tls.example", 4)
        expired = [
            "SSLHandshakeException: PKIX path validation failed: CertificateExpiredException: NotAfter: 2026"
        ]
        _fail_system(writer, "certificate", users, "x.tls.example", expired, (first, DAY), 1.0)
    elif shape == "names":
        for number in range(random.randint(3, 6)):
            system = f"n{number}.dns.example"
            users = hub.choose_users(system, 2)
            for service in users:
                lookup = ["java.net.UnknownHostException: {h}: Name or service not known"]
                writer.fail_range("names", service, first, last, share / 4, lookup, system=system)
    elif shape in ("night", "clumps", "many_services"):
        users = hub.choose_users("y.net.example", min(len(names), 12 if shape == "many_services" else 3))
        _fail_system(writer, "outage", users, "y.net.example", texts, (first, last), share)
        if shape == "many_services":
            service = next(name for name in names if name not in users)
            writer.fail_range("release", service, *_choose_range(random, 60, 300), 0.7, _TEXTS["code"][:2])
    elif shape == "flapping":
        users = hub.choose_users("y.net.example", 3)
        pause = random.randint(8, 20)
        for start in range(min(first, DAY - 90), min(first, DAY - 90) + 3 * (10 + pause), 10 + pause):
            _fail_system(writer, "outage", users, "y.net.example", texts, (start, start + 10), share)
    else:
        sender = "U1"
        if shape == "big_sender":
            for service in names:
                hub.shares[service][sender] = 9 * sum(hub.shares[service].values())
        times = (first, last) if shape == "big_sender" else (first, first + 15)
        for service in names[:2]:
            some = random.sample(_TEXTS["data"], 2)
            writer.fail_range("sender", service, *times, share, some, sender=sender)


def make_day(seed: int, shape: str = "") -> Day:
    """Return the day of a seed, with enough failures of each outage to be measured."""
    shape = shape or SHAPES[seed % len(SHAPES)]
    services = 50 if shape == "many_services" else 6 if shape == "night" else seed % 11 + 4
    names = {"many_services": ("outage", "release"), "big_sender": ("sender",), "batch": ("sender",)}
    names |= {shape: (shape,) for shape in ("database", "certificate", "names")}
    for number in range(100):
        random = Random(f"{shape} {seed} {number}")  # noqa: S311 - repeatable
        hourly = (20 if shape == "night" else random.choice((300, 1000, 3000))) * (1 + number // 20)
        hub = _Hub(random, services, hourly, random.randint(2, 6))
        day = Day(shape, Window(1, DAY), names.get(shape, ("outage",)))
        writer = _Writer(random, day, hub)
        _write_shape(shape, random, writer)
        if all(day.count_failures()[outage] >= MIN_FAILURES for outage in day.outages):
            break
    writer.send_all()
    writer.fail_noise(3.0 if shape == "clumps" else 1.0)
    return day
