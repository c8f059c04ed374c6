"""The pages of watch rules: the list of rules, a rule with its alerts, and all alerts."""

from dataclasses import dataclass

from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of, user_of
from messages_app.access.decorators import refuse_request, requires_permission
from messages_app.core.edit_versions import EditConflict, list_differences
from messages_app.core.kept_input import announce_choice, is_choosing
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.problems import Problem
from messages_app.core.reason_form import ReasonForm
from messages_app.messages.alerts import selectors, services
from messages_app.messages.alerts.forms import RuleForm, alert_sections
from messages_app.messages.alerts.models import Alert, WatchRule
from messages_app.messages.alerts.sentences import MEASURES, describe_rule
from messages_app.messages.alerts.states import Measure
from messages_app.messages.alerts.week_strip import Week, draw_week

_FOLDER = "messages_app/alerts"


@dataclass(frozen=True, kw_only=True)
class _Line:
    """A line of the list of rules. `alert`: the rule's open alert."""

    rule: WatchRule
    alert: Alert | None

    @property
    def sentence(self) -> str:
        return describe_rule(self.rule)


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
def rule_list(request: HttpRequest) -> HttpResponse:
    alerts = {alert.rule_id: alert for alert in selectors.open_alerts()}
    lines = [_Line(rule=rule, alert=alerts.get(rule.pk)) for rule in selectors.list_rules()]
    lines.sort(key=lambda line: line.alert is None)
    may_change = request.user.has_perm(roles.CAN_CHANGE_WATCH_RULES)
    context = {
        "lines": lines,
        "may_change": may_change,
        "sections": alert_sections("watch-rules", user=user_of(request)),
    }
    return render(request, f"{_FOLDER}/list.html", context)


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@takes_parameters("cursor")
def alert_list(request: HttpRequest) -> HttpResponse:
    page = selectors.alert_page(cursor=request.GET.get("cursor"))
    context = {
        "sections": alert_sections("alert-list", user=user_of(request)),
        "page": page,
        "alerts": page.rows,
    }
    return render(request, f"{_FOLDER}/alerts.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@requires_permission(roles.CAN_VIEW_MESSAGES)
@takes_parameters("measure")
def new_rule(request: HttpRequest) -> HttpResponse:
    _check_permission(request, "create_watch_rule")
    form = _form_of(request)
    if is_choosing(request):
        return announce_choice(request, _render_new(request, form), f"measure={form.chosen}")
    if "look" in request.POST:
        return _render_draft(request, form, None)
    if request.method == "POST" and form.is_valid():
        try:
            rule = services.create_rule(actor=actor_of(request), **form.read_changes())
        except Problem as problem:
            form.add_problem(problem)
        else:
            notices.success(request, f"Rule {rule.name} created.")
            return redirect("watch-rule", rule.pk)
    return _render_new(request, form)


@require_http_methods(["GET", "HEAD", "POST"])
@requires_permission(roles.CAN_VIEW_MESSAGES)
@takes_parameters("measure")
def rule_page(request: HttpRequest, rule_id: int) -> HttpResponse:
    rule = _get_rule(rule_id)
    if request.method != "POST":
        return _render_rule(request, rule, _form_of(request, rule))
    _check_permission(request, "change_watch_rule")
    form = _form_of(request, rule)
    if is_choosing(request):
        return announce_choice(request, _render_rule(request, rule, form), f"measure={form.chosen}")
    return _render_draft(request, form, rule) if "look" in request.POST else _change_rule(request, rule, form)


def _change_rule(request: HttpRequest, rule: WatchRule, form: RuleForm) -> HttpResponse:
    if not form.is_valid():
        return _render_rule(request, rule, form, status=400)
    try:
        services.change_rule(
            rule_id=rule.pk,
            actor=actor_of(request),
            version=form.cleaned_data["version"],
            **form.read_changes(),
        )
    except EditConflict:
        rule = _get_rule(rule.pk)
        stored = RuleForm(user=user_of(request), measure=rule.measure, rule=rule)
        differences = list_differences([(form, stored)])
        return _render_rule(request, rule, form, status=409, differences=differences)
    except Problem as problem:
        form.add_problem(problem)
        return _render_rule(request, rule, form, status=400)
    except services.RuleNotFound as error:
        raise Http404(str(error)) from error
    notices.success(request, "Changed.")
    return redirect("watch-rule", rule.pk)


@require_POST
@requires_permission(roles.CAN_VIEW_MESSAGES)
def delete_rule(request: HttpRequest, rule_id: int) -> HttpResponse:
    _check_permission(request, "delete_watch_rule")
    rule = _get_rule(rule_id)
    form = ReasonForm(request.POST, auto_id="delete_%s")
    if not form.is_valid():
        unchanged = RuleForm(user=user_of(request), measure=rule.measure, rule=rule)
        return _render_rule(request, rule, unchanged, status=400, delete_form=form)
    try:
        services.delete_rule(rule_id=rule_id, actor=actor_of(request), reason=form.cleaned_data["reason"])
    except services.RuleNotFound as error:
        raise Http404(str(error)) from error
    notices.success(request, f"Rule {rule.name} deleted.")
    return redirect("watch-rules")


@require_POST
@requires_permission(roles.CAN_VIEW_MESSAGES)
def test_rule(request: HttpRequest, rule_id: int) -> HttpResponse:
    """Send a test to the stored webhook of a rule."""
    _check_permission(request, "test_watch_rule")
    rule = _get_rule(rule_id)
    try:
        error = services.send_test_of_rule(rule, actor=actor_of(request))
    except services.RuleNotFound as missing:
        raise Http404(str(missing)) from missing
    if error:
        notices.error(request, f"The test was not sent: {error}")
    else:
        notices.success(request, f"Test sent to {rule.webhook_name}.")
    return redirect("watch-rule", rule.pk)


def _form_of(request: HttpRequest, rule: WatchRule | None = None) -> RuleForm:
    """Return the form of the chosen measure, with the values that were sent."""
    stored = rule.measure if rule else Measure.FAILURE_RATE
    choice = request.POST.get("measure") or request.GET.get("measure")
    form = RuleForm(
        None if is_choosing(request) else request.POST or None,
        user=user_of(request),
        measure=choice if choice and choice in MEASURES else stored,
        rule=rule,
        is_draft="look" in request.POST,
    )
    if is_choosing(request):
        form.keep_input(request.POST)
    return form


def _draw_draft(form: RuleForm) -> Week | None:
    """Return the last week of the values of a form; None if they are not valid."""
    draft = form.read_draft()
    return draw_week(draft) if draft else None


def _render_draft(request: HttpRequest, form: RuleForm, rule: WatchRule | None) -> HttpResponse:
    """Show when the rule of a form would have fired. Nothing is stored."""
    if "HX-Request" in request.headers:
        return render(request, f"{_FOLDER}/_week.html", {"week": _draw_draft(form)})
    return _render_rule(request, rule, form) if rule else _render_new(request, form)


def _render_new(request: HttpRequest, form: RuleForm) -> HttpResponse:
    context = {
        "form": form,
        "carried": form.carry_values(request.POST),
        "is_choosing": is_choosing(request),
        "week": _draw_draft(form),
    }
    return render(request, f"{_FOLDER}/new.html", context, status=400 if form.errors else 200)


def _check_permission(request: HttpRequest, action: str) -> None:
    if not request.user.has_perm(roles.CAN_CHANGE_WATCH_RULES):
        refuse_request(request, action=action)


def _get_rule(rule_id: int) -> WatchRule:
    rule = selectors.find_rule(rule_id)
    if rule is None:
        raise Http404(f"No watch rule has the id {rule_id}.")
    return rule


def _render_rule(
    request: HttpRequest, rule: WatchRule, form: RuleForm, *, status: int = 200, **context: object
) -> HttpResponse:
    is_draft = form.is_bound or form.chosen != rule.measure or is_choosing(request)
    defaults = {
        "rule": rule,
        "form": form,
        "sentence": describe_rule(rule),
        "carried": form.carry_values(request.POST),
        "is_choosing": is_choosing(request),
        "week": _draw_draft(form) if is_draft else draw_week(rule),
        "alerts": selectors.alerts_of(rule.pk),
        "notices_sent": selectors.notices_of(rule.pk),
        "may_change": request.user.has_perm(roles.CAN_CHANGE_WATCH_RULES),
        "delete_form": ReasonForm(auto_id="delete_%s"),
    }
    return render(request, f"{_FOLDER}/rule.html", defaults | context, status=status)
