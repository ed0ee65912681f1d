package io.weir.config;

import io.weir.core.Misconfigured;
import io.weir.core.SettingText;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * One value as somebody wrote it. Every refusal names it as it was written.
 *
 * @param label the property, or the variable of the environment
 * @param text the value, without blanks around it
 */
record Setting(String label, String text) {

    Setting {
        text = text.strip();
        if (text.isEmpty()) {
            throw new Misconfigured(label + " has no value; give it one or remove it");
        }
    }

    /** A whole number that fits. */
    int number() {
        long value = count();
        if (value > Integer.MAX_VALUE) {
            throw refused("a number up to " + Integer.MAX_VALUE);
        }
        return (int) value;
    }

    /** A whole number, not negative. */
    long count() {
        try {
            long value = Long.parseLong(text);
            if (value >= 0) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw refused("a whole number, such as 1024");
    }

    private <T> T read(Function<String, T> form) {
        try {
            return form.apply(text);
        } catch (IllegalArgumentException e) {
            throw refused(String.valueOf(e.getMessage()));
        }
    }

    /** Bytes. */
    long size() {
        return read(SettingText::size);
    }

    /** Bytes of something that an array could hold. */
    int smallSize() {
        long value = size();
        if (value > Integer.MAX_VALUE) {
            throw refused("a size up to " + Integer.MAX_VALUE + " bytes");
        }
        return (int) value;
    }

    Duration time() {
        return read(SettingText::time);
    }

    /** On or off; also true and false, which is what YAML makes of them. */
    boolean flag() {
        return read(SettingText::flag);
    }

    PathSwitch pathSwitch() {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "on", "true" -> PathSwitch.ON;
            case "off", "false" -> PathSwitch.OFF;
            case "required" -> PathSwitch.REQUIRED;
            default -> throw refused("a switch of a path: write on, off or required");
        };
    }

    /** Off, once or always; also false, which is what YAML makes of off. */
    Repath repath() {
        return text.equalsIgnoreCase("false") ? Repath.OFF : oneOf(Repath.class);
    }

    /** Local, off or zookeeper; also false, which is what YAML makes of off. */
    DirectoryKind directory() {
        return text.equalsIgnoreCase("false") ? DirectoryKind.OFF : oneOf(DirectoryKind.class);
    }

    /** One of the words of this enum. */
    <E extends Enum<E>> E oneOf(Class<E> words) {
        for (E value : words.getEnumConstants()) {
            if (SettingText.word(value).equals(text.toLowerCase(Locale.ROOT))) {
                return value;
            }
        }
        throw refused("one of "
                + Arrays.stream(words.getEnumConstants()).map(SettingText::word).collect(Collectors.joining(", ")));
    }

    /** Values between commas. */
    <T> List<T> list(Function<String, T> each) {
        Set<String> seen = new HashSet<>();
        return Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .peek(part -> {
                    if (part.isEmpty()) {
                        throw refused("a list: between two commas nothing is named");
                    }
                    if (!seen.add(part)) {
                        throw new Misconfigured(label + " names " + part + " twice");
                    }
                })
                .map(each)
                .toList();
    }

    /** Names of certificates and nodes, between semicolons, as there are commas in the former. */
    Set<String> principals() {
        return Arrays.stream(text.split(";", -1)).map(String::strip).collect(Collectors.toUnmodifiableSet());
    }

    /** A secret, which no refusal reveals. */
    Secret secret() {
        return secret(() -> Secret.of(text));
    }

    /** The secret in the file of this name, read now. */
    Secret secretOfFile() {
        return secret(() -> Secret.ofFile(Path.of(text)));
    }

    /** A password, which no refusal reveals. */
    Password password() {
        return secret(() -> Password.of(text));
    }

    /** The password in the file of this name, read now. */
    Password passwordOfFile() {
        return secret(() -> Password.ofFile(Path.of(text)));
    }

    private <T> T secret(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (InvalidPathException e) {
            throw new Misconfigured(label + '=' + text + " is not a file's name: " + e.getReason(), e);
        } catch (Misconfigured e) {
            throw new Misconfigured(label + ": " + e.getMessage(), e);
        }
    }

    /** Without the text, which may be a secret. */
    @Override
    public String toString() {
        return label;
    }

    private Misconfigured refused(String wanted) {
        return new Misconfigured(label + '=' + text + " is not " + wanted);
    }
}
