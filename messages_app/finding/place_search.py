"""
The search for pages of the console by their titles: the menu, other pages, kinds of jobs, saved views, jobs,
users, and chapters of the manual by their titles and headings.
"""

from collections.abc import Iterator

from django.contrib.auth.models import User
from django.urls import reverse

from messages_app.access import roles
from messages_app.access.navigation import menu_entries
from messages_app.business_keys.registration import CAN_CHANGE_KEYS
from messages_app.core.parameters import read_id
from messages_app.core.search_results import Hit, Kind
from messages_app.jobs.kinds.registry import kind_specs, refusal_of_kind
from messages_app.jobs.labels import title_of
from messages_app.jobs.models import Job
from messages_app.manual.library import read_manual
from messages_app.manual.search import find_headings
from messages_app.messages.listing.saved_views.services import BUILT_IN, views_of

MAX_PLACES = 5
MAX_CHAPTERS = 5
# Reasons of older jobs are not searched.
MAX_SEARCHED_JOBS = 200
# Pages that are not in the menu: the title, the route and the permission; empty: everyone may open the page.
_OTHER_PAGES = (
    ("Watch rules", "watch-rules", roles.CAN_VIEW_MESSAGES),
    ("Alerts", "alert-list", roles.CAN_VIEW_MESSAGES),
    ("Saved views", "saved-views", roles.CAN_VIEW_MESSAGES),
    ("Schedules of jobs", "schedule-list", roles.CAN_VIEW_JOBS),
    ("Webhooks", "webhooks", roles.CAN_CHANGE_WEBHOOKS),
    ("New job", "job-new", roles.CAN_VIEW_JOBS),
    ("Deployments", "deployment-list", roles.CAN_VIEW_MESSAGES),
    ("Definitions of business keys", "business-keys", CAN_CHANGE_KEYS),
    ("Your settings", "own-settings", ""),
    ("Your sessions and password", "sessions", ""),
)


def find_pages(text: str, user: User) -> Iterator[Kind]:
    """Yield the pages that the user may open and whose title has every word of the text."""
    hits = [
        *(Hit(url=entry.url, name=entry.title, about="") for entry in menu_entries(user)),
        *(
            Hit(url=reverse(route), name=title, about="")
            for title, route, right in _OTHER_PAGES
            if not right or user.has_perm(right)
        ),
    ]
    yield from _make_kind("Pages", "page", [hit for hit in hits if has_words(hit.name, text)])


def find_new_jobs(text: str, user: User) -> Iterator[Kind]:
    """Yield the kinds of jobs that the user may start, as links to the form of a new one."""
    hits = [
        Hit(url=f"{reverse('job-new')}?kind={kind}", name=spec.words.name or spec.words.verb, about="new job")
        for kind, spec in kind_specs.items()
        if user.has_perm(spec.permission) and not refusal_of_kind(kind)
    ]
    yield from _make_kind("Start a job", "new_job", [hit for hit in hits if has_words(hit.name, text)])


def find_views(text: str, user: User) -> Iterator[Kind]:
    """Yield the views of the message list: built-in, own and shared views."""
    address = reverse("message-list")
    hits = [
        *(Hit(url=f"{address}?{view.query}", name=view.name, about=view.meaning) for view in BUILT_IN),
        *(
            Hit(url=f"{address}?{view.query}", name=view.name, about="shared" if view.shared else "yours")
            for view in views_of(user)
        ),
    ]
    yield from _make_kind("Views of messages", "view", [hit for hit in hits if has_words(hit.name, text)])


def find_jobs(text: str, user: User) -> Iterator[Kind]:
    """Yield the job with this number, and the newest jobs whose title or reason has every word."""
    if not user.has_perm(roles.CAN_VIEW_JOBS):
        return
    columns = ("job_id", "kind", "options", "reason", "state", "undo_of", "retry_of", "created_by")
    number = read_id(text.lower().removeprefix("job").strip())
    numbered = list(Job.objects.only(*columns).filter(pk=number)) if number is not None else []
    newest = Job.objects.only(*columns).order_by("-pk")[:MAX_SEARCHED_JOBS]
    worded = [job for job in newest if has_words(f"{title_of(job)} {job.reason}", text)]
    jobs = {job.pk: job for job in (*numbered, *worded)}
    hits = [
        Hit(
            url=reverse("job-detail", args=[job.pk]),
            name=f"Job {job.pk}: {title_of(job)}",
            about=f"{job.state} · {job.created_by} · {job.reason}",
        )
        for job in jobs.values()
    ]
    yield from _make_kind("Jobs", "job", hits)


def find_users(text: str, user: User) -> Iterator[Kind]:
    """Yield the accounts whose user name has the text, for users who manage them."""
    if not user.has_perm(roles.CAN_MANAGE_USERS):
        return
    accounts = User.objects.filter(username__icontains=text).order_by("username")[: MAX_PLACES + 1]
    hits = [
        Hit(
            url=reverse("user", args=[account.pk]),
            name=account.get_username(),
            about="active" if account.is_active else "deactivated",
        )
        for account in accounts
    ]
    yield from _make_kind("Users", "user", hits)


def has_words(title: str, text: str) -> bool:
    """Whether each word of a text begins a word of a title, in any case of letters."""
    own = title.casefold().replace(":", " ").split()
    return all(any(word.startswith(part) for word in own) for part in text.casefold().split())


def _make_kind(title: str, name: str, hits: list[Hit]) -> Iterator[Kind]:
    if hits:
        yield Kind(title=title, name=name, hits=hits[:MAX_PLACES], more=len(hits) > MAX_PLACES, order="first")


def find_chapters(text: str) -> Iterator[Kind]:
    """Yield the headings of the manual that have every word of the text, without those for developers."""
    manual = read_manual()
    places = find_headings(manual, text)
    hits = [
        Hit(
            url=place.address,
            name=place.section.heading,
            about=place.chapter.title if place.section.anchor else manual.group_of(place.chapter),
        )
        for place in places[:MAX_CHAPTERS]
    ]
    if hits:
        yield Kind(
            title="Manual",
            name="documentation",
            hits=hits,
            more=len(places) > MAX_CHAPTERS,
            order="best",
        )
