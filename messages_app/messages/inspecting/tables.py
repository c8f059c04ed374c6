"""The tables that hold a message's rows, live and archived."""

from messages_app.messages.cold.models import ColdMessage
from messages_app.messages.models import (
    ArchiveExternalCall,
    ArchiveFunnel,
    ArchiveMessage,
    ArchiveRequest,
    ArchiveResponse,
    ExternalCall,
    Funnel,
    Message,
    Request,
    Response,
)

LIVE = {
    "message": Message,
    "call": ExternalCall,
    "request": Request,
    "response": Response,
    "funnel": Funnel,
}
ARCHIVE = {
    "message": ArchiveMessage,
    "call": ArchiveExternalCall,
    "request": ArchiveRequest,
    "response": ArchiveResponse,
    "funnel": ArchiveFunnel,
}
# Where a message may be found by its narrow columns; of one in a Parquet file, they stand in a table too.
MESSAGES = (Message, ArchiveMessage, ColdMessage)
