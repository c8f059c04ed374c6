-- Tells the triggers that count messages and note failures that rows come back, until the transaction ends: they
-- were counted when they came the first time.
SELECT set_config('hubconsole.restoring', 'on', true)
