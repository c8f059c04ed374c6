-- The functions of a pickup. They are functions because a session then keeps their plans: planning took most of the
-- time of a pickup. A plan may have been made while the queue was empty, when every plan looks equally good. So the
-- settings and the order that each statement asks for leave only the plan by the right index. Rows are changed by
-- their place (ctid), which no index of the empty queue can undercut.
--
-- Every processed message stays in the index of free messages, at its newest end, where a pickup begins: until the next
-- vacuum, as a part of a page that a search passes, and under a snapshot that is held for long as an entry whose row
-- it reads. A fence is what a pickup has learned there: no message of the queue is free between `low` and `high`. The
-- newest row of a queue counts; nothing is updated, because a held snapshot would keep all versions. Messages of the
-- last two seconds are never behind a fence, because their transactions may not have ended. A message that is committed
-- later than that, with an old time, is found by the next check of the whole range, which takes up to a twentieth of
-- the time.

-- Returns the cost of all searches of the transaction for free messages, in entries; a page counts for ten of them.
CREATE OR REPLACE FUNCTION cp_search_cost() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT pg_stat_get_xact_tuples_returned('oscpmqueue_free_idx'::regclass)
         + 10 * pg_stat_get_xact_blocks_fetched('oscpmqueue_free_idx'::regclass)
$$;

CREATE OR REPLACE FUNCTION cp_set_fence(queue text, is_check boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  known cp_fence;
  began CONSTANT timestamptz NOT NULL := clock_timestamp();
  cost bigint := cp_search_cost();
  newest timestamptz;
BEGIN
  IF NOT is_check THEN
    SELECT * INTO known FROM cp_fence AS fence WHERE fence.queuename = queue ORDER BY fence.fence_id DESC LIMIT 1;
  END IF;
  SELECT max(free.created)
    INTO newest
    FROM ((SELECT message.created
             FROM ONLY oscpmqueue AS message
            WHERE message.queuename = queue
              AND message.lock_service IS NULL
              AND message.created > coalesce(known.high, '-infinity')
            ORDER BY message.created DESC, message.messageguid DESC
            LIMIT 1)
          UNION ALL
          (SELECT message.created
             FROM ONLY oscpmqueue AS message
            WHERE message.queuename = queue
              AND message.lock_service IS NULL
              AND message.created <= known.low
            ORDER BY message.created DESC, message.messageguid DESC
            LIMIT 1)) AS free;
  cost := cp_search_cost() - cost;
  IF NOT is_check AND (cost < 500 OR newest > began - interval '2 seconds') THEN
    RETURN;
  END IF;
  INSERT INTO cp_fence (queuename, low, high, checked_at, seconds)
  SELECT queue, newest, CASE WHEN cost >= 500 AND newest > began - interval '2 seconds' IS NOT TRUE
                             THEN began - interval '2 seconds'
                         END,
         coalesce(known.checked_at, began),
         coalesce(known.seconds, extract(epoch FROM clock_timestamp() - began));
  DELETE FROM cp_fence AS fence
   WHERE fence.queuename = queue
     AND fence.fence_id < (SELECT max(newer.fence_id) FROM cp_fence AS newer WHERE newer.queuename = queue);
END $$;

-- Prepares a pickup: the poll is noted once a second, due messages are brought back, the longest due
-- first, up to 500 a queue; and fences are checked again.
CREATE OR REPLACE FUNCTION cp_begin_pickup(asked text[], caller text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  is_noted boolean;
  is_due boolean;
  unchecked text[];
  queue text;
BEGIN
  SELECT (SELECT service.last_poll > clock_timestamp() - interval '1 second'
            FROM cp_service AS service
           WHERE service.service = caller),
         EXISTS (SELECT
                   FROM unnest(asked) AS given (queuename)
                  CROSS JOIN LATERAL (SELECT message.not_before
                                        FROM cp_deferred AS message
                                       WHERE message.queuename = given.queuename
                                       ORDER BY message.not_before
                                       LIMIT 1) AS first
                  WHERE first.not_before <= clock_timestamp()),
         ARRAY(SELECT given.queuename
                 FROM unnest(asked) AS given (queuename)
                CROSS JOIN LATERAL (SELECT fence.high, fence.checked_at, fence.seconds
                                      FROM cp_fence AS fence
                                     WHERE fence.queuename = given.queuename
                                     ORDER BY fence.fence_id DESC
                                     LIMIT 1) AS newest
                WHERE newest.high IS NOT NULL
                  AND newest.checked_at + (1 + 20 * newest.seconds) * interval '1 second' < clock_timestamp())
    INTO is_noted, is_due, unchecked;
  IF is_noted IS NOT TRUE THEN
    INSERT INTO cp_service (service, queues)
    VALUES (caller, array_to_string(asked, ','))
    ON CONFLICT (service) DO UPDATE SET last_poll = clock_timestamp(), queues = excluded.queues;
  END IF;
  FOREACH queue IN ARRAY unchecked LOOP
    -- One service checks; the others continue with the fence.
    IF pg_try_advisory_xact_lock(hashtextextended('cp_fence:' || queue, 0)) THEN
      PERFORM cp_set_fence(queue, true);
    END IF;
  END LOOP;
  IF is_due THEN
    PERFORM cp_bring_back_due(asked);
  END IF;
END $$;

CREATE OR REPLACE FUNCTION cp_bring_back_due(asked text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH due AS MATERIALIZED (
    SELECT message.messageguid
      FROM unnest(asked) AS given (queuename)
     CROSS JOIN LATERAL (SELECT deferred.messageguid
                           FROM cp_deferred AS deferred
                          WHERE deferred.queuename = given.queuename
                            AND deferred.not_before <= clock_timestamp()
                            AND deferred.lock_service IS NULL
                          ORDER BY deferred.not_before
                          LIMIT 500
                            FOR UPDATE SKIP LOCKED) AS message
     WHERE NOT EXISTS (SELECT FROM cp_pause AS pause WHERE pause.queuename = given.queuename)
  ), moved AS (
    DELETE FROM cp_deferred AS message
     WHERE message.messageguid = ANY (ARRAY(SELECT due.messageguid FROM due))
    RETURNING message.messageguid, message.queuename, message.osid, message.ostype, message.created
  ), unfenced AS (
    INSERT INTO cp_fence (queuename, checked_at, seconds)
    SELECT DISTINCT moved.queuename, clock_timestamp(), 0
      FROM moved
     WHERE EXISTS (SELECT FROM cp_fence AS fence WHERE fence.queuename = moved.queuename)
  )
  INSERT INTO oscpmqueue (messageguid, queuename, osid, ostype, created)
  SELECT moved.messageguid, moved.queuename, moved.osid, moved.ostype, moved.created
    FROM moved;
END $$;

-- Deletes the other free messages of the object and queue of a reserved one, and returns how many. Messages that
-- others collapse at this moment are not waited for.
CREATE OR REPLACE FUNCTION cp_collapse(queue text, object_id int, picked text, picked_created timestamptz) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  others text[] := ARRAY(SELECT message.messageguid
                           FROM oscpmqueue AS message
                          -- A range, because osid = object_id needs no order: then any index of the queue would do. Not
                          -- a range of both columns, which PostgreSQL before 18 reads to the end of the index.
                          WHERE message.queuename = queue
                            AND message.osid >= object_id
                            AND message.osid <= object_id
                            AND message.lock_service IS NULL
                            -- One that was created during the pickup is newer, and stays.
                            AND (message.created, message.messageguid) < (picked_created, picked)
                          ORDER BY message.osid
                            FOR UPDATE OF message SKIP LOCKED);
  -- A variable, because IS NULL would let the planner use the index of all free messages.
  nobody CONSTANT text := NULL;
  gone int := 0;
BEGIN
  IF others <> '{}' THEN
    DELETE FROM oscpmqueue AS message
     WHERE message.messageguid = ANY (others)
       AND message.lock_service IS NOT DISTINCT FROM nobody;
    GET DIAGNOSTICS gone = ROW_COUNT;
    DELETE FROM cp_retry AS retry WHERE retry.messageguid = ANY (others);
  END IF;
  RETURN gone;
END $$;

-- Waits until no other pickup of one message works on this queue, and returns false if that takes too long: then the
-- row decides, as with other writers. Without turns, services that poll at the same time choose the same message, only
-- one of them gets it, and eight services do less than one.
CREATE OR REPLACE FUNCTION cp_wait_for_turn(turn bigint) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(turn);
  RETURN true;
EXCEPTION WHEN lock_not_available THEN
  RETURN false;
END $$;

-- Reserves up to `most` of the newest free messages of all given queues for a service, and collapses the other free
-- ones of their objects. Paused queues are skipped. A message that is locked is not waited for, because another
-- service has it. A single pickup attempts only one, and takes turns with others at these queues; a batch passes over
-- locked ones, to a limited depth. If something is free and all of it is lost, the only row has just the queue, and the
-- loss is counted. No row: nothing is free.
--
-- If a crash of the database loses a reservation, its message and the collapsed ones are free again. Nothing is lost,
-- so this commit does not wait for the disk.
CREATE OR REPLACE FUNCTION cp_pick(asked text[], caller text, new_check text, is_fenced boolean, most int)
RETURNS TABLE (candidate_queue text, guid text, queue text, object_id int, object_type int, created_at timestamptz,
               checkguid text, collapsed int)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET enable_incremental_sort = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  depth CONSTANT int := CASE most WHEN 1 THEN 1 ELSE 5 * most END;
  places tid[];
  place tid;
  picked int := 0;
  cost bigint;
  turn bigint;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true), cp_begin_pickup(asked, caller);
  IF most = 1 THEN
    -- In one order for all, so that two services never wait for each other.
    FOREACH turn IN ARRAY ARRAY(SELECT hashtextextended('cp_turn:' || given.queuename, 0)
                                  FROM unnest(asked) AS given (queuename)
                                 ORDER BY 1) LOOP
      EXIT WHEN NOT pg_try_advisory_xact_lock(turn) AND NOT cp_wait_for_turn(turn);
    END LOOP;
  END IF;
  cost := cp_search_cost();
  SELECT array_agg(newest.place), (array_agg(newest.queuename))[1]
    INTO places, candidate_queue
    FROM (SELECT one.place, one.queuename
            FROM unnest(asked) AS given (queuename)
            LEFT JOIN LATERAL (SELECT fence.low, fence.high
                                 FROM cp_fence AS fence
                                WHERE fence.queuename = given.queuename
                                ORDER BY fence.fence_id DESC
                                LIMIT 1) AS fence ON true
           CROSS JOIN LATERAL (
                 (SELECT message.ctid AS place, message.queuename, message.created, message.messageguid
                    FROM ONLY oscpmqueue AS message
                   WHERE message.queuename = given.queuename
                     AND message.lock_service IS NULL
                     AND message.created > coalesce(fence.high, '-infinity')
                   ORDER BY message.created DESC, message.messageguid DESC
                   LIMIT depth)
                 UNION ALL
                 (SELECT message.ctid AS place, message.queuename, message.created, message.messageguid
                    FROM ONLY oscpmqueue AS message
                   WHERE message.queuename = given.queuename
                     AND message.lock_service IS NULL
                     AND message.created <= fence.low
                   ORDER BY message.created DESC, message.messageguid DESC
                   LIMIT depth)) AS one
           WHERE NOT EXISTS (SELECT FROM cp_pause AS pause WHERE pause.queuename = given.queuename)
           ORDER BY one.created DESC, one.messageguid DESC
           LIMIT depth) AS newest;
  IF cp_search_cost() - cost > 500 + 2 * depth * cardinality(asked) THEN
    PERFORM cp_set_fence(given.queuename, false) FROM unnest(asked) AS given (queuename);
  END IF;
  FOREACH place IN ARRAY coalesce(places, '{}') LOOP
    EXIT WHEN picked = most;
    checkguid := coalesce(new_check, upper(replace(gen_random_uuid()::text, '-', '')));
    UPDATE ONLY oscpmqueue AS message
       SET lock_service = caller, checkguid = cp_pick.checkguid
     WHERE message.ctid = (SELECT free.ctid
                             FROM ONLY oscpmqueue AS free
                            WHERE free.ctid = place
                              AND free.lock_service IS NULL
                              FOR UPDATE SKIP LOCKED)
    RETURNING message.messageguid, message.queuename, message.osid, message.ostype, message.created
      INTO guid, queue, object_id, object_type, created_at;
    CONTINUE WHEN NOT FOUND;
    collapsed := cp_collapse(queue, object_id, guid, created_at);
    INSERT INTO cp_reservation AS known (messageguid, checkguid, service, reserved_at, is_fenced, collapsed)
    VALUES (guid, cp_pick.checkguid, caller, clock_timestamp(), cp_pick.is_fenced, cp_pick.collapsed)
    ON CONFLICT (messageguid) DO UPDATE
       SET checkguid = excluded.checkguid, service = excluded.service, reserved_at = excluded.reserved_at,
           is_fenced = excluded.is_fenced, collapsed = excluded.collapsed;
    picked := picked + 1;
    RETURN NEXT;
  END LOOP;
  IF picked = 0 AND candidate_queue IS NOT NULL THEN
    INSERT INTO cp_lost_pickup AS known (queuename, hour, service, lost)
    VALUES (candidate_queue, date_trunc('hour', clock_timestamp(), 'UTC'), caller, 1)
    ON CONFLICT (queuename, hour, service) DO UPDATE SET lost = known.lost + 1;
    RETURN NEXT;
  END IF;
END $$;
