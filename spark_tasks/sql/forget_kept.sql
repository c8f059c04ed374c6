-- One row per restored message of which the console has kept values.
DELETE FROM archive_extra WHERE msg_id = ANY (%(msg_ids)s)
