/*
 * Frames of Ethernet for the tests of the relay, each of which tells whether it is damaged:
 *
 *   frames send INTERFACE ETHERTYPE COUNT BYTES MICROS   sends so many of so many bytes, header included, one per so many microseconds
 *   frames receive INTERFACE                             prints READY, and a line RESULT for each line of input
 *
 * The counts of RESULT: all that came; those with a wrong bit; those, intact, that came for the second time; those that came behind one
 * that was sent later; a sum that tells which ones came, whatever their order; the shortest and the middle time under way in nanoseconds.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST (1u << 20)
#define FRAME_BYTES 65600u

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

struct frame {
    struct ether_header ethernet;
    uint16_t claimed;
    uint64_t number, sent, check;
    unsigned char rest[];
} __attribute__((packed));

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t mixed(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint64_t check_of(const struct frame *frame) {
    return mixed(mixed(frame->number + 1) + frame->sent);
}

static int failed(const char *what) {
    printf("FAILED %s: %s\n", what, strerror(errno));
    return 1;
}

static int bound_to(const char *interface, int protocol) {
    int packets = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    int one = 1, bytes = 256 << 20;
    struct sockaddr_ll where = {
            .sll_family = AF_PACKET, .sll_protocol = htons((uint16_t)protocol), .sll_ifindex = (int)if_nametoindex(interface)};
    if (setsockopt(packets, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0
        || setsockopt(packets, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof one) != 0
        || bind(packets, (struct sockaddr *)&where, sizeof where) != 0) {
        exit(failed(interface));
    }
    return packets;
}

static int send_frames(const char *interface, unsigned type, uint64_t count, size_t bytes, uint64_t gap) {
    int packets = bound_to(interface, 0);
    struct frame *frame = malloc(bytes);
    memset(frame->ethernet.ether_dhost, 0xff, ETH_ALEN);
    memset(frame->ethernet.ether_shost, 0x02, ETH_ALEN);
    frame->ethernet.ether_type = frame->claimed = htons((uint16_t)type);
    uint64_t begin = now();
    for (uint64_t number = 0; number < count; number++) {
        uint64_t due = begin + number * gap;
        while ((frame->sent = now()) < due) {
        }
        frame->number = number;
        frame->check = check_of(frame);
        for (size_t i = 0; i < bytes - sizeof *frame; i++) frame->rest[i] = (unsigned char)(frame->check + i * 7);
        while (send(packets, frame, bytes, 0) < 0) {
            if (errno != ENOBUFS && errno != EINTR) return failed("send");
        }
    }
    puts("SENT");
    return 0;
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int receive_frames(const char *interface) {
    static unsigned char seen[MOST];
    static uint64_t times[MOST];
    int packets = bound_to(interface, ETH_P_ALL);
    struct frame *frame = malloc(FRAME_BYTES);
    uint64_t frames = 0, damaged = 0, twice = 0, late = 0, sum = 0, next = 0;
    size_t timed = 0;
    char line[64];
    struct timespec stamped;
    /* From the first time on that it is asked for, each frame gets its time. */
    (void)ioctl(packets, SIOCGSTAMPNS, &stamped);
    puts("READY");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        for (ssize_t length; (length = recv(packets, frame, FRAME_BYTES, MSG_DONTWAIT)) >= 0; frames++) {
            bool intact = (size_t)length >= sizeof *frame && frame->claimed == frame->ethernet.ether_type && frame->number < MOST
                          && frame->check == check_of(frame);
            for (size_t i = 0; intact && i < (size_t)length - sizeof *frame; i++) {
                intact = frame->rest[i] == (unsigned char)(frame->check + i * 7);
            }
            if (!intact) {
                damaged++;
                continue;
            }
            if (seen[frame->number]) {
                twice++;
                continue;
            }
            seen[frame->number] = 1;
            sum += mixed(frame->number + 1);
            if (frame->number < next) {
                late++;
            } else {
                next = frame->number + 1;
            }
            /* When it came, and not when it is read; by the clock of the day, which is all that the kernel keeps. */
            struct timespec came;
            if (timed < MOST && ioctl(packets, SIOCGSTAMPNS, &came) == 0) {
                times[timed++] = (uint64_t)came.tv_sec * 1000000000u + (uint64_t)came.tv_nsec - frame->sent;
            }
        }
        qsort(times, timed, sizeof *times, compare);
        printf("RESULT frames=%" PRIu64 " damaged=%" PRIu64 " twice=%" PRIu64 " late=%" PRIu64 " which=%" PRIu64 " shortest=%" PRIu64
               " middle=%" PRIu64 "\n",
               frames, damaged, twice, late, sum, timed == 0 ? 0 : times[0], timed == 0 ? 0 : times[timed / 2]);
        fflush(stdout);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 7 && strcmp(argv[1], "send") == 0 && atoi(argv[5]) >= (int)sizeof(struct frame) && atoi(argv[5]) <= (int)FRAME_BYTES) {
        return send_frames(argv[2], (unsigned)strtoul(argv[3], NULL, 16), strtoull(argv[4], NULL, 10), (size_t)atoi(argv[5]),
                           strtoull(argv[6], NULL, 10) * 1000);
    }
    if (argc == 3 && strcmp(argv[1], "receive") == 0) return receive_frames(argv[2]);
    fprintf(stderr, "usage: frames send INTERFACE ETHERTYPE COUNT BYTES MICROS | frames receive INTERFACE\n");
    return 2;
}
