MERGE INTO "iceberg"."main"."hourly" AS t
USING (
    SELECT a.act, g.c0, g.c1
    FROM (
        SELECT u.c0, u.c1, count_if(u.fresh) AS fresh_rows, count_if(NOT u.fresh) AS target_rows
        FROM (
            SELECT TRUE, CAST(f."a ""b" AS double), CAST(f."r" AS row("order" varbinary))
            FROM (
SELECT DISTINCT x, y FROM z
            ) AS f ("a ""b", "r")
            UNION ALL
            SELECT FALSE, r."a ""b", r."r"
            FROM "iceberg"."main"."hourly" AS r
        ) AS u (fresh, c0, c1)
        GROUP BY u.c0, u.c1
    ) AS g
    CROSS JOIN UNNEST(CASE
        WHEN g.fresh_rows > 1 THEN ARRAY[CAST(CAST('ivm duplicate key: ' || 'a "b = ' || coalesce(CAST(g.c0 AS varchar), 'NULL') || ', r = ' || coalesce('row(order varbinary)', 'NULL') AS boolean) AS varchar)]
        WHEN g.fresh_rows + g.target_rows = 0 THEN NULL
        WHEN g.target_rows = 0 THEN ARRAY['insert']
        WHEN g.fresh_rows = 0 THEN ARRAY['delete']
        WHEN g.target_rows > 1 THEN ARRAY['delete', 'insert']
    END) AS a (act)
    CROSS JOIN (SELECT (SELECT max_by(file, ROW(coalesce(TRY_CAST(regexp_extract(file, '/v?(\d+)[^/]*$', 1) AS bigint), -1), timestamp)) FROM "iceberg"."main"."hourly$metadata_log_entries") AS found) AS h
    WHERE CASE WHEN h.found = 'file:///w/hourly/metadata/00003-a.metadata.json' THEN TRUE ELSE CAST(concat('ivm stale head: ', h.found) AS boolean) END
    AND CASE WHEN current_timezone() = 'UTC' THEN TRUE ELSE CAST(concat('ivm time zone: ', current_timezone()) AS boolean) END
) AS s
ON s.act <> 'insert'
    AND coalesce(to_ieee754_64(CASE WHEN is_nan(t."a ""b") THEN nan() ELSE CAST(t."a ""b" AS double) + 0E0 END), X'') = coalesce(to_ieee754_64(CASE WHEN is_nan(s.c0) THEN nan() ELSE CAST(s.c0 AS double) + 0E0 END), X'')
    AND (t."r" IS NULL) = (s.c1 IS NULL) AND (t."r"[1] IS NULL) = (s.c1[1] IS NULL) AND coalesce(t."r"[1], X'') = coalesce(s.c1[1], X'')
WHEN MATCHED AND s.act = 'delete' THEN DELETE
WHEN NOT MATCHED AND s.act = 'insert' THEN INSERT ("a ""b", "r")
    VALUES (s.c0, s.c1)
