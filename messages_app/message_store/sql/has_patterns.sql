-- One row: whether the schema of a definition may have a pattern. There are few definitions.
SELECT EXISTS (SELECT FROM source_definition WHERE json_schema::text ~ '"pattern(Properties)?"')
