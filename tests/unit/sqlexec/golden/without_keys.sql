MERGE INTO "iceberg"."main"."hourly" AS t
USING (
    SELECT a.act, g.n0 AS c0, g.n1 AS c1
    FROM (
        SELECT any_value(u.c0) FILTER (WHERE u.fresh) AS n0, any_value(u.c0) FILTER (WHERE NOT u.fresh) AS o0, any_value(u.c1) FILTER (WHERE u.fresh) AS n1, any_value(u.c1) FILTER (WHERE NOT u.fresh) AS o1, count_if(u.fresh) AS fresh_rows, count_if(NOT u.fresh) AS target_rows
        FROM (
            SELECT TRUE, CAST(f."flights" AS bigint), CAST(f."max_delay" AS double)
            FROM (
SELECT count(*), max(delay) FROM flights
            ) AS f ("flights", "max_delay")
            UNION ALL
            SELECT FALSE, r."flights", r."max_delay"
            FROM "iceberg"."main"."hourly" AS r
        ) AS u (fresh, c0, c1)
    ) AS g
    CROSS JOIN UNNEST(CASE
        WHEN g.fresh_rows > 1 THEN ARRAY[CAST(CAST('ivm duplicate key: ' || 'a view without keys' AS boolean) AS varchar)]
        WHEN g.fresh_rows + g.target_rows = 0 THEN NULL
        WHEN g.target_rows = 0 THEN ARRAY['insert']
        WHEN g.fresh_rows = 0 THEN ARRAY['delete']
        WHEN g.target_rows > 1 THEN ARRAY['delete', 'insert']
        WHEN g.n0 IS DISTINCT FROM g.o0 OR CASE WHEN is_nan(g.n1) THEN X'' ELSE to_ieee754_64(CAST(g.n1 AS double)) END IS DISTINCT FROM CASE WHEN is_nan(g.o1) THEN X'' ELSE to_ieee754_64(CAST(g.o1 AS double)) END THEN ARRAY['update']
    END) AS a (act)
    CROSS JOIN (SELECT (SELECT max_by(file, ROW(coalesce(TRY_CAST(regexp_extract(file, '/v?(\d+)[^/]*$', 1) AS bigint), -1), timestamp)) FROM "iceberg"."main"."hourly$metadata_log_entries") AS found) AS h
    WHERE CASE WHEN h.found = 'file:///w/hourly/metadata/00003-a.metadata.json' THEN TRUE ELSE CAST(concat('ivm stale head: ', h.found) AS boolean) END
    AND CASE WHEN current_timezone() = 'UTC' THEN TRUE ELSE CAST(concat('ivm time zone: ', current_timezone()) AS boolean) END
) AS s
ON s.act <> 'insert'
WHEN MATCHED AND s.act = 'delete' THEN DELETE
WHEN MATCHED AND s.act = 'update' THEN UPDATE SET "flights" = s.c0, "max_delay" = s.c1
WHEN NOT MATCHED AND s.act = 'insert' THEN INSERT ("flights", "max_delay")
    VALUES (s.c0, s.c1)
