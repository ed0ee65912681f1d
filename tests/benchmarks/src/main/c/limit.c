/*
 * What this machine can do at best, for everything else to be compared with:
 *
 *   ring    a single-producer single-consumer ring in shared memory, both sides spinning
 *   wakeup  two eventfds and epoll, both sides asleep until written to
 *
 * One process is the server, one the client; both obey the lines that meter.h tells.
 *
 * usage: limit (ring|wakeup) cpu partner-cpu        a negative processor leaves the thread where it is
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "meter.h"

#define OUTSTANDING 64
#define HEADER 8
/* Larger than what fits into the writer's second cache beside its other data: lines are fetched faster from the third one. */
#define MIN_CAPACITY (1u << 20)
#define SLEEP_NANOS 2000000u
/* Small messages are published together up to this many bytes when a stream gives no reason to hurry. */
#define PUBLISH_BYTES 1024u
#define LINE 64u
#define AHEAD 2048u
#define PAD UINT32_MAX

/* ---- the ring ---- */

/* Each position has a pair of cache lines for itself: the prefetcher fetches pairs. */
struct lane {
    alignas(128) _Atomic uint64_t head;
    alignas(128) _Atomic uint64_t tail;
};

struct segment {
    struct lane lanes[2];
    alignas(4096) unsigned char data[];
};

/* What one side knows of a lane; on that side's own stack, so that no line is shared by accident. */
struct end {
    struct lane *lane;
    unsigned char *data;
    uint64_t capacity, position, published, seen, batch;
};

static uint64_t capacity_for(size_t size) {
    uint64_t capacity = MIN_CAPACITY;
    while (capacity < 4 * size) capacity *= 2;
    return capacity;
}

static size_t segment_bytes(size_t size) {
    return sizeof(struct segment) + 2 * capacity_for(size);
}

static struct end end_of(struct segment *segment, int lane, size_t size) {
    uint64_t capacity = capacity_for(size);
    return (struct end){.lane = &segment->lanes[lane], .data = segment->data + (uint64_t)lane * capacity, .capacity = capacity};
}

static inline uint64_t record_bytes(size_t size) {
    return (HEADER + size + 7) & ~UINT64_C(7);
}

static inline void publish(struct end *out) {
    if (out->published != out->position) {
        atomic_store_explicit(&out->lane->head, out->position, memory_order_release);
        out->published = out->position;
    }
}

/* Room for this many bytes in one piece; false when there is none now. */
static inline bool room(struct end *out, uint64_t bytes) {
    if (out->position + bytes - out->seen <= out->capacity) return true;
    out->seen = atomic_load_explicit(&out->lane->tail, memory_order_acquire);
    return out->position + bytes - out->seen <= out->capacity;
}

/* Where the next payload goes, or NULL when the lane is full. */
static inline unsigned char *claim(struct end *out, size_t size) {
    uint64_t bytes = record_bytes(size);
    uint64_t at = out->position & (out->capacity - 1);
    if (at + bytes > out->capacity) {
        uint64_t rest = out->capacity - at;
        if (!room(out, rest)) return NULL;
        *(uint32_t *)(out->data + at) = PAD;
        out->position += rest;
        at = 0;
    }
    if (!room(out, bytes)) return NULL;
    *(uint32_t *)(out->data + at) = (uint32_t)size;
    return out->data + at + HEADER;
}

static inline void commit(struct end *out, size_t size) {
    out->position += record_bytes(size);
    if (out->position - out->published >= out->batch) publish(out);
}

static inline void free_read(struct end *in) {
    if (in->published != in->position) {
        atomic_store_explicit(&in->lane->tail, in->position, memory_order_release);
        in->published = in->position;
    }
}

/* The next payload in place, or NULL when there is none now; then everything read is given back. */
static inline const unsigned char *peek(struct end *in, size_t *size) {
    for (;;) {
        if (in->position == in->seen) {
            in->seen = atomic_load_explicit(&in->lane->head, memory_order_acquire);
            if (in->position == in->seen) {
                free_read(in);
                return NULL;
            }
        }
        uint64_t at = in->position & (in->capacity - 1);
        uint32_t length = *(uint32_t *)(in->data + at);
        if (length != PAD) {
            *size = length;
            return in->data + at + HEADER;
        }
        in->position += in->capacity - at;
    }
}

static inline void drop(struct end *in, size_t size) {
    in->position += record_bytes(size);
    if (in->position - in->published >= in->capacity / 8) free_read(in);
}

static void echo_all(struct end *in, struct end *out) {
    unsigned turns = 0;
    for (;;) {
        size_t size;
        const unsigned char *request = peek(in, &size);
        if (request == NULL) {
            publish(out);
            if (!wait_turn(&turns)) return;
            continue;
        }
        unsigned char *reply;
        while ((reply = claim(out, size)) == NULL) {
            publish(out);
            if (!wait_turn(&turns)) return;
        }
        copy(reply, request, size);
        commit(out, size);
        drop(in, size);
    }
}

static inline void produce_sized(struct end *out, const unsigned char *source, size_t size) {
    unsigned turns = 0;
    for (uint64_t sequence = 0;; sequence++) {
        unsigned char *payload;
        while ((payload = claim(out, size)) == NULL) {
            publish(out);
            if (!wait_turn(&turns)) return;
        }
        fill(payload, source, size, sequence);
        commit(out, size);
    }
}

static void produce(struct end *out, const unsigned char *source, size_t size) {
    if (size == 32) {
        produce_sized(out, source, 32);
    } else {
        produce_sized(out, source, size);
    }
}

/* Reads every byte behind the number; a sum is the cheapest way to. */
static uint64_t sum_of(const unsigned char *payload, size_t size) {
    const uint64_t *words = (const uint64_t *)payload;
    uint64_t sum = 0;
    size_t i = 0;
    for (; i + LINE / 8 <= size / 8; i += LINE / 8) {
        __builtin_prefetch((const char *)(words + i) + AHEAD, 0, 3);
        for (size_t j = 0; j < LINE / 8; j++) sum += words[i + j];
    }
    for (; i < size / 8; i++) sum += words[i];
    return sum - words[0];
}

static inline void consume(struct end *in, uint64_t expected_sum, bool checked) {
    unsigned turns = 0;
    uint64_t expected = 0;
    for (;;) {
        size_t size;
        const unsigned char *payload = peek(in, &size);
        if (payload == NULL) {
            if (!wait_turn(&turns)) return;
            continue;
        }
        uint64_t sequence;
        memcpy(&sequence, payload, sizeof sequence);
        if (sequence != expected++) {
            failure = "a message was lost or came twice";
            return;
        }
        if (checked && sum_of(payload, size) != expected_sum) {
            failure = "a payload has changed on its way";
            return;
        }
        drop(in, size);
        if (!arrival()) return;
    }
}

static inline bool exchange(struct end *out, struct end *in, const unsigned char *source, size_t size, unsigned outstanding,
                            bool (*measured)(void)) {
    unsigned turns = 0;
    uint64_t sent = 0, received = 0;
    for (;;) {
        while (sent - received < outstanding) {
            unsigned char *payload = claim(out, size);
            if (payload == NULL) break;
            fill(payload, source, size, sent++);
            commit(out, size);
        }
        publish(out);
        size_t length;
        const unsigned char *reply;
        while ((reply = peek(in, &length)) == NULL) {
            if (!wait_turn(&turns)) return false;
        }
        do {
            uint64_t sequence;
            memcpy(&sequence, reply, sizeof sequence);
            if (sequence != received || length != size) {
                failure = "an echo was lost or came twice";
                return false;
            }
            drop(in, length);
            received++;
            if (!measured()) return true;
        } while (sent - received > outstanding / 2 && (reply = peek(in, &length)) != NULL);
    }
}

static void ring_serve(const char *scenario, size_t size) {
    int memory = memfd_create("weir-limit", MFD_CLOEXEC);
    struct segment *segment = MAP_FAILED;
    if (memory >= 0 && posix_fallocate(memory, 0, (off_t)segment_bytes(size)) == 0) {
        segment = mmap(NULL, segment_bytes(size), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, memory, 0);
    }
    if (segment == MAP_FAILED) {
        printf("FAILED no shared memory of %zu bytes: %s\n", segment_bytes(size), strerror(errno));
    } else {
        struct end in = end_of(segment, 0, size), out = end_of(segment, 1, size);
        unsigned char *source = source_of(size);
        printf("ARMED /proc/%d/fd/%d\n", (int)getpid(), memory);
        fflush(stdout);
        if (strcmp(scenario, "one-way") == 0 || strcmp(scenario, "checked") == 0) {
            out.batch = PUBLISH_BYTES;
            produce(&out, source, size);
        } else {
            out.batch = strcmp(scenario, "echo") == 0 ? PUBLISH_BYTES : 0;
            echo_all(&in, &out);
        }
        free(source);
        munmap(segment, segment_bytes(size));
    }
    if (memory >= 0) close(memory);
}

static void ring_run(const char *scenario, size_t size, const char *address) {
    int memory = open(address, O_RDWR | O_CLOEXEC);
    struct segment *segment = MAP_FAILED;
    if (memory >= 0) {
        segment = mmap(NULL, segment_bytes(size), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, memory, 0);
    }
    if (segment == MAP_FAILED) {
        failure = "the server's memory cannot be mapped";
    } else {
        struct end out = end_of(segment, 0, size), in = end_of(segment, 1, size);
        unsigned char *source = source_of(size);
        if (strcmp(scenario, "one-way") == 0) {
            consume(&in, 0, false);
        } else if (strcmp(scenario, "checked") == 0) {
            consume(&in, sum_of(source, size), true);
        } else if (strcmp(scenario, "echo") == 0) {
            out.batch = PUBLISH_BYTES;
            exchange(&out, &in, source, size, OUTSTANDING, arrival);
        } else {
            exchange(&out, &in, source, size, 1, round_trip);
        }
        free(source);
        munmap(segment, segment_bytes(size));
    }
    if (memory >= 0) close(memory);
}

/* ---- the wake-up ---- */

static bool await_event(int epoll, int event) {
    struct epoll_event ready;
    while (epoll_wait(epoll, &ready, 1, 5000) != 1) {
        if (errno != EINTR) return false;
    }
    uint64_t value;
    return read(event, &value, sizeof value) == sizeof value;
}

static int epoll_on(int event) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event readable = {.events = EPOLLIN | EPOLLET};
    return epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, event, &readable) == 0 ? epoll : -1;
}

static bool ring_bell(int event) {
    uint64_t one = 1;
    return write(event, &one, sizeof one) == sizeof one;
}

static void answer_bells(int heard, int rung, int cpu) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pin(cpu);
    int epoll = epoll_on(heard);
    while (epoll >= 0 && await_event(epoll, heard) && ring_bell(rung)) {
    }
    _exit(0);
}

static void bell_rounds(int epoll, int rung, int heard, bool pausing) {
    const struct timespec nap = {.tv_nsec = SLEEP_NANOS};
    do {
        if (pausing) {
            nanosleep(&nap, NULL);
            meter.last = now();
        }
        if (!ring_bell(rung) || !await_event(epoll, heard)) {
            failure = "no answer within 5 s";
            return;
        }
    } while (round_trip());
}

/* The partner is a process of our own making: an eventfd is inherited more easily than it is sent. */
static int partner_cpu;

static void wakeup_serve(const char *scenario, size_t size) {
    (void)scenario, (void)size;
    puts("ARMED forked");
}

static void wakeup_run(const char *scenario, size_t size, const char *address) {
    (void)size, (void)address;
    int there = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), back = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int epoll = epoll_on(back);
    pid_t partner = there < 0 || epoll < 0 ? -1 : fork();
    if (partner == 0) answer_bells(there, back, partner_cpu);
    if (partner < 0) {
        failure = "no eventfd, epoll or process to be had";
    } else {
        bell_rounds(epoll, there, back, strcmp(scenario, "sleep") == 0);
        kill(partner, SIGKILL);
        waitpid(partner, NULL, 0);
    }
    if (epoll >= 0) close(epoll);
    if (there >= 0) close(there);
    if (back >= 0) close(back);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: limit (ring|wakeup) cpu partner-cpu\n");
        return 2;
    }
    pin(atoi(argv[2]));
    partner_cpu = atoi(argv[3]);
    obey(strcmp(argv[1], "ring") == 0 ? (struct measured){ring_serve, ring_run} : (struct measured){wakeup_serve, wakeup_run});
    return 0;
}
