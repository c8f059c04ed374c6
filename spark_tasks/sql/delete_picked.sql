-- One row per message that is still as it was picked. A later version was written by a transaction that had
-- not ended then, so its number differs from all of these.
DELETE FROM message
 WHERE msg_id = ANY (%(msg_ids)s)
   AND xmin = ANY (%(versions)s::xid[])
