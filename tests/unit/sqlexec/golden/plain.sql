MERGE INTO "iceberg"."main"."hourly" AS t
USING (
    SELECT a.act, g.c0, g.c1, g.n2 AS c2, g.n3 AS c3, g.n4 AS c4
    FROM (
        SELECT u.c0, u.c1, any_value(u.c2) FILTER (WHERE u.fresh) AS n2, any_value(u.c2) FILTER (WHERE NOT u.fresh) AS o2, any_value(u.c3) FILTER (WHERE u.fresh) AS n3, any_value(u.c3) FILTER (WHERE NOT u.fresh) AS o3, any_value(u.c4) FILTER (WHERE u.fresh) AS n4, any_value(u.c4) FILTER (WHERE NOT u.fresh) AS o4, count_if(u.fresh) AS fresh_rows, count_if(NOT u.fresh) AS target_rows
        FROM (
            SELECT TRUE, CAST(f."origin" AS varchar), CAST(f."hour_ts" AS timestamp(6)), CAST(f."flights" AS bigint), CAST(f."avg_delay" AS double), CAST(f."p50" AS double)
            FROM (
SELECT origin, date_trunc('hour', date), count(*),
  avg(delay), approx_percentile(delay, 0.5)
FROM flights GROUP BY 1, 2 -- all of them
            ) AS f ("origin", "hour_ts", "flights", "avg_delay", "p50")
            WHERE (f."hour_ts" >= TIMESTAMP '2001-01-01 00:00:00' AND f."hour_ts" < TIMESTAMP '2001-02-01 00:00:00' OR f."hour_ts" IS NULL)
            UNION ALL
            SELECT FALSE, r."origin", r."hour_ts", r."flights", r."avg_delay", r."p50"
            FROM "iceberg"."main"."hourly" AS r
            WHERE (r."hour_ts" >= TIMESTAMP '2001-01-01 00:00:00' AND r."hour_ts" < TIMESTAMP '2001-02-01 00:00:00' OR r."hour_ts" IS NULL)
        ) AS u (fresh, c0, c1, c2, c3, c4)
        GROUP BY u.c0, u.c1
    ) AS g
    CROSS JOIN (VALUES ('insert'), ('update'), ('delete')) AS a (act)
    CROSS JOIN (SELECT (SELECT file FROM "iceberg"."main"."hourly$metadata_log_entries" ORDER BY coalesce(TRY_CAST(regexp_extract(file, '/v?(\d+)[^/]*$', 1) AS bigint), -1) DESC, timestamp DESC LIMIT 1) AS found) AS h
    WHERE CASE WHEN h.found = 'file:///w/hourly/metadata/00003-a.metadata.json' THEN TRUE ELSE CAST(concat('ivm stale head: ', h.found) AS boolean) END
    AND strpos(CASE
        WHEN g.fresh_rows > 1 THEN CAST(CAST('ivm duplicate key: ' || 'origin = ' || coalesce(CAST(g.c0 AS varchar), 'NULL') || ', hour_ts = ' || coalesce(CAST(g.c1 AS varchar), 'NULL') AS boolean) AS varchar)
        WHEN g.fresh_rows + g.target_rows = 0 THEN NULL
        WHEN g.target_rows = 0 THEN 'insert'
        WHEN g.fresh_rows = 0 THEN 'delete'
        WHEN g.target_rows > 1 THEN 'delete' || 'insert'
        WHEN g.n2 IS DISTINCT FROM g.o2 OR (CAST(g.n3 AS double) IS DISTINCT FROM CAST(g.o3 AS double) AND NOT coalesce(is_finite(CAST(g.n3 AS double)) AND is_finite(CAST(g.o3 AS double)) AND abs(CAST(g.n3 AS double) - CAST(g.o3 AS double)) <= 1E-9 * greatest(abs(CAST(g.n3 AS double)), abs(CAST(g.o3 AS double)), 1E-300), FALSE)) OR CASE WHEN is_nan(g.n4) THEN X'' ELSE to_ieee754_64(CAST(g.n4 AS double)) END IS DISTINCT FROM CASE WHEN is_nan(g.o4) THEN X'' ELSE to_ieee754_64(CAST(g.o4 AS double)) END THEN 'update'
    END, a.act) > 0
) AS s
ON s.act <> 'insert'
    AND (t."origin" IS NULL) = (s.c0 IS NULL) AND coalesce(t."origin", '') = coalesce(s.c0, '')
    AND (t."hour_ts" IS NULL) = (s.c1 IS NULL) AND coalesce(t."hour_ts", TIMESTAMP '1970-01-01 00:00:00') = coalesce(s.c1, TIMESTAMP '1970-01-01 00:00:00')
    AND (t."hour_ts" >= TIMESTAMP '2001-01-01 00:00:00' AND t."hour_ts" < TIMESTAMP '2001-02-01 00:00:00' OR t."hour_ts" IS NULL)
WHEN MATCHED AND s.act = 'delete' THEN DELETE
WHEN MATCHED AND s.act = 'update' THEN UPDATE SET "flights" = s.c2, "avg_delay" = s.c3, "p50" = s.c4
WHEN NOT MATCHED AND s.act = 'insert' THEN INSERT ("origin", "hour_ts", "flights", "avg_delay", "p50")
    VALUES (s.c0, s.c1, s.c2, s.c3, s.c4)
