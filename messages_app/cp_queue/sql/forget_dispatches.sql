-- The oldest lines of the log, up to the size of a batch, if they are old enough. Ids grow with time.
DELETE FROM cp_dispatch
 WHERE dispatch_id IN (SELECT dispatch_id
                         FROM (SELECT dispatch_id, at
                                 FROM cp_dispatch
                                ORDER BY dispatch_id
                                LIMIT %(limit)s) AS oldest
                        WHERE at < clock_timestamp() - %(days)s * interval '1 day')
