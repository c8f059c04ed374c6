-- One row per archived message of the given ids: its parent, if it names one.
SELECT msg_id, parent_msg_id
  FROM archived_relative
 WHERE msg_id = ANY (%(ids)s)
