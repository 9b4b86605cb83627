package io.trino.jdbc;

import io.trino.jdbc.$internal.client.StatementClient;

import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;

/**
 * The driver below its result sets, which queue up to 50,000 rows and turn nested values into types
 * of less precision: here a statement has its id before it starts, and its values as Trino spelled
 * them. Lies in the driver's package, since these methods are its own.
 */
public final class Driver {
    private final NonRegisteringTrinoDriver driver = new TrinoDriver();

    public TrinoConnection connect(String url, Properties properties) throws SQLException {
        return (TrinoConnection) driver.connect(url, properties);
    }

    /** Sends a statement; it starts at the first {@code advance()}. */
    public static StatementClient post(
            TrinoConnection connection, String sql, Map<String, String> properties) {
        return connection.startQuery(sql, properties);
    }

    /** Takes over what a statement set: USE, SET SESSION, SET ROLE, PREPARE. */
    public static void keepState(TrinoConnection connection, StatementClient statement) {
        connection.updateSession(statement);
    }

    public static String sessionProperty(TrinoConnection connection, String name) {
        return connection.getSessionProperties().get(name);
    }
}
