-- Count lines by status. Lines in work are few and are counted as they are; every other status is counted by its
-- changes.
CREATE FUNCTION message_count_added() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO message_count_change (source_system, source_entity, status, change)
  SELECT coalesce(source_system, ''), coalesce(source_entity, ''), status, count(*)
    FROM written
   WHERE status NOT IN (1, 3)
   GROUP BY 1, 2, 3;
  RETURN NULL;
{gap}END
$$;
CREATE FUNCTION message_count_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO message_count_change (source_system, source_entity, status, change)
  SELECT source_system, source_entity, status, sum(change)
    FROM (SELECT coalesce(source_system, '') AS source_system, coalesce(source_entity, '') AS source_entity,
                 status, 1 AS change FROM written
           UNION ALL
          SELECT coalesce(source_system, ''), coalesce(source_entity, ''), status, -1 FROM previous) AS step
   WHERE status NOT IN (1, 3)
   GROUP BY 1, 2, 3
  HAVING sum(change) <> 0;
  RETURN NULL;
{gap}END
$$;
CREATE FUNCTION message_count_removed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO message_count_change (source_system, source_entity, status, change)
  SELECT coalesce(source_system, ''), coalesce(source_entity, ''), status, -count(*)
    FROM removed
   WHERE status NOT IN (1, 3)
   GROUP BY 1, 2, 3;
  RETURN NULL;
{gap}END
$$;
CREATE TRIGGER message_line_added AFTER INSERT ON message_line
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION message_count_added();
CREATE TRIGGER message_line_changed AFTER UPDATE ON message_line
  REFERENCING OLD TABLE AS previous NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION message_count_changed();
CREATE TRIGGER message_line_removed AFTER DELETE ON message_line
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION message_count_removed();
