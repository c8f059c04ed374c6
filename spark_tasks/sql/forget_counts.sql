-- One row per previous count.
DELETE FROM message_rollup
