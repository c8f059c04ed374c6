-- Up to `most` rows of the beginning of each interval [low, high) of an index, with the interval's number.
SELECT probe.no, picked.*
  FROM unnest(%(lows)s::{type}[], %(highs)s::{type}[]) WITH ORDINALITY AS probe (low, high, no)
 CROSS JOIN LATERAL (SELECT msg_id, state, service_name, failed_error_code, funnel_component_id, {column} AS place
                       FROM {table}
                      WHERE {held}
                        AND {column} >= probe.low
                        AND {column} < probe.high
                      ORDER BY {column}
                      LIMIT %(most)s) AS picked
