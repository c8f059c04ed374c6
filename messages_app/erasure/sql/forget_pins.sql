-- Removes pins of pages from the menus of all users.
UPDATE person_settings
   SET pins = ARRAY(SELECT address
                      FROM unnest(pins) WITH ORDINALITY AS pin (address, position)
                     WHERE address <> ALL (%(pages)s::varchar[])
                     ORDER BY position)
 WHERE pins && %(pages)s::varchar[]
RETURNING user_id
