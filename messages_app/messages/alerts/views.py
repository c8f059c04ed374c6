"""The pages of watch rules: what is watched and how it is, one rule with its alerts, and all alerts."""

from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import refuse, requires
from messages_app.core.pages import ReasonForm
from messages_app.core.problems import Problem
from messages_app.messages.alerts import services
from messages_app.messages.alerts.forms import RuleForm, values_of, way
from messages_app.messages.alerts.models import Alert, WatchRule
from messages_app.messages.alerts.states import MEASURES, parts_of

_FOLDER = "messages_app/watching"


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def rule_list(request: HttpRequest) -> HttpResponse:
    opened = {alert.rule_id: alert for alert in services.open_alerts()}
    lines = [_line(rule, opened.get(rule.pk)) for rule in services.rules()]
    lines.sort(key=lambda line: line["alert"] is None)
    may_change = request.user.has_perm(roles.CAN_CHANGE_WATCH_RULES)
    context = {"lines": lines, "may_change": may_change, "sections": way("watch-rules")}
    return render(request, f"{_FOLDER}/list.html", context)


def _line(rule: WatchRule, alert: Alert | None) -> dict[str, object]:
    return {"rule": rule, "measure": MEASURES.get(rule.measure), "parts": parts_of(rule), "alert": alert}


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def alert_list(request: HttpRequest) -> HttpResponse:
    page = services.alert_page(cursor=request.GET.get("cursor"))
    context = {"sections": way("alert-list"), "page": page, "alerts": page.rows}
    return render(request, f"{_FOLDER}/alerts.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@requires(roles.CAN_VIEW_MESSAGES)
def new_rule(request: HttpRequest) -> HttpResponse:
    _check_right(request, "create_watch_rule")
    form = RuleForm(request.POST or None, user=request.user)
    if request.method == "POST" and form.is_valid():
        try:
            rule = services.create_rule(actor=actor_of(request), **form.columns())
        except Problem as problem:
            form.take(problem)
        else:
            notices.success(request, f"Rule {rule.name} created.")
            return redirect("watch-rule", rule.pk)
    return render(request, f"{_FOLDER}/new.html", {"form": form}, status=400 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@requires(roles.CAN_VIEW_MESSAGES)
def rule_page(request: HttpRequest, rule_id: int) -> HttpResponse:
    rule = _found(rule_id)
    if request.method == "POST":
        return _change(request, rule)
    return _page(request, rule, _form(request, rule))


def _change(request: HttpRequest, rule: WatchRule) -> HttpResponse:
    _check_right(request, "change_watch_rule")
    form = RuleForm(request.POST, user=request.user, rule=rule)
    if not form.is_valid():
        return _page(request, rule, form, status=400)
    try:
        services.change_rule(rule_id=rule.pk, actor=actor_of(request), **form.columns())
    except Problem as problem:
        form.take(problem)
        return _page(request, rule, form, status=400)
    except services.RuleNotFound as error:
        raise Http404(str(error)) from error
    notices.success(request, "Changed.")
    return redirect("watch-rule", rule.pk)


@require_POST
@requires(roles.CAN_VIEW_MESSAGES)
def delete_rule(request: HttpRequest, rule_id: int) -> HttpResponse:
    _check_right(request, "delete_watch_rule")
    rule, form = _found(rule_id), ReasonForm(request.POST, auto_id="delete_%s")
    if not form.is_valid():
        return _page(request, rule, _form(request, rule), status=400, delete_form=form)
    try:
        services.delete_rule(rule_id=rule_id, actor=actor_of(request), reason=form.cleaned_data["reason"])
    except services.RuleNotFound as error:
        raise Http404(str(error)) from error
    notices.success(request, f"Rule {rule.name} deleted.")
    return redirect("watch-rules")


def _form(request: HttpRequest, rule: WatchRule) -> RuleForm:
    return RuleForm(initial=values_of(rule), user=request.user, rule=rule)


def _check_right(request: HttpRequest, action: str) -> None:
    if not request.user.has_perm(roles.CAN_CHANGE_WATCH_RULES):
        refuse(request, action=action)


def _found(rule_id: int) -> WatchRule:
    rule = services.rule_of(rule_id)
    if rule is None:
        raise Http404(f"No watch rule has the id {rule_id}.")
    return rule


def _page(
    request: HttpRequest, rule: WatchRule, form: RuleForm, *, status: int = 200, **more: object
) -> HttpResponse:
    context = {
        "rule": rule,
        "form": form,
        "measure": MEASURES.get(rule.measure),
        "parts": parts_of(rule),
        "alerts": services.alerts_of(rule.pk),
        "notices_sent": services.notices_of(rule.pk),
        "may_change": request.user.has_perm(roles.CAN_CHANGE_WATCH_RULES),
        "delete_form": ReasonForm(auto_id="delete_%s"),
    }
    return render(request, f"{_FOLDER}/rule.html", context | more, status=status)
