package io.weir.transport.dapl;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What older InfiniBand systems have instead, which people should be told of by name. Libraries are looked for, and not
 * loaded.
 */
final class OldStacks {

    /** Where such systems have their libraries. */
    static final List<Path> FOLDERS = List.of(
            Path.of("/usr/lib64"),
            Path.of("/usr/lib"),
            Path.of("/usr/lib/x86_64-linux-gnu"),
            Path.of("/usr/lib/aarch64-linux-gnu"),
            Path.of("/usr/local/lib64"),
            Path.of("/usr/local/lib"),
            Path.of("/usr/local/ofed/lib64"),
            Path.of("/usr/local/ibgd/driver/infinihost/lib64"),
            Path.of("/usr/mellanox/lib"));

    private OldStacks() {}

    /** A sentence on what is there, behind the reason why we can't go on; empty if there is nothing. */
    static String remark(List<Path> folders) {
        if (has(folders, DaplLibrary.NAME)) {
            return "";
        }
        if (has(folders, "libdat.so.1")) {
            return "; this system has uDAPL 1.2 (libdat.so.1), which is not supported: install uDAPL 2.0 beside it";
        }
        if (has(folders, "libvapi.so")) {
            return "; this system has VAPI (libvapi.so), the interface of the first InfiniBand adapters, which is not"
                    + " supported: install libibverbs, or uDAPL 2.0";
        }
        return "";
    }

    private static boolean has(List<Path> folders, String library) {
        return folders.stream().anyMatch(folder -> Files.exists(folder.resolve(library)));
    }
}
