"""Settings of the REST framework and of the OpenAPI document, for settings/web.py."""

from collections.abc import Iterable

from messages_app.core.stores import Store

_DESCRIPTION = (
    "Messages of an integration hub: find, cancel, restart, archive.\n\nCalls from this page use your"
    " session. Contents are masked and cannot be searched or exported until you give a reason: [Show"
    " values](/reveal/?next=/api/v1/docs/). A call with a token has the permissions of its user, limited by"
    " its scopes. `GET me/` returns them.\n\nA GET of one message, job, trigger, definition, watch rule,"
    " schedule or token returns an `ETag`; calls that change the object accept it as `If-Match`."
    " [Versions](/docs/reference/api_versions/) has the changes that this version allows, and deprecated"
    " calls (`Deprecation`, `Sunset`).\n\nSamples of a call are above its responses: with curl, in Python,"
    " and with the [Python client](/docs/howto/use_the_python_client/). `$TOKEN` and `token` are your token;"
    " replace numbers such as 4711, and names such as billing, with yours."
)

FRAMEWORK: dict[str, object] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "messages_app.access.authentication.TokenAuthentication",
        "messages_app.access.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["messages_app.access.permissions.HasRight"],
    "DEFAULT_PARSER_CLASSES": ["messages_app.core.request_body.StrictJsonParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_METADATA_CLASS": "messages_app.access.metadata.CallMetadata",
    "DEFAULT_SCHEMA_CLASS": "messages_app.access.api_schema.ScopedSchema",
    "EXCEPTION_HANDLER": "messages_app.core.error_handlers.api_exception_handler",
    "URL_FORMAT_OVERRIDE": None,  # `format` is an unknown parameter like any other
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
_DOCUMENT: dict[str, object] = {
    "TITLE": "Hub Console",
    "DESCRIPTION": _DESCRIPTION,
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "SERVE_PERMISSIONS": ["messages_app.access.permissions.IsLoggedIn"],
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "GET_LIB_DOC_EXCLUDES": "messages_app.core.api_schema.bases_without_description",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "messages_app.core.api_examples.simplify_document",
        "messages_app.core.api_examples.add_examples",
        "messages_app.core.client_names.name_calls",
        "messages_app.core.api_docs.describe_document",
    ],
}


def describe_api(stores: Iterable[Store]) -> dict[str, object]:
    """Return the settings of drf-spectacular, with the names that stores give to sets of values."""
    names: dict[str, str] = {}
    for store in stores:
        names |= store.enums
    return _DOCUMENT | {"ENUM_NAME_OVERRIDES": names}
