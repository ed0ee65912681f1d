/*
 * What a program in C gets that uses GM directly: round trips, and a stream. Sends from memory that the library has given, receives in buffers of the one size that it needs, answers from the buffer that
 * a message came in, and gives a buffer back when it is free.
 *
 * It obeys the lines that meter.h tells; an address is the node's number that all know, and the port's. Linked with the library that is to be used.
 *
 * usage: gm_speed cpu        a negative processor leaves the thread where it is
 */
#define _GNU_SOURCE
#include "meter.h"

struct gm_port;
typedef void (*gm_send_completion_callback_t)(struct gm_port *, void *context, int status);
int gm_init(void);
int gm_open(struct gm_port **, unsigned unit, unsigned port, const char *name, int version);
void gm_close(struct gm_port *);
unsigned gm_num_send_tokens(struct gm_port *), gm_num_receive_tokens(struct gm_port *), gm_get_port_id(struct gm_port *);
int gm_get_node_id(struct gm_port *, unsigned *);
int gm_node_id_to_global_id(struct gm_port *, unsigned, unsigned *), gm_global_id_to_node_id(struct gm_port *, unsigned, unsigned *);
unsigned long gm_max_length_for_size(unsigned);
unsigned gm_min_size_for_length(unsigned long);
void *gm_dma_malloc(struct gm_port *, unsigned long);
void gm_dma_free(struct gm_port *, void *);
void gm_send_with_callback(struct gm_port *, void *, unsigned size, unsigned long length, int priority, unsigned node, unsigned port, gm_send_completion_callback_t, void *context);
void gm_drop_sends(struct gm_port *, int priority, unsigned node, unsigned port, gm_send_completion_callback_t, void *context);
void gm_provide_receive_buffer_with_tag(struct gm_port *, void *, unsigned size, int priority, unsigned tag);
int gm_set_acceptable_sizes(struct gm_port *, int priority, unsigned long mask);
void *gm_receive(struct gm_port *);
void gm_unknown(struct gm_port *, void *event);

enum { GM_2 = 0x200, LOW = 0, HIGH = 1, NO_RECV = 0, RECV = 11, FAST_RECV = 15, SEND_DROPPED = 19 };
enum { FIRST_PORT = 2, LAST_PORT = 7, MOST_BUFFERS = 40, LEAST_BUFFERS = 4 };
/* What waits to be taken should stay in the processor's cache. */
#define ALL_BUFFERS (1u << 20)
/* So long the library may take to be done with what was sent to who has closed its port. */
#define SETTLE_LIMIT_NANOS 10000000000u

static struct gm_port *port;
static unsigned size_class, buffers, free_count, under_way, other_node, other_port;
static unsigned char *sending[MOST_BUFFERS], *receiving[MOST_BUFFERS], *free_ones[MOST_BUFFERS];
static bool broken;

struct message {
    unsigned char *at, *buffer;
    size_t length;
    unsigned node, port;
};

static bool open_port(size_t size) {
    int status = 1;
    for (unsigned id = FIRST_PORT; status != 0 && id <= LAST_PORT; id++) status = gm_open(&port, 0, id, "speed", GM_2);
    if (status != 0) {
        failure = "no port of GM is free";
        return false;
    }
    size_class = gm_min_size_for_length(size);
    size_t bytes = gm_max_length_for_size(size_class);
    buffers = ALL_BUFFERS / (unsigned)bytes;
    if (buffers < LEAST_BUFFERS) buffers = LEAST_BUFFERS;
    if (buffers > MOST_BUFFERS) buffers = MOST_BUFFERS;
    if (buffers > gm_num_receive_tokens(port)) buffers = gm_num_receive_tokens(port);
    /* Each one that came may be on its way back, besides all of ours. */
    if (2 * buffers > gm_num_send_tokens(port)) buffers = gm_num_send_tokens(port) / 2;
    free_count = under_way = 0;
    broken = false;
    for (unsigned i = 0; i < buffers; i++) {
        free_ones[free_count++] = sending[i] = gm_dma_malloc(port, bytes);
        receiving[i] = gm_dma_malloc(port, bytes);
        if (sending[i] == NULL || receiving[i] == NULL) {
            failure = "GM gives no more memory";
            return false;
        }
        gm_provide_receive_buffer_with_tag(port, receiving[i], size_class, LOW, 0);
    }
    if (gm_set_acceptable_sizes(port, LOW, 1ul << size_class) != 0 || gm_set_acceptable_sizes(port, HIGH, 0) != 0) {
        failure = "GM does not take the sizes of messages";
        return false;
    }
    return true;
}

static void give_back(unsigned char *buffer) {
    gm_provide_receive_buffer_with_tag(port, buffer, size_class, LOW, 0);
}

static void dropped(struct gm_port *unused, void *context, int status) {
    (void)unused, (void)context, (void)status;
    under_way--;
}

static void ended(int status) {
    under_way--;
    if (status == 0) return;
    broken = true;
    if (status == SEND_DROPPED) return;
    /* The rest of what goes there comes back by that. */
    under_way++;
    gm_drop_sends(port, LOW, other_node, other_port, dropped, NULL);
}

static void sent(struct gm_port *unused, void *context, int status) {
    (void)unused;
    free_ones[free_count++] = context;
    ended(status);
}

static void answered(struct gm_port *unused, void *context, int status) {
    (void)unused;
    give_back(context);
    ended(status);
}

static inline void give(unsigned char *message, size_t length, gm_send_completion_callback_t callback) {
    under_way++;
    gm_send_with_callback(port, message, size_class, length, LOW, other_node, other_port, callback, message);
}

static uint64_t from_big_endian(const unsigned char *at, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) value = value << 8 | at[i];
    return value;
}

/* Takes one event. Whether it is a message. */
static inline bool next_message(struct message *message) {
    unsigned char *event = gm_receive(port);
    unsigned type = event[63];
    if (type == NO_RECV) return false;
    if (type != RECV && type != FAST_RECV) {
        gm_unknown(port, event);
        return false;
    }
    uint64_t pointer;
    memcpy(&pointer, event + 32, sizeof pointer);
    message->at = (unsigned char *)(uintptr_t)__builtin_bswap64(pointer);
    memcpy(&pointer, event + 40, sizeof pointer);
    message->buffer = (unsigned char *)(uintptr_t)__builtin_bswap64(pointer);
    message->length = from_big_endian(event + 52, 4);
    message->node = (unsigned)from_big_endian(event + 56, 2);
    message->port = event[62];
    return true;
}

static void close_port(void) {
    struct message message;
    for (uint64_t begun = now(); under_way > 0 && now() - begun < SETTLE_LIMIT_NANOS;)
        if (next_message(&message)) give_back(message.buffer);
    for (unsigned i = 0; i < buffers; i++) {
        gm_dma_free(port, sending[i]);
        gm_dma_free(port, receiving[i]);
    }
    gm_close(port);
}

static bool await_message(struct message *message) {
    unsigned turns = 0;
    while (!next_message(message))
        if (!wait_turn(&turns)) return false;
    return true;
}

static void echo_all(void) {
    struct message message;
    while (await_message(&message)) {
        /* What lies in the queue of events is short, and gone with the next event. */
        if (message.at != message.buffer) memcpy(message.buffer, message.at, message.length);
        other_node = message.node;
        other_port = message.port;
        give(message.buffer, message.length, answered);
    }
}

static void produce(size_t size) {
    struct message hello, unexpected;
    if (!await_message(&hello)) return;
    give_back(hello.buffer);
    other_node = hello.node;
    other_port = hello.port;
    unsigned char *source = source_of(size);
    unsigned turns = 0;
    for (uint64_t sequence = 0; !broken;) {
        while (free_count > 0) {
            unsigned char *message = free_ones[--free_count];
            fill(message, source, size, sequence++);
            give(message, size, sent);
        }
        if (next_message(&unexpected) || !wait_turn(&turns)) break;
    }
    free(source);
}

static void serve(const char *scenario, size_t size) {
    if (!open_port(size)) {
        printf("FAILED %s\n", failure);
        return;
    }
    unsigned node, global;
    if (gm_get_node_id(port, &node) != 0 || gm_node_id_to_global_id(port, node, &global) != 0) {
        puts("FAILED the node has no number");
        return;
    }
    printf("ARMED %u:%u\n", global, gm_get_port_id(port));
    fflush(stdout);
    if (strcmp(scenario, "one-way") == 0) {
        produce(size);
    } else {
        echo_all();
    }
    close_port();
}

static void take(struct message *message, uint64_t expected, size_t size) {
    uint64_t sequence;
    memcpy(&sequence, message->at, sizeof sequence);
    if (sequence != expected || message->length != size) failure = "a message was lost, came twice, or was cut";
    give_back(message->buffer);
}

static bool await_room(void) {
    struct message unexpected;
    unsigned turns = 0;
    while (free_count == 0) {
        if (next_message(&unexpected)) {
            failure = "an answer that nobody has asked for";
            return false;
        }
        if (!wait_turn(&turns)) return false;
    }
    return true;
}

static void exchange(size_t size, const unsigned char *source) {
    struct message reply;
    for (uint64_t sequence = 0;; sequence++) {
        if (!await_room()) return;
        unsigned char *message = free_ones[--free_count];
        fill(message, source, size, sequence);
        give(message, size, sent);
        if (!await_message(&reply)) return;
        take(&reply, sequence, size);
        if (failure != NULL || !round_trip()) return;
    }
}

static void consume(size_t size) {
    unsigned char *hello = free_ones[--free_count];
    memset(hello, 0, size);
    give(hello, size, sent);
    struct message message;
    for (uint64_t sequence = 0; await_message(&message); sequence++) {
        take(&message, sequence, size);
        if (failure != NULL || !arrival()) return;
    }
}

static void run(const char *scenario, size_t size, const char *address) {
    unsigned global;
    if (sscanf(address, "%u:%u", &global, &other_port) != 2) {
        failure = "the address is not understood";
        return;
    }
    if (!open_port(size)) return;
    unsigned char *source = source_of(size);
    if (gm_global_id_to_node_id(port, global, &other_node) != 0) {
        failure = "the server's node is not known";
    } else if (strcmp(scenario, "one-way") == 0) {
        consume(size);
    } else {
        exchange(size, source);
    }
    free(source);
    close_port();
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: gm_speed cpu\n");
        return 2;
    }
    if (gm_init() != 0) {
        puts("FAILED there is no GM here");
        return 1;
    }
    pin(atoi(argv[1]));
    obey((struct measured){serve, run});
    return 0;
}
