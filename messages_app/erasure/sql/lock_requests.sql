-- One row per request of the given messages. The requests are locked, so that no new response can refer to
-- them.
SELECT req_id
  FROM {table}
 WHERE msg_id = ANY (%(ids)s)
   FOR UPDATE
