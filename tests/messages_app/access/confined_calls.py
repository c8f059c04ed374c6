"""The calls of a token for one queue and one trigger, allowed and refused."""

from tests.support.queues import guid_of

MINE, OTHER = "RENDITION", "PAGECOUNT"
SCOPED = ["payload:read", f"queue:consume:{MINE}", f"queue:act:{MINE}", "history:use:t-1", "history:take:t-1"]
UNKNOWN = guid_of("unknown")
BY = {"ServiceName": "W1", "Reason": "OK"}
CREATE = {"ObjectID": 5, "ObjectType": 65_536}
RENDERED = {"ObjectID": 5, "ObjectType": 65_536, "ServiceName": "W1"}
DOCUMENT = {"uuid": "u-1", "token": "x"}


def guid(name: str) -> dict[str, str]:
    return {"MessageGUID": guid_of(name)}


# For each call: bodies that are accepted, and bodies that are refused, with the scope that each requires. The
# messages are those of the tests' scene: of either queue one is held, by W1 and by W2, one waits and one is
# free; the service "both" holds of both.
CALLS = {
    "cp-queue/create-messages/": (
        [CREATE, CREATE | {"CreateRenditionMessages": True}, CREATE | {"QueueNames": f" {MINE} ,"}],
        [
            (CREATE | {"QueueNames": OTHER}, f"queue:consume:{OTHER}"),
            (CREATE | {"QueueNames": f"{MINE},{OTHER}"}, f"queue:consume:{OTHER}"),
            (CREATE | {"QueueNames": MINE.lower(), "DryRun": True}, f"queue:consume:{MINE.lower()}"),
            (
                CREATE | {"CreateRenditionMessages": True, "CreateFulltextIdxMessages": True},
                "queue:consume:FULLTEXTIDX",
            ),
            (CREATE | {"QueueNames": "NOT-THERE"}, "queue:consume:NOT-THERE"),
        ],
    ),
    "cp-queue/get-next/": (
        [{"QueueNames": MINE, "ServiceName": "W1"}],
        [
            ({"QueueNames": OTHER, "ServiceName": "W1"}, f"queue:consume:{OTHER}"),
            ({"QueueNames": f"{MINE}, {OTHER}", "ServiceName": "W1"}, f"queue:consume:{OTHER}"),
            ({"QueueNames": "NOT-THERE", "ServiceName": "W1"}, "queue:consume:NOT-THERE"),
        ],
    ),
    "cp-queue/dispatch/": (
        [guid("mine") | BY],
        [
            (guid("other") | BY | {"ServiceName": "W2"}, "queue:consume"),
            ({"MessageGUID": guid_of("other").lower()} | BY, "queue:consume"),
            ({"MessageGUID": UNKNOWN} | BY, "queue:consume"),
        ],
    ),
    "cp-queue/get-next-many/": (
        [{"QueueNames": MINE, "ServiceName": "W1", "Count": 5}],
        [
            ({"QueueNames": OTHER, "ServiceName": "W1", "Count": 5}, f"queue:consume:{OTHER}"),
            (
                {"QueueNames": f"{MINE}, {OTHER}", "ServiceName": "W1", "Count": 5},
                f"queue:consume:{OTHER}",
            ),
        ],
    ),
    "cp-queue/dispatch-many/": (
        [{"ServiceName": "W1", "messages": [guid("mine") | {"Reason": "OK"}]}],
        [
            ({"ServiceName": "W2", "messages": [guid("other") | {"Reason": "OK"}]}, "queue:consume"),
            (
                {"ServiceName": "W1", "messages": [{"MessageGUID": UNKNOWN, "Reason": "OK"}]},
                "queue:consume",
            ),
            ({"ServiceName": "W1", "messages": ["x"]}, "queue:consume"),
        ],
    ),
    "cp-queue/reset-service/": (
        [{"ServiceName": "W1"}, {"ServiceName": "W1", "DryRun": True}, {"ServiceName": "nobody"}],
        [
            ({"ServiceName": "W2"}, "queue:consume"),
            ({"ServiceName": "both"}, "queue:consume"),
            ({"ServiceName": "both", "DryRun": True}, "queue:consume"),
        ],
    ),
    "cp-queue/object-info/": (
        [{"ObjectID": 1}, {"ObjectID": 1, "Rights": "R"}],
        [({"ObjectID": 4}, "queue:consume"), ({"ObjectID": 99}, "queue:consume")],
    ),
    "cp-queue/object-full-text/": (
        [{"ObjectID": 1, "ObjectType": 0}],
        [({"ObjectID": 4, "ObjectType": 0}, "queue:consume")],
    ),
    "cp-queue/rendition-changed/": (
        [RENDERED | {"Reason": "PREVIEW"}],
        [(RENDERED | {"Reason": "TEXT"}, "queue:consume:FULLTEXTDOC")],
    ),
    "cp-queue/process-page-count/": ([], [({}, f"queue:consume:{OTHER}")]),
    "cp-queue/dispatch-for-service/": (
        [guid("mine") | BY],
        [
            (guid("other") | BY | {"ServiceName": "W2"}, "queue:act"),
            ({"MessageGUID": UNKNOWN} | BY, "queue:act"),
        ],
    ),
    "cp-queue/dispatch-all-for-service/": (
        [BY, BY | {"DryRun": True}],
        [
            (BY | {"ServiceName": "W2"}, "queue:act"),
            (BY | {"ServiceName": "both"}, "queue:act"),
            (BY | {"ServiceName": "both", "DryRun": True}, "queue:act"),
        ],
    ),
    "cp-queue/reset/": (
        [guid("mine"), guid("mine free")],
        [(guid("other"), "queue:act"), ({"MessageGUID": UNKNOWN}, "queue:act")],
    ),
    "cp-queue/reset-selective/": (
        [{"QueueName": MINE}, {"QueueName": MINE, "ObjectID": 2, "DryRun": True}],
        [
            ({"QueueName": OTHER}, f"queue:act:{OTHER}"),
            ({"ServiceName": "W1"}, "queue:act"),
            ({"ServiceName": "both", "DryRun": True}, "queue:act"),
            ({"ObjectID": 1}, "queue:act"),
        ],
    ),
    "cp-queue/delete/": (
        [guid("mine free"), guid("mine free") | {"DryRun": True}],
        [
            (guid("other free"), "queue:act"),
            (guid("other free") | {"DryRun": True}, "queue:act"),
            ({"MessageGUID": UNKNOWN}, "queue:act"),
        ],
    ),
    "cp-queue/send-on/": (
        [guid("mine waits")],
        [(guid("other waits"), "queue:act"), ({"MessageGUID": UNKNOWN}, "queue:act")],
    ),
    **{
        f"cp-queue/{act}-queue/": (
            [{"QueueName": MINE}],
            [
                ({"QueueName": OTHER}, f"queue:act:{OTHER}"),
                ({"QueueName": f"{MINE},{OTHER}"}, f"queue:act:{MINE},{OTHER}"),
            ],
        )
        for act in ("pause", "resume")
    },
    "document-history/check/": (
        [{"trigger_id": "t-1", "uuid": "u-9"}],
        [
            ({"trigger_id": "t-2", "uuid": "u-9"}, "history:use:t-2"),
            ({"trigger_id": "t-9", "uuid": "u-9"}, "history:use:t-9"),
            ({"trigger_id": " t-1", "uuid": "u-9"}, "history:use: t-1"),
        ],
    ),
    "document-history/complete/": (
        [DOCUMENT | {"trigger_id": "t-1"}],
        [
            (DOCUMENT | {"trigger_id": "t-2"}, "history:use:t-2"),
            (DOCUMENT | {"trigger_id": "t-9"}, "history:use:t-9"),
        ],
    ),
    "document-history/check-many/": (
        [{"documents": [{"trigger_id": "t-1", "uuid": "u-9"}]}],
        [
            (
                {"documents": [{"trigger_id": "t-1", "uuid": "u-9"}, {"trigger_id": "t-2", "uuid": "u-9"}]},
                "history:use:t-2",
            ),
        ],
    ),
    "document-history/complete-many/": (
        [{"documents": [DOCUMENT | {"trigger_id": "t-1"}]}],
        [
            (
                {"documents": [DOCUMENT | {"trigger_id": "t-1"}, DOCUMENT | {"trigger_id": "t-2"}]},
                "history:use:t-2",
            ),
        ],
    ),
    "document-history/abandon/": (
        [DOCUMENT | {"trigger_id": "t-1"}],
        [
            (DOCUMENT | {"trigger_id": "t-2"}, "history:use:t-2"),
            (DOCUMENT | {"trigger_id": "t-9"}, "history:use:t-9"),
        ],
    ),
    "document-history/take/": (
        [{"trigger_id": "t-1"}],
        [({"trigger_id": "t-2"}, "history:take:t-2"), ({"trigger_id": "t-9"}, "history:take:t-9")],
    ),
}
# Calls of the two stores whose scope does not take a name: reading, decisions and configuration.
OF_NO_NAME = {
    *(f"GET cp-queue/{what}/" for what in ("messages", "statistics", "preview", "dispatches")),
    "GET cp-queue/objects/<str:osid>/",
    *(f"GET document-history/{what}/" for what in ("sweep", "entries", "statistics", "in-doubt", "triggers")),
    "GET document-history/in-doubt/<str:in_doubt_id>/",
    "GET document-history/in-doubt/<str:in_doubt_id>/document/",
    *(f"POST document-history/{what}/" for what in ("sweep", "dry-run", "statistics/clear", "triggers")),
    *(f"POST document-history/in-doubt/<str:in_doubt_id>/{what}/" for what in ("resubmit", "settle")),
    *(f"{method} document-history/triggers/<str:trigger_id>/" for method in ("GET", "PATCH")),
    "GET document-history/triggers/<str:trigger_id>/expiring/",
    *(f"POST document-history/triggers/<str:trigger_id>/{what}/" for what in ("delete", "resume")),
}
