/*
 * A wire with faults: passes frames of Ethernet between two interfaces as they are, and does to them what a plan says.
 *
 *   relay bare INTERFACE...                        switches off what lets interfaces leave work to each other, and ends
 *   relay wire FIRST SECOND SEED [only-p4sock]     passes frames until SIGTERM or the end of standard input
 *
 * Frames that go from FIRST to SECOND go "forth", the others "back". Each line on standard input changes one of these directions:
 *
 *   DIRECTION block        nothing goes through
 *   DIRECTION pass         it does again
 *   DIRECTION drop=0.01 duplicate=0.01 reorder=0.01 depth=3 corrupt=0.01 delay=1000 jitter=100
 *                          shares of frames from 0 to 1; a reordered frame comes behind the next 1 to depth ones; delays are in
 *                          microseconds; what is not mentioned stays as it is
 *
 * and is answered by DONE, or FAILED and why. A line "count", and SIGUSR1, print one line COUNTED for each direction; so does the end.
 * READY is printed when frames are passed.
 *
 * The fate of a frame depends on the seed, its direction and how many came before it, on nothing else. With only-p4sock nothing
 * befalls frames of other ethertypes but the delay and the block. Frames stay in order unless the plan puts them out of it; jitter
 * does not. A frame that is held back and has no others coming behind it goes on after 20 ms.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BATCH 64u
/* The largest MTU of Linux, the header before it, and a tag. */
#define FRAME_BYTES (65535u + 18u)
#define QUEUE_BYTES (128u << 20)
#define SOCKET_BYTES (64 << 20)
#define MAX_HELD 64u
#define HELD_NANOS 20000000u
/* A timer may come so late; for what is due sooner the relay stays awake. */
#define AWAKE_NANOS 60000u
#define P4_DATA 0x0814
#define P4_CONTROL 0x0816

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

static void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("FAILED ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    fflush(stdout);
    exit(1);
}

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- interfaces that leave nothing to each other ---- */

static void bare(const char *interface) {
    /* A frame larger than the MTU, or without its checksum, is fine between two ends of a veth that know of it, and for nobody else. */
    static const struct {
        const char *name;
        uint32_t get, set;
    } features[] = {{"transmit checksums", ETHTOOL_GTXCSUM, ETHTOOL_STXCSUM},
                    {"scatter-gather", ETHTOOL_GSG, ETHTOOL_SSG},
                    {"TCP segmentation offload", ETHTOOL_GTSO, ETHTOOL_STSO},
                    {"generic segmentation offload", ETHTOOL_GGSO, ETHTOOL_SGSO},
                    {"generic receive offload", ETHTOOL_GGRO, ETHTOOL_SGRO}};
    int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (any < 0) fail("no socket: %s", strerror(errno));
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        struct ethtool_value value = {.cmd = features[i].set, .data = 0};
        struct ifreq request = {.ifr_data = (char *)&value};
        snprintf(request.ifr_name, sizeof request.ifr_name, "%s", interface);
        /* What an interface has not and can't switch is off. */
        int set = ioctl(any, SIOCETHTOOL, &request);
        int refusal = errno;
        value = (struct ethtool_value){.cmd = features[i].get};
        bool on = ioctl(any, SIOCETHTOOL, &request) == 0 && value.data != 0;
        if (on) fail("%s of %s can't be switched off: %s", features[i].name, interface, set == 0 ? "it stays" : strerror(refusal));
    }
    close(any);
}

/* ---- chance ---- */

static uint64_t seed;

/* Of a counter and not of a state: whatever else is decided for a frame, each of its questions has the same answer. */
static uint64_t chance(unsigned direction, uint64_t frame, unsigned question) {
    uint64_t x = seed + UINT64_C(0x9e3779b97f4a7c15) * (frame * 16 + question * 2 + direction + 1);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static bool happens(double share, unsigned direction, uint64_t frame, unsigned question) {
    return share > 0 && (double)(chance(direction, frame, question) >> 11) * 0x1p-53 < share;
}

enum { DROP, DUPLICATE, REORDER, DEPTH, CORRUPT, BIT, JITTER };

/* ---- one direction ---- */

/* Stands in the queue before the bytes of its frame; a multiple of eight bytes. A length of zero: the next one is at the start. */
struct entry {
    uint64_t due;
    uint32_t length, unused;
};

struct held {
    unsigned char *bytes;
    uint32_t length, behind;
    uint64_t until;
};

struct direction {
    const char *name, *out;
    unsigned number;
    int from, to;

    bool blocked;
    double drop, duplicate, reorder, corrupt;
    unsigned depth;
    uint64_t delay, jitter;

    unsigned char *queue;
    /* Head is where the oldest frame is; both are offsets, and it is empty when they are equal. */
    size_t head, tail, used;
    uint64_t last_due;

    struct held held[MAX_HELD];
    unsigned held_count;

    uint64_t fated;
    uint64_t received, passed, dropped, cut, duplicated, reordered, corrupted, refused, lost;
};

static struct direction ways[2];
static bool only_p4sock;
static bool ended, asked;

static void count(struct direction *way) {
    struct tpacket_stats more;
    socklen_t length = sizeof more;
    /* The kernel begins anew each time. */
    if (getsockopt(way->from, SOL_PACKET, PACKET_STATISTICS, &more, &length) == 0) way->lost += more.tp_drops;
    printf("COUNTED %s received=%" PRIu64 " passed=%" PRIu64 " dropped=%" PRIu64 " blocked=%" PRIu64 " duplicated=%" PRIu64
           " reordered=%" PRIu64 " corrupted=%" PRIu64 " refused=%" PRIu64 " lost=%" PRIu64 "\n",
           way->name, way->received, way->passed, way->dropped, way->cut, way->duplicated, way->reordered, way->corrupted, way->refused,
           way->lost);
    fflush(stdout);
}

static size_t entry_bytes(uint32_t length) {
    return sizeof(struct entry) + (((size_t)length + 7) & ~(size_t)7);
}

/* Whether another batch fits, however large its frames are, each of them twice, with all that is held. */
static bool has_room(const struct direction *way) {
    return QUEUE_BYTES - way->used > (2 * BATCH + MAX_HELD + 1) * entry_bytes(FRAME_BYTES);
}

static unsigned char *enqueue(struct direction *way, const unsigned char *bytes, uint32_t length, uint64_t due) {
    size_t needed = entry_bytes(length);
    if (way->used == 0) {
        /* From the start, which is still in the processor's caches. */
        way->head = way->tail = 0;
    } else if (way->tail + needed + sizeof(struct entry) > QUEUE_BYTES) {
        ((struct entry *)(way->queue + way->tail))->length = 0;
        way->used += QUEUE_BYTES - way->tail;
        way->tail = 0;
    }
    struct entry *entry = (struct entry *)(way->queue + way->tail);
    way->last_due = due > way->last_due ? due : way->last_due;
    *entry = (struct entry){.due = way->last_due, .length = length};
    memcpy(entry + 1, bytes, length);
    way->tail += needed;
    way->used += needed;
    return (unsigned char *)(entry + 1);
}

static struct entry *first(struct direction *way) {
    if (way->used == 0) return NULL;
    struct entry *entry = (struct entry *)(way->queue + way->head);
    if (entry->length != 0) return entry;
    way->used -= QUEUE_BYTES - way->head;
    way->head = 0;
    return way->used == 0 ? NULL : (struct entry *)way->queue;
}

static void hold(struct direction *way, const unsigned char *bytes, uint32_t length, uint32_t behind, uint64_t t) {
    struct held *held = &way->held[way->held_count++];
    held->bytes = malloc(length);
    if (held->bytes == NULL) fail("no memory");
    memcpy(held->bytes, bytes, length);
    held->length = length;
    held->behind = behind;
    held->until = t + HELD_NANOS;
}

/* Those that have waited long enough go on, in the order in which they came. */
static void release_held(struct direction *way, uint64_t t, uint64_t due) {
    unsigned kept = 0;
    for (unsigned i = 0; i < way->held_count; i++) {
        struct held *held = &way->held[i];
        if (held->behind == 0 || held->until <= t) {
            enqueue(way, held->bytes, held->length, due);
            free(held->bytes);
        } else {
            way->held[kept++] = *held;
        }
    }
    way->held_count = kept;
}

static void overtake(struct direction *way, unsigned present, uint64_t t, uint64_t due) {
    for (unsigned i = 0; i < present; i++) way->held[i].behind--;
    release_held(way, t, due);
}

static bool is_fated(const unsigned char *bytes, uint32_t length) {
    if (!only_p4sock) return true;
    if (length < ETHER_HDR_LEN) return false;
    unsigned type = (unsigned)bytes[12] << 8 | bytes[13];
    return type == P4_DATA || type == P4_CONTROL;
}

static void arrived(struct direction *way, const unsigned char *bytes, uint32_t length, uint64_t t) {
    uint64_t due = t + way->delay;
    way->received++;
    bool fated = is_fated(bytes, length);
    uint64_t frame = fated ? way->fated++ : 0;
    if (way->jitter > 0) due += chance(way->number, way->received, JITTER) % way->jitter;
    if (way->blocked) {
        way->cut++;
        return;
    }
    if (fated && happens(way->drop, way->number, frame, DROP)) {
        way->dropped++;
        return;
    }
    bool reordered = fated && way->held_count < MAX_HELD && happens(way->reorder, way->number, frame, REORDER);
    unsigned present = way->held_count;
    unsigned char *copy;
    if (reordered) {
        uint32_t behind = 1 + (uint32_t)(chance(way->number, frame, DEPTH) % way->depth);
        hold(way, bytes, length, behind, t);
        copy = way->held[present].bytes;
        way->reordered++;
    } else {
        copy = enqueue(way, bytes, length, due);
    }
    if (fated && length > 2 * ETH_ALEN && happens(way->corrupt, way->number, frame, CORRUPT)) {
        uint64_t bit = chance(way->number, frame, BIT) % ((length - 2 * ETH_ALEN) * UINT64_C(8));
        copy[2 * ETH_ALEN + bit / 8] ^= (unsigned char)(1u << bit % 8);
        way->corrupted++;
    }
    /* The copy is neither held back nor corrupted. */
    if (fated && happens(way->duplicate, way->number, frame, DUPLICATE)) {
        enqueue(way, bytes, length, due);
        way->duplicated++;
    }
    if (!reordered && present > 0) overtake(way, present, t, due);
}

/* ---- in and out ---- */

static unsigned char *arrivals;

/* Returns whether there may be more. */
static bool receive(struct direction *way) {
    static struct mmsghdr messages[BATCH];
    static struct iovec parts[BATCH];
    if (parts[0].iov_base == NULL) {
        for (unsigned i = 0; i < BATCH; i++) {
            parts[i] = (struct iovec){.iov_base = arrivals + (size_t)i * FRAME_BYTES, .iov_len = FRAME_BYTES};
            messages[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i], .msg_iovlen = 1};
        }
    }
    int received = recvmmsg(way->from, messages, BATCH, MSG_DONTWAIT, NULL);
    if (received <= 0) {
        /* An interface that goes down is told once, and comes back. */
        return false;
    }
    uint64_t t = now();
    for (int i = 0; i < received; i++) arrived(way, parts[i].iov_base, messages[i].msg_len, t);
    return received == (int)BATCH;
}

static void discard(struct direction *way) {
    struct entry *entry = first(way);
    size_t bytes = entry_bytes(entry->length);
    way->head += bytes;
    way->used -= bytes;
}

/* Without a carrier the kernel says the same as when it has no room. */
static bool is_plugged(const struct direction *way) {
    struct ifreq request = {0};
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", way->out);
    return ioctl(way->to, SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_RUNNING) != 0;
}

/* Returns whether there is more that is due now. */
static bool send_due(struct direction *way) {
    static struct mmsghdr messages[BATCH];
    static struct iovec parts[BATCH];
    struct entry *entry = first(way);
    if (entry == NULL) return false;
    uint64_t t = now();
    unsigned ready = 0;
    /* A batch does not go over the end of the queue. */
    for (size_t at = way->head, used = way->used; ready < BATCH && used > 0 && entry->length != 0 && entry->due <= t; ready++) {
        parts[ready] = (struct iovec){.iov_base = entry + 1, .iov_len = entry->length};
        messages[ready].msg_hdr = (struct msghdr){.msg_iov = &parts[ready], .msg_iovlen = 1};
        size_t bytes = entry_bytes(entry->length);
        at += bytes;
        used -= bytes;
        entry = (struct entry *)(way->queue + at);
    }
    if (ready == 0) return false;
    int sent = sendmmsg(way->to, messages, ready, MSG_DONTWAIT);
    if (sent < 0) {
        /* Full: it is offered again. Otherwise there is nobody who would take it, as on any wire. */
        if (errno == EAGAIN || errno == EINTR || (errno == ENOBUFS && is_plugged(way))) return true;
        way->refused++;
        discard(way);
        return true;
    }
    for (int i = 0; i < sent; i++) discard(way);
    way->passed += (uint64_t)sent;
    return (unsigned)sent < ready || ready == BATCH;
}

/* When something is to be done although nothing comes. */
static uint64_t next_due(struct direction *way) {
    struct entry *entry = first(way);
    uint64_t due = entry == NULL ? UINT64_MAX : entry->due;
    for (unsigned i = 0; i < way->held_count; i++) {
        if (way->held[i].until < due) due = way->held[i].until;
    }
    return due;
}

static int packets_of(const char *interface) {
    int index = (int)if_nametoindex(interface);
    if (index == 0) fail("no interface %s", interface);
    /* Bound to no protocol at first: nothing is to come before all is prepared. */
    int packets = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (packets < 0) fail("no socket for packets: %s", strerror(errno));
    int one = 1, bytes = SOCKET_BYTES;
    struct packet_mreq all = {.mr_ifindex = index, .mr_type = PACKET_MR_PROMISC};
    struct sockaddr_ll where = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = index};
    if (setsockopt(packets, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0
        || setsockopt(packets, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes) != 0
        || setsockopt(packets, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof one) != 0
        || setsockopt(packets, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof one) != 0
        || setsockopt(packets, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all) != 0
        || bind(packets, (struct sockaddr *)&where, sizeof where) != 0) {
        fail("%s: %s", interface, strerror(errno));
    }
    return packets;
}

/* ---- lines ---- */

static void changed(struct direction *way, char *changes) {
    struct direction next = *way;
    for (char *rest = NULL, *change = strtok_r(changes, " \n", &rest); change != NULL; change = strtok_r(NULL, " \n", &rest)) {
        double share;
        unsigned long long number;
        char over;
        if (strcmp(change, "block") == 0) {
            next.blocked = true;
        } else if (strcmp(change, "pass") == 0) {
            next.blocked = false;
        } else if (sscanf(change, "depth=%llu%c", &number, &over) == 1 && number >= 1 && number < MAX_HELD) {
            next.depth = (unsigned)number;
        } else if (sscanf(change, "delay=%llu%c", &number, &over) == 1) {
            next.delay = number * 1000;
        } else if (sscanf(change, "jitter=%llu%c", &number, &over) == 1) {
            next.jitter = number * 1000;
        } else {
            char name[16];
            double *field = NULL;
            if (sscanf(change, "%15[a-z]=%lf%c", name, &share, &over) == 2 && share >= 0 && share <= 1) {
                field = strcmp(name, "drop") == 0        ? &next.drop
                        : strcmp(name, "duplicate") == 0 ? &next.duplicate
                        : strcmp(name, "reorder") == 0   ? &next.reorder
                        : strcmp(name, "corrupt") == 0   ? &next.corrupt
                                                         : NULL;
            }
            if (field == NULL) {
                printf("FAILED this is not understood: %s\n", change);
                return;
            }
            *field = share;
        }
    }
    *way = next;
    puts("DONE");
}

static void obey(char *line) {
    for (unsigned i = 0; i < 2; i++) {
        size_t length = strlen(ways[i].name);
        if (strncmp(line, ways[i].name, length) == 0 && line[length] == ' ') {
            changed(&ways[i], line + length);
            fflush(stdout);
            return;
        }
    }
    if (strcmp(line, "count\n") == 0) {
        asked = true;
    } else {
        printf("FAILED this is not understood: %s", line);
        fflush(stdout);
    }
}

/* Unbuffered, because a line that is already read would not be seen by poll. */
static void read_line(void) {
    static char line[512];
    static size_t length;
    char next;
    ssize_t got = read(STDIN_FILENO, &next, 1);
    if (got == 0 || (got < 0 && errno != EINTR)) {
        ended = true;
    } else if (got == 1) {
        if (length < sizeof line - 2) line[length++] = next;
        if (next == '\n') {
            line[length - 1] = '\n';
            line[length] = 0;
            length = 0;
            obey(line);
        }
    }
}

static void read_signal(int signals) {
    struct signalfd_siginfo signal;
    if (read(signals, &signal, sizeof signal) != sizeof signal) return;
    if (signal.ssi_signo == SIGUSR1) {
        asked = true;
    } else {
        ended = true;
    }
}

static void relay(int signals) {
    struct pollfd sources[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                               {.fd = signals, .events = POLLIN},
                               {.fd = ways[0].from, .events = POLLIN},
                               {.fd = ways[1].from, .events = POLLIN}};
    for (unsigned turns = 1; !ended; turns++) {
        bool busy = false;
        uint64_t due = UINT64_MAX;
        for (unsigned i = 0; i < 2; i++) {
            if (has_room(&ways[i])) busy |= receive(&ways[i]);
            if (ways[i].held_count > 0) {
                uint64_t t = now();
                release_held(&ways[i], t, t);
            }
            busy |= send_due(&ways[i]);
            uint64_t mine = next_due(&ways[i]);
            due = mine < due ? mine : due;
        }
        if (asked) {
            asked = false;
            for (unsigned i = 0; i < 2; i++) count(&ways[i]);
        }
        struct timespec wait = {0};
        if (!busy && due != UINT64_MAX) {
            uint64_t t = now();
            if (due > t + AWAKE_NANOS) {
                wait.tv_sec = (time_t)((due - t - AWAKE_NANOS) / 1000000000u);
                wait.tv_nsec = (long)((due - t - AWAKE_NANOS) % 1000000000u);
            } else {
                busy = true;
            }
        }
        /* Who is busy looks for orders and signals now and then: that costs as much as some frames. */
        if (busy && turns % 64 != 0) continue;
        for (unsigned i = 0; i < 2; i++) sources[2 + i].fd = has_room(&ways[i]) ? ways[i].from : -1;
        if (ppoll(sources, 4, busy || due != UINT64_MAX ? &wait : NULL, NULL) <= 0) continue;
        if (sources[0].revents != 0) read_line();
        if (sources[1].revents != 0) read_signal(signals);
    }
}

static void prepare(struct direction *way, unsigned number, const char *name, int from, int to, const char *out) {
    way->name = name;
    way->out = out;
    way->number = number;
    way->from = from;
    way->to = to;
    way->depth = 3;
    way->queue = mmap(NULL, QUEUE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (way->queue == MAP_FAILED) fail("no memory for a queue");
}

static void usage(void) __attribute__((noreturn));

static void usage(void) {
    fprintf(stderr, "usage: relay bare INTERFACE...\n       relay wire FIRST SECOND SEED [only-p4sock]\n");
    exit(2);
}

int main(int argc, char **argv) {
    if (argc >= 3 && strcmp(argv[1], "bare") == 0) {
        for (int i = 2; i < argc; i++) bare(argv[i]);
        return 0;
    }
    if (argc < 5 || argc > 6 || strcmp(argv[1], "wire") != 0) usage();
    only_p4sock = argc == 6 && strcmp(argv[5], "only-p4sock") == 0;
    if (argc == 6 && !only_p4sock) usage();
    seed = strtoull(argv[4], NULL, 10);

    sigset_t heard;
    sigemptyset(&heard);
    sigaddset(&heard, SIGTERM);
    sigaddset(&heard, SIGINT);
    sigaddset(&heard, SIGUSR1);
    sigprocmask(SIG_BLOCK, &heard, NULL);
    int signals = signalfd(-1, &heard, SFD_CLOEXEC);
    if (signals < 0) fail("signals can't be heard: %s", strerror(errno));
    /* Timers may come 50 us late otherwise. */
    prctl(PR_SET_TIMERSLACK, 1UL);

    for (int i = 2; i < 4; i++) bare(argv[i]);
    arrivals = malloc((size_t)BATCH * FRAME_BYTES);
    if (arrivals == NULL) fail("no memory");
    int a = packets_of(argv[2]), b = packets_of(argv[3]);
    prepare(&ways[0], 0, "forth", a, b, argv[3]);
    prepare(&ways[1], 1, "back", b, a, argv[2]);
    puts("READY");
    fflush(stdout);
    relay(signals);
    for (unsigned i = 0; i < 2; i++) count(&ways[i]);
    return 0;
}
