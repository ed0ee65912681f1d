/*
 * What a wire between two network namespaces can do, for a path on Ethernet to be compared with:
 *
 *   tcp-pingpong   tcp-stream    the kernel's TCP with TCP_NODELAY, both sides spinning on sockets that do not block
 *   raw-pingpong   raw-stream    frames from AF_PACKET, received by recvmmsg into a forced socket buffer
 *   ring-pingpong  ring-stream   the same, received in a TPACKET_V2 ring of 8 MiB that is polled by its status words
 *
 * A stream of frames is unreliable: the rate is what arrives, and what does not is counted. One process serves in one namespace:
 *
 *   ethernet KIND serve WHERE         WHERE is an address of this host for tcp, an interface for the others
 *
 * and prints ARMED and what the other one needs to find it; it serves one after the other until standard input has something to say or
 * ends. The other one measures, and prints one line RESULT {...}, or FAILED and why:
 *
 *   ethernet KIND run WHERE THERE     THERE is what ARMED has said
 *
 * options, behind these: --size bytes    of a message; of frames without the 14 of Ethernet; the MTU if not given for a stream of frames
 *                        --seconds s     of the measurement, 3 if not given; half a second of warming comes before it
 *                        --slices n      into so many pieces it is cut, 9 if not given; figures are medians of their figures
 *                        --cpu n         where this process stays
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include "host.h"

/* For experiments, by IEEE 802: nobody else's frames. */
#define ETHERTYPE 0x88b5
#define BATCH 64u
#define RING_BYTES (8u << 20)
#define BLOCK_BYTES (256u << 10)
#define SOCKET_BYTES (64 << 20)
#define WARM_NANOS 500000000u
/* A frame without an answer for so long is lost. */
#define ANSWER_NANOS 50000000u
#define MAX_SLICES 99u
#define MAX_SAMPLES (1u << 20)

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

static struct {
    const char *kind;
    bool serves, tcp, ring, stream;
    size_t size;
    double seconds;
    unsigned slices;
} task = {.seconds = 3, .slices = 9};

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

static void pin(int cpu) {
    if (!stay_on(cpu)) fail("no pinning to processor %d: %s", cpu, strerror(errno));
}

/* Only whoever serves is stopped by standard input. */
static bool is_over(void) {
    return task.serves && interrupted();
}

/* One turn of waiting; false when the wait is to end. */
static inline bool wait_turn(unsigned *turns) {
    pause_cpu();
    return (++*turns & 0xfff) != 0 || !is_over();
}

/* ---- slices and their medians ---- */

static uint64_t lost;

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static int compare_samples(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values) {
    qsort(values, task.slices, sizeof *values, compare);
    return task.slices % 2 != 0 ? values[task.slices / 2] : (values[task.slices / 2 - 1] + values[task.slices / 2]) / 2;
}

static uint64_t slice_nanos(void) {
    return (uint64_t)(task.seconds * 1e9 / task.slices);
}

/* Round trips, each made by one call that returns when the answer is there. */
static void measure_rounds(void (*round)(void)) {
    static uint32_t samples[MAX_SAMPLES];
    double middle[MAX_SLICES], high[MAX_SLICES];
    uint64_t rounds = 0;
    for (uint64_t end = now() + WARM_NANOS; now() < end;) round();
    lost = 0;
    for (unsigned slice = 0; slice < task.slices; slice++) {
        size_t count = 0;
        uint64_t t = now(), end = t + slice_nanos();
        while (t < end && count < MAX_SAMPLES) {
            round();
            uint64_t after = now();
            samples[count++] = after - t > UINT32_MAX ? UINT32_MAX : (uint32_t)(after - t);
            t = after;
        }
        qsort(samples, count, sizeof *samples, compare_samples);
        middle[slice] = samples[count / 2];
        high[slice] = samples[count * 99 / 100];
        rounds += count;
    }
    double p50 = median(middle), p99 = median(high);
    printf("RESULT {\"kind\":\"%s\",\"size\":%zu,\"messages\":%" PRIu64 ",\"p50Nanos\":%.0f,\"p99Nanos\":%.0f"
           ",\"lowestP50Nanos\":%.0f,\"highestP50Nanos\":%.0f,\"lost\":%" PRIu64 "}\n",
           task.kind, task.size, rounds, p50, p99, middle[0], middle[task.slices - 1], lost);
}

/* A stream, of which each call takes what is there and returns how many bytes of messages these were. */
static void measure_stream(uint64_t (*taken)(void)) {
    double rates[MAX_SLICES];
    uint64_t all = 0;
    for (uint64_t end = now() + WARM_NANOS; now() < end;) taken();
    lost = 0;
    for (unsigned slice = 0; slice < task.slices; slice++) {
        uint64_t bytes = 0, begin = now(), t = begin, end = begin + slice_nanos();
        do {
            /* Asking for the time costs some 25 ns, and nothing when there is nothing to do. */
            bytes += taken();
            t = now();
        } while (t < end);
        rates[slice] = (double)bytes / ((double)(t - begin) / 1e9);
        all += bytes;
    }
    double rate = median(rates);
    printf("RESULT {\"kind\":\"%s\",\"size\":%zu,\"messages\":%" PRIu64 ",\"messagesPerSecond\":%.0f,\"gigabitsPerSecond\":%.3f"
           ",\"lowestGigabits\":%.3f,\"highestGigabits\":%.3f,\"lost\":%" PRIu64 "}\n",
           task.kind, task.size, all / task.size, rate / (double)task.size, rate * 8e-9, rates[0] * 8e-9,
           rates[task.slices - 1] * 8e-9, lost);
}

static unsigned char *buffer_of(size_t size) {
    unsigned char *buffer = aligned_alloc(64, (size + 63) & ~(size_t)63);
    if (buffer == NULL) fail("no memory");
    for (size_t i = 0; i < size; i++) buffer[i] = (unsigned char)(i * 31 + 7);
    return buffer;
}

/* ---- TCP ---- */

#define TCP_BUFFER (256u << 10)

static int connection;
static unsigned char *tcp_buffer;

/* An address with or without a port. */
static struct sockaddr_in address_of(const char *text) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    char host[64];
    unsigned port = 0;
    if (sscanf(text, "%63[0-9.]:%u", host, &port) < 1 || inet_pton(AF_INET, host, &address.sin_addr) != 1) {
        fail("'%s' is no address", text);
    }
    address.sin_port = htons((uint16_t)port);
    return address;
}

static void no_delay(int fd) {
    int one = 1;
    if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) != 0) fail("TCP_NODELAY: %s", strerror(errno));
}

/* All of it; false when the other side has gone or this one is to stop. */
static bool send_all(const unsigned char *bytes, size_t size) {
    unsigned turns = 0;
    for (size_t done = 0; done < size;) {
        ssize_t sent = send(connection, bytes + done, size - done, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent > 0) {
            done += (size_t)sent;
        } else if ((errno != EAGAIN && errno != EINTR) || !wait_turn(&turns)) {
            return false;
        }
    }
    return true;
}

/* Something; nothing when the other side has gone or this one is to stop. */
static size_t receive_some(unsigned char *bytes, size_t size) {
    unsigned turns = 0;
    for (;;) {
        ssize_t received = recv(connection, bytes, size, MSG_DONTWAIT);
        if (received >= 0) return (size_t)received;
        if ((errno != EAGAIN && errno != EINTR) || !wait_turn(&turns)) return 0;
    }
}

static void tcp_round(void) {
    if (!send_all(tcp_buffer, task.size)) fail("the other side has gone");
    for (size_t done = 0; done < task.size;) {
        size_t received = receive_some(tcp_buffer + done, task.size - done);
        if (received == 0) fail("the other side has gone");
        done += received;
    }
}

static uint64_t tcp_taken(void) {
    size_t received = receive_some(tcp_buffer, TCP_BUFFER);
    if (received == 0) fail("the other side has gone");
    return received;
}

/* The first eight bytes say how long the messages will be. */
static void tcp_run(const char *there) {
    struct sockaddr_in address = address_of(there);
    connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0) fail("connect to %s: %s", there, strerror(errno));
    no_delay(connection);
    uint64_t size = task.size;
    if (!send_all((unsigned char *)&size, sizeof size)) fail("the other side has gone");
    if (task.stream) {
        measure_stream(tcp_taken);
    } else {
        measure_rounds(tcp_round);
    }
}

static void tcp_answer(void) {
    uint64_t size;
    if (recv(connection, &size, sizeof size, MSG_WAITALL) != sizeof size) return;
    if (size == 0 || size > TCP_BUFFER) return;
    if (task.stream) {
        while (send_all(tcp_buffer, size)) {
        }
    } else {
        for (size_t received; (received = receive_some(tcp_buffer, TCP_BUFFER)) != 0;) {
            if (!send_all(tcp_buffer, received)) return;
        }
    }
}

static void tcp_serve(const char *here) {
    struct sockaddr_in address = address_of(here);
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1) != 0
        || getsockname(listener, (struct sockaddr *)&address, &length) != 0) {
        fail("listen at %s: %s", here, strerror(errno));
    }
    char host[INET_ADDRSTRLEN];
    printf("ARMED %s:%u\n", inet_ntop(AF_INET, &address.sin_addr, host, sizeof host), ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        struct pollfd either[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = listener, .events = POLLIN}};
        if (poll(either, 2, -1) < 0 || either[0].revents != 0) return;
        connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (connection < 0) continue;
        no_delay(connection);
        tcp_answer();
        close(connection);
    }
}

/* ---- frames ---- */

enum { HELLO = 1, PING, DATA, STOP };

/* In the byte order of the host: both ends are on the same one. */
struct frame {
    struct ether_header ethernet;
    uint16_t kind;
    uint32_t size;
    uint64_t number;
} __attribute__((packed));

_Static_assert(sizeof(struct frame) == ETHER_HDR_LEN + 14, "a frame has no gaps");

static int packets;
static unsigned mtu;
static uint8_t own[ETH_ALEN], peer[ETH_ALEN];

static struct {
    unsigned char *memory;
    size_t slot_bytes;
    unsigned slots, per_block, next;
} ring;

static struct mmsghdr arriving[BATCH], leaving[BATCH];
static struct iovec arriving_bytes[BATCH], leaving_bytes[BATCH];

/* What has come and is not given back. */
static const struct frame *taken[BATCH];
static unsigned taken_count;

static unsigned char *slot(unsigned at) {
    return ring.memory + (size_t)(at / ring.per_block) * BLOCK_BYTES + (at % ring.per_block) * ring.slot_bytes;
}

static void map_ring(void) {
    int version = TPACKET_V2;
    if (setsockopt(packets, SOL_PACKET, PACKET_VERSION, &version, sizeof version) != 0) fail("TPACKET_V2: %s", strerror(errno));
    ring.slot_bytes = TPACKET_ALIGN(TPACKET2_HDRLEN + ETHER_HDR_LEN + TPACKET_ALIGNMENT + mtu);
    ring.per_block = (unsigned)(BLOCK_BYTES / ring.slot_bytes);
    ring.slots = ring.per_block * (RING_BYTES / BLOCK_BYTES);
    struct tpacket_req wanted = {.tp_block_size = BLOCK_BYTES,
                                 .tp_block_nr = RING_BYTES / BLOCK_BYTES,
                                 .tp_frame_size = (unsigned)ring.slot_bytes,
                                 .tp_frame_nr = ring.slots};
    if (setsockopt(packets, SOL_PACKET, PACKET_RX_RING, &wanted, sizeof wanted) != 0) fail("no ring: %s", strerror(errno));
    ring.memory = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, packets, 0);
    if (ring.memory == MAP_FAILED) fail("no ring in memory: %s", strerror(errno));
}

static void prepare_arrivals(void) {
    int bytes = SOCKET_BYTES;
    if (setsockopt(packets, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0) fail("SO_RCVBUFFORCE: %s", strerror(errno));
    for (unsigned i = 0; i < BATCH; i++) {
        arriving_bytes[i] = (struct iovec){.iov_base = buffer_of(ETHER_HDR_LEN + mtu), .iov_len = ETHER_HDR_LEN + mtu};
        arriving[i].msg_hdr = (struct msghdr){.msg_iov = &arriving_bytes[i], .msg_iovlen = 1};
    }
}

static void open_packets(const char *interface) {
    struct ifreq request = {0};
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", interface);
    /* Bound to no protocol at first: nothing is to come before all is prepared. */
    packets = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (packets < 0) fail("AF_PACKET: %s", strerror(errno));
    if (ioctl(packets, SIOCGIFMTU, &request) != 0) fail("%s: %s", interface, strerror(errno));
    mtu = (unsigned)request.ifr_mtu;
    if (ioctl(packets, SIOCGIFHWADDR, &request) != 0) fail("%s: %s", interface, strerror(errno));
    memcpy(own, request.ifr_hwaddr.sa_data, ETH_ALEN);
    int one = 1;
    if (setsockopt(packets, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof one) != 0) fail("PACKET_QDISC_BYPASS: %s", strerror(errno));
    if (setsockopt(packets, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof one) != 0) {
        fail("PACKET_IGNORE_OUTGOING: %s", strerror(errno));
    }
    if (task.ring) {
        map_ring();
    } else {
        prepare_arrivals();
    }
    struct sockaddr_ll where = {.sll_family = AF_PACKET, .sll_protocol = htons(ETHERTYPE), .sll_ifindex = (int)if_nametoindex(interface)};
    if (bind(packets, (struct sockaddr *)&where, sizeof where) != 0) fail("bind to %s: %s", interface, strerror(errno));
    for (unsigned i = 0; i < BATCH; i++) {
        leaving_bytes[i] = (struct iovec){.iov_base = buffer_of(ETHER_HDR_LEN + mtu)};
        leaving[i].msg_hdr = (struct msghdr){.msg_iov = &leaving_bytes[i], .msg_iovlen = 1};
    }
}

static void take_from_ring(void) {
    while (taken_count < BATCH) {
        unsigned at = (ring.next + taken_count) % ring.slots;
        struct tpacket2_hdr *header = (struct tpacket2_hdr *)slot(at);
        if ((__atomic_load_n(&header->tp_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER) == 0) return;
        taken[taken_count++] = (const struct frame *)((unsigned char *)header + header->tp_mac);
    }
}

static void take_from_socket(void) {
    /* Of round trips there is never more than one, and asking for a second costs a tenth of the time. */
    int count = recvmmsg(packets, arriving, task.stream ? BATCH : 1, MSG_DONTWAIT, NULL);
    /* A link that goes down is told once, and comes back. */
    if (count < 0 && errno != EAGAIN && errno != EINTR && errno != ENETDOWN) fail("recvmmsg: %s", strerror(errno));
    for (int i = 0; i < count; i++) taken[taken_count++] = arriving_bytes[i].iov_base;
}

static inline void take(void) {
    if (task.ring) {
        take_from_ring();
    } else {
        take_from_socket();
    }
}

static inline void give_back(void) {
    for (unsigned i = 0; task.ring && i < taken_count; i++) {
        struct tpacket2_hdr *header = (struct tpacket2_hdr *)slot(ring.next);
        __atomic_store_n(&header->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
        ring.next = ring.next + 1 == ring.slots ? 0 : ring.next + 1;
    }
    taken_count = 0;
}

/* Into the place of this number in the batch. */
static inline struct frame *written(unsigned at, uint16_t kind, size_t size, uint64_t number) {
    struct frame *frame = leaving_bytes[at].iov_base;
    memcpy(frame->ethernet.ether_dhost, peer, ETH_ALEN);
    memcpy(frame->ethernet.ether_shost, own, ETH_ALEN);
    frame->ethernet.ether_type = htons(ETHERTYPE);
    frame->kind = kind;
    frame->size = (uint32_t)size;
    frame->number = number;
    leaving_bytes[at].iov_len = ETHER_HDR_LEN + size;
    return frame;
}

/* Returns how many have left: the rest are to be offered again. */
static inline unsigned send_batch(unsigned from, unsigned count) {
    int sent = sendmmsg(packets, leaving + from, count, MSG_DONTWAIT);
    if (sent >= 0) return (unsigned)sent;
    if (errno != EAGAIN && errno != ENOBUFS && errno != EINTR && errno != ENETDOWN) fail("sendmmsg: %s", strerror(errno));
    return 0;
}

static bool send_frame(uint16_t kind, size_t size, uint64_t number) {
    unsigned turns = 0;
    written(0, kind, size, number);
    while (send_batch(0, 1) == 0) {
        if (!wait_turn(&turns)) return false;
    }
    return true;
}

static uint64_t next_number;

static void frame_round(void) {
    for (;; lost++) {
        uint64_t number = next_number++;
        if (!send_frame(PING, task.size, number)) fail("stopped");
        uint64_t until = now() + ANSWER_NANOS;
        unsigned turns = 0;
        bool answered = false;
        while (!answered && ((++turns & 0x3f) != 0 || now() < until)) {
            take();
            for (unsigned i = 0; i < taken_count; i++) answered |= taken[i]->kind == PING && taken[i]->number == number;
            give_back();
            pause_cpu();
        }
        if (answered) return;
        if (lost == 100) fail("a hundred frames are lost");
    }
}

static bool stream_flows;

static uint64_t frames_taken(void) {
    uint64_t bytes = 0;
    take();
    for (unsigned i = 0; i < taken_count; i++) {
        if (taken[i]->kind != DATA) continue;
        if (stream_flows && taken[i]->number > next_number) lost += taken[i]->number - next_number;
        stream_flows = true;
        next_number = taken[i]->number + 1;
        bytes += taken[i]->size;
    }
    if (taken_count == 0) pause_cpu();
    give_back();
    return bytes;
}

static void parse_peer(const char *text) {
    if (sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &peer[0], &peer[1], &peer[2], &peer[3], &peer[4], &peer[5]) != ETH_ALEN) {
        fail("'%s' is no address of Ethernet", text);
    }
}

static void frames_run(const char *interface, const char *there) {
    parse_peer(there);
    open_packets(interface);
    if (task.size == 0) task.size = mtu;
    if (task.size < sizeof(struct frame) - ETHER_HDR_LEN || task.size > mtu) fail("no frame of %zu bytes at an MTU of %u", task.size, mtu);
    if (!task.stream) {
        measure_rounds(frame_round);
        return;
    }
    uint64_t until = now() + 2000000000u;
    for (uint64_t again = 0; !stream_flows;) {
        uint64_t t = now();
        if (t > until) fail("no stream has come");
        if (t > again) {
            if (!send_frame(HELLO, task.size, 0)) fail("stopped");
            again = t + ANSWER_NANOS;
        }
        frames_taken();
    }
    measure_stream(frames_taken);
    /* More than one: whoever sends this fast may not listen at once. */
    for (unsigned i = 0; i < 3; i++) {
        if (!send_frame(STOP, sizeof(struct frame) - ETHER_HDR_LEN, 0)) return;
    }
}

/* Until the other side has had enough; asked once per batch. */
static void produce_frames(size_t size) {
    uint64_t number = 0;
    unsigned turns = 0;
    for (;;) {
        for (unsigned i = 0; i < BATCH; i++) written(i, DATA, size, number + i);
        for (unsigned sent = 0; sent < BATCH;) {
            unsigned more = send_batch(sent, BATCH - sent);
            sent += more;
            if (more == 0) pause_cpu();
        }
        number += BATCH;
        bool over = (++turns & 0xfff) == 0 && is_over();
        if ((turns & 0xf) == 0) {
            take();
            for (unsigned i = 0; i < taken_count; i++) over |= taken[i]->kind == STOP;
            give_back();
        }
        if (over) return;
    }
}

static void frames_serve(const char *interface) {
    open_packets(interface);
    printf("ARMED %02x:%02x:%02x:%02x:%02x:%02x\n", own[0], own[1], own[2], own[3], own[4], own[5]);
    fflush(stdout);
    unsigned turns = 0;
    while (wait_turn(&turns)) {
        size_t wanted = 0;
        take();
        for (unsigned i = 0; i < taken_count; i++) {
            const struct frame *frame = taken[i];
            if (frame->size > mtu) continue;
            memcpy(peer, frame->ethernet.ether_shost, ETH_ALEN);
            if (frame->kind == PING) {
                if (!send_frame(PING, frame->size, frame->number)) return;
            } else if (frame->kind == HELLO) {
                wanted = frame->size;
            }
        }
        give_back();
        if (wanted != 0) produce_frames(wanted);
    }
}

/* ---- the command line ---- */

static void usage(void) __attribute__((noreturn));

static void usage(void) {
    fprintf(stderr, "usage: ethernet (tcp|raw|ring)-(pingpong|stream) (serve WHERE | run WHERE THERE)\n"
                    "                [--size bytes] [--seconds s] [--slices n] [--cpu n]\n");
    exit(2);
}

int main(int argc, char **argv) {
    if (argc < 4) usage();
    task.kind = argv[1];
    task.tcp = strncmp(task.kind, "tcp-", 4) == 0;
    task.ring = strncmp(task.kind, "ring-", 5) == 0;
    const char *what = strchr(task.kind, '-');
    task.stream = what != NULL && strcmp(what, "-stream") == 0;
    if (!task.tcp && !task.ring && strncmp(task.kind, "raw-", 4) != 0) usage();
    if (!task.stream && (what == NULL || strcmp(what, "-pingpong") != 0)) usage();
    task.serves = strcmp(argv[2], "serve") == 0;
    if (!task.serves && (strcmp(argv[2], "run") != 0 || argc < 5)) usage();
    for (int i = task.serves ? 4 : 5; i < argc; i += 2) {
        if (i + 1 == argc) usage();
        if (strcmp(argv[i], "--size") == 0) {
            task.size = (size_t)atol(argv[i + 1]);
        } else if (strcmp(argv[i], "--seconds") == 0) {
            task.seconds = atof(argv[i + 1]);
        } else if (strcmp(argv[i], "--slices") == 0) {
            task.slices = (unsigned)atoi(argv[i + 1]);
        } else if (strcmp(argv[i], "--cpu") == 0) {
            pin(atoi(argv[i + 1]));
        } else {
            usage();
        }
    }
    if (task.slices == 0 || task.slices > MAX_SLICES || task.seconds <= 0) usage();
    if (task.size == 0 && (task.tcp || !task.stream)) task.size = task.stream ? 65536 : 32;
    if (task.tcp) {
        if (task.size > TCP_BUFFER) fail("no message of %zu bytes: at most %u", task.size, TCP_BUFFER);
        tcp_buffer = buffer_of(TCP_BUFFER);
        if (task.serves) {
            tcp_serve(argv[3]);
        } else {
            tcp_run(argv[4]);
        }
    } else if (task.serves) {
        frames_serve(argv[3]);
    } else {
        frames_run(argv[3], argv[4]);
    }
    return 0;
}
