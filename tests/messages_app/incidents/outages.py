"""
A generator of outages among random failures, for the measure of gathering.

Source: docs/contributing/decisions/0040-incidents.md, "Measurements".
"""

from dataclasses import dataclass, field
from math import cos, pi
from random import Random

from messages_app.incidents.gathering.records import Window
from tests.messages_app.incidents import texts
from tests.messages_app.incidents.days import DAY, Day
from tests.messages_app.incidents.texts import fill_text, replace_some

SHAPES = (
    "system",
    "slow",
    "release",
    "sender",
    "two_systems",
    "two_in_service",
    "system_and_release",
)
# How the system of a failure is known.
BY_CALL, BY_SOME_TEXTS, NEVER = "by_call", "by_some_texts", "never"
MIN_FAILURES = 60
_SERVICES = (
    "billing",
    "order",
    "subscription",
    "customer",
    "shipping",
    "invoice",
    "catalog",
    "pricing",
    "returns",
    "loyalty",
    "claims",
    "policy",
    "payout",
    "notify",
    "stock",
    "ledger",
    "tickets",
    "contracts",
    "meter",
    "routing",
)
_OPERATIONS = ["create", "update", "cancel", "sync", "get", "close", "assign", "notify", "import", "export"]
_SYSTEMS = (
    "pay.bank.example",
    "crm.corp.example",
    "erp.corp.example:8443",
    "mq.hub.example",
    "dms.corp.example",
    "sms.gate.example",
    "tax.gov.example",
    "ldap.corp.example",
    "wms.depot.example",
    "score.credit.example",
)
_SENDERS = ["WEB", "CRM", "ERP", "SHOP", "POS", "MOBILE", "PARTNER", "BATCH", "IVR", "EDI"]


@dataclass(kw_only=True)
class Outage:
    """
    A cause that makes messages fail from one time to another, in minutes.

    Attributes:
        share: of the affected messages that fail; reached after `ramp` minutes, and for as long at its end.
        only: the services that it affects; empty for all.
    """

    name: str
    start: float
    end: float
    texts: list[str]
    share: float
    system: str = ""
    sender: str = ""
    only: frozenset[str] = frozenset()
    operations: frozenset[str] = frozenset()
    ramp: float = 0.0

    def find_share(self, minute: float) -> float:
        if not self.start <= minute < self.end:
            return 0.0
        edge = min(minute - self.start, self.end - minute)
        return self.share * (min(edge / self.ramp, 1.0) if self.ramp else 1.0)


@dataclass
class Hub:
    """Services with their operations, the systems of these, senders, weights, and background failures."""

    random: Random
    services: list[str]
    systems: list[str]
    operations: dict[str, list[str]] = field(default_factory=dict)
    calls: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)
    senders: dict[str, dict[str, float]] = field(default_factory=dict)
    background: dict[str, float] = field(default_factory=dict)

    def list_callers(self, system: str) -> list[str]:
        return [
            service
            for service in self.services
            if any(system in self.calls[service, one] for one in self.operations[service])
        ]

    def list_systems_of(self, service: str) -> list[str]:
        return sorted({one for name in self.operations[service] for one in self.calls[service, name]})

    def choose_system(self, callers: int, other: str = "") -> str:
        systems = [one for one in self.systems if one != other]
        popular = [one for one in systems if len(self.list_callers(one)) >= callers]
        return self.random.choice(popular or [one for one in systems if self.list_callers(one)])


def make_hub(random: Random) -> Hub:
    """Return a hub whose services are of very different sizes."""
    hub = Hub(
        random,
        random.sample(_SERVICES, random.randint(5, 16)),
        random.sample(_SYSTEMS, random.randint(4, 10)),
    )
    senders = random.sample(_SENDERS, random.randint(3, 8))
    rate = random.choice((0.001, 0.003, 0.006, 0.012, 0.02))
    for service in hub.services:
        names = random.sample(_OPERATIONS, random.randint(1, 4))
        hub.operations[service] = [f"{name}{service.title()}" for name in names]
        for operation in hub.operations[service]:
            hub.calls[service, operation] = random.sample(hub.systems, random.choice((0, 1, 1, 1, 2, 2, 3)))
        hub.weights[service] = random.lognormvariate(0, 1.0)
        some = random.sample(senders, random.randint(1, len(senders)))
        hub.senders[service] = {sender: random.lognormvariate(0, 1) for sender in some}
        hub.background[service] = min(rate * random.lognormvariate(0, 0.5), 0.05)
    if not any(hub.calls.values()):
        hub.calls[hub.services[0], hub.operations[hub.services[0]][0]] = hub.systems[:1]
    return hub


class Generator:
    """Makes one day of a seed."""

    def __init__(self, seed: int, shape: str, *, unknown: float, known_system: str) -> None:
        self.random = Random(seed)  # noqa: S311 - repeatable
        self.shape = shape
        self.known_system = known_system
        self.hub = make_hub(self.random)
        self.texts = {
            name: replace_some(self.random, getattr(texts, name), unknown)
            for name in ("SYSTEM", "SLOW", "CODE", "DATA", "BACKGROUND")
        }
        self.now = DAY
        # The most messages an hour, and how deep the night is.
        self.traffic = self.random.choice((120, 400, 1000, 2500))
        self.rhythm = self.random.choice((0.0, 0.5, 0.9))
        self.max_delay = self.random.choice((0, 0, 5, 20))

    def make_outages(self) -> list[Outage]:
        return getattr(self, f"_make_{self.shape}")()

    def _choose_times(self, near: float | None = None, spread: float = 0.0) -> tuple[float, float]:
        random = self.random
        length = 5 * 60 ** random.random()
        start = self.now - random.uniform(10, 660) if near is None else near + random.uniform(-spread, spread)
        return start, start + max(length, 5)

    def _choose_ramp(self) -> float:
        return self.random.choice((0.0, 0.0, 2.0, 10.0))

    def _break_system(
        self, system: str, times, pool: str = "SYSTEM", *, only: str = "", texts: int = 0
    ) -> Outage:
        low = 0.15 if pool == "SLOW" else 0.4
        return Outage(
            name=f"system {system} {only}",
            start=times[0],
            end=times[1],
            texts=self._choose_texts(self.texts[pool], texts or self.random.randint(2, 4)),
            share=self.random.uniform(low, 1.0),
            system=system,
            only=frozenset({only} if only else ()),
            ramp=self._choose_ramp(),
        )

    def _choose_texts(self, pool: list[str], count: int) -> list[str]:
        """Return some texts; the first one names the system if only texts do."""
        some = self.random.sample(pool, count)
        if self.known_system == BY_SOME_TEXTS and not any("{h}" in text for text in some):
            some[0] += " ({h})"
        return sorted(some, key=lambda text: "{h}" not in text)

    def _release_service(self, service: str, times) -> Outage:
        operations = self.hub.operations[service]
        if self.random.random() < 0.4:
            operations = self.random.sample(operations, 1)
        return Outage(
            name=f"release {service}",
            start=times[0],
            end=times[1],
            texts=self.random.sample(self.texts["CODE"], self.random.randint(1, 3)),
            share=self.random.uniform(0.15, 1.0),
            only=frozenset({service}),
            operations=frozenset(operations),
        )

    def _make_system(self) -> list[Outage]:
        return [self._break_system(self.hub.choose_system(3), self._choose_times())]

    def _make_slow(self) -> list[Outage]:
        return [self._break_system(self.hub.choose_system(2), self._choose_times(), "SLOW", texts=2)]

    def _make_release(self) -> list[Outage]:
        return [self._release_service(self.random.choice(self.hub.services), self._choose_times())]

    def _make_sender(self) -> list[Outage]:
        hub, random = self.hub, self.random
        senders = sorted({sender for some in hub.senders.values() for sender in some})
        sender = random.choice(senders)
        users = [service for service in hub.services if sender in hub.senders[service]]
        for service in random.sample(hub.services, 2):
            if len(users) < 2 and service not in users:
                hub.senders[service][sender] = 1.0
                users.append(service)
        start, end = self._choose_times()
        return [
            Outage(
                name=f"sender {sender}",
                start=start,
                end=end,
                texts=random.sample(self.texts["DATA"], random.randint(1, 3)),
                share=random.uniform(0.3, 1.0),
                sender=sender,
                only=frozenset(random.sample(users, 2)),
            )
        ]

    def _make_two_systems(self) -> list[Outage]:
        one = self.hub.choose_system(2)
        times = self._choose_times()
        other = self.hub.choose_system(2, one)
        return [self._break_system(one, times), self._break_system(other, self._choose_times(times[0], 20))]

    def _make_two_in_service(self) -> list[Outage]:
        several = [service for service in self.hub.services if len(self.hub.list_systems_of(service)) > 1]
        times = self._choose_times()
        if several and self.random.random() < 0.5:
            service = self.random.choice(several)
            one, other = self.random.sample(self.hub.list_systems_of(service), 2)
            later = self._choose_times(times[0], 15)
            return [
                self._break_system(one, times, only=service),
                self._break_system(other, later, only=service),
            ]
        service = self.random.choice([one for one in self.hub.services if self.hub.list_systems_of(one)])
        system = self.random.choice(self.hub.list_systems_of(service))
        return [
            self._break_system(system, times, only=service),
            self._release_service(service, self._choose_times(times[0], 15)),
        ]

    def _make_system_and_release(self) -> list[Outage]:
        times = self._choose_times()
        service = self.random.choice(self.hub.services)
        return [
            self._break_system(self.hub.choose_system(2), times),
            self._release_service(service, self._choose_times(times[0], 20)),
        ]

    def make_day(self) -> Day:
        outages = self.make_outages()
        day = Day(self.shape, Window(1, self.now), tuple(outage.name for outage in outages))
        pairs = [
            (service, sender, weight * part / sum(self.hub.senders[service].values()))
            for service, weight in self.hub.weights.items()
            for sender, part in self.hub.senders[service].items()
        ]
        weights = [weight for _, _, weight in pairs]
        for hour in range(24):
            busy = 1 - self.rhythm * (0.5 + 0.5 * cos(2 * pi * (hour - 2) / 24))
            for index in self.random.choices(range(len(pairs)), weights, k=round(self.traffic * busy)):
                self._send_message(day, outages, hour * 60 + self.random.random() * 60, *pairs[index][:2])
        return day

    def _send_message(self, day: Day, outages: list[Outage], at: float, service: str, sender: str) -> None:
        random, hub = self.random, self.hub
        day.messages[service, sender, int(at) + 1] += 1
        operation = random.choice(hub.operations[service])
        for outage in outages:
            if self._fails(outage, at, service, operation, sender):
                # Most failures have the first text.
                text = random.choices(outage.texts, (5, 3, 2, 1)[: len(outage.texts)])[0]
                delay = random.uniform(1, self.max_delay) if self.max_delay else 0.0
                self._fail_message(
                    day, outage.name, at + delay, service, operation, sender, outage.system, text
                )
                return
        if random.random() < hub.background[service]:
            text = random.choice(self.texts["BACKGROUND"])
            systems = hub.calls[service, operation]
            system = random.choice(systems) if systems and ("{h}" in text or "timed out" in text) else ""
            self._fail_message(day, "", at, service, operation, sender, system, text)

    def _fails(self, outage: Outage, at: float, service: str, operation: str, sender: str) -> bool:
        return (
            (not outage.only or service in outage.only)
            and (not outage.operations or operation in outage.operations)
            and (not outage.sender or sender == outage.sender)
            and (not outage.system or outage.system in self.hub.calls[service, operation])
            and self.random.random() < outage.find_share(at)
        )

    def _fail_message(
        self,
        day: Day,
        truth: str,
        at: float,
        service: str,
        operation: str,
        sender: str,
        system: str,
        text: str,
    ) -> None:
        is_known = self.known_system == BY_CALL or (self.known_system == BY_SOME_TEXTS and "{h}" in text)
        host = system if self.known_system != NEVER else "the system"
        day.add_failure(
            int(at) + 1,
            truth,
            service=service,
            operation=operation,
            sender=sender,
            system=system if is_known else "",
            code="E102" if system else self.random.choice(("E100", "E105", "E116")),
            text=fill_text(self.random, text, host, service),
        )


def make_day(seed: int, shape: str = "", *, unknown: float | None = None, known_system: str = "") -> Day:
    """
    Return the day of a seed, with enough failures of each outage to be measured.

    Args:
        unknown: the share of texts of unknown words; by default it depends on the seed.
        known_system: how the system of a failure is known; by default it depends on the seed.
    """
    shape = shape or SHAPES[seed % len(SHAPES)]
    if unknown is None:
        unknown = (0.0, 0.3, 1.0)[seed // 7 % 3]
    known_system = known_system or (BY_CALL, BY_SOME_TEXTS)[seed // 21 % 2]
    factor = 1
    while True:
        generator = Generator(seed * 1000 + factor, shape, unknown=unknown, known_system=known_system)
        generator.traffic *= factor
        day = generator.make_day()
        sizes = day.count_failures()
        if all(sizes[outage] >= MIN_FAILURES for outage in day.outages) and len(set(day.outages)) == len(
            day.outages
        ):
            return day
        factor += 1
