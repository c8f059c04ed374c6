-- Locks the lines and the rows of messages until the transaction ends.
WITH lines AS (
    SELECT FROM message_line WHERE message_identifier = ANY (%(identifiers)s) FOR UPDATE
), processes AS (
    SELECT FROM message_process WHERE message_identifier = ANY (%(identifiers)s) FOR UPDATE
), stores AS (
    SELECT FROM message_store WHERE message_identifier = ANY (%(identifiers)s) FOR UPDATE
)
SELECT (SELECT count(*) FROM lines) + (SELECT count(*) FROM processes) + (SELECT count(*) FROM stores)
