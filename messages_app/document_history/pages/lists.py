"""The room's lists as pages: each offers its triggers to choose from."""

from collections.abc import Callable, Mapping

from django.http import HttpRequest, HttpResponse

from messages_app.document_history.pages import frame
from messages_app.web.lists import answering
from messages_app.web.lists.answering import Asked
from messages_app.web.lists.form import ListForm


def answer_list(
    request: HttpRequest,
    name: str,
    form: type[ListForm],
    shown: Callable[[Asked], Mapping[str, object]],
    *,
    section: str,
) -> HttpResponse:
    """
    Answer a list: its form, and what `shown` gives, or what is wrong in its place.

    Args:
        name: of the template.
    """

    def answer(context: dict[str, object], status: int) -> HttpResponse:
        chosen = request.GET.get("trigger_id", "")
        choice = {"triggers": frame.trigger_choices(chosen), "trigger_id": chosen}
        return frame.page(request, name, context | choice, section=section, status=status)

    return answering.answer_list(request, form, shown, answer=answer)
