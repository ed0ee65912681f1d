package io.weir.config;

import io.weir.core.Misconfigured;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Collections;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * What all nodes that trust each other know, and nobody else. Immutable; never prints what it holds. Who overhears or
 * provokes one proof may try guesses on it at leisure, so it should be random: {@code openssl rand -base64 32}.
 */
public final class Secret {

    /** Bytes of the shortest one: 128 bits if they are random. */
    static final int SHORTEST = 16;

    /** Bytes of the longest one: whatever is longer is another file, named by mistake. */
    static final int LONGEST = 1024;

    private static final String ALGORITHM = "HmacSHA256";
    private static final String REMEDY = "make one with openssl rand -base64 32";
    private static final Set<PosixFilePermission> TOO_OPEN =
            Set.of(PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE, PosixFilePermission.GROUP_WRITE);

    private final byte[] key;
    private final @Nullable Path file;

    private Secret(byte[] text, @Nullable Path file) {
        this.key = strip(text);
        this.file = file;
        if (key.length < SHORTEST || key.length > LONGEST) {
            throw new Misconfigured("a secret has " + SHORTEST + " to " + LONGEST + " bytes: " + REMEDY);
        }
    }

    /**
     * This text in UTF-8, without blanks and line ends around it.
     *
     * @throws Misconfigured if it is too short or too long
     */
    public static Secret of(String text) {
        return new Secret(text.getBytes(StandardCharsets.UTF_8), null);
    }

    /**
     * What this file holds now, without blanks and line ends around it. Blocks while it reads.
     *
     * @throws Misconfigured if it can't be read, if other users may read it, or if it is no secret
     */
    public static Secret ofFile(Path file) {
        return new Secret(read(file, "secret", 2 * LONGEST), file);
    }

    /** What a file holds that nobody else may read, up to so many bytes. */
    static byte[] read(Path file, String what, int most) {
        try {
            checkPrivate(file, what);
            try (InputStream in = Files.newInputStream(file)) {
                return in.readNBytes(most);
            }
        } catch (IOException e) {
            throw new Misconfigured("the file of the " + what + ", " + file + ", can't be read: " + e, e);
        }
    }

    /** The group may read it, as it does where the file is mounted for one group of processes; others may not. */
    private static void checkPrivate(Path file, String what) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view != null && !Collections.disjoint(view.readAttributes().permissions(), TOO_OPEN)) {
            throw new Misconfigured("the file of the " + what + ", " + file
                    + ", can be read or changed by other users: run chmod 600 " + file);
        }
    }

    private static byte[] strip(byte[] text) {
        int from = 0;
        int to = text.length;
        while (from < to && text[from] >= 0 && text[from] <= ' ') {
            from++;
        }
        while (to > from && text[to - 1] >= 0 && text[to - 1] <= ' ') {
            to--;
        }
        return Arrays.copyOfRange(text, from, to);
    }

    /** The file that it was read from; null if there is none. */
    @Nullable
    Path file() {
        return file;
    }

    /** What it holds, for a library that asks for it; a copy. Who takes it keeps it out of logs and errors. */
    public byte[] bytes() {
        return key.clone();
    }

    /** The code, of 32 bytes, that only who knows the secret can make of this. */
    public byte[] proofOf(byte[] transcript) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac.doFinal(transcript);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    /** Whether both are the same secret, wherever they were read from. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Secret that && MessageDigest.isEqual(key, that.key);
    }

    /** The same for all, as a hash of a secret is shown to nobody. */
    @Override
    public int hashCode() {
        return Secret.class.hashCode();
    }

    @Override
    public String toString() {
        return "Secret[not shown]";
    }
}
