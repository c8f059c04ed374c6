-- As many rows as are still as they were picked. A version that somebody wrote since is by a transaction that
-- had not ended then, so its number is none of these.
DELETE FROM message
 WHERE msg_id = ANY (%(msg_ids)s)
   AND xmin = ANY (%(versions)s::xid[])
