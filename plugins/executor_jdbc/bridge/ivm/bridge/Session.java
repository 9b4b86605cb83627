package ivm.bridge;

import io.trino.jdbc.Driver;
import io.trino.jdbc.TrinoConnection;
import io.trino.jdbc.$internal.airlift.units.Duration;
import io.trino.jdbc.$internal.client.StatementClient;

import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One JDBC connection. Its calls come one at a time, in its own thread; {@code cancel} comes from
 * another one.
 */
final class Session {
    private static final String RUN_TIME = "query_max_run_time";

    private final TrinoConnection connection;
    private final Map<Long, StatementClient> statements = new ConcurrentHashMap<>();
    private final Set<Long> cancelled = ConcurrentHashMap.newKeySet();

    Session(Driver driver, Map<String, Object> request) throws SQLException {
        Properties properties = new Properties();
        properties.putAll(texts(request.get("properties")));
        connection = driver.connect((String) request.get("url"), properties);
        if (connection == null)
            throw new SQLException("the driver does not take this URL");
        // Buckets depend on it, whatever the URL says.
        connection.setTimeZoneId("UTC");
        connection.setCatalog((String) request.get("catalog"));
        connection.setSchema((String) request.get("schema"));
        connection.setNetworkTimeout(Runnable::run, ((Long) request.get("patienceMs")).intValue());
        for (Map.Entry<String, String> entry : texts(request.get("sessionProperties")).entrySet())
            connection.setSessionProperty(entry.getKey(), entry.getValue());
    }

    @SuppressWarnings("unchecked")
    private static Map<String, String> texts(Object object) {
        return (Map<String, String>) object;
    }

    /** Sends a statement, which does not start. {@code runMillis}: what is left for it, or null. */
    void post(JsonWriter out, long id, String sql, Long runMillis) {
        StatementClient statement = Driver.post(connection, sql, limits(runMillis));
        statements.put(id, statement);
        boolean unwanted = cancelled.contains(id);
        cancelled.removeIf(other -> other <= id);
        if (unwanted) {
            end(id, statement);
            throw new IllegalStateException("the statement was cancelled");
        }
        answer(out, id, statement);
    }

    /** Lets it go on to its next answer. */
    void get(JsonWriter out, long id) {
        StatementClient statement = statements.get(id);
        if (statement == null)
            throw new IllegalStateException("the statement has ended");
        statement.advance();
        if (statement.isClientAborted())
            throw new IllegalStateException("the statement was cancelled");
        answer(out, id, statement);
    }

    /**
     * From any thread; returns when the driver has told the server. Whether that arrived the driver
     * does not say; a query that nobody asks for any more is ended by Trino itself.
     */
    void cancel(long id) {
        // Before the look, so that a post() at this moment finds it.
        cancelled.add(id);
        StatementClient statement = statements.get(id);
        if (statement != null)
            end(id, statement);
    }

    void close() {
        statements.forEach(this::end);
        try {
            connection.close();
        } catch (SQLException e) {
            System.err.println("closing a connection failed: " + e.getMessage());
        }
    }

    private void end(long id, StatementClient statement) {
        statements.remove(id);
        statement.close();
    }

    private void answer(JsonWriter out, long id, StatementClient statement) {
        boolean last = Page.isLast(statement);
        if (statement.getSetSessionProperties().containsKey("time_zone_id")) {
            end(id, statement);
            out.name("failed").open('{').member("kind", "time_zone").member("message", "");
            out.close('}');
            return;
        }
        Page.write(out.name("page"), statement, "bridge:" + id);
        if (!last)
            return;
        if (setsState(statement))
            out.member("setsState", true);
        Driver.keepState(connection, statement);
        end(id, statement);
    }

    private static boolean setsState(StatementClient statement) {
        return !statement.getSetSessionProperties().isEmpty()
                || !statement.getResetSessionProperties().isEmpty()
                || !statement.getSetRoles().isEmpty()
                || !statement.getAddedPreparedStatements().isEmpty()
                || !statement.getDeallocatedPreparedStatements().isEmpty()
                || statement.getSetCatalog().isPresent()
                || statement.getSetSchema().isPresent()
                || statement.getSetPath().isPresent()
                || statement.getSetAuthorizationUser().isPresent()
                || statement.isResetAuthorizationUser()
                || statement.getStartedTransactionId() != null;
    }

    // The shorter of what the session says and of what is left.
    private Map<String, String> limits(Long runMillis) {
        if (runMillis == null)
            return Map.of();
        String asked = Driver.sessionProperty(connection, RUN_TIME);
        if (asked != null && millis(asked) <= runMillis)
            return Map.of();
        return Map.of(RUN_TIME, runMillis + "ms");
    }

    private static long millis(String duration) {
        try {
            return Duration.valueOf(duration).toMillis();
        } catch (IllegalArgumentException e) {
            return Long.MAX_VALUE;
        }
    }
}
