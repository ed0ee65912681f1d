package io.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Classes of the core that need each other, directly or by way of others: whoever wants to understand one of a circle has
 * to understand all of it. The limits are what there is, so that it becomes no more; whoever has cut a circle lowers them.
 */
@ArchTag("one-jdk")
@AnalyzeClasses(packages = "io.weir", importOptions = DoNotIncludeTests.class)
class CirclesTest {

    /** So few are still one thing. */
    private static final int SMALL = 3;

    private static final Pattern PRODUCT =
            Pattern.compile("io\\.weir\\.(flow|core|config|memory|path|channel|service|transport|spring)\\b.*");

    /** How many classes the largest circle of a package has, if they are more. */
    private static final Map<String, Integer> LARGEST = Map.of(
            "io.weir.channel", 8,
            "io.weir.config", 8,
            "io.weir.path", 5,
            "io.weir.service.directory", 7,
            "io.weir.service.remote", 5,
            "io.weir.service.socket", 5,
            "io.weir.spring.autoconfigure", 4,
            "io.weir.transport.loop", 7,
            "io.weir.transport.shm", 5,
            "io.weir.transport.verbs", 8);

    @ArchTest
    static void noCircleBecomesLarger(JavaClasses classes) {
        Map<String, Integer> largest = new TreeMap<>();
        for (List<String> circle : circles(uses(classes))) {
            String first = circle.get(0);
            if (circle.size() > SMALL && PRODUCT.matcher(first).matches()) {
                largest.merge(first.substring(0, first.lastIndexOf('.')), circle.size(), Math::max);
            }
        }
        assertThat(largest)
                .as("the largest circles: what is less now is to be written down here, and nothing may become more")
                .isEqualTo(LARGEST);
    }

    /** The machine that moves sessions is tried without links, loops and clocks. */
    @ArchTest
    static void movesKnowNoLinks(JavaClasses classes) {
        assertThat(uses(classes).get("io.weir.path.Moves")).isSubsetOf("io.weir.path.Moves", "io.weir.path.Errors");
    }

    /** Which top-level classes of the same package each of them uses. */
    private static Map<String, Set<String>> uses(JavaClasses classes) {
        Map<String, Set<String>> uses = new TreeMap<>();
        for (JavaClass each : classes) {
            String from = outermost(each).getName();
            Set<String> targets = uses.computeIfAbsent(from, key -> new TreeSet<>());
            for (Dependency dependency : each.getDirectDependenciesFromSelf()) {
                JavaClass target = outermost(dependency.getTargetClass().getBaseComponentType());
                if (target.getPackageName().equals(each.getPackageName())) {
                    targets.add(target.getName());
                }
            }
        }
        return uses;
    }

    private static JavaClass outermost(JavaClass inner) {
        JavaClass each = inner;
        while (each.getEnclosingClass().isPresent()) {
            each = each.getEnclosingClass().get();
        }
        return each;
    }

    /** Two are in one circle if each reaches the other. */
    private static List<List<String>> circles(Map<String, Set<String>> uses) {
        Map<String, Set<String>> reached = new HashMap<>();
        uses.keySet().forEach(each -> reached.put(each, reachedFrom(each, uses)));
        List<List<String>> circles = new ArrayList<>();
        Set<String> left = new TreeSet<>(uses.keySet());
        while (!left.isEmpty()) {
            String first = left.iterator().next();
            List<String> circle = new ArrayList<>(left.stream()
                    .filter(other -> reached.get(first).contains(other)
                            && reached.get(other).contains(first))
                    .toList());
            left.remove(first);
            left.removeAll(circle);
            if (circle.size() > 1) {
                circle.sort(Comparator.naturalOrder());
                circles.add(circle);
            }
        }
        return circles;
    }

    private static Set<String> reachedFrom(String first, Map<String, Set<String>> uses) {
        Set<String> seen = new TreeSet<>();
        ArrayDeque<String> next = new ArrayDeque<>(uses.getOrDefault(first, Set.of()));
        for (String each; (each = next.poll()) != null; ) {
            if (seen.add(each)) {
                next.addAll(uses.getOrDefault(each, Set.of()));
            }
        }
        return seen;
    }
}
