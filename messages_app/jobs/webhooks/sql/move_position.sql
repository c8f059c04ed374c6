-- One row changed: the position, which the transaction has locked.
UPDATE webhook_position
   SET read_to = %(read_to)s, safe_to = %(safe_to)s, mark_to = %(mark_to)s, mark_xid = %(mark_xid)s
 WHERE id = 1
