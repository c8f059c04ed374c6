"""What drf-spectacular is told about the API's description."""

SPECTACULAR_SETTINGS = {
    "TITLE": "Hub Console",
    "DESCRIPTION": "Messages of an integration hub: find, cancel, restart, archive.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "SERVE_PERMISSIONS": ["messages_app.access.permissions.IsLoggedIn"],
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "messages_app.web.api_examples.simplify",
        "messages_app.web.api_examples.add_examples",
    ],
    # One set of values that answers have under several names.
    "ENUM_NAME_OVERRIDES": {
        "DocumentStateEnum": "messages_app.document_history.api.serializers.PAIRS",
        "CpStateEnum": "messages_app.cp_queue.api.serializers.STATES",
    },
}
