package ivm.bridge;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.net.ssl.SSLException;
import javax.security.auth.login.LoginException;

import org.ietf.jgss.GSSException;

/** Why the driver did not bring an answer, as a word that the host knows and a text for people. */
final class Failure {
    private static final Pattern STATUS =
            Pattern.compile("(?:returned HTTP |statusCode=)(\\d{3})\\b");

    private Failure() {}

    static void write(JsonWriter out, Throwable error) {
        out.name("failed").open('{').member("kind", kindOf(error));
        out.member("message", textOf(error)).close('}');
    }

    private static String kindOf(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            // Before what it was caused by: a KDC that is not reached is not Trino.
            if (cause instanceof LoginException || cause instanceof GSSException)
                return "no_ticket";
            if (cause instanceof ConnectException
                    || cause instanceof UnknownHostException
                    || cause instanceof NoRouteToHostException)
                return "not_reached";
            if (cause instanceof SSLException)
                return "not_trusted";
            String message = String.valueOf(cause.getMessage());
            int status = statusOf(message);
            if (message.startsWith("Authentication failed") || status == 403)
                return "not_authenticated";
            if (message.startsWith("Error fetching next") && (status == 404 || status == 410))
                return "query_lost";
        }
        // What the driver makes of values that it has not been written for.
        if (error instanceof IllegalArgumentException || error instanceof Error)
            return "not_readable";
        return error instanceof SQLException ? "refused" : "answer_lost";
    }

    // Of the answer that the driver tells of; 0 where it tells of none.
    private static int statusOf(String message) {
        Matcher status = STATUS.matcher(message);
        return status.find() ? Integer.parseInt(status.group(1)) : 0;
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
        if (error instanceof StackOverflowError)
            return "its values are nested too deeply for the JDBC driver";
        String message = error.getMessage();
        return message == null || message.isEmpty() ? error.getClass().getSimpleName() : message;
    }
}
