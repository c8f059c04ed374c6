-- The settings of the session that writes decide nothing in our functions: neither where names are looked up, nor
-- whether a plan is compiled, which took 0.5 s for one row
-- (docs/contributing/decisions/0023-triggers-never-fail-the-hub.md). pg_temp is last: else a temporary table of the
-- session's would go before ours.
DO $$
DECLARE
  own name := (SELECT nspname
                 FROM pg_namespace
                 JOIN pg_class ON relnamespace = pg_namespace.oid
                WHERE pg_class.oid = 'message_event'::regclass);
  each regprocedure;
BEGIN
  FOR each IN
    SELECT oid::regprocedure
      FROM pg_proc
     WHERE pronamespace = to_regnamespace(quote_ident(own))
       AND proname = ANY ('{names}'::name[])
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET jit = off', each);
    EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', each, own);
    -- Only triggers call these functions, and the writer needs no privilege for that.
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', each);
  END LOOP;
END $$;
