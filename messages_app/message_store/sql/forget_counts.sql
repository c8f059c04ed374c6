-- All that is counted, and all that waits to be: what this snapshot sees.
WITH changes AS (
    DELETE FROM message_count_change
)
DELETE FROM message_count
