/*
 * What a program in C gets that uses libelan directly: round trips, and a stream, by puts into slots of the other side's memory. A slot ends with a word that says that it is new, which is written last;
 * the reader tells from time to time how many it has read. Events are asked for in their order, and freed by that.
 *
 * It obeys the lines that meter.h tells; an address is a process's number in the job, and where the others leave word. Linked with the library that is to be used.
 *
 * usage: elan_speed cpu        a negative processor leaves the thread where it is
 */
#define _GNU_SOURCE
#include <stdatomic.h>
#include "meter.h"

typedef void ELAN_STATE, ELAN_EVENT;
ELAN_STATE *elan_init(int flags);
int elan_attach(ELAN_STATE *);
void elan_enable_network(ELAN_STATE *);
void *elan_allocMain(ELAN_STATE *, size_t align, size_t size);
void elan_free(ELAN_STATE *, void *);
ELAN_EVENT *elan_put(ELAN_STATE *, void *from, void *to, size_t size, unsigned vp);
int elan_poll(ELAN_EVENT *, long how);
void elan_wait(ELAN_EVENT *, long how);

#define WORD 8u
#define ALIGNMENT 64u
#define MOST_SLOTS 64u
#define LEAST_SLOTS 4u
/* What waits to be taken should stay in the processor's cache. */
#define ALL_SLOTS (1u << 20)
#define EVENTS 256u

static ELAN_STATE *state;
static unsigned own_vp;

/* What a side tells the other one; the last word says that it is there. */
struct word {
    uint64_t vp, slots, read;
    _Atomic uint64_t there;
};

/* What others write. */
static struct word *heard;
static _Atomic uint64_t *read_there;

static unsigned char *incoming, *outgoing;
static size_t slot_bytes, slots;
static struct word *said, other;
static uint64_t *read_here, sent, taken, told;
static ELAN_EVENT *events[EVENTS];
static uint64_t first_event, next_event;

static size_t rounded(size_t size) {
    return (size + WORD - 1) & ~(size_t)(WORD - 1);
}

static void *memory(size_t bytes) {
    void *given = elan_allocMain(state, ALIGNMENT, bytes);
    memset(given, 0, bytes);
    return given;
}

static void prepare(size_t size) {
    if (incoming != NULL) {
        elan_free(state, incoming);
        elan_free(state, outgoing);
    }
    slot_bytes = rounded(size) + WORD;
    slots = ALL_SLOTS / slot_bytes;
    if (slots < LEAST_SLOTS) slots = LEAST_SLOTS;
    if (slots > MOST_SLOTS) slots = MOST_SLOTS;
    incoming = memory(slots * slot_bytes);
    outgoing = memory(slots * slot_bytes);
    atomic_store(&heard->there, 0);
    atomic_store(read_there, 0);
    sent = taken = told = 0;
}

static void put(void *from, uint64_t to, size_t bytes) {
    while (first_event != next_event && elan_poll(events[first_event % EVENTS], 0)) first_event++;
    if (next_event - first_event == EVENTS) elan_wait(events[first_event++ % EVENTS], 1);
    events[next_event++ % EVENTS] = elan_put(state, from, (void *)(uintptr_t)to, bytes, (unsigned)other.vp);
}

/* Whatever was put may have its memory back. */
static void settle(void) {
    while (first_event != next_event) elan_wait(events[first_event++ % EVENTS], 1);
}

static void introduce(uint64_t mailbox) {
    said->vp = own_vp;
    said->slots = (uintptr_t)incoming;
    said->read = (uintptr_t)read_there;
    atomic_store(&said->there, 1);
    put(said, mailbox, sizeof *said);
}

static bool hear(void) {
    unsigned turns = 0;
    while (atomic_load_explicit(&heard->there, memory_order_acquire) == 0)
        if (!wait_turn(&turns)) return false;
    other.vp = heard->vp;
    other.slots = heard->slots;
    other.read = heard->read;
    return true;
}

/* Where the next message is written, or NULL while the other side has read too little. */
static inline unsigned char *claim(void) {
    if (sent - atomic_load_explicit(read_there, memory_order_acquire) == slots) return NULL;
    return outgoing + sent % slots * slot_bytes;
}

static inline void commit(void) {
    size_t at = sent % slots * slot_bytes;
    uint64_t turn = ++sent;
    memcpy(outgoing + at + slot_bytes - WORD, &turn, WORD);
    put(outgoing + at, other.slots + at, slot_bytes);
}

/* The next message in place, or NULL. */
static inline const unsigned char *peek(void) {
    unsigned char *slot = incoming + taken % slots * slot_bytes;
    _Atomic uint64_t *word = (_Atomic uint64_t *)(void *)(slot + slot_bytes - WORD);
    return atomic_load_explicit(word, memory_order_acquire) == taken + 1 ? slot : NULL;
}

static inline void drop(void) {
    if (++taken - told < slots / 4) return;
    told = taken;
    /* It is put at once, or later with a number that is true as well. */
    settle();
    *read_here = taken;
    put(read_here, other.read, sizeof *read_here);
}

static void echo_all(size_t size) {
    unsigned turns = 0;
    for (;;) {
        const unsigned char *request = peek();
        unsigned char *reply = request == NULL ? NULL : claim();
        if (reply == NULL) {
            if (!wait_turn(&turns)) return;
            continue;
        }
        copy(reply, request, size);
        drop();
        commit();
    }
}

/* False when the wait for room is to end. */
static bool send_next(const unsigned char *source, size_t size, uint64_t sequence) {
    unsigned char *message;
    unsigned turns = 0;
    while ((message = claim()) == NULL)
        if (!wait_turn(&turns)) return false;
    fill(message, source, size, sequence);
    commit();
    return true;
}

static void produce(size_t size) {
    unsigned char *source = source_of(size);
    for (uint64_t sequence = 0; send_next(source, size, sequence); sequence++) continue;
    free(source);
}

static void serve(const char *scenario, size_t size) {
    prepare(size);
    printf("ARMED %u:%" PRIu64 ":%" PRIu64 ":%" PRIu64 "\n", own_vp, (uint64_t)(uintptr_t)heard, (uint64_t)(uintptr_t)incoming, (uint64_t)(uintptr_t)read_there);
    fflush(stdout);
    if (hear()) {
        if (strcmp(scenario, "one-way") == 0) {
            produce(size);
        } else {
            echo_all(size);
        }
    }
    settle();
}

static bool take(uint64_t expected) {
    const unsigned char *message;
    unsigned turns = 0;
    while ((message = peek()) == NULL)
        if (!wait_turn(&turns)) return false;
    uint64_t sequence;
    memcpy(&sequence, message, sizeof sequence);
    if (sequence != expected) failure = "a message was lost or came twice";
    drop();
    return failure == NULL;
}

static void run(const char *scenario, size_t size, const char *address) {
    uint64_t mailbox;
    prepare(size);
    if (sscanf(address, "%" SCNu64 ":%" SCNu64 ":%" SCNu64 ":%" SCNu64, &other.vp, &mailbox, &other.slots, &other.read) != 4) {
        failure = "the address is not understood";
        return;
    }
    introduce(mailbox);
    if (strcmp(scenario, "one-way") == 0) {
        for (uint64_t sequence = 0; take(sequence) && arrival(); sequence++) continue;
    } else {
        unsigned char *source = source_of(size);
        for (uint64_t sequence = 0; send_next(source, size, sequence) && take(sequence) && round_trip(); sequence++) continue;
        free(source);
    }
    settle();
}

int main(int argc, char **argv) {
    const char *place = getenv("RMS_PROCID");
    if (argc != 2 || place == NULL) {
        fprintf(stderr, "usage: elan_speed cpu, as a process of a job\n");
        return 2;
    }
    own_vp = (unsigned)atoi(place);
    state = elan_init(0);
    if (elan_attach(state) != 0) {
        puts("FAILED this process can't be attached");
        return 1;
    }
    elan_enable_network(state);
    heard = memory(sizeof *heard);
    said = memory(sizeof *said);
    read_there = memory(sizeof *read_there);
    read_here = memory(sizeof *read_here);
    pin(atoi(argv[1]));
    obey((struct measured){serve, run});
    return 0;
}
