-- A queue is paused by the first who asks for it.
INSERT INTO cp_pause (queuename, actor, reason)
VALUES (%(queue)s, %(actor)s, %(reason)s)
ON CONFLICT (queuename) DO NOTHING
