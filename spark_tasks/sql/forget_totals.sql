-- One row per previous total.
DELETE FROM message_total
