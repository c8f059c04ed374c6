-- One message for each queue, all with the same time. The server assigns the GUIDs.
WITH moment AS MATERIALIZED (
    SELECT clock_timestamp() AS created
)
INSERT INTO oscpmqueue (messageguid, queuename, osid, ostype, created)
SELECT upper(replace(gen_random_uuid()::text, '-', '')), asked.queuename, %(osid)s, %(ostype)s, moment.created
  FROM moment, unnest(%(queues)s::text[]) AS asked (queuename)
