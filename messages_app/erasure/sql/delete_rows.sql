-- One row per deleted row: its key.
DELETE FROM {table}
 WHERE {chosen}
RETURNING {key}
