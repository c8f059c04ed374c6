"""What a web process does before its first request, so that no reader waits for it."""

import gc
from importlib import import_module

from django.conf import settings


def warm_up() -> None:
    """
    Load the pages, and have what is loaded by now never looked at by the garbage collector again.

    The first request would load them. A full collection of all modules takes 100 ms of a processor, and would
    come in the midst of some request.
    """
    import_module(settings.ROOT_URLCONF)
    gc.collect()
    gc.freeze()
