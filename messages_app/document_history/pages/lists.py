"""What the room's lists have besides what every list has: the choice of a trigger."""

from collections.abc import Callable, Mapping

from django.http import HttpRequest, HttpResponse

from messages_app.document_history.pages import frame
from messages_app.web.lists import answering
from messages_app.web.lists.answering import Asked
from messages_app.web.lists.form import ListForm

__all__ = ["Asked", "answer_list"]


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
        trigger_id = context["form"].params.get("trigger_id", "")
        chosen = {"triggers": frame.trigger_choices(trigger_id or None), "trigger_id": trigger_id}
        return frame.page(request, name, context | chosen, section=section, status=status)

    return answering.answer_list(request, form, shown, answer)
