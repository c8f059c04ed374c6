-- Returns the identifiers that are new, because the unique key decides; of several messages with one identifier the
-- first is stored. In the order of their keys, so that two statements never wait for each other. Their times are in the
-- given order. A process row without a message stays unchanged.
WITH clock AS MATERIALIZED (
    SELECT clock_timestamp() AS now
), given AS MATERIALIZED (
    SELECT one.*, clock.now + (one.place - 1) * interval '1 microsecond' AS made
      FROM clock,
           unnest(%(identifiers)s::text[], %(systems)s::text[], %(entities)s::text[], %(effective)s::timestamptz[],
                  %(users)s::text[], %(refresh)s::boolean[], %(options)s::text[], %(data)s::text[],
                  %(file_paths)s::text[])
           WITH ORDINALITY AS one (identifier, source_system, source_entity, effective, user_name, refresh, options,
                                   data, file_path, place)
), stored AS (
    INSERT INTO message_store (message_identifier, source_system, source_entity, message_timestamp,
                               effective_timestamp, user_name, refresh, options, data, file_path)
    SELECT identifier, source_system, source_entity, made, coalesce(effective, made), user_name, refresh, options,
           data, file_path
      FROM given
     ORDER BY identifier COLLATE "C", place
    ON CONFLICT (message_identifier) DO NOTHING
    RETURNING message_identifier
), processed AS (
    INSERT INTO message_process (message_identifier, status)
    SELECT message_identifier, 0 FROM stored
    ON CONFLICT (message_identifier) DO NOTHING
)
SELECT message_identifier FROM stored
