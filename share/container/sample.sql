CREATE SCHEMA IF NOT EXISTS iceberg.analytics;
CREATE TABLE IF NOT EXISTS iceberg.analytics.orders WITH (partitioning = ARRAY['month(orderdate)'])
AS SELECT * FROM tpch.tiny.orders;
