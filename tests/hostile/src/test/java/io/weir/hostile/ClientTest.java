package io.weir.hostile;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Tag;

/** The client stands on its own: what it can do, anybody can who has read the document. */
@AnalyzeClasses(packages = "io.weir.hostile", importOptions = DoNotIncludeTests.class)
@Tag("one-jdk")
class ClientTest {

    @ArchTest
    static final ArchRule theClientUsesNothingOfWeir = classes()
            .that()
            .resideInAPackage("io.weir.hostile.client")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "javax.crypto..", "org.jspecify..", "io.weir.hostile.client");
}
