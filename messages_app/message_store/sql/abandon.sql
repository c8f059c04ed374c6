-- Sets the status to 0, or to 20 if its workers died too often, if the row is unchanged; adds the dead
-- attempt's history row.
WITH dead AS (
    SELECT process.message_identifier,
           line.abandoned + 1 >= %(most)s AS is_set_aside,
           greatest(CASE WHEN process.status = 1 AND coalesce(process.processed_timestamp < '9999-01-01', true)
                         THEN coalesce(process.processed_timestamp, line.claimed_at, clock_timestamp())
                         ELSE coalesce(line.claimed_at, clock_timestamp()) END,
                    (SELECT max(history.processed_timestamp) + interval '1 microsecond'
                       FROM message_history AS history
                      WHERE history.message_identifier = process.message_identifier
                        AND history.processed_timestamp < '9999-01-01')) AS at
      FROM message_process AS process
      JOIN message_line AS line USING (message_identifier)
     WHERE process.message_identifier = %(identifier)s
       AND process.status = %(status)s
       AND process.processed_timestamp IS NOT DISTINCT FROM %(started_at)s
       FOR UPDATE OF process
), freed AS (
    UPDATE message_process AS process
       SET status = CASE WHEN dead.is_set_aside THEN 20 ELSE 0 END,
           next_attempt_timestamp = NULL,
           error_message = left(%(why)s, %(max_error)s)
      FROM dead
     WHERE process.message_identifier = dead.message_identifier
), counted AS (
    UPDATE message_line AS line
       SET abandoned = line.abandoned + 1
      FROM dead
     WHERE line.message_identifier = dead.message_identifier
)
INSERT INTO message_history (message_identifier, processed_timestamp, status, error_message, log_text)
SELECT message_identifier, at, 20, left(%(why)s, %(max_error)s),
       %(why)s || CASE WHEN is_set_aside THEN E'\nSet aside: its attempts died too often in a row.' ELSE '' END
  FROM dead
RETURNING message_identifier
