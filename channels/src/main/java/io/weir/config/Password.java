package io.weir.config;

import io.weir.core.Misconfigured;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * What the clients of a service know, chosen by a human. Immutable; never prints what it holds. It is never used as it
 * is: guesses at what was made of it by {@link #key} cost as much as making it.
 */
public final class Password {

    /** Characters of the shortest one, as NIST SP 800-63B wants it. */
    static final int SHORTEST = 8;

    /** Bytes of the longest one: whatever is longer is another file, named by mistake. */
    static final int LONGEST = 1024;

    private static final String ALGORITHM = "PBKDF2WithHmacSHA256";
    private static final int KEY_BITS = 256;

    private final String text;
    private final @Nullable Path file;

    private Password(byte[] utf8, @Nullable Path file) {
        this.text = new String(utf8, StandardCharsets.UTF_8).strip();
        this.file = file;
        if (text.codePointCount(0, text.length()) < SHORTEST || utf8.length > LONGEST) {
            throw new Misconfigured("a password has at least " + SHORTEST + " characters, and at most " + LONGEST
                    + " bytes: choose another one");
        }
    }

    /**
     * This text, without blanks and line ends around it.
     *
     * @throws Misconfigured if it is too short or too long
     */
    public static Password of(String text) {
        return new Password(text.getBytes(StandardCharsets.UTF_8), null);
    }

    /**
     * What this file holds now, in UTF-8, without blanks and line ends around it. Blocks while it reads.
     *
     * @throws Misconfigured if it can't be read, if other users may read it, or if it is no password
     */
    public static Password ofFile(Path file) {
        return new Password(Secret.read(file, "password", 2 * LONGEST), file);
    }

    /** The file that it was read from; null if there is none. */
    @Nullable
    Path file() {
        return file;
    }

    /**
     * A key of 32 bytes, by PBKDF2 with HMAC-SHA-256. Takes as long as the iterations do, so not on a loop.
     *
     * @param salt not empty
     * @param iterations from 1
     */
    public byte[] key(byte[] salt, int iterations) {
        PBEKeySpec spec = new PBEKeySpec(text.toCharArray(), salt, iterations, KEY_BITS);
        try {
            return SecretKeyFactory.getInstance(ALGORITHM).generateSecret(spec).getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        } finally {
            spec.clearPassword();
        }
    }

    /** Whether both are the same password, wherever they were read from. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Password that
                && MessageDigest.isEqual(
                        text.getBytes(StandardCharsets.UTF_8), that.text.getBytes(StandardCharsets.UTF_8));
    }

    /** The same for all, as a hash of a password is shown to nobody. */
    @Override
    public int hashCode() {
        return Password.class.hashCode();
    }

    @Override
    public String toString() {
        return "Password[not shown]";
    }
}
