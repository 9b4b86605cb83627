package ivm.bridge;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads one line of JSON: objects as maps, lists, text, whole numbers as Long, booleans, null. */
final class JsonReader {
    private static final int MAX_DEPTH = 32;

    private final String text;
    private int at;

    private JsonReader(String text) {
        this.text = text;
    }

    static Map<String, Object> readObject(String text) {
        JsonReader reader = new JsonReader(text);
        reader.skipSpace();
        if (reader.peek() != '{')
            throw reader.problem("an object");
        Map<String, Object> object = reader.object(0);
        reader.skipSpace();
        if (reader.at != text.length())
            throw reader.problem("the end");
        return object;
    }

    private IllegalArgumentException problem(String wanted) {
        return new IllegalArgumentException("not JSON: expected " + wanted + " at " + at);
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0)
            ++at;
    }

    private boolean take(char wanted) {
        skipSpace();
        if (peek() != wanted)
            return false;
        ++at;
        return true;
    }

    private void require(char wanted) {
        if (!take(wanted))
            throw problem("'" + wanted + "'");
    }

    private Object value(int depth) {
        if (depth > MAX_DEPTH)
            throw problem("less nesting");
        skipSpace();
        switch (peek()) {
            case '{':
                return object(depth);
            case '[':
                return list(depth);
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> members = new LinkedHashMap<>();
        require('{');
        if (take('}'))
            return members;
        do {
            skipSpace();
            String name = string();
            require(':');
            members.put(name, value(depth + 1));
        } while (take(','));
        require('}');
        return members;
    }

    private List<Object> list(int depth) {
        List<Object> items = new ArrayList<>();
        require('[');
        if (take(']'))
            return items;
        do {
            items.add(value(depth + 1));
        } while (take(','));
        require(']');
        return items;
    }

    private Object word(String word, Object meaning) {
        if (!text.startsWith(word, at))
            throw problem("a value");
        at += word.length();
        return meaning;
    }

    private Long number() {
        int start = at;
        if (peek() == '-')
            ++at;
        while (peek() >= '0' && peek() <= '9')
            ++at;
        try {
            return Long.valueOf(text.substring(start, at));
        } catch (NumberFormatException e) {
            throw problem("a whole number");
        }
    }

    private String string() {
        if (peek() != '"')
            throw problem("a string");
        StringBuilder out = new StringBuilder();
        for (++at; at < text.length(); ++at) {
            char c = text.charAt(at);
            if (c == '"') {
                ++at;
                return out.toString();
            }
            out.append(c == '\\' ? escape() : c);
        }
        throw problem("'\"'");
    }

    private char escape() {
        ++at;
        switch (peek()) {
            case '"':
            case '\\':
            case '/':
                return peek();
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                return unit();
            default:
                throw problem("an escape");
        }
    }

    private char unit() {
        if (text.length() - at < 5)
            throw problem("four hexadecimal digits");
        int unit = 0;
        for (int i = 0; i < 4; ++i) {
            int digit = Character.digit(text.charAt(++at), 16);
            if (digit < 0)
                throw problem("four hexadecimal digits");
            unit = unit * 16 + digit;
        }
        return (char) unit;
    }
}
