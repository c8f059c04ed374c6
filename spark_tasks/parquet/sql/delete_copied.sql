-- One row per copied row, which is deleted.
DELETE FROM {live} WHERE {key} = ANY (%(keys)s)
