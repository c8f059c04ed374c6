-- One row per message that is about to be archived: the values of columns that the hub's archive table lacks. A row of an
-- earlier archive job may be left if the hub's owner has moved the message back.
INSERT INTO archive_extra (msg_id, {kept})
SELECT msg_id, {kept}
  FROM {live}
 WHERE {chosen}
    ON CONFLICT (msg_id) DO UPDATE
   SET ({kept}) = (SELECT {kept} FROM (SELECT excluded.*) AS newest)
