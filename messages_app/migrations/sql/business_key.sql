-- The values of business keys, by the month in which the message was received. Times outside of these
-- months, such as infinity, are in a partition of their own.
CREATE TABLE business_key (
  definition_id bigint NOT NULL,
  value varchar(200) COLLATE "C" NOT NULL,
  msg_id bigint NOT NULL,
  receive_timestamp timestamptz NOT NULL,
  PRIMARY KEY (definition_id, value, msg_id, receive_timestamp)
) PARTITION BY RANGE (receive_timestamp);

CREATE INDEX business_key_msg_idx ON business_key (msg_id);

CREATE TABLE business_key_other PARTITION OF business_key DEFAULT;

-- Makes the partition of a month from 2000 to 2099. It runs as the owner of the tables, because workers may not create
-- any. Nothing else of the caller decides what it does.
CREATE FUNCTION make_business_key_month(month timestamptz) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  first timestamptz;
  part name;
BEGIN
  IF month < '2000-01-01 00:00+00' OR month >= '2100-01-01 00:00+00' THEN
    RETURN;
  END IF;
  first := date_trunc('month', month, 'UTC');
  part := 'business_key_' || to_char(first AT TIME ZONE 'UTC', 'YYYY_MM');
  IF to_regclass(part) IS NOT NULL THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('hubconsole business_key months', 0));
  EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF business_key FOR VALUES FROM (%L) TO (%L)',
                 part, first, (first AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC');
END $$;

DO $$
DECLARE
  own name := (SELECT nspname
                 FROM pg_namespace
                 JOIN pg_class ON relnamespace = pg_namespace.oid
                WHERE pg_class.oid = 'business_key'::regclass);
BEGIN
  EXECUTE format('ALTER FUNCTION make_business_key_month SET search_path = %I, pg_temp', own);
END $$;
