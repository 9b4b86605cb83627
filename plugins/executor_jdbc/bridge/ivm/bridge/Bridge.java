package ivm.bridge;

import io.trino.jdbc.Driver;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Runs statements of one host process through the JDBC driver: requests come as lines of JSON on
 * the standard input, answers go to the standard output. Ends with its input. The main thread only
 * reads, so that nothing keeps it from seeing that end.
 */
public final class Bridge {
    private static final int MAX_LINE = 8 << 20;
    private static final int UNREADABLE = 2;

    private interface Work {
        void run(JsonWriter out) throws Exception;
    }

    private static final class Worker {
        final ExecutorService thread = Executors.newSingleThreadExecutor(Bridge::daemon);
        volatile Session session;
    }

    private final Driver driver = new Driver();
    private final Map<Long, Worker> workers = new HashMap<>();
    private final ExecutorService aside = Executors.newCachedThreadPool(Bridge::daemon);
    private final OutputStream answers =
            new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);

    public static void main(String[] arguments) {
        // The standard output is for answers alone.
        System.setOut(System.err);
        int code = 0;
        try {
            new Bridge().serve(System.in);
        } catch (IOException | RuntimeException e) {
            System.err.println("the host sent what cannot be read: " + e.getMessage());
            code = UNREADABLE;
        }
        Runtime.getRuntime().halt(code);
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    }

    private void serve(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        byte[] block = new byte[1 << 16];
        for (int size = in.read(block); size >= 0; size = in.read(block)) {
            int start = 0;
            for (int i = 0; i < size; ++i) {
                if (block[i] != '\n')
                    continue;
                line.write(block, start, i - start);
                handle(JsonReader.readObject(line.toString(StandardCharsets.UTF_8)));
                line = new ByteArrayOutputStream();
                start = i + 1;
            }
            line.write(block, start, size - start);
            if (line.size() > MAX_LINE)
                throw new IOException("a line of more than " + MAX_LINE + " bytes");
        }
    }

    private void handle(Map<String, Object> request) {
        long call = (Long) request.get("call");
        long id = (Long) request.get("session");
        Worker worker = workers.computeIfAbsent(id, any -> new Worker());
        switch ((String) request.get("op")) {
            case "open":
                worker.thread.execute(() -> answer(call, out -> open(worker, request)));
                break;
            case "post":
                worker.thread.execute(() -> answer(call, out -> post(out, worker, request)));
                break;
            case "get":
                worker.thread.execute(
                        () -> answer(call, out -> session(worker).get(out, statement(request))));
                break;
            case "cancel":
                aside.execute(
                        () -> answer(call, out -> session(worker).cancel(statement(request))));
                break;
            case "close":
                workers.remove(id);
                worker.thread.execute(() -> answer(call, out -> close(worker)));
                worker.thread.shutdown();
                break;
            default:
                throw new IllegalArgumentException("unknown op " + request.get("op"));
        }
    }

    private void open(Worker worker, Map<String, Object> request) throws SQLException {
        close(worker);
        worker.session = new Session(driver, request);
    }

    private static void post(JsonWriter out, Worker worker, Map<String, Object> request) {
        String sql = (String) request.get("sql");
        session(worker).post(out, statement(request), sql, (Long) request.get("runMs"));
    }

    private static void close(Worker worker) {
        if (worker.session != null)
            worker.session.close();
    }

    private static long statement(Map<String, Object> request) {
        return (Long) request.get("statement");
    }

    private static Session session(Worker worker) {
        if (worker.session == null)
            throw new IllegalStateException("the session is not open");
        return worker.session;
    }

    private void answer(long call, Work work) {
        JsonWriter out = new JsonWriter().open('{').member("call", call);
        try {
            work.run(out);
        } catch (Throwable e) {
            // Errors too: a session whose thread died of one would never answer.
            out = new JsonWriter().open('{').member("call", call);
            Failure.write(out, e);
        }
        byte[] line = (out.close('}') + "\n").getBytes(StandardCharsets.UTF_8);
        synchronized (answers) {
            try {
                answers.write(line);
                answers.flush();
            } catch (IOException e) {
                // Nobody reads any more.
                Runtime.getRuntime().halt(0);
            }
        }
    }
}
