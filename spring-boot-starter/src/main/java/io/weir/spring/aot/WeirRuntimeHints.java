package io.weir.spring.aot;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/**
 * The adapters, which are found by {@code ServiceLoader}, and what native code is called by: jnr-ffi makes a proxy of
 * an interface where it can't generate classes ({@code jnr.ffi.asm.enabled=false}), and jffi carries its own library in
 * its jar; and the files of the page.
 */
final class WeirRuntimeHints implements RuntimeHintsRegistrar {

    private static final String LIB_C = "io.weir.transport.nativelib.LibC";

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources()
                .registerPattern("META-INF/services/io.weir.core.*")
                .registerPattern("jni/*/*")
                .registerPattern("io/weir/spring/endpoint/page/*");
        hints.proxies().registerJdkProxy(TypeReference.of(LIB_C));
        hints.reflection()
                .registerType(TypeReference.of(LIB_C), MemberCategory.INVOKE_PUBLIC_METHODS)
                .registerType(TypeReference.of("com.kenai.jffi.Foreign"), MemberCategory.INVOKE_DECLARED_METHODS);
    }
}
