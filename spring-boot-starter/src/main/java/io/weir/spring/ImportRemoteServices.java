package io.weir.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Makes beans of interfaces that other nodes serve, on a configuration class: those named, and those annotated with
 * {@link RemoteClient} in the packages named. The interfaces need no annotation; where one says otherwise by
 * {@link RemoteClient}, that counts.
 *
 * <p>Beans of a group have its name as a {@link org.springframework.beans.factory.annotation.Qualifier}, so that one
 * interface can be in several.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(ImportRemoteServices.Container.class)
@Import(RemoteClientRegistrar.Imported.class)
public @interface ImportRemoteServices {

    /** The peer that is called, by its name in {@code weir.peers}; empty: any instance that the directory knows. */
    String group() default "";

    /** Interfaces. */
    Class<?>[] types() default {};

    /** Packages in which interfaces annotated with {@link RemoteClient} are looked for. */
    String[] basePackages() default {};

    /** Classes in whose packages they are looked for. */
    Class<?>[] basePackageClasses() default {};

    /** Several of them. */
    @Documented
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    @Import(RemoteClientRegistrar.Imported.class)
    @interface Container {

        /** They. */
        ImportRemoteServices[] value();
    }
}
