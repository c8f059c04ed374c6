"""What a browser says it is, in the two words that its owner knows it by."""

# Most say that they are several: the first that is found is the one.
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
    ("python-", "a Python program"),
)
_SYSTEMS = (
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def browser_name(told: str) -> str:
    """Return "Firefox on Linux" for a User-Agent; of what is not known, what is."""
    names = [_first(told, _BROWSERS), _first(told, _SYSTEMS)]
    return " on ".join(name for name in names if name) or "Unknown"


def _first(told: str, known: tuple[tuple[str, str], ...]) -> str:
    return next((name for part, name in known if part in told), "")
