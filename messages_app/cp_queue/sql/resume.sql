DELETE FROM cp_pause
 WHERE queuename = %(queue)s
