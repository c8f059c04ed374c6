-- One row: the last change of the history that is visible, or 0.
SELECT coalesce(max(event_id), 0) FROM message_event
