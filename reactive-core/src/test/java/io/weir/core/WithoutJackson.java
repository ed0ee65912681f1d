package io.weir.core;

import java.io.IOException;
import java.io.InputStream;

/**
 * Sees everything that the tests see, but what begins with one name; loads our own classes anew, so that they see no
 * more.
 */
final class WithoutJackson extends ClassLoader {

    private static final String OURS = "io.weir.core.";

    private final String absent;

    WithoutJackson(String absent) {
        super(WithoutJackson.class.getClassLoader());
        this.absent = absent;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (name.startsWith(absent)) {
            throw new ClassNotFoundException(name);
        }
        if (!name.startsWith(OURS)) {
            return super.loadClass(name, resolve);
        }
        Class<?> loaded = findLoadedClass(name);
        return loaded != null ? loaded : define(name);
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = in.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
