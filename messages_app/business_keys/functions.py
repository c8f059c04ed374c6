"""The functions of business keys that shared code calls."""

from messages_app.core.store_functions import StoreFunctions

FUNCTIONS = StoreFunctions()
