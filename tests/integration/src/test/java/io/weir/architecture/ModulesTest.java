package io.weir.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static io.weir.architecture.House.CHANNEL;
import static io.weir.architecture.House.CONFIG;
import static io.weir.architecture.House.CORE;
import static io.weir.architecture.House.FLOW;
import static io.weir.architecture.House.MEMORY;
import static io.weir.architecture.House.PATH;
import static io.weir.architecture.House.PEER;
import static io.weir.architecture.House.PRODUCT;
import static io.weir.architecture.House.SAMPLES;
import static io.weir.architecture.House.SERVICE;
import static io.weir.architecture.House.SPRING;
import static io.weir.architecture.House.TCK;
import static io.weir.architecture.House.TEST;
import static io.weir.architecture.House.TRANSPORT;
import static io.weir.architecture.House.onceWritten;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The arrows between the modules. They never turn round. */
@ArchTag("one-jdk")
@AnalyzeClasses(packages = "io.weir", importOptions = DoNotIncludeTests.class)
class ModulesTest {

    /** Without this, a package under a new name would slip past every other rule. */
    @ArchTest
    static final ArchRule everyPackageIsOneTheRulesKnow = classes()
            .should()
            .resideInAnyPackage(
                    FLOW, CORE, CONFIG, MEMORY, PEER, PATH, CHANNEL, SERVICE, TRANSPORT, SPRING, SAMPLES, TCK, TEST);

    @ArchTest
    static final ArchRule noCycles = slices().matching("io.weir.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule flowIsPlainJava = onceWritten(
            "flow-control/src/main/java",
            classes()
                    .that()
                    .resideInAPackage(FLOW)
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage("java..", "org.jspecify..", FLOW));

    @ArchTest
    static final ArchRule coreKnowsOnlyLibraries = classes()
            .that()
            .resideInAPackage(CORE)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "javax.net.ssl..",
                    "org.jspecify..",
                    "org.slf4j..",
                    "org.reactivestreams..",
                    "reactor.core..",
                    "reactor.util..",
                    "io.netty.buffer..",
                    "io.netty.channel",
                    "io.netty.util..",
                    "tools.jackson..",
                    "com.fasterxml.jackson.annotation..",
                    CORE);

    @ArchTest
    static final ArchRule jacksonIsBehindItsCodec = noClasses()
            .that()
            .resideInAnyPackage(PRODUCT)
            .and()
            .haveNameNotMatching(
                    "io\\.weir\\.(core\\.(JacksonCodec|CheckedParser|CborScan|Codecs)|service\\.remote\\.(JacksonCallCodec|CallCodecs)"
                            // Over the mappers of the application.
                            + "|spring\\.(WeirCodecs|autoconfigure\\.(WeirCodecAutoConfiguration|ThreadBuffers))).*")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("tools.jackson..", "com.fasterxml.jackson.core..", "com.fasterxml.jackson.databind..");

    @ArchTest
    static final ArchRule channelsKnowNoTransport = onceWritten(
            "channels/src/main/java",
            noClasses()
                    .that()
                    .resideInAnyPackage(CONFIG, MEMORY, PEER, PATH, CHANNEL, SERVICE)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(TRANSPORT, SPRING, SAMPLES, TCK));

    @ArchTest
    static final ArchRule settingsKnowOnlyCore = onceWritten(
            "channels/src/main/java/io/weir/config",
            noClasses()
                    .that()
                    .resideInAPackage(CONFIG)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(FLOW, MEMORY, PEER, PATH, CHANNEL, SERVICE));

    /** A session knows one link that lasts; what makes it last knows nothing of what goes over it. */
    @ArchTest
    static final ArchRule pathsKnowNothingOfSessions = onceWritten(
            "channels/src/main/java/io/weir/path",
            noClasses()
                    .that()
                    .resideInAnyPackage(MEMORY, PEER, PATH)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(CHANNEL, SERVICE));

    /** Values that users see, without what finds them out. */
    @ArchTest
    static final ArchRule whatIsKnownOfAPeerKnowsNobody = onceWritten(
            "channels/src/main/java/io/weir/peer",
            noClasses()
                    .that()
                    .resideInAPackage(PEER)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(FLOW, MEMORY, PATH));

    @ArchTest
    static final ArchRule memoryKnowsNothingOfPaths = onceWritten(
            "channels/src/main/java/io/weir/memory",
            noClasses()
                    .that()
                    .resideInAPackage(MEMORY)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(CONFIG, PEER, PATH));

    /** All else there is open to the channels only. The descriptor hides the paths, but most programs have no modules. */
    @ArchTest
    static final ArchRule nobodyElseUsesPathsOrMoreThanWhatDescribesMemory = noClasses()
            .that()
            .resideOutsideOfPackages(MEMORY, PATH, CHANNEL)
            .should()
            .dependOnClassesThat(resideInAnyPackage(MEMORY, PATH)
                    .and(DescribedPredicate.not(nameMatching("io\\.weir\\.memory\\.(MemoryStats|MemoryUse)(\\$.*)?"))));

    @ArchTest
    static final ArchRule channelsDoNotKnowWhatIsBuiltOnThem = onceWritten(
            "channels/src/main/java",
            noClasses()
                    .that()
                    .resideInAPackage(CHANNEL)
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage(SERVICE));

    @ArchTest
    static final ArchRule servicesUseThePublicFaceOfChannels = onceWritten(
            "channels/src/main/java/io/weir/service",
            noClasses()
                    .that()
                    .resideInAPackage(SERVICE)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(FLOW, "io.weir.channel.*.."));

    @ArchTest
    static final ArchRule transportsKnowOnlyCore = onceWritten(
            "transports-native/src/main/java",
            noClasses()
                    .that()
                    .resideInAPackage(TRANSPORT)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(FLOW, CONFIG, MEMORY, PEER, PATH, CHANNEL, SERVICE, SPRING, SAMPLES, TCK));

    @ArchTest
    static final ArchRule theContractKnowsOnlyCore = onceWritten(
            "tests/transport-tck/src/main/java",
            noClasses()
                    .that()
                    .resideInAPackage(TCK)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(CONFIG, MEMORY, PEER, PATH, CHANNEL, SERVICE, TRANSPORT, SPRING, SAMPLES));

    /** Whoever uses it brings a framework for tests of his own. */
    @ArchTest
    static final ArchRule theTestKitKnowsNoTestFramework = classes()
            .that()
            .resideInAPackage(TEST)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.jspecify..",
                    "org.reactivestreams..",
                    "reactor.core..",
                    "io.netty.buffer..",
                    "io.netty.util..",
                    CORE,
                    CONFIG,
                    CHANNEL,
                    TEST);

    @ArchTest
    static final ArchRule theProductKnowsNoSample = noClasses()
            .that()
            .resideInAnyPackage(PRODUCT)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SAMPLES, TEST);

    @ArchTest
    static final ArchRule springIsInTheStarterOnly = noClasses()
            .that()
            .resideOutsideOfPackages(SPRING, SAMPLES)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework..");
}
