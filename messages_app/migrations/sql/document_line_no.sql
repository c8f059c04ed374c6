-- Distinguishes the lines of one moment.
CREATE FUNCTION document_line_no(trigger_id text, document_uuid text) RETURNS bigint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT hashtextextended(trigger_id || '/' || document_uuid, 0)
$$;

-- For the sweeper's oldest entries of a trigger, and the list of entries by time.
CREATE INDEX document_history_time_idx
    ON document_history (trigger_id, time, document_line_no(trigger_id, document_uuid));
