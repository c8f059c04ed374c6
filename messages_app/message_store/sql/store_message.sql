-- Returns nothing if the identifier exists, because the unique key decides. A process row without a message
-- stays unchanged.
WITH stored AS (
    INSERT INTO message_store (message_identifier, source_system, source_entity, message_timestamp,
                               effective_timestamp, user_name, refresh, options, data, file_path)
    SELECT %(identifier)s, %(system)s, %(entity)s, clock.now, coalesce(%(effective)s::timestamptz, clock.now),
           %(user)s, %(refresh)s, %(options)s, %(data)s, %(file_path)s
      FROM (SELECT clock_timestamp() AS now) AS clock
    ON CONFLICT (message_identifier) DO NOTHING
    RETURNING message_identifier
), processed AS (
    INSERT INTO message_process (message_identifier, status)
    SELECT message_identifier, 0 FROM stored
    ON CONFLICT (message_identifier) DO NOTHING
)
SELECT message_identifier FROM stored
