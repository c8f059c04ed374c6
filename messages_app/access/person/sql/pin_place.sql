-- Adds a pin and removes those of missing objects. No row: it is pinned already, the person has the most pins, or the
-- account was deactivated.
INSERT INTO person_settings AS s (user_id, time_zone, density, start_page, pins)
SELECT id, %(time_zone)s, %(density)s, %(start_page)s, ARRAY[%(address)s]::varchar[]
  FROM auth_user
 WHERE id = %(user_id)s AND is_active
    ON CONFLICT (user_id) DO UPDATE
   SET pins = ARRAY(SELECT address
                      FROM unnest(s.pins) WITH ORDINALITY AS pin (address, position)
                     WHERE address <> ALL (%(missing)s::varchar[])
                     ORDER BY position) || EXCLUDED.pins
 WHERE NOT s.pins @> EXCLUDED.pins
   AND (SELECT count(*) FROM unnest(s.pins) AS address WHERE address <> ALL (%(missing)s::varchar[])) < %(most)s
RETURNING pins
