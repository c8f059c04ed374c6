-- As many rows as were copied.
DELETE FROM {live} WHERE {key} = ANY (%(keys)s)
