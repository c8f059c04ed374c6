"""What the REST framework is told, and the OpenAPI document that it makes, for settings.py."""

_DESCRIPTION = (
    "Messages of an integration hub: find, cancel, restart, archive.\n\n"
    "Calls that are tried out on this page go by your session: contents are masked, and neither searched nor"
    " exported, until you say why you read them: [Show values](/reveal/?next=/api/v1/docs/). A call with a"
    " token goes by the rights of its user and its scopes: `GET me/` tells them.\n\n"
    "A GET of one message, job, trigger, definition, watch rule, schedule or token has an `ETag`; calls that"
    " change it take it as `If-Match`. What may change in this version, how long a deprecated call stays and"
    " how it is told (`Deprecation`, `Sunset`): docs/reference/api_versions.md of the product."
)

FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "messages_app.access.authentication.TokenAuthentication",
        "messages_app.access.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["messages_app.access.permissions.HasRight"],
    "DEFAULT_PARSER_CLASSES": ["messages_app.web.json_body.StrictJsonParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_SCHEMA_CLASS": "messages_app.access.api_schema.ScopedSchema",
    "EXCEPTION_HANDLER": "messages_app.web.errors.api_exception_handler",
    "URL_FORMAT_OVERRIDE": None,  # `format` is an unknown parameter like any other
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
DESCRIPTION = {
    "TITLE": "Hub Console",
    "DESCRIPTION": _DESCRIPTION,
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "SERVE_PERMISSIONS": ["messages_app.access.permissions.IsLoggedIn"],
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "GET_LIB_DOC_EXCLUDES": "messages_app.web.api_schema.bases_without_description",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "messages_app.web.api_examples.simplify",
        "messages_app.web.api_examples.add_examples",
        "messages_app.web.api_headers.describe",
    ],
    # One set of values that answers have under several names.
    "ENUM_NAME_OVERRIDES": {
        "DocumentStateEnum": "messages_app.document_history.api.serializers.PAIRS",
        "CpStateEnum": "messages_app.cp_queue.api.serializers.STATES",
        # Its field would have the name that another call's reason has.
        "CpRenditionChangeEnum": "messages_app.cp_queue.api.object_serializers.CHANGES",
    },
}
