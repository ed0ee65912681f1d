package io.weir.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static io.weir.architecture.House.ADAPTERS;
import static io.weir.architecture.House.TRANSPORT;
import static io.weir.architecture.House.onceWritten;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;

/** Adapters show one or two doors, and are strangers to each other. */
@ArchTag("one-jdk")
@AnalyzeClasses(packages = "io.weir", importOptions = DoNotIncludeTests.class)
class AdaptersTest {

    private static final String SOURCES = "transports-native/src/main/java/io/weir/transport";

    @ArchTest
    static final ArchRule adaptersAreStrangers =
            onceWritten(SOURCES, slices().assignedFrom(new ByAdapter()).should().notDependOnEachOther());

    @ArchTest
    static final ArchRule whatAdaptersShareKnowsNoneOfThem = noClasses()
            .that()
            .resideInAPackage(TRANSPORT)
            .and()
            .resideOutsideOfPackages(ADAPTERS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(ADAPTERS)
            // There need not be anything shared.
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule onlyTheDoorsArePublic = onceWritten(
            SOURCES,
            classes()
                    .that()
                    .resideInAnyPackage(ADAPTERS)
                    .and()
                    .arePublic()
                    .and()
                    .areTopLevelClasses()
                    .should()
                    .haveSimpleNameEndingWith("Transport")
                    .orShould()
                    .haveSimpleNameEndingWith("Bootstrap"));

    @ArchTest
    static final ArchRule nativeCodeIsCalledFromTransportsOnly = noClasses()
            .that()
            .resideOutsideOfPackage(TRANSPORT)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("jnr..", "com.kenai.jffi..", "io.netty.channel.epoll..", "io.netty.channel.unix..");

    @ArchTest
    static final ArchRule reactorNettyIsInTransportsOnly = noClasses()
            .that()
            .resideOutsideOfPackage(TRANSPORT)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("reactor.netty..");

    private static final class ByAdapter implements SliceAssignment {

        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return resideInAnyPackage(ADAPTERS).test(type)
                    ? SliceIdentifier.of(type.getPackageName().split("\\.")[3])
                    : SliceIdentifier.ignore();
        }

        @Override
        public String getDescription() {
            return "the adapters";
        }
    }
}
