-- One row: whether messages from before the console was installed are still to be read, and the id before which.
SELECT history_read_at IS NULL, history_before
  FROM incident_pass
