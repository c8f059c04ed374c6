-- One row per message of the store, by its number, that is reset: its status is unchanged since the job's set
-- was frozen, and no other session holds it. Sets the same columns as message_store/sql/reprocess.sql.
WITH held AS (
    SELECT process.message_identifier, line.number
      FROM unnest(%(ids)s::bigint[], %(states)s::text[]) AS asked (number, state)
      JOIN message_line AS line USING (number)
      JOIN message_process AS process USING (message_identifier)
     WHERE process.status = asked.state::int
     ORDER BY process.message_identifier
       FOR UPDATE OF process SKIP LOCKED
), reset AS (
    UPDATE message_line AS line
       SET abandoned = 0
      FROM held
     WHERE line.number = held.number
       AND line.abandoned <> 0
)
UPDATE message_process AS process
   SET status = 0,
       next_attempt_timestamp = NULL,
       error_message = NULL
  FROM held
 WHERE process.message_identifier = held.message_identifier
RETURNING held.number
