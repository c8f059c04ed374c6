"""The page that compares a payload, envelope, request or response with another one of the same kind."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import requires_permission
from messages_app.audit import services as audit
from messages_app.core.page_parameters import checks_parameters
from messages_app.core.parameters import parse_flag, require_id, single_values
from messages_app.core.problems import bad_field, unknown_name
from messages_app.messages.detail.comparison import (
    Partner,
    Side,
    is_exchange,
    partner_of,
    side_of_exchange,
    side_of_message,
)
from messages_app.messages.detail.content_views import KINDS, open_content
from messages_app.messages.pages import PAGES
from messages_app.payloads.comparison.canonical_form import Placeholders
from messages_app.payloads.comparison.ignored import span_of
from messages_app.payloads.comparison.results import compare_contents
from messages_app.payloads.loader import Opened

# Shorter ids often occur at random in other values, so marks do not replace them.
_MIN_ID = 5
_PARTNER_LABELS = {
    Partner.LAST_OK: "the latest OK message of the same service and operation",
    Partner.PREVIOUS: "the previous attempt",
    Partner.NEXT: "the next attempt",
}


@dataclass(frozen=True, kw_only=True)
class ComparisonOptions:
    """
    The comparison that an address asks for.

    Args:
        key: of the request or response; None for a payload or an envelope.
        partner: None if the address does not name one.
        other: the id that the address has instead of a partner.
    """

    kind: str
    key: int | None
    partner: Partner | None
    other: int | None
    is_exact: bool
    is_unified: bool


_PARTNERS = f", one of {', '.join(Partner)}"


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@checks_parameters
def compare_page(request: HttpRequest, msg_id: int) -> HttpResponse:
    """Compare a content of this message with that of another message or another attempt."""
    options = _read_options(request.GET)
    own = _find_side(options.kind, msg_id if options.key is None else options.key)
    if own is None or own.msg_id != msg_id:
        raise Http404(f"Message {msg_id} has no such {options.kind}.")
    other, partner = _find_other_side(own, options)
    context = {"options": options, "own": own, "other": other, "msg_id": msg_id, "kind": KINDS[options.kind]}
    context |= {"choices": _list_choices(own, partner, request), "address": _Address(request)}
    if other is not None:
        context |= _compare_sides(request, options, other, own)
    return PAGES.render_page(request, "compare", context)


def _read_options(params: QueryDict) -> ComparisonOptions:
    """
    Read the query string.

    Raises:
        Problem: 400, a parameter is invalid.
    """
    values = single_values(params, ("kind", "key", "with", "exact", "unified"))
    kind = values.get("kind", "payload")
    if kind not in KINDS:
        raise bad_field("kind", "invalid_value", unknown_name("kind", kind, KINDS))
    if is_exchange(kind) != ("key" in values):
        needed = f"kind={kind} needs a key." if is_exchange(kind) else f"kind={kind} does not take a key."
        raise bad_field("key", "invalid_value", needed)
    partner = values.get("with")
    is_id = partner and partner not in set(Partner)
    return ComparisonOptions(
        kind=kind,
        key=require_id("key", values["key"]) if "key" in values else None,
        partner=_parse_partner(partner, kind),
        other=require_id("with", partner, others=_PARTNERS) if partner and is_id else None,
        is_exact=parse_flag("exact", values.get("exact")),
        is_unified=parse_flag("unified", values.get("unified")),
    )


def _parse_partner(value: str | None, kind: str) -> Partner | None:
    if value in {Partner.PREVIOUS, Partner.NEXT} and not is_exchange(kind):
        raise bad_field("with", "invalid_value", f"with={value} is allowed only for requests and responses.")
    return Partner(value) if value in list(Partner) else None


def _find_side(kind: str, key: int) -> Side | None:
    return side_of_exchange(kind, key) if is_exchange(kind) else side_of_message(kind, key)


def _find_other_side(own: Side, options: ComparisonOptions) -> tuple[Side | None, Partner | None]:
    """Return the other side, from the address or else the first that exists, and which partner it is."""
    if options.other is not None:
        return _find_side(options.kind, options.other), None
    attempts = (Partner.PREVIOUS, Partner.NEXT) if is_exchange(options.kind) else ()
    for partner in [options.partner] if options.partner else [*attempts, Partner.LAST_OK]:
        side = partner_of(own, partner)
        if side is not None:
            return side, partner
    return None, options.partner


def _compare_sides(
    request: HttpRequest, options: ComparisonOptions, other: Side, own: Side
) -> dict[str, object]:
    """Compare the two sides, with the other one on the left as the reference."""
    masked = not request.user.has_perm(roles.CAN_VIEW_PAYLOAD)
    left = open_content(options.kind, other.key, masked=masked, msg_id=other.msg_id)
    right = open_content(options.kind, own.key, masked=masked, msg_id=own.msg_id)
    _record_reading(request, options.kind, ((other, left, own), (own, right, other)))
    comparison = compare_contents(
        left, right, is_exact=options.is_exact, own=(_placeholders_of(other), _placeholders_of(own))
    )
    rows = list(comparison.table_rows(is_unified=options.is_unified)) if comparison.texts else []
    return {"comparison": comparison, "rows": rows, "masked": left.view.masked or right.view.masked}


def _record_reading(request: HttpRequest, kind: str, sides: tuple[tuple[Side, Opened, Side], ...]) -> None:
    for side, opened, other in sides:
        if not opened.view.masked:
            audit.record_entry(
                actor=actor_of(request),
                action=f"view_{kind}",
                msg_id=side.msg_id,
                details={"compared_with": other.msg_id},
            )


def _placeholders_of(side: Side) -> Placeholders:
    """Return the ids and times that differ between any two messages."""
    message = side.message
    if message is None:
        return Placeholders()
    ids = {message.correlation_id: "[correlation id]", str(message.msg_id): "[message id]"}
    moments = (message.msg_timestamp, message.receive_timestamp, message.last_process_timestamp)
    return Placeholders({text: mark for text, mark in ids.items() if len(text) >= _MIN_ID}, span_of(moments))


def _list_choices(own: Side, partner: Partner | None, request: HttpRequest) -> list[dict[str, object]]:
    """Return the contents that this one can be compared with."""
    partners = list(Partner) if is_exchange(own.kind) else [Partner.LAST_OK]
    address = _Address(request)
    return [
        {
            "words": _PARTNER_LABELS[choice],
            "query": address.write_query(**{"with": choice}),
            "is_current": partner is choice,
        }
        for choice in partners
    ]


class _Address:
    """The address of this page with some of its parameters changed."""

    def __init__(self, request: HttpRequest) -> None:
        self.values = request.GET.dict()

    def write_query(self, **changed: str | None) -> str:
        values = {name: value for name, value in (self.values | changed).items() if value is not None}
        return f"?{urlencode(values)}" if values else "?"

    @property
    def exact(self) -> str:
        return self.write_query(exact="true")

    @property
    def in_one_form(self) -> str:
        return self.write_query(exact=None)

    @property
    def unified(self) -> str:
        return self.write_query(unified="true")

    @property
    def side_by_side(self) -> str:
        return self.write_query(unified=None)

    @property
    def of_payload(self) -> str:
        return self.write_query(kind=None)

    @property
    def of_envelope(self) -> str:
        return self.write_query(kind="envelope")

    @property
    def hidden_params(self) -> dict[str, str]:
        """The parameters that a form on this page sends in addition to its own."""
        return {name: value for name, value in self.values.items() if name != "with"}
