-- Messages that share a funnel value, oldest msg_timestamp first: docs/contributing/spec/cleverbus.md, "Table funnel",
-- "Funnels", "Guaranteed order". If values are in their own table, no index has both value and state, so candidates
-- are found by value and by state. Each scan is limited. LIMIT 1 makes each lookup use an index, and because of
-- OFFSET 0 the values are read only once.
WITH wanted AS MATERIALIZED (
  SELECT DISTINCT value FROM unnest(%(values)s::text[]) AS value
), found AS MATERIALIZED (
  SELECT newest.msg_id
    FROM wanted
   CROSS JOIN LATERAL (SELECT msg_id FROM funnel
                        WHERE funnel_value = wanted.value
                        ORDER BY msg_id DESC
                        LIMIT %(fence)s) AS newest
), open AS MATERIALIZED (
  -- Many rows were found, and few of them are open: an index of states has the ids of all open messages.
  SELECT of_state.msg_id
    FROM unnest(%(states)s::text[]) AS one(state)
   CROSS JOIN LATERAL (SELECT msg_id FROM message
                        WHERE message.state = one.state AND NOT message.state = 'OK'
                        LIMIT %(most_open)s) AS of_state
   WHERE (SELECT count(*) FROM found) >= %(fence)s
   LIMIT %(most_open)s
), by_table AS (
  SELECT msg_id FROM found
   WHERE (SELECT count(*) FROM found) < %(fence)s
      OR (SELECT count(*) FROM open) >= %(most_open)s
      OR msg_id IN (SELECT msg_id FROM open)
), candidate AS (
  SELECT msg_id FROM by_table
   UNION
  SELECT oldest.msg_id
    FROM wanted
   CROSS JOIN unnest(%(states)s::text[]) AS one(state)
   CROSS JOIN LATERAL (SELECT msg_id FROM message
                        WHERE funnel_value = wanted.value
                          AND message.state = one.state AND message.state <> ALL (%(bygone)s::text[])
                        ORDER BY msg_timestamp, msg_id
                        LIMIT %(fence)s) AS oldest
   UNION
  -- A value with more rows than the fence: also its component's open messages, from both ends.
  SELECT ends.msg_id
    FROM unnest(%(states)s::text[]) AS one(state)
   CROSS JOIN LATERAL ((SELECT msg_id FROM message
                         WHERE funnel_component_id = %(component_id)s::text
                           AND message.state = one.state AND message.state <> ALL (%(bygone)s::text[])
                         ORDER BY msg_timestamp, msg_id
                         LIMIT %(fence)s)
                        UNION ALL
                       (SELECT msg_id FROM message
                         WHERE funnel_component_id = %(component_id)s::text
                           AND message.state = one.state AND message.state <> ALL (%(bygone)s::text[])
                         ORDER BY msg_timestamp DESC, msg_id DESC
                         LIMIT %(fence)s)) AS ends
   WHERE (SELECT count(*) FROM found) >= %(fence)s
   UNION
  (SELECT msg_id FROM message
    WHERE guaranteed_order AND state <> ALL (%(bygone)s::text[])
      AND %(only_ordered)s AND (SELECT count(*) FROM found) >= %(fence)s
    ORDER BY msg_timestamp, msg_id
    LIMIT %(fence)s)
)
SELECT member.msg_id, member.state, member.msg_timestamp, member.receive_timestamp,
       member.start_process_timestamp, member.last_process_timestamp,
       member.funnel_component_id, member.guaranteed_order, member.exclude_failed_state, own.stored
  FROM candidate
 CROSS JOIN LATERAL (SELECT * FROM message
                      WHERE message.msg_id = candidate.msg_id
                        AND message.state = ANY (%(states)s::text[])
                        AND (%(any_component)s
                             OR message.funnel_component_id IS NOT DISTINCT FROM %(component_id)s::text)
                        AND (guaranteed_order OR NOT %(only_ordered)s)
                        AND (%(started_from)s::timestamptz IS NULL
                             OR start_process_timestamp >= %(started_from)s::timestamptz)
                        AND (%(started_before)s::timestamptz IS NULL
                             OR start_process_timestamp < %(started_before)s::timestamptz)
                        AND message.msg_id IS DISTINCT FROM CAST(%(excluding)s AS bigint)
                      LIMIT 1) AS member
 CROSS JOIN LATERAL (SELECT coalesce(nullif(ARRAY(SELECT funnel_value::text FROM funnel
                                                    WHERE funnel.msg_id = member.msg_id
                                                    ORDER BY funnel_id
                                                    LIMIT %(most_values)s), '{}'),
                                     ARRAY[member.funnel_value::text]) AS stored
                      OFFSET 0) AS own
 WHERE own.stored && %(values)s::text[]
 -- The complement reverses the order of ids without an overflow.
 ORDER BY member.msg_timestamp, CASE WHEN %(newest_first)s THEN ~member.msg_id ELSE member.msg_id END
 LIMIT %(limit)s
