"""
Variants of generated outages: texts, times, sizes and hubs that the rule was not made with.

Source: docs/contributing/decisions/0040-incidents.md, "Measurements".
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import pi, sin
from random import Random
from uuid import UUID

from messages_app.messages.failures.systems import SystemNames
from tests.messages_app.incidents import outages, variant_texts
from tests.messages_app.incidents.days import DAY, Day
from tests.messages_app.incidents.outages import (
    BY_CALL,
    MIN_FAILURES,
    SHAPES,
    Generator,
    Outage,
)

# Each of these changes one thing of a day; MIXED changes several.
PORTS_AND_IDS = "ports_and_ids"
SLOW_RAMP = "slow_ramp"
PAUSES = "pauses"
RATES = "rates"
OTHER_TEXTS = "other_texts"
MISSING_CALLS = "missing_calls"
OTHER_NAMES = "other_names"
ONE_SERVICE = "one_service"
SHORT = "short"
SMALL = "small"
SAME_TIMES = "same_times"
YOUNG_HUB = "young_hub"
CHANGES = (
    PORTS_AND_IDS,
    SLOW_RAMP,
    PAUSES,
    RATES,
    OTHER_TEXTS,
    MISSING_CALLS,
    OTHER_NAMES,
    ONE_SERVICE,
    SHORT,
    SMALL,
    SAME_TIMES,
    YOUNG_HUB,
)
# Of the mixed days. Days with a special size or hub have one change.
_MIXED = (PORTS_AND_IDS, SLOW_RAMP, PAUSES, RATES, OTHER_TEXTS, MISSING_CALLS, OTHER_NAMES, SAME_TIMES)
_CALLS_STORED = 0.5
_HOSTS = ("pay-gw07.prod.acme.io", "crm01.intern.firma.de", "sap-p01.acme.net", "mqhub2.corp.local")
_HOSTS += ("api.logistik24.de", "dwh.zentrale.lan", "esb-a.stadtwerke.at", "edi.partner-x.fr", "kyc.check.eu")
_HOSTS += ("idp.login.acme.io",)
_SERVICES = ("KundenService", "svc-0012", "AUFTRAG_V2", "Rechnung.Ausgang", "hub/in/orders", "P2P", "Lager")
_SERVICES += ("MSCONS", "zaehlerstand", "CrmSyncJob", "x1", "UTILMD", "Mahnlauf", "bank-in", "DepotB2B")


@dataclass(kw_only=True)
class VariedOutage(Outage):
    """An outage with pauses, in which everything works."""

    pauses: list[tuple[float, float]] = field(default_factory=list)

    def find_share(self, minute: float) -> float:
        if any(start <= minute < end for start, end in self.pauses):
            return 0.0
        return super().find_share(minute)


class VariedGenerator(Generator):
    """Makes one day with changes."""

    def __init__(self, seed: int, shape: str, changes: Iterable[str], **options) -> None:
        self.changes = frozenset(changes)
        # By outage, the part of its length and share that is left.
        self.scales: dict[str, float] = {}
        super().__init__(seed, shape, **options)
        self.other = Random(seed + 1)  # noqa: S311 - repeatable
        self.finder = SystemNames()
        self.ports: dict[str, list[int]] = {}
        if OTHER_TEXTS in self.changes:
            for name in self.texts:
                known = outages.replace_some(
                    self.random, getattr(variant_texts, name), options["unknown"] / 2
                )
                self.texts[name] = known
        if PORTS_AND_IDS in self.changes:
            self.texts = {name: [self._vary_text(text) for text in some] for name, some in self.texts.items()}
        if ONE_SERVICE in self.changes:
            self._keep_service()
        self.names = self._choose_names()
        self.phase = self.random.uniform(0, 2 * pi)

    def _vary_text(self, text: str) -> str:
        text = text.replace("{h}", "{h}:{p}")
        return text + self.random.choice(
            ("", " [{u}]", " (request {u})", " at {t}", " id={n}", " {t} {u}", " correlation-id: {u}")
        )

    def _keep_service(self) -> None:
        hub = self.hub
        service = max(hub.services, key=lambda name: (len(hub.list_systems_of(name)), hub.weights[name]))
        if len(hub.list_systems_of(service)) < 2:
            for operation in hub.operations[service]:
                hub.calls[service, operation] = hub.systems[:2]
        hub.services = [service]
        hub.weights = {service: 1.0}
        hub.senders = {service: hub.senders[service]}

    def _choose_names(self) -> dict[str, str]:
        """Return other names of services and systems, by those of the generator."""
        if OTHER_NAMES not in self.changes:
            return {}
        services = self.random.sample(_SERVICES, min(len(self.hub.services), len(_SERVICES)))
        systems = self.random.sample(_HOSTS, len(self.hub.systems))
        names = dict(zip(self.hub.services, services, strict=False))
        return names | dict(zip(self.hub.systems, systems, strict=True))

    def make_outages(self) -> list[Outage]:
        made = [self._vary_outage(one) for one in super().make_outages()]
        if SAME_TIMES in self.changes:
            for one in made[1:]:
                one.start, one.end = made[0].start, made[0].end
        return made

    def _vary_outage(self, one: Outage) -> Outage:
        random = self.random
        outage = VariedOutage(**vars(one))
        if SLOW_RAMP in self.changes:
            length = max(outage.end - outage.start, random.uniform(40, 300))
            outage.end = outage.start + length
            outage.ramp = length * random.uniform(0.25, 0.5)
        if PAUSES in self.changes:
            outage.end = max(outage.end, outage.start + 45)
            length = outage.end - outage.start
            for number in range(random.randint(1, 3)):
                start = outage.start + length * (number + random.uniform(0.2, 0.6)) / 3
                outage.pauses.append((start, start + random.uniform(3, 12)))
        if SHORT in self.changes:
            outage.end = outage.start + random.uniform(0.4, 1.9)
            outage.ramp = 0.0
        outage.end = min(outage.end, self.now)
        if SMALL in self.changes:
            scale = self.scales.get(outage.name, 1.0)
            length = outage.end - outage.start
            outage.end = outage.start + max(length * scale, min(length, 4.0))
            outage.share *= min(scale * length / (outage.end - outage.start), 1.0)
        return outage

    def make_day(self) -> Day:
        day = super().make_day()
        if YOUNG_HUB in self.changes:
            return _cut_day(day, self.random.randint(150, 360), [one.start for one in self.last_outages])
        return day

    def _send_message(self, day, outages_of_day, at, service, sender) -> None:
        self.last_outages = outages_of_day
        backgrounds = self.hub.background
        if RATES in self.changes:
            factor = 3.0 ** sin(2 * pi * at / DAY + self.phase)
            self.hub.background = backgrounds | {service: backgrounds[service] * factor}
        super()._send_message(day, outages_of_day, at, service, sender)
        self.hub.background = backgrounds

    def _fail_message(self, day, truth, at, service, operation, sender, system, text) -> None:
        """Add a failure with the system that the hub would find."""
        name = self.names.get(system, system)
        has_call = bool(system) and self.known_system == BY_CALL
        if MISSING_CALLS in self.changes and has_call:
            has_call = self.other.random() < _CALLS_STORED
        host, _, port = name.partition(":")
        text = text.replace("{h}:{p}", f"{host or 'host'}:{self._choose_port(system)}")
        shown = name if self.known_system != outages.NEVER else "the system"
        text = self._fill_text(text, shown, self.names.get(service, service))
        address = f"https://{host}:{port or self._choose_port(system)}/api/{operation}" if has_call else ""
        day.add_failure(
            int(at) + 1,
            truth,
            service=service,
            operation=operation,
            sender=sender,
            system=self.finder.find_system(text, address),
            code="E102" if system else self.random.choice(("E100", "E105", "E116")),
            text=text,
        )

    def _choose_port(self, system: str) -> int:
        ports = self.ports.setdefault(system, [self.other.randint(1024, 65000) for _ in range(3)])
        return self.other.choice(ports)

    def _fill_text(self, text: str, host: str, service: str) -> str:
        random = self.other
        if "{" in text:
            time = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(seconds=random.randint(0, 86_400_000) / 1000)
            text = text.replace("{u}", str(UUID(int=random.getrandbits(128), version=4)))
            text = text.replace("{t}", time.isoformat(timespec="milliseconds"))
            text = text.replace("{p}", str(random.randint(1024, 65000)))
        return outages.fill_text(self.random, text, host, service)


def _cut_day(day: Day, minutes: int, starts: list[float]) -> Day:
    """Return the end of a day, as a hub has it that is new: at least an hour before its outages."""
    first = int(min(day.window.now - minutes, min(starts) - 60))
    first = max(first, 1)
    young = Day(day.shape, day.window._replace(start=first), day.outages, causes=day.causes)
    for place, truths in day.truths.items():
        if place[1] >= first:
            young.truths[place] = truths
    for place, count in day.messages.items():
        if place[2] >= first:
            young.messages[place] = count
    return young


def make_day(seed: int, change: str = "", *, known_system: str = BY_CALL, shape: str = "") -> Day:
    """
    Return the day of a seed with one change, or with several, if none is named.

    Its outages have at least 60 failures, at least 20 if they are short, and 5 to 10 if they are small.
    """
    random = Random(f"{change} {seed}")  # noqa: S311 - repeatable
    changes = [change] if change else random.sample(_MIXED, random.randint(2, 4))
    shapes = SHAPES
    if ONE_SERVICE in changes:
        shapes = ("system", "slow", "release", "two_in_service", "system_and_release")
    if SAME_TIMES in changes:
        shapes = ("two_systems", "two_in_service", "system_and_release")
    shape = shape or shapes[seed % len(shapes)]
    unknown = (0.0, 0.3, 1.0)[seed // 7 % 3]
    least, most = (20, 10**9) if SHORT in changes else (5, 10) if SMALL in changes else (MIN_FAILURES, 10**9)
    scales: dict[str, float] = {}
    for number in range(1, 100):
        generator = VariedGenerator(
            seed * 1000 + (1 if SMALL in changes else number),
            shape,
            changes,
            unknown=unknown,
            known_system=known_system,
        )
        generator.traffic = min(generator.traffic, 1000)
        generator.traffic *= min(number, 4) if SMALL in changes else number * (3 if SHORT in changes else 1)
        generator.scales = scales
        day = generator.make_day()
        sizes = [day.count_failures()[outage] for outage in day.outages]
        if len(set(day.outages)) == len(day.outages) and all(least <= size <= most for size in sizes):
            return day
        scales |= {
            outage: scales.get(outage, 1.0) * (least + most) / 2 / max(size, 1)
            for outage, size in zip(day.outages, sizes, strict=True)
            if SMALL in changes
        }
    raise AssertionError("No day of this seed is large enough.")


def make_quiet_day(seed: int) -> Day:
    """Return a day of random failures without an outage."""
    generator = VariedGenerator(
        seed * 1000,
        "system",
        (OTHER_TEXTS,) if seed % 2 else (),
        unknown=(0.0, 0.3, 1.0)[seed // 7 % 3],
        known_system=BY_CALL,
    )
    generator.make_outages = list
    return generator.make_day()
