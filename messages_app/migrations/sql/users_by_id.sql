-- The user who has the name now is the creator.
UPDATE job
   SET creator_id = auth_user.id
  FROM auth_user
 WHERE auth_user.username = job.created_by;
