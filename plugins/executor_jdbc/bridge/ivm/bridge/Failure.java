package ivm.bridge;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.sql.SQLException;

import javax.net.ssl.SSLException;

/** Why the driver did not bring an answer, as a word that the host knows and a text for people. */
final class Failure {
    private Failure() {}

    static void write(JsonWriter out, Throwable error) {
        out.name("failed").open('{').member("kind", kindOf(error));
        out.member("message", textOf(error)).close('}');
    }

    private static String kindOf(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectException
                    || cause instanceof UnknownHostException
                    || cause instanceof NoRouteToHostException)
                return "not_reached";
            if (cause instanceof SSLException)
                return "not_trusted";
            String message = String.valueOf(cause.getMessage());
            if (message.startsWith("Authentication failed")
                    || message.contains("returned HTTP 403"))
                return "not_authenticated";
            if (message.matches("(?s)Error .* returned HTTP (404|410)\\b.*"))
                return "query_lost";
        }
        return error instanceof SQLException ? "refused" : "answer_lost";
    }

    // The outermost text, and the innermost where it says something else.
    private static String textOf(Throwable error) {
        String text = ownText(error);
        Throwable root = error;
        while (root.getCause() != null && root.getCause() != root)
            root = root.getCause();
        String reason = ownText(root);
        return text.contains(reason) ? text : text + ": " + reason;
    }

    private static String ownText(Throwable error) {
        String message = error.getMessage();
        return message == null || message.isEmpty() ? error.getClass().getSimpleName() : message;
    }
}
