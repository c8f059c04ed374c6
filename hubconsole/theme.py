"""What the admin theme is told, for settings.py: names, menu, icons and the console's own style sheet."""

from django.templatetags.static import static
from django.urls import reverse_lazy

UNFOLD = {
    "SITE_TITLE": "Hub Console",
    "SITE_HEADER": "Hub Console",
    "SITE_SYMBOL": "hub",
    "SITE_URL": "/messages/",
    "SITE_FAVICONS": [
        {"rel": "icon", "type": "image/svg+xml", "href": lambda _: static("icons/favicon.svg")}
    ],
    "STYLES": [lambda _: static("css/tokens.css"), lambda _: static("css/session.css")],
    "SCRIPTS": [lambda _: static("js/session.js")],
    "ACCOUNT": {
        "navigation": [
            {"title": "Your sessions", "link": reverse_lazy("sessions")},
            {"title": "Second factor", "link": reverse_lazy("second-factor")},
            {"title": "Change password", "link": reverse_lazy("password")},
        ]
    },
    "SIDEBAR": {"navigation": "hubconsole.site.sidebar"},
}
