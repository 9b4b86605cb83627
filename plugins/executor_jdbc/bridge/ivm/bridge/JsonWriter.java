package ivm.bridge;

import io.trino.jdbc.$internal.client.Row;
import io.trino.jdbc.$internal.client.RowField;

import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * Writes one line of JSON, values in the form that Trino's own protocol gives them: numbers with
 * all their digits, NaN and the infinities as text, varbinary in base64, rows as lists, maps as
 * objects, everything else as text.
 */
final class JsonWriter {
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private final StringBuilder out = new StringBuilder(256);
    private boolean first = true;

    JsonWriter open(char bracket) {
        separate();
        out.append(bracket);
        first = true;
        return this;
    }

    JsonWriter close(char bracket) {
        out.append(bracket);
        first = false;
        return this;
    }

    JsonWriter name(String name) {
        value(name);
        out.append(':');
        first = true;
        return this;
    }

    JsonWriter member(String name, Object value) {
        return name(name).value(value);
    }

    JsonWriter value(Object value) {
        separate();
        write(value);
        return this;
    }

    @Override
    public String toString() {
        return out.toString();
    }

    private void separate() {
        if (!first)
            out.append(',');
        first = false;
    }

    private void write(Object value) {
        if (value == null || value instanceof Boolean || isWhole(value))
            out.append(value);
        else if (value instanceof Float || value instanceof Double)
            floating(value.toString());
        else if (value instanceof byte[])
            string(Base64.getEncoder().encodeToString((byte[]) value));
        else if (value instanceof List)
            list((List<?>) value);
        else if (value instanceof Row)
            row((Row) value);
        else if (value instanceof Map)
            map((Map<?, ?>) value);
        else
            string(value.toString());
    }

    private static boolean isWhole(Object value) {
        return value instanceof Long
                || value instanceof Integer
                || value instanceof Short
                || value instanceof Byte;
    }

    private void floating(String text) {
        if (text.equals("NaN") || text.endsWith("Infinity"))
            string(text);
        else
            out.append(text);
    }

    private void list(List<?> items) {
        open('[', true);
        for (Object item : items)
            value(item);
        close(']');
    }

    private void row(Row row) {
        open('[', true);
        for (RowField field : row.getFields())
            value(field.getValue());
        close(']');
    }

    private void map(Map<?, ?> map) {
        open('{', true);
        for (Map.Entry<?, ?> entry : map.entrySet())
            name(keyText(entry.getKey())).value(entry.getValue());
        close('}');
    }

    private void open(char bracket, boolean separated) {
        first = separated;
        open(bracket);
    }

    private static String keyText(Object key) {
        return key instanceof byte[]
                ? Base64.getEncoder().encodeToString((byte[]) key)
                : String.valueOf(key);
    }

    private void string(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); ++i)
            character(text.charAt(i));
        out.append('"');
    }

    private void character(char c) {
        if (c == '"' || c == '\\') {
            out.append('\\').append(c);
        } else if (c < ' ' || Character.isSurrogate(c) || c == '\u2028' || c == '\u2029') {
            out.append("\\u");
            for (int shift = 12; shift >= 0; shift -= 4)
                out.append(HEX[(c >> shift) & 15]);
        } else {
            out.append(c);
        }
    }
}
