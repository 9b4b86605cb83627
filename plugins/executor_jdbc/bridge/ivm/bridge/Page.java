package ivm.bridge;

import io.trino.jdbc.$internal.client.Column;
import io.trino.jdbc.$internal.client.ErrorLocation;
import io.trino.jdbc.$internal.client.QueryError;
import io.trino.jdbc.$internal.client.QueryStatusInfo;
import io.trino.jdbc.$internal.client.StatementClient;
import io.trino.jdbc.$internal.client.StatementStats;
import io.trino.jdbc.$internal.client.Warning;

import java.util.List;

/** Writes one answer to a statement, as Trino's own protocol spells it. */
final class Page {
    private final JsonWriter out;
    private final QueryStatusInfo info;

    private Page(JsonWriter out, QueryStatusInfo info) {
        this.out = out;
        this.info = info;
    }

    /** {@code next}: how the host asks for the next answer, unless this is the last. */
    static void write(JsonWriter out, StatementClient statement, String next) {
        boolean running = statement.isRunning();
        QueryStatusInfo info =
                running ? statement.currentStatusInfo() : statement.finalStatusInfo();
        Page page = new Page(out, info);
        out.open('{').member("id", info.getId());
        if (info.getError() != null)
            page.error(info.getError());
        else if (running && info.getNextUri() != null)
            out.member("nextUri", next);
        if (info.getColumns() != null)
            page.columns(info.getColumns());
        if (running)
            page.data(statement);
        page.rest();
        out.close('}');
    }

    static boolean isLast(StatementClient statement) {
        if (!statement.isRunning())
            return true;
        QueryStatusInfo info = statement.currentStatusInfo();
        return info.getNextUri() == null || info.getError() != null;
    }

    private void error(QueryError error) {
        out.name("error").open('{').member("message", error.getMessage());
        out.member("errorName", error.getErrorName()).member("errorType", error.getErrorType());
        ErrorLocation place = error.getErrorLocation();
        if (place != null) {
            out.name("errorLocation").open('{').member("lineNumber", place.getLineNumber());
            out.member("columnNumber", place.getColumnNumber()).close('}');
        }
        out.close('}');
    }

    private void columns(List<Column> columns) {
        out.name("columns").open('[');
        for (Column column : columns) {
            out.open('{').member("name", column.getName()).member("type", column.getType());
            out.close('}');
        }
        out.close(']');
    }

    private void data(StatementClient statement) {
        out.name("data").open('[');
        for (List<Object> row : statement.currentRows())
            out.value(row);
        out.close(']');
    }

    private void rest() {
        StatementStats stats = info.getStats();
        if (stats != null) {
            out.name("stats").open('{').member("state", stats.getState());
            out.member("processedRows", stats.getProcessedRows());
            out.member("processedBytes", stats.getProcessedBytes()).close('}');
        }
        if (info.getUpdateType() != null)
            out.member("updateType", info.getUpdateType());
        if (info.getUpdateCount().isPresent())
            out.member("updateCount", info.getUpdateCount().getAsLong());
        out.name("warnings").open('[');
        for (Warning warning : info.getWarnings()) {
            out.open('{').name("warningCode").open('{');
            out.member("name", warning.getWarningCode().getName()).close('}');
            out.member("message", warning.getMessage()).close('}');
        }
        out.close(']');
    }
}
