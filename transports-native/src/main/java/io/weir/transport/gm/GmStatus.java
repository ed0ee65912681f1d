package io.weir.transport.gm;

import org.jspecify.annotations.Nullable;

/** How a call or a send has ended ({@code gm_status_t} of gm.h 2.0.16). */
enum GmStatus {
    SUCCESS(0, "nothing was wrong"),
    FAILURE(1, "it failed"),
    TRY_AGAIN(4, "it has to be tried again"),
    BUSY(5, "it is used by somebody else"),
    MEMORY_FAULT(6, "memory that is not the caller's"),
    INVALID_PARAMETER(8, "a parameter that it does not take"),
    OUT_OF_MEMORY(9, "no memory is left"),
    PERMISSION_DENIED(11, "permission denied"),
    INTERNAL_ERROR(12, "an error of its own"),
    UNATTACHED(13, "the board is not attached"),
    SEND_TIMED_OUT(
            15,
            "the peer has had no room for a message for too long: its process hangs, or the network between "
                    + "both is cut"),
    SEND_REJECTED(16, "the peer takes no messages of this size"),
    SEND_TARGET_PORT_CLOSED(17, "the peer's port is closed: its process has ended"),
    SEND_TARGET_NODE_UNREACHABLE(18, "no route leads to the peer's host"),
    SEND_DROPPED(19, "a message before it has failed"),
    SEND_PORT_CLOSED(20, "our port is closed"),
    NODE_ID_NOT_YET_SET(21, "the network is not mapped yet"),
    STILL_SHUTTING_DOWN(22, "it is being closed"),
    NO_SUCH_DEVICE(24, "there is no such board"),
    INCOMPATIBLE_LIB_AND_DRIVER(26, "the library, its driver and the version asked for do not go together"),
    ACCESS_DENIED(28, "access denied"),
    NO_DRIVER_SUPPORT(29, "the driver has no support for it"),
    PTE_REF_CNT_OVERFLOW(30, "the memory is registered too often"),
    TIMED_OUT(35, "it has taken too long"),
    DATA_CORRUPTED(36, "data was damaged"),
    HARDWARE_FAULT(37, "a fault of the hardware"),
    SEND_ORPHANED(38, "the send is nobody's"),
    PAGE_TABLE_FULL(40, "no more memory can be registered"),
    INVALID_PORT_NUMBER(42, "there is no port of this number"),
    DEV_NOT_FOUND(43, "the device is not there: its driver is not loaded"),
    FIRMWARE_NOT_RUNNING(44, "the board's firmware does not run"),
    SRAM_PARITY_ERROR(46, "the board's memory is damaged"),
    FIRMWARE_ABORT(47, "the board's firmware has given up");

    static final int OK = SUCCESS.number;

    private final int number;
    private final String words;

    GmStatus(int number, String words) {
        this.number = number;
        this.words = words;
    }

    boolean is(long status) {
        return (int) status == number;
    }

    /** What a status means, and its number. */
    static String words(long status) {
        GmStatus known = of((int) status);
        return (known == null ? "a status that we don't know" : known.words) + " (status " + (int) status + ")";
    }

    private static @Nullable GmStatus of(int number) {
        for (GmStatus each : values()) {
            if (each.number == number) {
                return each;
            }
        }
        return null;
    }
}
