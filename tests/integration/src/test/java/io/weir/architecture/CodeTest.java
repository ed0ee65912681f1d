package io.weir.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static io.weir.architecture.House.CHANNEL;
import static io.weir.architecture.House.CONFIG;
import static io.weir.architecture.House.CORE;
import static io.weir.architecture.House.FLOW;
import static io.weir.architecture.House.PRODUCT;
import static io.weir.architecture.House.SERVICE;
import static io.weir.architecture.House.TRANSPORT;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Set;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What the product never does. */
@ArchTag("one-jdk")
@AnalyzeClasses(packages = "io.weir", importOptions = DoNotIncludeTests.class)
class CodeTest {

    private static final Set<String> BLOCKING =
            Set.of("block", "blockOptional", "blockFirst", "blockLast", "toIterable", "toStream");

    /** A loop that waits for another is a deadlock that has not met its moment. */
    @ArchTest
    static final ArchRule nothingBlocks = noClasses()
            .that()
            .resideInAnyPackage(FLOW, CORE, CONFIG, CHANNEL, SERVICE, TRANSPORT)
            .should()
            .accessTargetWhere(waitingForAPublisher());

    /** Waiting is a strategy, and a sleeping loop is woken by its doorbell, not by a clock. */
    @ArchTest
    static final ArchRule nothingSleeps =
            noClasses().that().resideInAnyPackage(PRODUCT).should().callMethodWhere(sleeping());

    @ArchTest
    static final ArchRule noBackDoorsIntoTheJvm = noClasses()
            .that()
            .resideInAnyPackage(PRODUCT)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("sun..", "jdk.internal..");

    @ArchTest
    static final ArchRule noDrawers = noClasses()
            .should()
            .resideInAnyPackage("..util..", "..utils..", "..common..", "..impl..", "..helper..", "..internal..")
            .orShould()
            .haveSimpleNameEndingWith("Impl");

    private static DescribedPredicate<JavaAccess<?>> waitingForAPublisher() {
        return describe(
                "waits for a publisher",
                access -> BLOCKING.contains(access.getTarget().getName())
                        && (access.getTargetOwner().isAssignableTo(Mono.class)
                                || access.getTargetOwner().isAssignableTo(Flux.class)));
    }

    private static DescribedPredicate<JavaAccess<?>> sleeping() {
        return describe(
                "sleeps",
                access -> access.getTarget().getName().equals("sleep")
                        && access.getTargetOwner().isEquivalentTo(Thread.class));
    }
}
