-- The keys of the rows that are gone.
DELETE FROM {table}
 WHERE {chosen}
RETURNING {key}
