/*
 * What every program in C does that is measured beside Weir. It is the server or the client of a pair, and obeys the lines that every child of the runner obeys:
 *
 *   SERVE scenario size                    -> ARMED address             (server)
 *   STOP                                   -> STOPPED 0                 (server)
 *   RUN scenario size warm seconds address -> MEASURING, RESULT {...}   (client)
 *
 * READY pid comes first, FAILED text answers what cannot be done, the end of standard input ends the process.
 */
#ifndef METER_H
#define METER_H
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host.h"

#define SETTLE_NANOS 5000000u
#define LARGEST (64u << 20)

static const char *failure;

static void pin(int cpu) {
    if (cpu >= 0 && !stay_on(cpu)) fprintf(stderr, "cannot pin to processor %d: %s\n", cpu, strerror(errno));
}

/* One turn of waiting; false when the wait is to end. */
static inline bool wait_turn(unsigned *turns) {
    pause_cpu();
    return (++*turns & 0xffff) != 0 || !interrupted();
}

/* ---- latency in nanoseconds, kept within 1 % ---- */

#define SUB 128
static uint64_t histogram[SUB * 40];
static uint64_t recorded;

static inline void record(uint64_t nanos) {
    unsigned e = nanos < SUB ? 0 : 63 - (unsigned)__builtin_clzll(nanos) - 7;
    uint64_t at = nanos < SUB ? nanos : (uint64_t)SUB * e + (nanos >> e);
    histogram[at < SUB * 40 ? at : SUB * 40 - 1]++;
    recorded++;
}

static uint64_t percentile(double p) {
    uint64_t wanted = (uint64_t)(p * (double)recorded + 0.5), seen = 0;
    if (recorded == 0) return 0;
    if (wanted == 0) wanted = 1;
    for (unsigned i = 0; i < SUB * 40; i++) {
        seen += histogram[i];
        if (seen >= wanted) {
            unsigned e = i < 2 * SUB ? 0 : i / SUB - 1;
            return (uint64_t)(i - SUB * e) << e;
        }
    }
    return 0;
}

/* ---- when to warm up, to measure, to stop ---- */

static struct {
    enum { WARMING, SETTLING, MEASURING, OVER } phase;
    uint64_t next, begun, ended, warm, length;
    uint64_t count, base, last;
    unsigned mask;
} meter;

static void meter_start(double warm, double seconds, size_t size) {
    memset(&meter, 0, sizeof meter);
    memset(histogram, 0, sizeof histogram);
    recorded = 0;
    meter.length = (uint64_t)(seconds * 1e9);
    meter.last = now();
    meter.next = meter.last + (uint64_t)(warm * 1e9);
    /* Asking for the time costs 24 ns, too much for each of many small messages. */
    meter.mask = size <= 64 ? 1023 : size <= 4096 ? 127 : size <= 65536 ? 7 : 0;
}

static bool meter_turn(uint64_t t) {
    if (t < meter.next) return true;
    switch (meter.phase) {
        case WARMING:
            puts("MEASURING");
            fflush(stdout);
            meter.phase = SETTLING;
            meter.next = now() + SETTLE_NANOS;
            break;
        case SETTLING:
            meter.phase = MEASURING;
            meter.base = meter.count;
            meter.begun = now();
            meter.next = meter.begun + meter.length;
            break;
        default:
            meter.phase = OVER;
            meter.ended = t;
            return false;
    }
    meter.last = now();
    return true;
}

static inline bool round_trip(void) {
    uint64_t t = now();
    if (meter.phase == MEASURING) record(t - meter.last);
    meter.last = t;
    meter.count++;
    return meter_turn(t);
}

static inline bool arrival(void) {
    return (++meter.count & meter.mask) != 0 || meter_turn(now());
}

static void print_result(void) {
    if (meter.phase != OVER) {
        printf("FAILED %s\n", failure != NULL ? failure : "the other side has stopped");
        return;
    }
    printf("RESULT {\"messages\":%" PRIu64 ",\"seconds\":%.9f,\"p50Nanos\":%" PRIu64 ",\"p99Nanos\":%" PRIu64
           ",\"p999Nanos\":%" PRIu64 ",\"heldBytes\":0}\n",
           meter.count - meter.base, (double)(meter.ended - meter.begun) / 1e9, percentile(0.5), percentile(0.99),
           percentile(0.999));
}

/* ---- payloads: a number, and bytes that both sides know ---- */

static inline void copy(void *to, const void *from, size_t size) {
    /* A call of memcpy costs more than the 32 bytes themselves. */
    if (size == 32) {
        __builtin_memcpy(to, from, 32);
    } else {
        memcpy(to, from, size);
    }
}

/* The number goes straight to its place: put into the source, it would be read back together with its neighbours, which the
 * processor can't before all older stores, those to the ring among them, have left its store buffer. */
static inline void fill(unsigned char *payload, const unsigned char *source, size_t size, uint64_t sequence) {
    copy(payload, source, size);
    memcpy(payload, &sequence, sizeof sequence);
}

static unsigned char *source_of(size_t size) {
    unsigned char *source = aligned_alloc(64, (size + 63) & ~(size_t)63);
    for (size_t i = 0; i < size; i++) source[i] = (unsigned char)(i * 31 + 7);
    return source;
}

/* ---- lines ---- */

/* What is measured here: a server says ARMED and serves until a line comes; a client measures, for which the meter has been started. */
struct measured {
    void (*serve)(const char *scenario, size_t size);
    void (*run)(const char *scenario, size_t size, const char *address);
};

/* Until standard input ends. */
static void obey(struct measured measured) {
    printf("READY %d\n", (int)getpid());
    fflush(stdout);

    /* Unbuffered, because a line that is already read would not be seen by poll. */
    setvbuf(stdin, NULL, _IONBF, 0);
    char line[512], scenario[32], address[256];
    size_t size;
    double warm, seconds;
    while (fgets(line, sizeof line, stdin) != NULL) {
        failure = NULL;
        if (strcmp(line, "STOP\n") == 0) {
            puts("STOPPED 0");
        } else if (sscanf(line, "SERVE %31s %zu", scenario, &size) == 2 && size >= 16 && size <= LARGEST) {
            measured.serve(scenario, size);
        } else if (sscanf(line, "RUN %31s %zu %lf %lf %255s", scenario, &size, &warm, &seconds, address) == 5 && size >= 16 && size <= LARGEST) {
            meter_start(warm, seconds, size);
            measured.run(scenario, size, address);
            print_result();
        } else {
            printf("FAILED this is not understood: %s", line);
        }
        fflush(stdout);
    }
}

#endif
