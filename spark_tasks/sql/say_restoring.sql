-- Informs the triggers that count messages and note failures that rows are restored, until the transaction
-- ends: they were counted when they first arrived.
SELECT set_config('hubconsole.restoring', 'on', true)
