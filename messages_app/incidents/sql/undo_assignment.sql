-- Gives an incident back to its former owner, if it still has the owner that it was given to. An account that was
-- deactivated meanwhile owns nothing.
UPDATE incident
   SET owner = %(former)s
 WHERE incident_id = %(incident_id)s
   AND owner = %(owner)s
   AND merged_into IS NULL
   AND (%(former)s = '' OR EXISTS (SELECT FROM auth_user WHERE username = %(former)s AND is_active))
