-- As many counts as there were.
DELETE FROM message_rollup
