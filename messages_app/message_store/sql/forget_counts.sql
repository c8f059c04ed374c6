-- Deletes all counts, and all changes that this snapshot contains.
WITH changes AS (
    DELETE FROM message_count_change
)
DELETE FROM message_count
