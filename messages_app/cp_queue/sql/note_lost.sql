-- Counts one more pickup lost by a service in a queue in this hour.
INSERT INTO cp_lost_pickup AS known (queuename, hour, service, lost)
SELECT %(queue)s, date_trunc('hour', clock_timestamp(), 'UTC'), %(service)s, 1
  FROM set_config('synchronous_commit', 'off', true)
ON CONFLICT (queuename, hour, service) DO UPDATE
   SET lost = known.lost + 1
