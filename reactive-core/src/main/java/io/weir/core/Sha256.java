package io.weir.core;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;

/** SHA-256, which every Java has. Any thread. */
public final class Sha256 {

    private Sha256() {}

    /** The hash, of 32 bytes, of these parts one behind the other. */
    public static byte[] hash(byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (byte[] part : parts) {
                digest.update(part);
            }
            return digest.digest();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
