package io.weir.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The shape of a record in JSON. */
final class ReportShape {

    private ReportShape() {}

    /** A line for each field, {@code connections[].path.chosen: string?}, in the order of the fields. */
    static List<String> of(Class<?> type) {
        List<String> lines = new ArrayList<>();
        add(type, "", lines);
        return lines;
    }

    private static void add(Type type, String at, List<String> lines) {
        for (RecordComponent field : ((Class<?>) type).getRecordComponents()) {
            String name = at + field.getName();
            Type of = field.getGenericType();
            String optional = isOptional(field.getAnnotatedType()) ? "?" : "";
            if (isRecord(of)) {
                lines.add(name + ": object" + optional);
                add(of, name + '.', lines);
            } else if (isList(of) && isRecord(element(of))) {
                lines.add(name + "[]: object" + optional);
                add(element(of), name + "[].", lines);
            } else {
                lines.add(isList(of) ? name + "[]: " + word(element(of)) : name + ": " + word(of) + optional);
            }
        }
    }

    /** That this is such a record: nothing is missing, nothing is more, and everything has its type. */
    static void check(JsonNode json, Class<?> type) {
        check(json, type, type.getSimpleName());
    }

    private static void check(JsonNode json, Type type, String at) {
        if (isList(type)) {
            assertThat(json.isArray()).as(at).isTrue();
            json.forEach(each -> check(each, element(type), at + "[]"));
        } else if (isRecord(type)) {
            Map<String, RecordComponent> fields = Arrays.stream(((Class<?>) type).getRecordComponents())
                    .collect(Collectors.toMap(RecordComponent::getName, field -> field));
            assertThat(fields.keySet()).as(at).containsAll(json.propertyNames());
            fields.forEach((name, field) -> {
                JsonNode value = json.get(name);
                if (value == null) {
                    assertThat(isOptional(field.getAnnotatedType()))
                            .as(at + '.' + name + " is missing")
                            .isTrue();
                } else {
                    check(value, field.getGenericType(), at + '.' + name);
                }
            });
        } else {
            boolean fits = switch (word(type)) {
                case "number" -> json.isNumber();
                case "boolean" -> json.isBoolean();
                case "instant" -> Instant.parse(json.stringValue()) != null;
                case "texts" -> json.isObject();
                default -> json.isString();
            };
            assertThat(fits).as(at + " is no " + word(type) + ": " + json).isTrue();
        }
    }

    private static String word(Type type) {
        if (type == String.class || type == UUID.class) {
            return "string";
        }
        if (type == Instant.class) {
            return "instant";
        }
        if (type == boolean.class) {
            return "boolean";
        }
        return type instanceof ParameterizedType ? "texts" : "number";
    }

    private static boolean isOptional(AnnotatedType type) {
        return type.isAnnotationPresent(Nullable.class);
    }

    private static boolean isRecord(Type type) {
        return type instanceof Class<?> plain && plain.isRecord();
    }

    private static boolean isList(Type type) {
        return type instanceof ParameterizedType generic && generic.getRawType() == List.class;
    }

    private static Type element(Type list) {
        return ((ParameterizedType) list).getActualTypeArguments()[0];
    }
}
