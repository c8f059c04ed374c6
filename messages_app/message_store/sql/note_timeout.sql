-- Counts one more message that the monitor took back in this hour.
INSERT INTO store_timeout AS known (hour, status, fired)
VALUES (date_trunc('hour', clock_timestamp(), 'UTC'), %(status)s, 1)
ON CONFLICT (hour, status) DO UPDATE
   SET fired = known.fired + 1
