package io.weir.spring.autoconfigure;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport.ConditionAndOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport.ConditionAndOutcomes;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;

/**
 * The conditions of the auto-configurations of this module: which there are, and what an application has made of them.
 */
final class Conditions {

    private static final String PACKAGE = Conditions.class.getPackageName() + '.';

    /** What an annotation of a condition asks for. */
    private static final List<String> ASKS = List.of("value", "name", "type", "endpoint", "exposure");

    /** Whose reasons do not name what is asked for. No source has two such annotations of one kind. */
    private static final Set<String> TERSE =
            Set.of("OnAvailableEndpoint", "OnEnabledHealthIndicator", "OnManagementPort");

    private Conditions() {}

    /**
     * One thing that an annotation asks for, as {@code WeirAutoConfiguration#weirNodeSpec OnMissingBean NodeSpec}.
     *
     * @param source the class or method that has the annotation, as Boot's report names it, but for the package
     * @param kind the name of the annotation without {@code Conditional}
     * @param asked the simple name of a class, or the name of a property or bean
     * @param decidedBy the class of the condition
     */
    record Asked(String source, String kind, String asked, Class<?> decidedBy) {
        @Override
        public String toString() {
            return source + ' ' + kind + ' ' + asked;
        }
    }

    /** All that there are: of the classes that Boot is told of, what is nested in them, and what they import. */
    static List<Asked> all() {
        Set<Class<?>> classes = new LinkedHashSet<>();
        for (String name : ImportCandidates.load(AutoConfiguration.class, Conditions.class.getClassLoader())) {
            if (name.startsWith(PACKAGE)) {
                add(classes, type(name));
            }
        }
        List<Asked> all = new ArrayList<>();
        for (Class<?> type : classes) {
            String source = type.getName().substring(PACKAGE.length());
            all.addAll(of(source, type, ""));
            for (Method method : type.getDeclaredMethods()) {
                if (method.isAnnotationPresent(Bean.class)) {
                    all.addAll(of(
                            source + '#' + method.getName(),
                            method,
                            method.getReturnType().getSimpleName()));
                }
            }
        }
        return all;
    }

    private static Class<?> type(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new AssertionError("Boot is told of " + name, e);
        }
    }

    private static void add(Set<Class<?>> classes, Class<?> type) {
        if (!classes.add(type)) {
            return;
        }
        Import imported = type.getAnnotation(Import.class);
        Stream.concat(
                        Stream.of(type.getDeclaredClasses()),
                        imported == null ? Stream.empty() : Stream.of(imported.value()))
                .filter(each -> each.isAnnotationPresent(Configuration.class))
                .forEach(each -> add(classes, each));
    }

    private static List<Asked> of(String source, AnnotatedElement element, String made) {
        List<Asked> found = new ArrayList<>();
        MergedAnnotations.from(element, SearchStrategy.DIRECT, RepeatableContainers.standardRepeatables()).stream()
                .filter(each -> each.getDistance() == 0)
                .forEach(each -> {
                    Conditional decided = each.getType().getAnnotation(Conditional.class);
                    if (decided != null) {
                        String kind = each.getType().getSimpleName().replaceFirst("^Conditional", "");
                        for (String asked : asked(each, made)) {
                            found.add(new Asked(source, kind, asked, decided.value()[0]));
                        }
                    }
                });
        return found;
    }

    private static Set<String> asked(MergedAnnotation<?> annotation, String made) {
        Set<String> asked = new TreeSet<>();
        for (String attribute : ASKS) {
            Object value = annotation.getValue(attribute).orElse(null);
            if (value != null && annotation.hasNonDefaultValue(attribute)) {
                for (Object each : value instanceof Object[] several ? several : new Object[] {value}) {
                    String text = each instanceof Class<?> type ? type.getName() : each.toString();
                    asked.add(text.startsWith("weir.") ? text : text.substring(text.lastIndexOf('.') + 1));
                }
            }
        }
        return asked.isEmpty() ? Set.of(made) : asked;
    }

    /** Methods of ours of which this application has beans, as {@code WeirAutoConfiguration#weirNodeSpec}. */
    static Set<String> beans(ConfigurableApplicationContext context) {
        Set<String> found = new TreeSet<>();
        for (String name : context.getBeanDefinitionNames()) {
            if (context.getBeanFactory().getBeanDefinition(name) instanceof AnnotatedBeanDefinition definition
                    && definition.getFactoryMethodMetadata() != null) {
                var method = definition.getFactoryMethodMetadata();
                // Those of tests look the same.
                String type = method.getDeclaringClassName();
                if (type.startsWith(PACKAGE) && !type.contains("Test$")) {
                    found.add(type.substring(PACKAGE.length()) + '#' + method.getMethodName());
                }
            }
        }
        return found;
    }

    /** Those of them that this source makes. */
    static Set<String> of(String source, Collection<String> beans) {
        Set<String> found = new HashSet<>(beans);
        found.removeIf(
                each -> !each.equals(source) && !each.startsWith(source + '#') && !each.startsWith(source + '$'));
        return found;
    }

    /** What Boot says that became of this one; no outcome if it was not asked. */
    static List<ConditionAndOutcome> outcomes(ConfigurableApplicationContext context, Asked asked) {
        ConditionAndOutcomes outcomes = ConditionEvaluationReport.get(context.getBeanFactory())
                .getConditionAndOutcomesBySource()
                .get(PACKAGE + asked.source());
        return outcomes == null
                ? List.of()
                : outcomes.stream()
                        .filter(each -> asked.decidedBy().isInstance(each.getCondition()))
                        .toList();
    }

    /** Whether it did not hold, and Boot gives it as the reason. */
    static boolean failed(ConditionAndOutcome outcome, Asked asked) {
        String reason = Objects.toString(outcome.getOutcome().getMessage(), "");
        return !outcome.getOutcome().isMatch()
                && (TERSE.contains(asked.kind())
                        || reason.toLowerCase(Locale.ROOT)
                                .contains(asked.asked().toLowerCase(Locale.ROOT)));
    }
}
