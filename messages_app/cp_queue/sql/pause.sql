-- Pauses a queue, unless it is already paused.
INSERT INTO cp_pause (queuename, actor, reason)
VALUES (%(queue)s, %(actor)s, %(reason)s)
ON CONFLICT (queuename) DO NOTHING
