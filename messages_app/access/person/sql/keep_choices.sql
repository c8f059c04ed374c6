-- No row: the account was deleted or deactivated after the page was rendered.
INSERT INTO person_settings (user_id, time_zone, density, start_page, pins)
SELECT id, %(time_zone)s, %(density)s, %(start_page)s, '{}'
  FROM auth_user
 WHERE id = %(user_id)s AND is_active
    ON CONFLICT (user_id) DO UPDATE
   SET time_zone = EXCLUDED.time_zone, density = EXCLUDED.density, start_page = EXCLUDED.start_page
