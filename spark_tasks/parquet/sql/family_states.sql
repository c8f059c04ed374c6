-- One row per archived message of the given ids.
SELECT msg_id, state
  FROM archived_relative
 WHERE msg_id = ANY (%(ids)s)
