/*
 * Tries the rules of GM 2 with the libgm.so that it is linked with: those that the library has to keep, and those whose breach has to end a program.
 *
 *   gm_check --list   prints the names of the checks, one a line
 *   gm_check NAME     tries one: returns 0 if all is well, else says what is not
 *   gm_check          tries all
 *
 * Each runs in processes of its own, with ports that nobody else sees. What is declared here is what gm.h 2.0.16 declares; the lines with which the emulation ends a program are its own.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct gm_port;
typedef void (*gm_send_completion_callback_t)(struct gm_port *, void *, int);
struct gm_alarm {
    void *next;
    int state;
    struct gm_port *port;
    void (*callback)(void *);
    void *context;
    uint64_t deadline;
};

int gm_init(void);
void gm_finalize(void);
int gm_open(struct gm_port **, unsigned, unsigned, const char *, int);
void gm_close(struct gm_port *);
void *gm_dma_malloc(struct gm_port *, size_t);
void *gm_dma_calloc(struct gm_port *, size_t, size_t);
void gm_dma_free(struct gm_port *, void *);
int gm_register_memory(struct gm_port *, void *, size_t);
int gm_deregister_memory(struct gm_port *, void *, size_t);
int gm_allow_remote_memory_access(struct gm_port *);
unsigned gm_num_send_tokens(struct gm_port *);
unsigned gm_num_receive_tokens(struct gm_port *);
unsigned gm_num_ports(struct gm_port *);
unsigned gm_get_port_id(struct gm_port *);
int gm_get_node_id(struct gm_port *, unsigned *);
int gm_node_id_to_global_id(struct gm_port *, unsigned, unsigned *);
int gm_global_id_to_node_id(struct gm_port *, unsigned, unsigned *);
int gm_get_host_name(struct gm_port *, char *);
int gm_max_node_id(struct gm_port *, unsigned *);
int gm_get_unique_board_id(struct gm_port *, char *);
int gm_node_id_to_unique_id(struct gm_port *, unsigned, char *);
int gm_unique_id_to_node_id(struct gm_port *, char *, unsigned *);
int gm_set_enable_nack_down(struct gm_port *, int);
unsigned gm_mtu(struct gm_port *);
unsigned gm_min_message_size(struct gm_port *);
size_t gm_max_length_for_size(unsigned);
unsigned gm_min_size_for_length(size_t);
const char *gm_strerror(int);
uint64_t gm_ticks(struct gm_port *);
void gm_send_with_callback(struct gm_port *, void *, unsigned, size_t, int, unsigned, unsigned, gm_send_completion_callback_t, void *);
void gm_send_to_peer_with_callback(struct gm_port *, void *, unsigned, size_t, int, unsigned, gm_send_completion_callback_t, void *);
void gm_put(struct gm_port *, void *, uint64_t, size_t, int, unsigned, unsigned, gm_send_completion_callback_t, void *);
void gm_directed_send_with_callback(struct gm_port *, void *, uint64_t, size_t, int, unsigned, unsigned, gm_send_completion_callback_t, void *);
void gm_resume_sending(struct gm_port *, int, unsigned, unsigned, gm_send_completion_callback_t, void *);
void gm_drop_sends(struct gm_port *, int, unsigned, unsigned, gm_send_completion_callback_t, void *);
void gm_provide_receive_buffer_with_tag(struct gm_port *, void *, unsigned, int, unsigned);
void gm_provide_receive_buffer(struct gm_port *, void *, unsigned, int);
int gm_set_acceptable_sizes(struct gm_port *, int, size_t);
void *gm_receive(struct gm_port *);
void *gm_blocking_receive_no_spin(struct gm_port *);
void *gm_blocking_receive(struct gm_port *);
int gm_receive_pending(struct gm_port *);
int gm_next_event_peek(struct gm_port *, uint16_t *);
void gm_unknown(struct gm_port *, void *);
void *gm_memorize_message(void *, void *, unsigned);
void gm_initialize_alarm(struct gm_alarm *);
void gm_set_alarm(struct gm_port *, struct gm_alarm *, uint64_t, void (*)(void *), void *);
void gm_cancel_alarm(struct gm_alarm *);
void gm_flush_alarm(struct gm_port *);
unsigned gm_host_name_to_node_id(struct gm_port *, char *);
int gm_host_name_to_node_id_ex(struct gm_port *, unsigned, const char *, unsigned *);
int gm_node_id_to_host_name_ex(struct gm_port *, unsigned, unsigned, char (*)[129]);
int gm_get_node_type(struct gm_port *, int *);
void gm_get(struct gm_port *, uint64_t, void *, size_t, int, unsigned, unsigned, gm_send_completion_callback_t, void *);
int gm_alloc_send_token(struct gm_port *, unsigned);
void gm_free_send_token(struct gm_port *, unsigned);
void gm_free_send_tokens(struct gm_port *, unsigned, unsigned);
int gm_send_token_available(struct gm_port *, unsigned);
extern unsigned long GM_PAGE_LEN;

enum { LOW, HIGH };
enum { SUCCESS = 0, BUSY = 5, SEND_TIMED_OUT = 15, SEND_REJECTED = 16, SEND_TARGET_PORT_CLOSED = 17, SEND_TARGET_NODE_UNREACHABLE = 18, SEND_DROPPED = 19, NO_SUCH_DEVICE = 24,
       INCOMPATIBLE_LIB_AND_DRIVER = 26, PAGE_TABLE_FULL = 40, INVALID_PORT_NUMBER = 42 };
enum { NO_RECV = 0, ALARM = 2, SLEEP = 4, RECV = 11, HIGH_RECV = 12, PEER_RECV = 13, HIGH_PEER_RECV = 14, FAST_RECV = 15, FAST_HIGH_RECV = 16, FAST_PEER_RECV = 17, FAST_HIGH_PEER_RECV = 18, SENT_TOKENS = 29 };

#define API 0x200
#define POISON 0xaa
#define PAGE 4096u
#define SEND_TOKENS 61
#define RECEIVE_TOKENS 254

/* A check that takes so long hangs; those that wait for the library wait half of it. */
#define LIMIT_SECONDS 40
#define PATIENCE_NS (LIMIT_SECONDS / 2 * 1000000000ll)
/* What must not happen has had its opportunity after so many looks, and so long: the library looks for some things only now and then. */
#define LOOKS 300
#define WHILE_NS 15000000ll

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void failed(int line, const char *what) {
    fprintf(stderr, "line %d: not so: %s\n", line, what);
    _exit(1);
}

static void equal(int line, const char *what, int64_t actual, int64_t expected) {
    if (actual == expected) return;
    fprintf(stderr, "line %d: %s is %lld instead of %lld\n", line, what, (long long)actual, (long long)expected);
    _exit(1);
}

static void in_time(int line, const char *what, int64_t since) {
    if (now() - since < PATIENCE_NS) return;
    fprintf(stderr, "line %d: waited in vain for %s\n", line, what);
    _exit(1);
}

#define EXPECT(condition)                                 \
    do {                                                  \
        if (!(condition)) failed(__LINE__, #condition);   \
    } while (0)
#define EQUAL(actual, expected) equal(__LINE__, #actual, (int64_t)(actual), (int64_t)(expected))
#define AWAIT(condition) \
    for (int64_t since = now(); !(condition); look()) in_time(__LINE__, #condition, since)
#define NEVER(condition) \
    for (int64_t since = now(), looks = 0; looks < LOOKS || now() - since < WHILE_NS; looks++, look()) EXPECT(!(condition))

/* Ports of this process, and what came to them. */

#define MOST 4096

struct arrival {
    int type;
    unsigned length, node, port, size, tag;
    unsigned char *message, *buffer, *data;
};

struct side {
    struct gm_port *port;
    unsigned id, node, count;
    struct arrival arrivals[MOST];
    void *memory[MOST];
    unsigned pieces;
    /* The buffer of each message is provided again at once. */
    int again;
};

static struct side sides[4];
static unsigned open_sides;

/* What became of a send. */
struct outcome {
    int calls, status, order;
};

static int within_unknown, told_order;

static void told(struct gm_port *port, void *context, int status) {
    struct outcome *outcome = context;
    EXPECT(port != NULL);
    EXPECT(within_unknown);
    outcome->calls++;
    outcome->status = status;
    outcome->order = ++told_order;
}

static uint64_t field(const unsigned char *event, size_t at, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) value = value << 8 | event[at + i];
    return value;
}

static int is_message(const unsigned char *event) {
    return event[63] >= RECV && event[63] <= FAST_HIGH_PEER_RECV;
}

static void unknown(struct side *side, unsigned char *event) {
    within_unknown = 1;
    gm_unknown(side->port, event);
    within_unknown = 0;
}

static void handle(struct side *side, unsigned char *event) {
    if (!is_message(event)) {
        unknown(side, event);
        return;
    }
    EXPECT(side->count < MOST);
    struct arrival *arrival = &side->arrivals[side->count++];
    arrival->type = event[63];
    arrival->message = (unsigned char *)(uintptr_t)field(event, 32, 8);
    arrival->buffer = (unsigned char *)(uintptr_t)field(event, 40, 8);
    arrival->length = (unsigned)field(event, 52, 4);
    arrival->node = (unsigned)field(event, 56, 2);
    arrival->tag = event[60];
    arrival->size = event[61];
    arrival->port = event[62];
    arrival->data = malloc(arrival->length + 1);
    memcpy(arrival->data, arrival->message, arrival->length);
    if (side->again) gm_provide_receive_buffer(side->port, arrival->buffer, arrival->size, (arrival->type & 1) == 0);
}

static void look(void) {
    int news = 0;
    for (unsigned i = 0; i < open_sides; i++) {
        unsigned char *event = gm_receive(sides[i].port);
        if (event[63] == NO_RECV) continue;
        handle(&sides[i], event);
        news = 1;
    }
    if (!news) sched_yield();
}

static struct side *opened_on(unsigned unit, unsigned id, int api) {
    struct side *side = &sides[open_sides];
    EQUAL(gm_open(&side->port, unit, id, "check", api), SUCCESS);
    open_sides++;
    side->id = id;
    EQUAL(gm_get_node_id(side->port, &side->node), SUCCESS);
    return side;
}

static struct side *opened(unsigned id) {
    return opened_on(0, id, API);
}

static void *memory(struct side *side, size_t bytes) {
    void *memory = gm_dma_malloc(side->port, bytes);
    EXPECT(memory != NULL);
    EXPECT(side->pieces < MOST);
    return side->memory[side->pieces++] = memory;
}

static void *buffer(struct side *side, unsigned size) {
    return memory(side, (size_t)1 << size);
}

static void *provided(struct side *side, unsigned size, int priority) {
    void *there = buffer(side, size);
    gm_provide_receive_buffer(side->port, there, size, priority);
    return there;
}

static unsigned char pattern(uint64_t seed, size_t at) {
    return (unsigned char)(seed * 31 + at * 7 + (at >> 8) + (at >> 16));
}

static void fill(void *memory, size_t bytes, uint64_t seed) {
    for (size_t i = 0; i < bytes; i++) ((unsigned char *)memory)[i] = pattern(seed, i);
}

static int is_filled(const void *memory, size_t bytes, uint64_t seed) {
    for (size_t i = 0; i < bytes; i++)
        if (((const unsigned char *)memory)[i] != pattern(seed, i)) return 0;
    return 1;
}

static int is_all(const void *memory, size_t bytes, unsigned char value) {
    for (size_t i = 0; i < bytes; i++)
        if (((const unsigned char *)memory)[i] != value) return 0;
    return 1;
}

static void *filled(struct side *side, size_t bytes, uint64_t seed) {
    void *there = memory(side, bytes);
    fill(there, bytes, seed);
    return there;
}

static void send_to(struct side *from, void *message, unsigned size, size_t length, int priority, struct side *to, struct outcome *outcome) {
    gm_send_with_callback(from->port, message, size, length, priority, to->node, to->id, told, outcome);
}

static void shut(struct side *side) {
    while (side->pieces) gm_dma_free(side->port, side->memory[--side->pieces]);
    for (unsigned i = 0; i < side->count; i++) free(side->arrivals[i].data);
    side->count = 0;
    gm_close(side->port);
    side->port = NULL;
}

/* The ports, in the order in which they were opened: the last one first. */
static void shut_last(void) {
    shut(&sides[--open_sides]);
}

static void *pages(unsigned count) {
    void *there = mmap(NULL, (size_t)count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(there != MAP_FAILED);
    return there;
}

/* Other processes: this program once more, in a role, with a line to it. */

struct word {
    uint64_t a, b, c, d;
};

struct peer {
    pid_t pid;
    int line;
};

static void say(int line, struct word word) {
    EQUAL(write(line, &word, sizeof word), sizeof word);
}

static struct word hear(int line) {
    struct word word;
    struct pollfd poll_for = {line, POLLIN, 0};
    EXPECT(poll(&poll_for, 1, (int)(PATIENCE_NS / 1000000)) == 1);
    EQUAL(read(line, &word, sizeof word), sizeof word);
    return word;
}

static struct peer spawned(const char *role, const char *node) {
    int ends[2];
    EQUAL(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    pid_t parent = getpid(), pid = fork();
    EXPECT(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(1);
        setenv("GMEMU_NODE", node, 1);
        char line[16];
        snprintf(line, sizeof line, "%d", dup(ends[1]));
        execl("/proc/self/exe", "gm_check", "--role", role, line, NULL);
        _exit(1);
    }
    close(ends[1]);
    return (struct peer){pid, ends[0]};
}

static void kill_peer(struct peer peer) {
    kill(peer.pid, SIGKILL);
    EQUAL(waitpid(peer.pid, NULL, 0), peer.pid);
    close(peer.line);
}

static void await_end(struct peer peer) {
    int status;
    EQUAL(waitpid(peer.pid, &status, 0), peer.pid);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(peer.line);
}

static unsigned global_of(struct side *side) {
    unsigned global;
    EQUAL(gm_node_id_to_global_id(side->port, side->node, &global), SUCCESS);
    return global;
}

static unsigned local_for(struct side *side, unsigned global) {
    unsigned local;
    EQUAL(gm_global_id_to_node_id(side->port, global, &local), SUCCESS);
    return local;
}

static _Atomic int rung;

static void ring(void *context) {
    EXPECT(context == &rung);
    atomic_fetch_add(&rung, 1);
}

/* Messages. */

static void fields(void) {
    struct side *one = opened(2), *other = opened(4);
    unsigned char *to = buffer(other, 13), *event = NULL;
    gm_provide_receive_buffer_with_tag(other->port, to, 13, LOW, 0x5a);
    struct outcome sent = {0};
    send_to(one, filled(one, 5000, 1), 13, 5000, LOW, other, &sent);
    for (int64_t since = now(); !event || event[63] == NO_RECV; event = gm_receive(other->port)) in_time(__LINE__, "a message", since);
    EQUAL(event[63], RECV);
    EXPECT(field(event, 32, 8) == (uintptr_t)to);
    EXPECT(field(event, 40, 8) == (uintptr_t)to);
    EQUAL(field(event, 52, 4), 5000);
    EQUAL(field(event, 56, 2), one->node);
    EQUAL(event[60], 0x5a);
    EQUAL(event[61], 13);
    EQUAL(event[62], 2);
    EXPECT(is_filled(to, 5000, 1));
    AWAIT(sent.calls);
    EQUAL(sent.status, SUCCESS);
    NEVER(sent.calls > 1 || other->count);
}

static void fast(void) {
    struct side *one = opened(2), *other = opened(4);
    unsigned char *to = provided(other, 9, LOW);
    memset(to, 0x55, 512);
    struct outcome sent = {0};
    send_to(one, filled(one, 128, 1), 9, 128, LOW, other, &sent);
    unsigned char *event = NULL, kept[128];
    for (int64_t since = now(); !event || event[63] == NO_RECV; event = gm_receive(other->port)) in_time(__LINE__, "a message", since);
    EQUAL(event[63], FAST_RECV);
    unsigned char *message = (unsigned char *)(uintptr_t)field(event, 32, 8);
    EXPECT(message != to);
    EXPECT(field(event, 40, 8) == (uintptr_t)to);
    EQUAL(field(event, 52, 4), 128);
    EQUAL(event[61], 9);
    EXPECT(is_all(to, 512, 0x55));
    EXPECT(is_filled(message, 128, 1));
    EXPECT(gm_memorize_message(message, kept, 128) == kept);
    EXPECT(is_filled(kept, 128, 1));
    /* The next look takes it away. */
    unsigned char *next = gm_receive(other->port);
    EQUAL(next[63], NO_RECV);
    EXPECT(!is_filled(message, 128, 1));
    EXPECT(event[63] != FAST_RECV);
    /* One byte more is not short. */
    gm_provide_receive_buffer(other->port, to, 9, LOW);
    struct outcome longer = {0};
    send_to(one, filled(one, 129, 2), 9, 129, LOW, other, &longer);
    AWAIT(other->count == 1 && longer.calls);
    EQUAL(other->arrivals[0].type, RECV);
    EXPECT(is_filled(to, 129, 2));
}

static void half_fast(void) {
    struct side *one = opened(2), *other = opened(4);
    struct outcome sent[8] = {0};
    unsigned fasts = 0;
    for (int i = 0; i < 8; i++) {
        provided(other, 9, LOW);
        send_to(one, filled(one, 10, (uint64_t)i), 9, 10, LOW, other, &sent[i]);
    }
    AWAIT(other->count == 8);
    for (int i = 0; i < 8; i++) {
        fasts += other->arrivals[i].type == FAST_RECV;
        EXPECT(is_filled(other->arrivals[i].data, 10, (uint64_t)i));
    }
    EQUAL(fasts, 4);
    AWAIT(sent[7].calls);
}

static void priorities(void) {
    struct side *one = opened(2), *other = opened(4);
    void *low = provided(other, 10, LOW), *high = provided(other, 10, HIGH);
    struct outcome sent[2] = {0};
    send_to(one, filled(one, 200, 1), 10, 200, HIGH, other, &sent[0]);
    AWAIT(other->count == 1);
    EQUAL(other->arrivals[0].type, HIGH_RECV);
    EXPECT(other->arrivals[0].buffer == high);
    /* What is left is not for it. */
    send_to(one, filled(one, 200, 2), 10, 200, HIGH, other, &sent[1]);
    NEVER(other->count > 1);
    gm_provide_receive_buffer(other->port, high, 10, HIGH);
    AWAIT(other->count == 2);
    EXPECT(other->arrivals[1].buffer == high);
    struct outcome third = {0};
    send_to(one, filled(one, 200, 3), 10, 200, LOW, other, &third);
    AWAIT(other->count == 3 && third.calls && sent[1].calls);
    EQUAL(other->arrivals[2].type, RECV);
    EXPECT(other->arrivals[2].buffer == low);
}

static void exact_size(void) {
    struct side *one = opened(2), *other = opened(4);
    provided(other, 12, LOW);
    provided(other, 14, LOW);
    struct outcome sent = {0};
    send_to(one, filled(one, 100, 1), 13, 100, LOW, other, &sent);
    NEVER(other->count || sent.calls);
    void *fits = provided(other, 13, LOW);
    AWAIT(sent.calls);
    EQUAL(sent.status, SUCCESS);
    EQUAL(other->count, 1);
    EXPECT(other->arrivals[0].buffer == fits);
    EQUAL(other->arrivals[0].size, 13);
}

static void no_buffer(void) {
    struct side *one = opened(2), *other = opened(4);
    struct outcome sent = {0};
    int64_t since = now();
    send_to(one, filled(one, 100, 1), 13, 100, LOW, other, &sent);
    AWAIT(sent.calls);
    EQUAL(sent.status, SEND_TIMED_OUT);
    EXPECT(now() - since >= 100000000);
    /* It will not come any more. */
    provided(other, 13, LOW);
    NEVER(other->count || sent.calls > 1);
}

static void unacceptable(void) {
    struct side *one = opened(2), *other = opened(4);
    provided(other, 12, LOW);
    provided(other, 13, LOW);
    EQUAL(gm_set_acceptable_sizes(other->port, LOW, 1 << 12), SUCCESS);
    struct outcome sent[2] = {0}, went_on = {0};
    send_to(one, filled(one, 100, 1), 13, 100, LOW, other, &sent[0]);
    AWAIT(sent[0].calls);
    EQUAL(sent[0].status, SEND_REJECTED);
    gm_resume_sending(one->port, LOW, other->node, other->id, told, &went_on);
    send_to(one, filled(one, 100, 2), 12, 100, LOW, other, &sent[1]);
    AWAIT(other->count == 1 && sent[1].calls);
    EQUAL(other->arrivals[0].size, 12);
}

static void never_open(void) {
    struct side *one = opened(2);
    struct outcome sent = {0};
    gm_send_with_callback(one->port, filled(one, 100, 1), 13, 100, LOW, one->node, 7, told, &sent);
    AWAIT(sent.calls);
    EQUAL(sent.status, SEND_TARGET_PORT_CLOSED);
}

static void closed_before(void) {
    struct side *one = opened(2), *other = opened(4);
    provided(other, 13, LOW);
    unsigned node = other->node;
    struct outcome sent[2] = {0};
    send_to(one, filled(one, 100, 1), 13, 100, LOW, other, &sent[0]);
    AWAIT(sent[0].calls && other->count == 1);
    shut_last();
    gm_send_with_callback(one->port, filled(one, 100, 1), 13, 100, LOW, node, 4, told, &sent[1]);
    AWAIT(sent[1].calls);
    EQUAL(sent[1].status, SEND_TARGET_PORT_CLOSED);
}

static void closed_meanwhile(void) {
    struct side *one = opened(2), *other = opened(4);
    struct outcome sent[3] = {0}, dropped = {0};
    for (int i = 0; i < 3; i++) send_to(one, filled(one, 100, 1), 13, 100, LOW, other, &sent[i]);
    NEVER(sent[0].calls);
    unsigned node = other->node;
    shut_last();
    AWAIT(sent[0].calls);
    EQUAL(sent[0].status, SEND_TARGET_PORT_CLOSED);
    NEVER(sent[1].calls);
    /* The port is there once more, but the stream stands until it is told what to do. */
    other = opened(4);
    provided(other, 13, LOW);
    NEVER(sent[1].calls || other->count);
    gm_drop_sends(one->port, LOW, node, 4, told, &dropped);
    AWAIT(dropped.calls);
    EQUAL(dropped.status, SUCCESS);
    EQUAL(sent[1].status, SEND_DROPPED);
    EQUAL(sent[2].status, SEND_DROPPED);
    EXPECT(sent[1].order < sent[2].order && sent[2].order < dropped.order);
    struct outcome late = {0};
    send_to(one, filled(one, 100, 2), 13, 100, LOW, other, &late);
    AWAIT(late.calls && other->count == 1);
    EQUAL(late.status, SUCCESS);
    EXPECT(is_filled(other->arrivals[0].data, 100, 2));
}

static void unknown_node(void) {
    struct side *one = opened(2);
    struct outcome sent[2] = {0};
    unsigned last, local;
    EQUAL(gm_max_node_id(one->port, &last), SUCCESS);
    EXPECT(gm_global_id_to_node_id(one->port, 1000000, &local) != SUCCESS);
    gm_send_with_callback(one->port, filled(one, 100, 1), 13, 100, LOW, 0, 2, told, &sent[0]);
    gm_send_with_callback(one->port, filled(one, 100, 1), 13, 100, LOW, last + 1, 2, told, &sent[1]);
    AWAIT(sent[0].calls && sent[1].calls);
    EQUAL(sent[0].status, SEND_TARGET_NODE_UNREACHABLE);
    EQUAL(sent[1].status, SEND_TARGET_NODE_UNREACHABLE);
}

/* So much that what is under way lies around the end of whatever holds it. */
static void order(void) {
    enum { COUNT = 600, SIZES = 5 };
    static const unsigned lengths[SIZES] = {1, 100, 4000, 60000, 200000}, fits[SIZES] = {9, 9, 12, 16, 18};
    struct side *one = opened(2), *other = opened(4);
    other->again = 1;
    for (int size = 0; size < SIZES; size++)
        for (int i = 0; i < 4; i++) provided(other, fits[size], LOW);
    static struct outcome sent[COUNT];
    unsigned char *slots = memory(one, (size_t)16 * 200000);
    for (int i = 0; i < COUNT; i++) {
        if (i >= 16) AWAIT(sent[i - 16].calls);
        unsigned kind = (unsigned)(i * 7 % SIZES), length = lengths[kind];
        unsigned char *message = slots + (size_t)(i % 16) * 200000;
        fill(message, length, (uint64_t)i);
        send_to(one, message, fits[kind], length, LOW, other, &sent[i]);
    }
    AWAIT(other->count == COUNT && sent[COUNT - 1].calls);
    for (int i = 0; i < COUNT; i++) {
        EQUAL(sent[i].status, SUCCESS);
        EQUAL(other->arrivals[i].length, lengths[i * 7 % SIZES]);
        EXPECT(is_filled(other->arrivals[i].data, other->arrivals[i].length, (uint64_t)i));
        if (i) EXPECT(sent[i - 1].order < sent[i].order);
    }
}

static void types(void) {
    /* The boards differ, and the ports have the same number. */
    struct side *one = opened(2), *other = opened_on(1, 2, API);
    static const int expected[] = {RECV, HIGH_RECV, PEER_RECV, HIGH_PEER_RECV, FAST_RECV, FAST_HIGH_RECV, FAST_PEER_RECV, FAST_HIGH_PEER_RECV};
    struct outcome sent[8] = {0};
    for (int i = 0; i < 8; i++) {
        int priority = i % 2;
        size_t length = i < 4 ? 129 : 128;
        void *message = filled(one, length, 1);
        provided(other, 8, priority);
        if (i / 2 % 2)
            gm_send_to_peer_with_callback(one->port, message, 8, length, priority, other->node, told, &sent[i]);
        else
            send_to(one, message, 8, length, priority, other, &sent[i]);
        AWAIT(sent[i].calls);
        EQUAL(other->count, i + 1);
        EQUAL(other->arrivals[i].type, expected[i]);
        EQUAL(other->arrivals[i].port, 2);
        EXPECT(is_filled(other->arrivals[i].data, length, 1));
    }
}

static void looks_ahead(void) {
    struct side *one = opened(2), *other = opened(4);
    uint16_t sender = 7;
    EQUAL(gm_receive_pending(other->port), 0);
    EQUAL(gm_next_event_peek(other->port, &sender), NO_RECV);
    EQUAL(sender, 0);
    struct outcome sent[2] = {0};
    send_to(one, filled(one, 10, 1), 8, 10, HIGH, other, &sent[0]);
    /* What has no buffer is no event. */
    EQUAL(gm_receive_pending(other->port), 0);
    provided(other, 8, HIGH);
    provided(other, 8, HIGH);
    send_to(one, filled(one, 10, 2), 8, 10, HIGH, other, &sent[1]);
    for (int i = 0; i < 2; i++) {
        int expected = i == 0 ? FAST_HIGH_RECV : HIGH_RECV;
        EQUAL(gm_receive_pending(other->port), 1);
        EQUAL(gm_next_event_peek(other->port, &sender), expected);
        EQUAL(gm_next_event_peek(other->port, &sender), expected);
        EQUAL(sender, one->node);
        unsigned char *event = gm_receive(other->port);
        EQUAL(event[63], expected);
    }
    EQUAL(gm_receive_pending(other->port), 0);
    EQUAL(gm_receive_pending(one->port), 1);
    EQUAL(gm_next_event_peek(one->port, &sender), SENT_TOKENS);
    AWAIT(sent[1].calls);
    EQUAL(gm_receive_pending(one->port), 0);
    struct gm_alarm alarm;
    gm_initialize_alarm(&alarm);
    gm_set_alarm(one->port, &alarm, 1, ring, &rung);
    for (int64_t since = now(); !gm_receive_pending(one->port); sched_yield()) in_time(__LINE__, "an alarm", since);
    EQUAL(gm_next_event_peek(one->port, &sender), ALARM);
    AWAIT(atomic_load(&rung));
}

static void to_itself(void) {
    struct side *one = opened(2);
    provided(one, 13, LOW);
    struct outcome sent = {0};
    send_to(one, filled(one, 3000, 1), 13, 3000, LOW, one, &sent);
    AWAIT(sent.calls && one->count == 1);
    EXPECT(is_filled(one->arrivals[0].data, 3000, 1));
    EQUAL(one->arrivals[0].node, one->node);
}

static void other_memory(void) {
    struct side *one = opened(2), *other = opened(4);
    provided(other, 13, LOW);
    provided(other, 13, LOW);
    unsigned char *message = malloc(3000), *half = memory(one, PAGE);
    fill(message, 3000, 1);
    struct outcome sent[2] = {0};
    send_to(one, message, 13, 3000, LOW, other, &sent[0]);
    /* It begins in memory that the board knows, and does not end there. */
    send_to(one, half + 2000, 13, 3000, LOW, other, &sent[1]);
    AWAIT(sent[0].calls && sent[1].calls);
    EQUAL(sent[0].status, SUCCESS);
    EXPECT(is_all(other->arrivals[0].data, 3000, POISON));
    EXPECT(is_all(other->arrivals[1].data, 3000, POISON));
    free(message);
}

/* Only what was sent behind it to the same port with the same priority waits with it. */
static void holds_up_nobody(void) {
    struct side *one = opened(2), *other = opened(4), *third = opened(5);
    struct outcome sent[5] = {0};
    provided(other, 12, LOW);
    provided(other, 12, LOW);
    provided(other, 12, HIGH);
    provided(other, 12, HIGH);
    send_to(one, filled(one, 200, 0), 13, 200, LOW, other, &sent[0]);
    send_to(one, filled(one, 200, 1), 12, 200, LOW, other, &sent[1]);
    send_to(one, filled(one, 200, 2), 12, 200, HIGH, other, &sent[2]);
    send_to(third, filled(third, 200, 3), 12, 200, LOW, other, &sent[3]);
    send_to(third, filled(third, 200, 4), 12, 200, HIGH, other, &sent[4]);
    AWAIT(sent[2].calls && sent[3].calls && sent[4].calls);
    NEVER(sent[0].calls || sent[1].calls || other->count > 3);
    provided(other, 13, LOW);
    AWAIT(sent[0].calls && sent[1].calls);
    EQUAL(other->count, 5);
    EXPECT(is_filled(other->arrivals[3].data, 200, 0));
    EXPECT(is_filled(other->arrivals[4].data, 200, 1));
    for (int i = 0; i < 5; i++) EQUAL(sent[i].status, SUCCESS);
}

/* More than whatever holds what is under way has room for. */
static void pass_much(struct side *from, struct side *to) {
    enum { COUNT = 300, BYTES = 100000 };
    struct outcome sent[COUNT] = {0};
    void *message = filled(from, BYTES, 1);
    for (int i = 0; i < 4; i++) provided(to, 17, LOW);
    to->again = 1;
    unsigned before = to->count;
    for (int i = 0; i < COUNT; i++) {
        if (i >= 16) AWAIT(sent[i - 16].calls);
        send_to(from, message, 17, BYTES, LOW, to, &sent[i]);
    }
    AWAIT(to->count == before + COUNT && sent[COUNT - 1].calls);
    EQUAL(sent[COUNT - 1].status, SUCCESS);
}

static void closed_sender(void) {
    struct side *one = opened(2), *other = opened(4), *third = opened(5);
    static struct outcome sent;
    void *there = pages(1000);
    EQUAL(gm_register_memory(third->port, there, 1000 * PAGE), SUCCESS);
    send_to(third, there, 13, 200, LOW, other, &sent);
    send_to(third, there, 22, 3000000, HIGH, other, &sent);
    shut_last();
    munmap(there, 1000 * PAGE);
    pass_much(one, other);
    /* Nobody is there any more whom it could be taken from. */
    provided(other, 22, HIGH);
    unsigned before = other->count;
    NEVER(other->count > before);
}

/* Sends what nobody has a buffer for. */
static void unwelcome(int line) {
    struct side *here = opened(4);
    unsigned node = local_for(here, 1);
    static struct outcome sent;
    gm_send_with_callback(here->port, filled(here, 200, 1), 13, 200, LOW, node, 2, told, &sent);
    gm_send_with_callback(here->port, filled(here, 3000000, 1), 22, 3000000, HIGH, node, 2, told, &sent);
    say(line, (struct word){0, 0, 0, 0});
    for (;;) pause();
}

static void killed_sender(void) {
    struct side *one = opened(2), *other = opened(5);
    struct peer peer = spawned("unwelcome", "2");
    hear(peer.line);
    NEVER(one->count);
    kill_peer(peer);
    pass_much(other, one);
    provided(one, 22, HIGH);
    unsigned before = one->count;
    NEVER(one->count > before);
}

static const struct {
    size_t length;
    unsigned size;
} LONG_ONES[] = {{1048568, 20}, {1048569, 21}, {1048577, 21}, {3000000, 22}, {5000000, 23}, {7900000, 23}, {8388600, 23}, {20000000, 25}, {50000000, 26}};

#define LONG_COUNT (sizeof LONG_ONES / sizeof *LONG_ONES)

static void long_messages(void) {
    struct side *one = opened(2), *other = opened(4);
    for (unsigned i = 0; i < LONG_COUNT; i++) {
        struct outcome sent = {0};
        size_t length = LONG_ONES[i].length;
        void *to = provided(other, LONG_ONES[i].size, LOW), *message = gm_dma_malloc(one->port, length);
        fill(message, length, i);
        send_to(one, message, LONG_ONES[i].size, length, LOW, other, &sent);
        AWAIT(sent.calls);
        EQUAL(sent.status, SUCCESS);
        EQUAL(other->count, i + 1);
        EQUAL(other->arrivals[i].length, length);
        EXPECT(is_filled(to, length, i));
        gm_dma_free(one->port, message);
    }
    unsigned char *elsewhere = malloc(2000000);
    struct outcome sent = {0};
    void *to = provided(other, 21, LOW);
    send_to(one, elsewhere, 21, 2000000, LOW, other, &sent);
    AWAIT(sent.calls);
    EXPECT(is_all(to, 2000000, POISON));
    free(elsewhere);
}

static void swallower(int line) {
    struct side *here = opened(4);
    say(line, (struct word){global_of(here), 0, 0, 0});
    for (unsigned i = 0; i < LONG_COUNT; i++) {
        void *to = provided(here, LONG_ONES[i].size, LOW);
        AWAIT(here->count == i + 1);
        EQUAL(here->arrivals[i].length, LONG_ONES[i].length);
        EXPECT(is_filled(to, LONG_ONES[i].length, i));
    }
}

static void long_messages_to_process(void) {
    struct side *one = opened(2);
    struct peer peer = spawned("swallower", "2");
    unsigned node = local_for(one, (unsigned)hear(peer.line).a);
    for (unsigned i = 0; i < LONG_COUNT; i++) {
        struct outcome sent = {0};
        void *message = gm_dma_malloc(one->port, LONG_ONES[i].length);
        fill(message, LONG_ONES[i].length, i);
        gm_send_with_callback(one->port, message, LONG_ONES[i].size, LONG_ONES[i].length, LOW, node, 4, told, &sent);
        AWAIT(sent.calls);
        EQUAL(sent.status, SUCCESS);
        gm_dma_free(one->port, message);
    }
    await_end(peer);
}

static void buffer_that_is_gone(void) {
    struct side *one = opened(2), *other = opened(4);
    void *to = gm_dma_malloc(other->port, 8192);
    gm_provide_receive_buffer(other->port, to, 13, LOW);
    gm_dma_free(other->port, to);
    static struct outcome sent;
    send_to(one, filled(one, 200, 0), 13, 200, LOW, other, &sent);
    AWAIT(sent.calls);
}

/* Tokens. */

static void all_tokens(void) {
    struct side *one = opened(2), *other = opened(4);
    EQUAL(gm_num_send_tokens(one->port), SEND_TOKENS);
    EQUAL(gm_num_receive_tokens(one->port), RECEIVE_TOKENS);
    struct outcome sent[2 * SEND_TOKENS] = {0};
    void *message = filled(one, 100, 1);
    /* Both priorities have the same ones. */
    for (int i = 0; i < SEND_TOKENS; i++) send_to(one, message, 8, 100, i % 2, other, &sent[i]);
    NEVER(sent[0].calls || other->count);
    for (int i = 0; i < RECEIVE_TOKENS; i++) provided(other, 8, i % 2);
    AWAIT(sent[SEND_TOKENS - 1].calls && sent[SEND_TOKENS - 2].calls);
    for (int i = SEND_TOKENS; i < 2 * SEND_TOKENS; i++) send_to(one, message, 8, 100, i % 2, other, &sent[i]);
    AWAIT(other->count == 2 * SEND_TOKENS);
    AWAIT(sent[2 * SEND_TOKENS - 1].calls && sent[2 * SEND_TOKENS - 2].calls);
    /* Those of the buffers that have come back can be used again. */
    for (int i = 0; i < 2 * SEND_TOKENS; i++) {
        EQUAL(sent[i].calls, 1);
        EQUAL(sent[i].status, SUCCESS);
        gm_provide_receive_buffer(other->port, other->arrivals[i].buffer, 8, LOW);
    }
}

static void one_send_too_many(void) {
    struct side *one = opened(2), *other = opened(4);
    static struct outcome sent;
    void *message = filled(one, 100, 1);
    for (int i = 0; i <= SEND_TOKENS; i++) send_to(one, message, 8, 100, i % 2, other, &sent);
}

static void one_put_too_many(void) {
    struct side *one = opened(2), *other = opened(4);
    static struct outcome sent;
    gm_allow_remote_memory_access(other->port);
    void *from = memory(one, 100), *to = memory(other, 100);
    for (int i = 0; i <= SEND_TOKENS; i++) gm_put(one->port, from, (uintptr_t)to, 100, LOW, other->node, other->id, told, &sent);
}

static void one_resume_too_many(void) {
    struct side *one = opened(2);
    static struct outcome sent;
    void *message = filled(one, 100, 1);
    gm_send_with_callback(one->port, message, 8, 100, LOW, one->node, 7, told, &sent);
    AWAIT(sent.calls);
    for (int i = 0; i < SEND_TOKENS; i++) gm_send_with_callback(one->port, message, 8, 100, LOW, one->node, 7, told, &sent);
    gm_resume_sending(one->port, LOW, one->node, 7, told, &sent);
}

static void one_buffer_too_many(void) {
    struct side *one = opened(2);
    for (int i = 0; i <= RECEIVE_TOKENS; i++) provided(one, 8, i % 2);
}

static void fewer_tokens(void) {
    struct side *one = opened(2), *other = opened(4);
    EQUAL(gm_num_send_tokens(one->port), 3);
    EQUAL(gm_num_receive_tokens(one->port), 2);
    static struct outcome sent;
    void *message = filled(one, 100, 1);
    for (int i = 0; i < 4; i++) send_to(one, message, 8, 100, LOW, other, &sent);
}

static void counted_tokens(void) {
    struct side *one = opened(2);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < SEND_TOKENS; i++) {
            EXPECT(gm_send_token_available(one->port, i % 2));
            EXPECT(gm_alloc_send_token(one->port, i % 2));
        }
        EXPECT(!gm_send_token_available(one->port, LOW));
        EXPECT(!gm_alloc_send_token(one->port, HIGH));
        gm_free_send_token(one->port, LOW);
        EXPECT(gm_alloc_send_token(one->port, HIGH));
        gm_free_send_tokens(one->port, LOW, SEND_TOKENS);
    }
}

static void too_many_tokens_freed(void) {
    struct side *one = opened(2);
    gm_alloc_send_token(one->port, LOW);
    gm_free_send_tokens(one->port, LOW, 2);
}

/* Callbacks. */

static struct outcome chained[100];
static struct side *chain_from, *chain_to;
static void *chain_message;

static void next_in_chain(struct gm_port *port, void *context, int status) {
    told(port, context, status);
    struct outcome *next = (struct outcome *)context + 1;
    if (next < chained + 100) gm_send_with_callback(port, chain_message, 8, 50, LOW, chain_to->node, chain_to->id, next_in_chain, next);
}

static void sends_in_callbacks(void) {
    chain_from = opened(2);
    chain_to = opened(4);
    chain_to->again = 1;
    provided(chain_to, 8, LOW);
    chain_message = filled(chain_from, 50, 1);
    gm_send_with_callback(chain_from->port, chain_message, 8, 50, LOW, chain_to->node, chain_to->id, next_in_chain, &chained[0]);
    AWAIT(chained[99].calls);
    EQUAL(chain_to->count, 100);
    for (int i = 0; i < 100; i++) EQUAL(chained[i].calls, 1);
}

static void close_it(struct gm_port *port, void *context, int status) {
    (void)context;
    (void)status;
    gm_close(port);
}

static void closed_by_callback(void) {
    struct side *one = opened(2);
    void *there = pages(1);
    gm_register_memory(one->port, there, PAGE);
    gm_send_with_callback(one->port, there, 8, 10, LOW, one->node, 7, close_it, NULL);
    for (unsigned looks = 0; looks < LOOKS; looks++) look();
}

static void told_by_unknown(void) {
    struct side *one = opened(2), *other = opened(4);
    provided(other, 8, LOW);
    struct outcome sent = {0};
    send_to(one, filled(one, 100, 1), 8, 100, LOW, other, &sent);
    unsigned char *event = NULL;
    for (int64_t since = now(); !event || event[63] == NO_RECV; event = gm_receive(other->port)) in_time(__LINE__, "a message", since);
    for (event = NULL; !event || event[63] == NO_RECV; event = gm_receive(one->port)) {}
    EQUAL(event[63], SENT_TOKENS);
    EQUAL(sent.calls, 0);
    unknown(one, event);
    EQUAL(sent.calls, 1);
}

static void event_ignored(void) {
    struct side *one = opened(2), *other = opened(4);
    provided(other, 8, LOW);
    static struct outcome sent;
    send_to(one, filled(one, 100, 1), 8, 100, LOW, other, &sent);
    for (int64_t since = now();;) {
        in_time(__LINE__, "the end", since);
        gm_receive(other->port);
        gm_receive(one->port);
    }
}

static void message_to_unknown(void) {
    struct side *one = opened(2);
    provided(one, 8, LOW);
    static struct outcome sent;
    send_to(one, filled(one, 100, 1), 8, 100, LOW, one, &sent);
    for (int64_t since = now();;) {
        in_time(__LINE__, "the end", since);
        unknown(one, gm_receive(one->port));
    }
}

static void event_that_is_gone(void) {
    struct side *one = opened(2);
    void *event = gm_receive(one->port);
    gm_receive(one->port);
    gm_unknown(one->port, event);
}

static void no_event(void) {
    gm_unknown(opened(2)->port, NULL);
}

/* Streams that have failed. */

static void stops(void) {
    struct side *one = opened(2), *other = opened(4), *third = opened(5);
    struct outcome sent[5] = {0}, went_on = {0};
    send_to(one, filled(one, 100, 0), 13, 100, LOW, other, &sent[0]);
    send_to(one, filled(one, 100, 1), 12, 100, LOW, other, &sent[1]);
    AWAIT(sent[0].calls);
    EQUAL(sent[0].status, SEND_TIMED_OUT);
    provided(other, 12, LOW);
    provided(other, 13, LOW);
    provided(other, 13, HIGH);
    provided(third, 13, LOW);
    send_to(one, filled(one, 100, 2), 13, 100, LOW, other, &sent[2]);
    /* Others go on. */
    send_to(one, filled(one, 100, 3), 13, 100, HIGH, other, &sent[3]);
    send_to(one, filled(one, 100, 4), 13, 100, LOW, third, &sent[4]);
    AWAIT(sent[3].calls && sent[4].calls && third->count == 1 && other->count == 1);
    EQUAL(sent[3].status, SUCCESS);
    EQUAL(sent[4].status, SUCCESS);
    NEVER(sent[1].calls || sent[2].calls || other->count > 1);
    gm_resume_sending(one->port, LOW, other->node, other->id, told, &went_on);
    AWAIT(sent[1].calls && sent[2].calls && went_on.calls);
    EQUAL(went_on.status, SUCCESS);
    EQUAL(sent[1].status, SUCCESS);
    EQUAL(sent[2].status, SUCCESS);
    EQUAL(other->count, 3);
    EXPECT(is_filled(other->arrivals[1].data, 100, 1));
    EXPECT(is_filled(other->arrivals[2].data, 100, 2));
    NEVER(other->count > 3);
}

static void resumed_at_once(void) {
    struct side *one = opened(2);
    static struct outcome none;
    gm_resume_sending(one->port, LOW, one->node, 7, told, &none);
}

static void dropped_at_once(void) {
    struct side *one = opened(2);
    static struct outcome none;
    gm_drop_sends(one->port, LOW, one->node, 7, told, &none);
}

static void failed_once(struct side *one) {
    static struct outcome sent;
    gm_send_with_callback(one->port, filled(one, 100, 1), 13, 100, LOW, one->node, 7, told, &sent);
    AWAIT(sent.calls);
    EQUAL(sent.status, SEND_TARGET_PORT_CLOSED);
}

static void resumed_twice(void) {
    struct side *one = opened(2);
    failed_once(one);
    static struct outcome none;
    gm_resume_sending(one->port, LOW, one->node, 7, told, &none);
    gm_resume_sending(one->port, LOW, one->node, 7, told, &none);
}

static void resumed_and_dropped(void) {
    struct side *one = opened(2);
    failed_once(one);
    static struct outcome none;
    gm_resume_sending(one->port, LOW, one->node, 7, told, &none);
    gm_drop_sends(one->port, LOW, one->node, 7, told, &none);
}

static void resumed_other_priority(void) {
    struct side *one = opened(2);
    failed_once(one);
    static struct outcome none;
    gm_resume_sending(one->port, HIGH, one->node, 7, told, &none);
}

/* Each third send fails, and one that is resumed does not count again. */
static void fails_now_and_then(void) {
    struct side *one = opened(2), *other = opened(4);
    struct outcome sent[9] = {0}, went_on[9] = {0};
    other->again = 1;
    provided(other, 8, LOW);
    void *message = memory(one, 100);
    for (int i = 0; i < 9; i++) {
        fill(message, 100, (uint64_t)i);
        send_to(one, message, 8, 100, LOW, other, &sent[i]);
        AWAIT(sent[i].calls);
        EQUAL(sent[i].status, i % 3 == 2 ? SEND_TARGET_NODE_UNREACHABLE : SUCCESS);
        if (sent[i].status != SUCCESS) gm_resume_sending(one->port, LOW, other->node, other->id, told, &went_on[i]);
    }
    EQUAL(other->count, 6);
    EXPECT(is_filled(other->arrivals[2].data, 100, 3));
}

static void told_late(void) {
    struct side *one = opened(2), *other = opened(4);
    provided(other, 8, LOW);
    struct outcome sent = {0};
    send_to(one, filled(one, 100, 1), 8, 100, LOW, other, &sent);
    int64_t since = now();
    AWAIT(other->count == 1);
    AWAIT(sent.calls);
    EXPECT(now() - since >= 50000000);
}

/* Memory. */

static void registration(void) {
    struct side *one = opened(2), *other = opened(4);
    EQUAL(GM_PAGE_LEN, PAGE);
    provided(other, 13, LOW);
    provided(other, 13, LOW);
    unsigned char *there = pages(2);
    fill(there, 2 * PAGE, 1);
    EQUAL(gm_register_memory(one->port, there, 2 * PAGE), SUCCESS);
    EQUAL(gm_register_memory(one->port, there, 2 * PAGE), SUCCESS);
    EQUAL(gm_deregister_memory(one->port, there, 2 * PAGE), SUCCESS);
    /* It counts: it is there once more. */
    struct outcome sent[2] = {0};
    send_to(one, there + 100, 13, 8000, LOW, other, &sent[0]);
    AWAIT(sent[0].calls);
    EXPECT(memcmp(other->arrivals[0].data, there + 100, 8000) == 0);
    EQUAL(gm_deregister_memory(one->port, there, 2 * PAGE), SUCCESS);
    send_to(one, there + 100, 13, 8000, LOW, other, &sent[1]);
    AWAIT(sent[1].calls);
    EXPECT(is_all(other->arrivals[1].data, 8000, POISON));
    munmap(there, 2 * PAGE);
    EXPECT(gm_register_memory(one->port, there, 2 * PAGE) != SUCCESS);
    unsigned char *zero = gm_dma_calloc(one->port, 10, 1000);
    EXPECT(is_all(zero, 10000, 0));
    gm_dma_free(one->port, zero);
}

static void registered_side_by_side(void) {
    struct side *one = opened(2), *other = opened(4);
    unsigned char *from = pages(3), *to = pages(3);
    fill(from, 3 * PAGE, 1);
    EQUAL(gm_allow_remote_memory_access(other->port), SUCCESS);
    for (unsigned i = 0; i < 3; i++) {
        /* Not in the order in which they lie. */
        EQUAL(gm_register_memory(one->port, from + (i * 2 % 3) * PAGE, PAGE), SUCCESS);
        EQUAL(gm_register_memory(other->port, to + (i * 2 % 3) * PAGE, PAGE), SUCCESS);
    }
    gm_provide_receive_buffer(other->port, to, 13, LOW);
    struct outcome sent[2] = {0};
    send_to(one, from + 1000, 13, 8000, LOW, other, &sent[0]);
    AWAIT(sent[0].calls && other->count == 1);
    EXPECT(memcmp(to, from + 1000, 8000) == 0);
    gm_put(one->port, from, (uintptr_t)to, 3 * PAGE, LOW, other->node, other->id, told, &sent[1]);
    AWAIT(sent[1].calls);
    EQUAL(sent[1].status, SUCCESS);
    EXPECT(memcmp(to, from, 3 * PAGE) == 0);
    for (unsigned i = 0; i < 3; i++) {
        EQUAL(gm_deregister_memory(one->port, from + i * PAGE, PAGE), SUCCESS);
        EQUAL(gm_deregister_memory(other->port, to + i * PAGE, PAGE), SUCCESS);
    }
    munmap(from, 3 * PAGE);
    munmap(to, 3 * PAGE);
}

static void registered_with_others(void) {
    struct side *one = opened(2), *other = opened(4);
    unsigned char *there = pages(2);
    EQUAL(gm_register_memory(one->port, there, PAGE), SUCCESS);
    EQUAL(gm_register_memory(one->port, there, 2 * PAGE), SUCCESS);
    fill(there, 2 * PAGE, 1);
    struct outcome sent[2] = {0};
    send_to(one, there, 8, 200, LOW, other, &sent[0]);
    EQUAL(gm_register_memory(one->port, there, 2 * PAGE), SUCCESS);
    EQUAL(gm_deregister_memory(one->port, there, 2 * PAGE), SUCCESS);
    EQUAL(gm_deregister_memory(one->port, there, 2 * PAGE), SUCCESS);
    provided(other, 8, LOW);
    AWAIT(sent[0].calls && other->count == 1);
    EXPECT(is_filled(other->arrivals[0].data, 200, 1));
    EQUAL(gm_deregister_memory(one->port, there, PAGE), SUCCESS);
    munmap(there, 2 * PAGE);
}

static void deregistered_while_sent(void) {
    struct side *one = opened(2), *other = opened(4);
    unsigned char *there = pages(2);
    gm_register_memory(one->port, there, PAGE);
    gm_register_memory(one->port, there, 2 * PAGE);
    static struct outcome sent;
    send_to(one, there + PAGE - 100, 8, 200, LOW, other, &sent);
    gm_deregister_memory(one->port, there, 2 * PAGE);
}

static void deregistered_before_callback(void) {
    struct side *one = opened(2), *other = opened(4);
    unsigned char *there = pages(1);
    gm_register_memory(one->port, there, PAGE);
    provided(other, 8, LOW);
    static struct outcome sent;
    send_to(one, there, 8, 200, LOW, other, &sent);
    /* It has arrived, and will be told late. */
    AWAIT(other->count == 1);
    EXPECT(!sent.calls);
    gm_deregister_memory(one->port, there, PAGE);
}

static void changed_before_callback(void) {
    struct side *one = opened(2), *other = opened(4);
    provided(other, 8, LOW);
    static struct outcome sent;
    unsigned char *there = filled(one, 100, 1);
    send_to(one, there, 8, 100, LOW, other, &sent);
    AWAIT(other->count == 1);
    there[99] ^= 1;
    AWAIT(sent.calls);
}

static void changed_before_callback_of_put(void) {
    struct side *one = opened(2), *other = opened(4);
    gm_allow_remote_memory_access(other->port);
    static struct outcome sent;
    unsigned char *there = filled(one, 100, 1);
    gm_put(one->port, there, (uintptr_t)memory(other, PAGE), 100, LOW, other->node, other->id, told, &sent);
    there[0] ^= 1;
    AWAIT(sent.calls);
}

static void hole_between(void) {
    struct side *one = opened(2), *other = opened(4);
    unsigned char *to = pages(3);
    gm_allow_remote_memory_access(other->port);
    gm_register_memory(other->port, to, PAGE);
    gm_register_memory(other->port, to + 2 * PAGE, PAGE);
    static struct outcome sent;
    gm_put(one->port, memory(one, 3 * PAGE), (uintptr_t)to, 3 * PAGE, LOW, other->node, other->id, told, &sent);
}

static void register_limit(void) {
    struct side *one = opened(2);
    unsigned char *there = pages(300);
    EQUAL(gm_register_memory(one->port, there, 128 * PAGE), SUCCESS);
    void *more = memory(one, 128 * PAGE);
    EQUAL(gm_register_memory(one->port, there + 128 * PAGE, PAGE), PAGE_TABLE_FULL);
    EXPECT(gm_dma_malloc(one->port, 1) == NULL);
    /* The same once more takes nothing. */
    EQUAL(gm_register_memory(one->port, there, 128 * PAGE), SUCCESS);
    EQUAL(gm_deregister_memory(one->port, there, 128 * PAGE), SUCCESS);
    EXPECT(gm_dma_malloc(one->port, 1) == NULL);
    EQUAL(gm_deregister_memory(one->port, there, 128 * PAGE), SUCCESS);
    EQUAL(gm_register_memory(one->port, there + 128 * PAGE, PAGE), SUCCESS);
    EQUAL(gm_deregister_memory(one->port, there + 128 * PAGE, PAGE), SUCCESS);
    EXPECT(more != NULL);
    munmap(there, 300 * PAGE);
}

static void part_of_a_page(void) {
    gm_register_memory(opened(2)->port, (char *)pages(2) + 8, PAGE);
}

static void deregistered_twice(void) {
    struct side *one = opened(2);
    void *there = pages(1);
    gm_register_memory(one->port, there, PAGE);
    gm_deregister_memory(one->port, there, PAGE);
    gm_deregister_memory(one->port, there, PAGE);
}

static void freed_twice(void) {
    struct side *one = opened(2);
    void *there = gm_dma_malloc(one->port, 100);
    gm_dma_free(one->port, there);
    gm_dma_free(one->port, there);
}

static void freed_while_sent(void) {
    struct side *one = opened(2), *other = opened(4);
    void *there = gm_dma_malloc(one->port, 100);
    static struct outcome sent;
    send_to(one, there, 8, 100, LOW, other, &sent);
    gm_dma_free(one->port, there);
}

static void closed_with_memory(void) {
    struct side *one = opened(2);
    gm_dma_malloc(one->port, 100);
    gm_close(one->port);
}

static void buffer_of_other_memory(void) {
    struct side *one = opened(2);
    gm_provide_receive_buffer(one->port, aligned_alloc(8, 8192), 13, LOW);
}

static void buffer_too_small(void) {
    struct side *one = opened(2);
    gm_provide_receive_buffer(one->port, memory(one, PAGE), 13, LOW);
}

static void buffer_not_aligned(void) {
    struct side *one = opened(2);
    gm_provide_receive_buffer(one->port, (char *)memory(one, 4 * PAGE) + 4, 13, LOW);
}

static void buffer_twice(void) {
    struct side *one = opened(2);
    gm_provide_receive_buffer(one->port, provided(one, 13, LOW), 13, LOW);
}

static void buffer_of_strange_size(void) {
    struct side *one = opened(2);
    gm_provide_receive_buffer(one->port, memory(one, PAGE), 2, LOW);
}

static void message_too_long(void) {
    struct side *one = opened(2);
    static struct outcome sent;
    send_to(one, memory(one, PAGE), 9, 505, LOW, one, &sent);
}

static void strange_priority(void) {
    struct side *one = opened(2);
    static struct outcome sent;
    send_to(one, memory(one, PAGE), 9, 504, 2, one, &sent);
}

static void no_callback(void) {
    struct side *one = opened(2);
    gm_send_with_callback(one->port, memory(one, PAGE), 9, 504, LOW, one->node, 2, NULL, NULL);
}

/* Putting. */

static void puts_in_process(void) {
    struct side *one = opened(2), *other = opened(4);
    EQUAL(gm_allow_remote_memory_access(other->port), SUCCESS);
    unsigned char *to = memory(other, 3 * PAGE), *from = filled(one, 3 * PAGE, 1), *elsewhere = malloc(PAGE);
    memset(to, 0, 3 * PAGE);
    provided(other, 8, LOW);
    struct outcome sent[3] = {0};
    gm_put(one->port, from, (uintptr_t)to + 5, 2 * PAGE + 1, LOW, other->node, other->id, told, &sent[0]);
    send_to(one, from, 8, 10, LOW, other, &sent[1]);
    /* The message is behind it, and of itself it tells nobody. */
    AWAIT(other->count == 1);
    EXPECT(is_all(to, 5, 0));
    EXPECT(is_filled(to + 5, 2 * PAGE + 1, 1));
    EXPECT(is_all(to + 2 * PAGE + 6, PAGE - 6, 0));
    AWAIT(sent[0].calls && sent[1].calls);
    EQUAL(sent[0].status, SUCCESS);
    memset(elsewhere, 1, PAGE);
    gm_put(one->port, elsewhere, (uintptr_t)to, 10, LOW, other->node, other->id, told, &sent[2]);
    AWAIT(sent[2].calls);
    EXPECT(is_all(to, 10, POISON));
    EQUAL(other->count, 1);
    free(elsewhere);
}

/* What was sent before it and waits for a buffer makes it wait too. */
static void put_behind(void) {
    struct side *one = opened(2), *other = opened(4);
    EQUAL(gm_allow_remote_memory_access(other->port), SUCCESS);
    unsigned char *to = memory(other, PAGE), *from = filled(one, PAGE, 1);
    memset(to, 0, PAGE);
    struct outcome sent[4] = {0};
    send_to(one, from, 13, 10, LOW, other, &sent[0]);
    gm_put(one->port, from, (uintptr_t)to, PAGE, LOW, other->node, other->id, told, &sent[1]);
    /* Not that of the other priority. */
    gm_put(one->port, from, (uintptr_t)to, 10, HIGH, other->node, other->id, told, &sent[2]);
    AWAIT(sent[2].calls);
    EXPECT(is_filled(to, 10, 1));
    memset(to, 0, 10);
    NEVER(sent[0].calls || sent[1].calls || to[PAGE - 1]);
    EXPECT(is_all(to, PAGE, 0));
    provided(other, 13, LOW);
    AWAIT(sent[0].calls && sent[1].calls);
    EXPECT(is_filled(to, PAGE, 1));
}

static void put_dropped(void) {
    struct side *one = opened(2), *other = opened(4);
    EQUAL(gm_allow_remote_memory_access(other->port), SUCCESS);
    unsigned char *to = memory(other, PAGE), *from = filled(one, PAGE, 1);
    memset(to, 0, PAGE);
    struct outcome sent[2] = {0}, dropped = {0};
    send_to(one, from, 13, 10, LOW, other, &sent[0]);
    gm_put(one->port, from, (uintptr_t)to, PAGE, LOW, other->node, other->id, told, &sent[1]);
    AWAIT(sent[0].calls);
    EQUAL(sent[0].status, SEND_TIMED_OUT);
    NEVER(sent[1].calls);
    gm_drop_sends(one->port, LOW, other->node, other->id, told, &dropped);
    AWAIT(dropped.calls);
    EQUAL(sent[1].status, SEND_DROPPED);
    EXPECT(is_all(to, PAGE, 0));
}

enum { PUTS = 50, PUT_BYTES = 300000 };

/* Says where it can be written to, and answers when it has been told that all is there. */
static void target(int line) {
    struct side *here = opened(4);
    here->again = 1;
    provided(here, 8, LOW);
    unsigned char *there = pages(PUT_BYTES / PAGE + 1);
    size_t whole = (PUT_BYTES / PAGE + 1) * PAGE;
    EQUAL(gm_register_memory(here->port, there, whole), SUCCESS);
    EQUAL(gm_allow_remote_memory_access(here->port), SUCCESS);
    say(line, (struct word){global_of(here), (uintptr_t)there, 0, 0});
    for (unsigned i = 0; i < PUTS; i++) {
        AWAIT(here->count > i);
        EXPECT(is_filled(there, PUT_BYTES, i));
        say(line, (struct word){i, 0, 0, 0});
    }
    EQUAL(gm_deregister_memory(here->port, there, whole), SUCCESS);
    munmap(there, whole);
}

static void puts_to_process(void) {
    struct side *one = opened(2);
    struct peer peer = spawned("target", "2");
    struct word there = hear(peer.line);
    EQUAL(there.a, 2);
    unsigned node = local_for(one, (unsigned)there.a);
    unsigned char *from = memory(one, PUT_BYTES);
    for (unsigned i = 0; i < PUTS; i++) {
        struct outcome sent[2] = {0};
        fill(from, PUT_BYTES, i);
        (i % 2 ? gm_put : gm_directed_send_with_callback)(one->port, from, there.b, PUT_BYTES, LOW, node, 4, told, &sent[0]);
        gm_send_with_callback(one->port, from, 8, 1, LOW, node, 4, told, &sent[1]);
        AWAIT(sent[0].calls && sent[1].calls);
        EQUAL(sent[0].status, SUCCESS);
        EQUAL(sent[1].status, SUCCESS);
        EQUAL(hear(peer.line).a, i);
    }
    await_end(peer);
}

enum { WIDE = 3 << 20, WIDE_PUTS = 20, INSIDE = PAGE + 8 };

/* Pieces of this process's memory that lie in such a file. */
static unsigned mapped(const char *what) {
    FILE *maps = fopen("/proc/self/maps", "r");
    EXPECT(maps != NULL);
    char line[4096];
    unsigned count = 0;
    while (fgets(line, sizeof line, maps)) count += strstr(line, what) != NULL;
    fclose(maps);
    return count;
}

/* Registers much memory again and again, and uses it in between as any other. */
static void wide(int line) {
    struct side *here = opened(4);
    here->again = 1;
    provided(here, 8, LOW);
    unsigned char *there = pages(WIDE / PAGE);
    EQUAL(gm_allow_remote_memory_access(here->port), SUCCESS);
    int free_one = 0;
    for (unsigned i = 0; i < WIDE_PUTS; i++) {
        if (i == 1) close(free_one = dup(line));
        fill(there, WIDE - PAGE, i + 1);
        EQUAL(gm_register_memory(here->port, there, WIDE), SUCCESS);
        say(line, (struct word){global_of(here), (uintptr_t)there + INSIDE, 0, 0});
        AWAIT(here->count == 2 * i + 1);
        EXPECT(is_filled(there + INSIDE, PUT_BYTES, i));
        /* What is written here is what is read there. */
        fill(there + INSIDE, PUT_BYTES, i + WIDE_PUTS);
        say(line, (struct word){0});
        AWAIT(here->count == 2 * i + 2);
        EQUAL(gm_deregister_memory(here->port, there, WIDE), SUCCESS);
        EXPECT(is_filled(there + INSIDE, PUT_BYTES, i + WIDE_PUTS));
        for (size_t at = 0; at < WIDE; at++)
            if (at < INSIDE || at >= INSIDE + PUT_BYTES) EXPECT(there[at] == (at < WIDE - PAGE ? pattern(i + 1, at) : 0));
    }
    munmap(there, WIDE);
    /* All descriptors are given back. */
    EQUAL(dup(line), free_one);
}

static void puts_to_much(void) {
    struct side *one = opened(2);
    struct peer peer = spawned("wide", "2");
    unsigned char *here = memory(one, PUT_BYTES);
    for (unsigned i = 0; i < WIDE_PUTS; i++) {
        struct word there = hear(peer.line);
        unsigned node = local_for(one, (unsigned)there.a);
        struct outcome done[4] = {0};
        fill(here, PUT_BYTES, i);
        gm_put(one->port, here, there.b, PUT_BYTES, LOW, node, 4, told, &done[0]);
        gm_send_with_callback(one->port, here, 8, 1, LOW, node, 4, told, &done[1]);
        hear(peer.line);
        gm_get(one->port, there.b, here, PUT_BYTES, LOW, node, 4, told, &done[2]);
        AWAIT(done[0].calls && done[1].calls && done[2].calls);
        for (int each = 0; each < 3; each++) EQUAL(done[each].status, SUCCESS);
        EXPECT(is_filled(here, PUT_BYTES, i + WIDE_PUTS));
        EXPECT(mapped("memfd:gm") <= 1);
        gm_send_with_callback(one->port, here, 8, 1, LOW, node, 4, told, &done[3]);
        AWAIT(done[3].calls);
    }
    await_end(peer);
}

/* Registers much memory with two ports, half of it with both. */
static void twice(int line) {
    struct side *here[] = {opened(4), opened(5)};
    unsigned char *there = pages(WIDE / PAGE);
    fill(there, WIDE, 1);
    for (int i = 0; i < 2; i++) {
        here[i]->again = 1;
        provided(here[i], 8, LOW);
        EQUAL(gm_allow_remote_memory_access(here[i]->port), SUCCESS);
        EQUAL(gm_register_memory(here[i]->port, there + i * (WIDE / 3), WIDE / 3 * 2), SUCCESS);
    }
    EXPECT(is_filled(there, WIDE, 1));
    for (int i = 0; i < 2; i++) {
        say(line, (struct word){global_of(here[i]), (uintptr_t)there + WIDE / 3, 0, 0});
        AWAIT(here[i]->count);
        EXPECT(is_filled(there + WIDE / 3, PUT_BYTES, i));
    }
    for (int i = 0; i < 2; i++) EQUAL(gm_deregister_memory(here[i]->port, there + i * (WIDE / 3), WIDE / 3 * 2), SUCCESS);
    munmap(there, WIDE);
}

static void puts_to_both(void) {
    struct side *one = opened(2);
    struct peer peer = spawned("twice", "2");
    for (unsigned i = 0; i < 2; i++) {
        struct word there = hear(peer.line);
        unsigned node = local_for(one, (unsigned)there.a);
        struct outcome sent[2] = {0};
        void *message = filled(one, PUT_BYTES, i);
        gm_put(one->port, message, there.b, PUT_BYTES, LOW, node, 4 + i, told, &sent[0]);
        gm_send_with_callback(one->port, message, 8, 1, LOW, node, 4 + i, told, &sent[1]);
        AWAIT(sent[0].calls && sent[1].calls);
        EQUAL(sent[0].status, SUCCESS);
    }
    await_end(peer);
}

/* Registers more and less without end, while others write to what stays registered. */
static void registrar(int line) {
    struct side *here = opened(4);
    unsigned char *there = pages(8);
    for (unsigned i = 0; i < 4; i++) EQUAL(gm_register_memory(here->port, there + i * PAGE, PAGE), SUCCESS);
    EQUAL(gm_allow_remote_memory_access(here->port), SUCCESS);
    say(line, (struct word){global_of(here), (uintptr_t)there + 3 * PAGE, 0, 0});
    struct pollfd over = {line, POLLIN, 0};
    do {
        for (unsigned i = 0; i < 200; i++) {
            EQUAL(gm_register_memory(here->port, there + (4 + i % 4) * PAGE, PAGE), SUCCESS);
            EQUAL(gm_deregister_memory(here->port, there + (4 + i % 4) * PAGE, PAGE), SUCCESS);
        }
    } while (poll(&over, 1, 0) == 0);
    _exit(0);
}

static void puts_while_registering(void) {
    struct side *one = opened(2);
    struct peer peer = spawned("registrar", "2");
    struct word there = hear(peer.line);
    unsigned node = local_for(one, (unsigned)there.a);
    unsigned char *from = memory(one, PAGE);
    for (unsigned i = 0; i < 20000; i++) {
        struct outcome sent = {0};
        gm_put(one->port, from, there.b, 64, LOW, node, 4, told, &sent);
        AWAIT(sent.calls);
        EQUAL(sent.status, SUCCESS);
    }
    close(peer.line);
    EXPECT(waitpid(peer.pid, NULL, 0) == peer.pid);
}

static void put_beside(void) {
    struct side *one = opened(2), *other = opened(4);
    gm_allow_remote_memory_access(other->port);
    static struct outcome sent;
    gm_put(one->port, memory(one, PAGE), (uintptr_t)pages(1), 8, LOW, other->node, other->id, told, &sent);
}

static void put_past_the_end(void) {
    struct side *one = opened(2), *other = opened(4);
    gm_allow_remote_memory_access(other->port);
    void *there = pages(2);
    gm_register_memory(other->port, there, PAGE);
    static struct outcome sent;
    gm_put(one->port, memory(one, PAGE), (uintptr_t)there + PAGE - 7, 8, LOW, other->node, other->id, told, &sent);
}

static void put_after_deregistration(void) {
    struct side *one = opened(2), *other = opened(4);
    gm_allow_remote_memory_access(other->port);
    void *there = pages(1), *from = memory(one, PAGE);
    gm_register_memory(other->port, there, PAGE);
    static struct outcome sent;
    gm_put(one->port, from, (uintptr_t)there, 8, LOW, other->node, other->id, told, &sent);
    AWAIT(sent.calls);
    EQUAL(sent.status, SUCCESS);
    gm_deregister_memory(other->port, there, PAGE);
    gm_put(one->port, from, (uintptr_t)there, 8, LOW, other->node, other->id, told, &sent);
}

static void put_unallowed(void) {
    struct side *one = opened(2), *other = opened(4);
    static struct outcome sent;
    gm_put(one->port, memory(one, PAGE), (uintptr_t)memory(other, PAGE), 8, LOW, other->node, other->id, told, &sent);
}

static void put_of_nothing(void) {
    struct side *one = opened(2), *other = opened(4);
    gm_allow_remote_memory_access(other->port);
    static struct outcome sent;
    gm_put(one->port, memory(one, PAGE), (uintptr_t)memory(other, PAGE), 0, LOW, other->node, other->id, told, &sent);
}

static void put_to_nobody(void) {
    struct side *one = opened(2);
    struct outcome sent = {0}, went_on = {0};
    gm_put(one->port, memory(one, PAGE), (uintptr_t)&sent, 8, LOW, one->node, 7, told, &sent);
    AWAIT(sent.calls);
    EQUAL(sent.status, SEND_TARGET_PORT_CLOSED);
    gm_resume_sending(one->port, LOW, one->node, 7, told, &went_on);
    AWAIT(went_on.calls);
}

static void gets_in_process(void) {
    struct side *one = opened(2), *other = opened(4);
    EQUAL(gm_allow_remote_memory_access(other->port), SUCCESS);
    unsigned char *from = filled(other, 3 * PAGE, 1), *to = memory(one, 3 * PAGE), *elsewhere = malloc(PAGE);
    memset(to, 0, 3 * PAGE);
    struct outcome sent[2] = {0};
    gm_get(one->port, (uintptr_t)from, to + 5, 2 * PAGE + 1, LOW, other->node, other->id, told, &sent[0]);
    AWAIT(sent[0].calls);
    EQUAL(sent[0].status, SUCCESS);
    EXPECT(is_all(to, 5, 0));
    EXPECT(is_filled(to + 5, 2 * PAGE + 1, 1));
    EXPECT(is_all(to + 2 * PAGE + 6, PAGE - 6, 0));
    /* Elsewhere the board can't write. */
    memset(elsewhere, 7, PAGE);
    gm_get(one->port, (uintptr_t)from, elsewhere, 10, LOW, other->node, other->id, told, &sent[1]);
    AWAIT(sent[1].calls);
    EXPECT(is_all(elsewhere, PAGE, 7));
    EQUAL(other->count, 0);
    free(elsewhere);
}

/* Says where it can be read, and changes that when it is told to. */
static void source(int line) {
    struct side *here = opened(4);
    unsigned char *there = memory(here, PUT_BYTES);
    EQUAL(gm_allow_remote_memory_access(here->port), SUCCESS);
    for (unsigned i = 0; i < 5; i++) {
        fill(there, PUT_BYTES, i);
        say(line, (struct word){global_of(here), (uintptr_t)there, 0, 0});
        hear(line);
    }
}

static void gets_from_process(void) {
    struct side *one = opened(2);
    struct peer peer = spawned("source", "2");
    unsigned char *to = memory(one, PUT_BYTES);
    for (unsigned i = 0; i < 5; i++) {
        struct word there = hear(peer.line);
        struct outcome sent = {0};
        gm_get(one->port, there.b, to, PUT_BYTES, LOW, local_for(one, (unsigned)there.a), 4, told, &sent);
        AWAIT(sent.calls);
        EQUAL(sent.status, SUCCESS);
        EXPECT(is_filled(to, PUT_BYTES, i));
        say(peer.line, (struct word){0, 0, 0, 0});
    }
    await_end(peer);
}

static void get_beside(void) {
    struct side *one = opened(2), *other = opened(4);
    gm_allow_remote_memory_access(other->port);
    static struct outcome sent;
    gm_get(one->port, (uintptr_t)pages(1), memory(one, PAGE), 8, LOW, other->node, other->id, told, &sent);
}

static void get_unallowed(void) {
    struct side *one = opened(2), *other = opened(4);
    static struct outcome sent;
    gm_get(one->port, (uintptr_t)memory(other, PAGE), memory(one, PAGE), 8, LOW, other->node, other->id, told, &sent);
}

static void freed_while_got(void) {
    struct side *one = opened(2), *other = opened(4);
    static struct outcome sent[2];
    void *to = gm_dma_malloc(one->port, PAGE);
    gm_allow_remote_memory_access(other->port);
    /* Behind a message that waits. */
    send_to(one, memory(one, PAGE), 13, 8, LOW, other, &sent[0]);
    gm_get(one->port, (uintptr_t)memory(other, PAGE), to, 8, LOW, other->node, other->id, told, &sent[1]);
    gm_dma_free(one->port, to);
}

/* Other processes. */

static void number_of_nodes(void) {
    struct side *one = opened(2);
    EQUAL(global_of(one), 1);
    EQUAL(local_for(one, 1), one->node);
    /* Its number is its own affair. */
    EXPECT(one->node != 1);
    struct peer peers[2] = {spawned("answerer", "2"), spawned("answerer", "3")};
    for (int i = 0; i < 2; i++) {
        struct word there = hear(peers[i].line);
        EQUAL(there.a, i + 2);
        EXPECT(there.b != one->node);
        EXPECT(there.b != (uint64_t)local_for(one, (unsigned)there.a));
        struct outcome sent = {0};
        provided(one, 10, LOW);
        gm_send_with_callback(one->port, filled(one, 500, 1), 10, 500, LOW, local_for(one, (unsigned)there.a), 4, told, &sent);
        AWAIT(one->count == (unsigned)i + 1);
        EQUAL(one->arrivals[i].node, local_for(one, (unsigned)there.a));
        EQUAL(one->arrivals[i].port, 4);
        EXPECT(is_filled(one->arrivals[i].data, 500, 1));
        AWAIT(sent.calls);
        close(peers[i].line);
        EXPECT(waitpid(peers[i].pid, NULL, 0) == peers[i].pid);
    }
}

/* Sends each message back to where it has come from, for as long as somebody listens. */
static void answerer(int line) {
    struct side *here = opened(4);
    static struct outcome sent[MOST];
    here->again = 1;
    for (int i = 0; i < 4; i++) provided(here, 10, LOW);
    say(line, (struct word){global_of(here), here->node, 0, 0});
    struct pollfd over = {line, POLLIN, 0};
    for (unsigned answered = 0; poll(&over, 1, 0) == 0; look()) {
        for (; answered < here->count; answered++) {
            struct arrival *came = &here->arrivals[answered];
            void *back = memory(here, came->length);
            memcpy(back, came->data, came->length);
            gm_send_with_callback(here->port, back, 10, came->length, LOW, came->node, came->port, told, &sent[answered]);
        }
    }
    _exit(0);
}

/* Opens its port and takes nothing. */
static void deaf(int line) {
    struct side *here = opened(4);
    say(line, (struct word){global_of(here), 0, 0, 0});
    for (;;) pause();
}

static void killed_meanwhile(void) {
    struct side *one = opened(2);
    for (int i = 0; i < 3; i++) {
        struct peer peer = spawned("deaf", "2");
        unsigned node = local_for(one, (unsigned)hear(peer.line).a);
        struct outcome sent[2] = {0}, dropped = {0};
        gm_send_with_callback(one->port, filled(one, 500, 1), 10, 500, LOW, node, 4, told, &sent[0]);
        gm_send_with_callback(one->port, filled(one, 500, 1), 10, 500, LOW, node, 4, told, &sent[1]);
        NEVER(sent[0].calls);
        kill_peer(peer);
        AWAIT(sent[0].calls);
        EQUAL(sent[0].status, SEND_TARGET_PORT_CLOSED);
        gm_drop_sends(one->port, LOW, node, 4, told, &dropped);
        AWAIT(dropped.calls && sent[1].calls);
        EQUAL(sent[1].status, SEND_DROPPED);
        struct outcome after = {0}, again = {0};
        gm_send_with_callback(one->port, filled(one, 500, 1), 10, 500, LOW, node, 4, told, &after);
        AWAIT(after.calls);
        EQUAL(after.status, SEND_TARGET_PORT_CLOSED);
        gm_resume_sending(one->port, LOW, node, 4, told, &again);
        AWAIT(again.calls);
    }
}

static void opened_anew(void) {
    struct side *one = opened(2);
    one->again = 1;
    provided(one, 10, LOW);
    void *message = filled(one, 500, 1);
    for (unsigned i = 0; i < 3; i++) {
        struct peer peer = spawned("answerer", "2");
        unsigned node = local_for(one, (unsigned)hear(peer.line).a);
        for (int status = -1; status != SUCCESS;) {
            struct outcome sent = {0}, went_on = {0};
            gm_send_with_callback(one->port, message, 10, 500, LOW, node, 4, told, &sent);
            AWAIT(sent.calls);
            status = sent.status;
            if (status == SUCCESS) break;
            /* That the last one is dead may be seen only now. */
            EQUAL(status, SEND_TARGET_PORT_CLOSED);
            EXPECT(i > 0);
            gm_resume_sending(one->port, LOW, node, 4, told, &went_on);
            AWAIT(went_on.calls);
        }
        AWAIT(one->count == i + 1);
        kill_peer(peer);
    }
}

static void full_of_the_killed(void) {
    struct side *one = opened(2);
    struct peer peer = spawned("deaf", "2");
    unsigned node = local_for(one, (unsigned)hear(peer.line).a);
    /* More than the receiver's side has room for. */
    struct outcome sent[SEND_TOKENS] = {0};
    void *message = filled(one, 500000, 1);
    for (int i = 0; i < SEND_TOKENS - 1; i++) gm_send_with_callback(one->port, message, 19, 500000, LOW, node, 4, told, &sent[i]);
    NEVER(sent[0].calls);
    kill_peer(peer);
    AWAIT(sent[0].calls);
    EQUAL(sent[0].status, SEND_TARGET_PORT_CLOSED);
    gm_drop_sends(one->port, LOW, node, 4, told, &sent[SEND_TOKENS - 1]);
    AWAIT(sent[SEND_TOKENS - 1].calls && sent[SEND_TOKENS - 2].calls);
    EQUAL(sent[SEND_TOKENS - 2].status, SEND_DROPPED);
}

enum { FLOOD_SLOTS = 32, FLOOD_BYTES = 3000 };

/* Sends as fast as it can: the number of the message, and what follows from it. */
static void flooder(int line) {
    struct side *here = opened(4);
    unsigned node = local_for(here, 1);
    static struct outcome sent[FLOOD_SLOTS];
    unsigned char *slots = memory(here, FLOOD_SLOTS * 4096);
    say(line, (struct word){0, 0, 0, 0});
    for (uint64_t i = 0;; i++) {
        struct outcome *outcome = &sent[i % FLOOD_SLOTS];
        if (i >= FLOOD_SLOTS) AWAIT(outcome->calls);
        *outcome = (struct outcome){0};
        unsigned char *message = slots + i % FLOOD_SLOTS * 4096;
        fill(message, FLOOD_BYTES, i);
        memcpy(message, &i, sizeof i);
        gm_send_with_callback(here->port, message, 12, 8 + i * 613 % (FLOOD_BYTES - 8), LOW, node, 2, told, outcome);
    }
}

static void killed_while_it_sends(void) {
    struct side *one = opened(2), *other = opened(5);
    for (int i = 0; i < 32; i++) provided(one, 12, LOW);
    provided(one, 10, LOW);
    one->again = 1;
    for (unsigned round = 0; round < 25; round++) {
        struct peer peer = spawned("flooder", "2");
        hear(peer.line);
        AWAIT(one->count >= 2 + round * 17);
        kill_peer(peer);
        /* Nothing of it is in the way of others. */
        struct outcome sent = {0};
        send_to(other, filled(other, 400, 1), 10, 400, LOW, one, &sent);
        AWAIT(sent.calls);
        EQUAL(sent.status, SUCCESS);
        uint64_t expected = 0;
        for (unsigned i = 0; i < one->count; i++) {
            struct arrival *came = &one->arrivals[i];
            if (came->size == 12) {
                EXPECT(memcmp(came->data, &expected, 8) == 0);
                EQUAL(came->length, 8 + expected * 613 % (FLOOD_BYTES - 8));
                for (unsigned at = 8; at < came->length; at++) EXPECT(came->data[at] == pattern(expected, at));
                expected++;
            }
            free(came->data);
        }
        one->count = 0;
    }
}

static void port_of_the_killed(void) {
    struct side *one = opened(2);
    struct gm_port *port = NULL;
    /* What is the peer's on its host is ours on ours. */
    struct peer peer = spawned("deaf", "1");
    hear(peer.line);
    EQUAL(gm_open(&port, 0, 4, "check", API), BUSY);
    kill_peer(peer);
    struct side *other = opened(4);
    provided(other, 8, LOW);
    struct outcome sent = {0};
    send_to(one, filled(one, 10, 1), 8, 10, LOW, other, &sent);
    AWAIT(sent.calls && other->count == 1);
}

/* Sleeping. */

/* Held around all that is called for the sleeper's port but gm_unknown for the event that says to sleep. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

struct sleeper {
    struct side *side;
    _Atomic int thread, sleeping, messages, sleeps;
    _Atomic int *until;
    int spins;
};

static void *sleeps(void *context) {
    struct sleeper *sleeper = context;
    struct gm_port *port = sleeper->side->port;
    atomic_store(&sleeper->thread, (int)syscall(SYS_gettid));
    pthread_mutex_lock(&one_at_a_time);
    while (!atomic_load(sleeper->until)) {
        unsigned char *event = sleeper->spins ? gm_blocking_receive(port) : gm_blocking_receive_no_spin(port);
        EXPECT(event[63] != NO_RECV);
        if (event[63] == SLEEP) {
            atomic_fetch_add(&sleeper->sleeps, 1);
            pthread_mutex_unlock(&one_at_a_time);
            atomic_store(&sleeper->sleeping, 1);
            gm_unknown(port, event);
            atomic_store(&sleeper->sleeping, 0);
            pthread_mutex_lock(&one_at_a_time);
        } else {
            handle(sleeper->side, event);
            if (is_message(event)) atomic_fetch_add(&sleeper->messages, 1);
        }
    }
    pthread_mutex_unlock(&one_at_a_time);
    return NULL;
}

/* Whether the kernel says that a thread sleeps. */
static int is_asleep(int thread) {
    char path[64], text[512] = {0};
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t bytes = read(file, text, sizeof text - 1);
    close(file);
    const char *end = bytes > 0 ? strrchr(text, ')') : NULL;
    return end && end[1] && end[2] == 'S';
}

static void await_sleep(struct sleeper *sleeper) {
    for (int64_t since = now();; sched_yield()) {
        in_time(__LINE__, "a thread to sleep", since);
        int count = atomic_load(&sleeper->sleeps);
        if (!atomic_load(&sleeper->sleeping) || !is_asleep(atomic_load(&sleeper->thread))) continue;
        if (atomic_load(&sleeper->sleeping) && atomic_load(&sleeper->sleeps) == count) return;
    }
}

static void await_flag(_Atomic int *flag) {
    for (int64_t since = now(); !atomic_load(flag); sched_yield()) in_time(__LINE__, "a sleeper to wake", since);
}

static pthread_t started(struct sleeper *sleeper) {
    pthread_t thread;
    EQUAL(pthread_create(&thread, NULL, sleeps, sleeper), 0);
    return thread;
}

static void woken_by_message(int spins) {
    struct side *one = opened(2);
    struct peer peer = spawned("caller", "2");
    hear(peer.line);
    for (int i = 0; i < 5; i++) {
        provided(one, 10, LOW);
        struct sleeper sleeper = {.side = one, .spins = spins};
        sleeper.until = &sleeper.messages;
        pthread_t thread = started(&sleeper);
        await_sleep(&sleeper);
        say(peer.line, (struct word){0, 0, 0, 0});
        await_flag(&sleeper.messages);
        pthread_join(thread, NULL);
        EQUAL(one->count, i + 1);
    }
    close(peer.line);
    EXPECT(waitpid(peer.pid, NULL, 0) == peer.pid);
}

static void sleeper_woken(void) {
    woken_by_message(0);
}

static void spinner_woken(void) {
    woken_by_message(1);
}

/* Sends a message to port 2 of node 1 whenever it is told to. */
static void caller(int line) {
    struct side *here = opened(4);
    unsigned node = local_for(here, 1);
    void *message = filled(here, 100, 1);
    say(line, (struct word){0, 0, 0, 0});
    struct word word;
    while (read(line, &word, sizeof word) == sizeof word) {
        struct outcome sent = {0};
        gm_send_with_callback(here->port, message, 10, 100, LOW, node, 2, told, &sent);
        AWAIT(sent.calls);
    }
    _exit(0);
}

static void sleeper_and_alarm(void) {
    struct side *one = opened(2);
    struct gm_alarm alarm;
    gm_initialize_alarm(&alarm);
    for (int i = 0; i < 3; i++) {
        struct sleeper sleeper = {.side = one, .until = &rung};
        atomic_store(&rung, 0);
        pthread_t thread = started(&sleeper);
        await_sleep(&sleeper);
        /* By another thread, while one sleeps: that one rings it. */
        pthread_mutex_lock(&one_at_a_time);
        gm_set_alarm(one->port, &alarm, 20000, ring, &rung);
        pthread_mutex_unlock(&one_at_a_time);
        await_flag(&rung);
        pthread_join(thread, NULL);
        EQUAL(atomic_load(&rung), 1);
    }
}

static _Atomic int sent_flag;
static int sent_status;

static void raise_flag(struct gm_port *port, void *context, int status) {
    EXPECT(port != NULL && context == NULL);
    sent_status = status;
    atomic_store(&sent_flag, 1);
}

static void sleeper_and_own_send(void) {
    struct side *one = opened(2), *other = opened(4);
    void *to = provided(other, 10, LOW), *message = filled(one, 100, 1);
    for (int i = 0; i < 3; i++) {
        struct sleeper sleeper = {.side = one, .until = &sent_flag};
        atomic_store(&sent_flag, 0);
        pthread_t thread = started(&sleeper);
        await_sleep(&sleeper);
        pthread_mutex_lock(&one_at_a_time);
        gm_send_with_callback(one->port, message, 10, 100, LOW, other->node, other->id, raise_flag, NULL);
        pthread_mutex_unlock(&one_at_a_time);
        unsigned char *event;
        for (int64_t since = now(); event = gm_receive(other->port), event[63] == NO_RECV; sched_yield()) in_time(__LINE__, "a message", since);
        EXPECT(is_message(event));
        gm_provide_receive_buffer(other->port, to, 10, LOW);
        await_flag(&sent_flag);
        pthread_join(thread, NULL);
        EQUAL(sent_status, SUCCESS);
    }
}

/* Nobody rings for it: the one who would is dead. */
static void sleeper_and_dead_peer(void) {
    struct side *one = opened(2);
    struct peer peer = spawned("deaf", "2");
    unsigned node = local_for(one, (unsigned)hear(peer.line).a);
    struct sleeper sleeper = {.side = one, .until = &sent_flag};
    atomic_store(&sent_flag, 0);
    pthread_t thread = started(&sleeper);
    await_sleep(&sleeper);
    pthread_mutex_lock(&one_at_a_time);
    gm_send_with_callback(one->port, filled(one, 100, 1), 10, 100, LOW, node, 4, raise_flag, NULL);
    pthread_mutex_unlock(&one_at_a_time);
    await_sleep(&sleeper);
    kill_peer(peer);
    await_flag(&sent_flag);
    pthread_join(thread, NULL);
    EQUAL(sent_status, SEND_TARGET_PORT_CLOSED);
}

static void closed_while_asleep(void) {
    struct side *one = opened(2);
    struct sleeper sleeper = {.side = one, .until = &rung};
    started(&sleeper);
    await_sleep(&sleeper);
    gm_close(one->port);
}

/* Threads. */

static void *receives(void *context) {
    unsigned char *event = gm_receive(context);
    EQUAL(event[63], NO_RECV);
    return NULL;
}

static void one_after_another(void) {
    struct side *one = opened(2);
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        EQUAL(pthread_create(&thread, NULL, receives, one->port), 0);
        pthread_join(thread, NULL);
        EQUAL(((unsigned char *)gm_receive(one->port))[63], NO_RECV);
    }
}

static void another_thread(struct gm_port *port, void *context, int status) {
    (void)status;
    pthread_t thread;
    EQUAL(pthread_create(&thread, NULL, receives, context ? context : port), 0);
    pthread_join(thread, NULL);
}

static void two_threads(struct side *one, struct gm_port *used) {
    provided(one, 8, LOW);
    gm_send_with_callback(one->port, filled(one, 10, 1), 8, 10, LOW, one->node, one->id, another_thread, used);
    for (unsigned looks = 0; looks < LOOKS; looks++) look();
}

static void two_threads_one_port(void) {
    two_threads(opened(2), NULL);
}

static void two_threads_two_ports(void) {
    struct side *one = opened(2), *other = opened(4);
    two_threads(one, other->port);
    EQUAL(one->count, 1);
}

/* Children. */

static void child_uses(void) {
    struct side *one = opened(2);
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        gm_receive(one->port);
        _exit(0);
    }
    int status;
    EQUAL(waitpid(child, &status, 0), child);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    /* As is expected of this check. */
    abort();
}

static void child_leaves_alone(void) {
    struct side *one = opened(2), *other = opened(4);
    provided(other, 8, LOW);
    struct outcome sent = {0};
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        /* Also the kernel's end of all that it has does not count as the port's. */
        _exit(0);
    }
    EQUAL(waitpid(child, NULL, 0), child);
    send_to(one, filled(one, 10, 1), 8, 10, LOW, other, &sent);
    AWAIT(sent.calls && other->count == 1);
}

/* Ports and boards. */

static void ports(void) {
    struct gm_port *port = NULL;
    for (unsigned reserved = 0; reserved < 4; reserved++)
        if (reserved != 2) EQUAL(gm_open(&port, 0, reserved, "check", API), BUSY);
    EQUAL(gm_open(&port, 0, 16, "check", API), INVALID_PORT_NUMBER);
    struct side *one = opened(2);
    EQUAL(gm_num_ports(one->port), 16);
    EQUAL(gm_get_port_id(one->port), 2);
    EQUAL(gm_open(&port, 0, 2, "check", API), BUSY);
    EQUAL(gm_open(&port, 1, 2, "check", API), SUCCESS);
    gm_close(port);
    EQUAL(gm_open(&port, 2, 2, "check", API), NO_SUCH_DEVICE);
    EQUAL(gm_open(&port, 0, 15, "check", API), SUCCESS);
    gm_close(port);
    EQUAL(gm_open(&port, 0, 4, "check", 0x20011), INCOMPATIBLE_LIB_AND_DRIVER);
    EQUAL(gm_open(&port, 0, 4, "check", 0x20010), SUCCESS);
    gm_close(port);
}

static void boards(void) {
    struct side *one = opened(2), *other = opened_on(1, 2, API);
    EXPECT(one->node != other->node);
    EQUAL(global_of(one), 1);
    EQUAL(global_of(other), 2);
    provided(other, 8, LOW);
    struct outcome sent = {0};
    gm_send_to_peer_with_callback(one->port, filled(one, 10, 1), 8, 10, LOW, other->node, told, &sent);
    AWAIT(sent.calls && other->count == 1);
    char first[6], second[6], of_second[6];
    EQUAL(gm_get_unique_board_id(one->port, first), SUCCESS);
    EQUAL(gm_get_unique_board_id(other->port, second), SUCCESS);
    EXPECT(memcmp(first, second, 6) != 0);
    EQUAL(gm_node_id_to_unique_id(one->port, other->node, of_second), SUCCESS);
    EXPECT(memcmp(second, of_second, 6) == 0);
    unsigned node = 0;
    EQUAL(gm_unique_id_to_node_id(one->port, second, &node), SUCCESS);
    EQUAL(node, other->node);
}

static void no_board(void) {
    struct gm_port *port = NULL;
    EQUAL(gm_open(&port, 0, 2, "check", API), NO_SUCH_DEVICE);
}

static void limits(void) {
    struct side *one = opened(2);
    EQUAL(gm_mtu(one->port), 4096);
    EQUAL(gm_min_message_size(one->port), 3);
    for (unsigned size = 3; size < 32; size++) {
        size_t most = ((size_t)1 << size) - 8;
        EQUAL(gm_max_length_for_size(size), most);
        EQUAL(gm_min_size_for_length(most), size);
        EQUAL(gm_min_size_for_length(most + 1), size + 1);
    }
    uint64_t ticks = gm_ticks(one->port);
    int64_t since = now();
    while (now() - since < 2000000) sched_yield();
    EXPECT(gm_ticks(one->port) - ticks >= 4000);
    EXPECT(gm_strerror(SEND_TIMED_OUT) != NULL);
    char name[128] = {0};
    EQUAL(gm_get_host_name(one->port, name), SUCCESS);
    EXPECT(name[0]);
    EQUAL(gm_set_enable_nack_down(one->port, 1), SUCCESS);
}

static void names(void) {
    struct side *one = opened(2), *other = opened_on(1, 2, API);
    char name[128], others[128], found[129];
    EQUAL(gm_get_host_name(one->port, name), SUCCESS);
    EQUAL(gm_get_host_name(other->port, others), SUCCESS);
    EXPECT(strcmp(name, others) != 0);
    EQUAL(gm_host_name_to_node_id(one->port, others), other->node);
    EQUAL(gm_host_name_to_node_id(one->port, "nobody"), 0);
    unsigned node = 0;
    EQUAL(gm_host_name_to_node_id_ex(one->port, 1000, others, &node), SUCCESS);
    EQUAL(node, other->node);
    EXPECT(gm_host_name_to_node_id_ex(one->port, 1000, "nobody", &node) != SUCCESS);
    EQUAL(gm_node_id_to_host_name_ex(one->port, 1000, other->node, &found), SUCCESS);
    EXPECT(strcmp(found, others) == 0);
    EXPECT(gm_node_id_to_host_name_ex(one->port, 1000, 0, &found) != SUCCESS);
    int type;
    EQUAL(gm_get_node_type(one->port, &type), SUCCESS);
    char strange[6] = {1, 2, 3, 4, 5, 6};
    EXPECT(gm_unique_id_to_node_id(one->port, strange, &node) != SUCCESS);
    EXPECT(gm_node_id_to_unique_id(one->port, 0, strange) != SUCCESS);
}

static void first_release_puts(void) {
    struct side *one = opened_on(0, 2, 0x106);
    static struct outcome sent;
    gm_put(one->port, memory(one, 8), 0, 8, LOW, 1, 2, told, &sent);
}

static void first_release_gets(void) {
    struct side *one = opened_on(0, 2, 0x106);
    static struct outcome sent;
    gm_get(one->port, 0, memory(one, 8), 8, LOW, 1, 2, told, &sent);
}

static void first_release(void) {
    struct gm_port *port = NULL;
    EQUAL(gm_open(&port, 0, 2, "check", 0x200), INCOMPATIBLE_LIB_AND_DRIVER);
    struct side *one = opened_on(0, 2, 0x106);
    /* There are only numbers that all know. */
    EQUAL(one->node, 1);
    unsigned global;
    EXPECT(gm_node_id_to_global_id(one->port, one->node, &global) != SUCCESS);
    EXPECT(gm_global_id_to_node_id(one->port, 1, &global) != SUCCESS);
    struct side *other = opened_on(0, 4, 0x106);
    gm_allow_remote_memory_access(other->port);
    provided(other, 8, LOW);
    unsigned char *to = memory(other, 100);
    struct outcome sent[2] = {0};
    gm_directed_send_with_callback(one->port, filled(one, 100, 1), (uintptr_t)to, 100, LOW, 1, 4, told, &sent[0]);
    gm_send_with_callback(one->port, filled(one, 100, 1), 8, 100, LOW, 1, 4, told, &sent[1]);
    AWAIT(sent[0].calls && sent[1].calls && other->count == 1);
    EXPECT(is_filled(to, 100, 1));
}

static void uninitialised(void) {
    while (1) gm_finalize();
}

static void opened_uninitialised(void) {
    gm_finalize();
    struct gm_port *port = NULL;
    gm_open(&port, 0, 2, "check", API);
}

static void initialised_twice(void) {
    EQUAL(gm_init(), SUCCESS);
    gm_finalize();
    opened(2);
}

/* Where rules are not kept but nobody is ended. */
static void lenient(void) {
    struct side *one = opened(2);
    static struct outcome sent;
    void *message = filled(one, 100, 1);
    for (int i = 0; i < SEND_TOKENS + 2; i++) send_to(one, message, 8, 100, LOW, one, &sent);
    gm_unknown(one->port, gm_receive(one->port));
    gm_dma_free(one->port, one->memory[--one->pieces]);
}

/* Alarms. */

static void alarms(void) {
    struct side *one = opened(2);
    struct gm_alarm alarm, other;
    EQUAL(sizeof alarm, 48);
    gm_initialize_alarm(&alarm);
    gm_initialize_alarm(&other);
    int64_t since = now();
    gm_set_alarm(one->port, &alarm, 30000, ring, &rung);
    gm_set_alarm(one->port, &other, 1000, ring, &rung);
    AWAIT(atomic_load(&rung) == 1);
    EXPECT(now() - since >= 1000000);
    AWAIT(atomic_load(&rung) == 2);
    EXPECT(now() - since >= 30000000);
    /* Each rings once. */
    NEVER(atomic_load(&rung) > 2);
    gm_set_alarm(one->port, &alarm, 1000, ring, &rung);
    gm_cancel_alarm(&alarm);
    gm_set_alarm(one->port, &other, 5000, ring, &rung);
    AWAIT(atomic_load(&rung) == 3);
    NEVER(atomic_load(&rung) > 3);
    /* Setting it anew counts, and what it was set to before does not. */
    gm_set_alarm(one->port, &alarm, 1, ring, &rung);
    gm_set_alarm(one->port, &alarm, 20000, ring, &rung);
    since = now();
    AWAIT(atomic_load(&rung) == 4);
    EXPECT(now() - since >= 15000000);
    gm_flush_alarm(one->port);
}

static void alarm_event(void) {
    struct side *one = opened(2);
    struct gm_alarm alarm;
    gm_initialize_alarm(&alarm);
    gm_set_alarm(one->port, &alarm, 1, ring, &rung);
    unsigned char *event = NULL;
    for (int64_t since = now(); !event || event[63] == NO_RECV; event = gm_receive(one->port)) in_time(__LINE__, "an alarm", since);
    EQUAL(event[63], ALARM);
    EQUAL(atomic_load(&rung), 0);
    unknown(one, event);
    EQUAL(atomic_load(&rung), 1);
    /* One that is cancelled at the last moment does not ring. */
    gm_set_alarm(one->port, &alarm, 1, ring, &rung);
    for (int64_t since = now(); event = gm_receive(one->port), event[63] == NO_RECV;) in_time(__LINE__, "an alarm", since);
    EQUAL(event[63], ALARM);
    gm_cancel_alarm(&alarm);
    unknown(one, event);
    NEVER(atomic_load(&rung) > 1);
}

/* After the end. */

static void after_close(unsigned call) {
    struct side *one = opened(2);
    struct gm_port *port = one->port;
    void *there = memory(one, PAGE), *page = pages(1);
    static struct outcome sent;
    static struct gm_alarm alarm;
    gm_initialize_alarm(&alarm);
    uint16_t sender;
    unsigned node = one->node, out;
    char name[129];
    shut(one);
    switch (call) {
    case 0: gm_receive(port); break;
    case 1: gm_send_with_callback(port, there, 8, 10, LOW, node, 2, told, &sent); break;
    case 2: gm_close(port); break;
    case 3: gm_dma_malloc(port, 100); break;
    case 4: gm_dma_free(port, there); break;
    case 5: gm_register_memory(port, page, PAGE); break;
    case 6: gm_provide_receive_buffer(port, there, 8, LOW); break;
    case 7: gm_put(port, there, (uintptr_t)there, 10, LOW, node, 2, told, &sent); break;
    case 8: gm_blocking_receive(port); break;
    case 9: gm_unknown(port, there); break;
    case 10: gm_num_send_tokens(port); break;
    case 11: gm_drop_sends(port, LOW, node, 2, told, &sent); break;
    case 12: gm_set_alarm(port, &alarm, 1, ring, &rung); break;
    case 13: gm_allow_remote_memory_access(port); break;
    case 14: gm_receive_pending(port); break;
    case 15: gm_next_event_peek(port, &sender); break;
    case 16: gm_get_port_id(port); break;
    case 17: gm_get_node_id(port, &out); break;
    case 18: gm_node_id_to_global_id(port, node, &out); break;
    case 19: gm_send_to_peer_with_callback(port, there, 8, 10, LOW, node, told, &sent); break;
    case 20: gm_get(port, (uintptr_t)there, there, 10, LOW, node, 2, told, &sent); break;
    case 21: gm_resume_sending(port, LOW, node, 2, told, &sent); break;
    case 22: gm_deregister_memory(port, page, PAGE); break;
    case 23: gm_set_acceptable_sizes(port, LOW, 1 << 13); break;
    case 24: gm_alloc_send_token(port, LOW); break;
    case 25: gm_get_host_name(port, name); break;
    case 26: gm_blocking_receive_no_spin(port); break;
    default: failed(__LINE__, "a call"); break;
    }
}

#define AFTER_CLOSE(number, call) \
    static void after_close_##number(void) { after_close(number); }
#define AFTER_CLOSES(each)                                                                                                                                                    \
    each(0, gm_receive) each(1, gm_send_with_callback) each(2, gm_close) each(3, gm_dma_malloc) each(4, gm_dma_free) each(5, gm_register_memory)                              \
    each(6, gm_provide_receive_buffer) each(7, gm_put) each(8, gm_blocking_receive) each(9, gm_unknown) each(10, gm_num_send_tokens) each(11, gm_drop_sends)                  \
    each(12, gm_set_alarm) each(13, gm_allow_remote_memory_access) each(14, gm_receive_pending) each(15, gm_next_event_peek) each(16, gm_get_port_id) each(17, gm_get_node_id) \
    each(18, gm_node_id_to_global_id) each(19, gm_send_to_peer_with_callback) each(20, gm_get) each(21, gm_resume_sending) each(22, gm_deregister_memory)                    \
    each(23, gm_set_acceptable_sizes) each(24, gm_alloc_send_token) each(25, gm_get_host_name) each(26, gm_blocking_receive_no_spin)
AFTER_CLOSES(AFTER_CLOSE)

/* What is tried, in which environment, and with which line it is to end; without one it is to end well. */
static const struct check {
    const char *name;
    void (*run)(void);
    const char *environment, *line;
} CHECKS[] = {
        {"an event has its fields where they belong, the highest byte first", fields, "GMEMU_FAST=none", NULL},
        {"a short message lies in the queue of events until the next look", fast, "GMEMU_FAST=all", NULL},
        {"every second short message lies in the queue of events", half_fast, NULL, NULL},
        {"a message comes into a buffer of its priority", priorities, "GMEMU_FAST=none", NULL},
        {"a message comes into a buffer of exactly its size", exact_size, NULL, NULL},
        {"a message that finds no buffer times out", no_buffer, "GMEMU_TIMEOUT_MS=100", NULL},
        {"a message of a size that is not acceptable is rejected", unacceptable, NULL, NULL},
        {"a port that nobody has opened is closed", never_open, NULL, NULL},
        {"a port that was closed is closed", closed_before, NULL, NULL},
        {"what a port has not taken before it was closed fails", closed_meanwhile, NULL, NULL},
        {"a node that does not exist is unreachable", unknown_node, NULL, NULL},
        {"messages of all sizes keep their order", order, NULL, NULL},
        {"an event tells the priority, whether the message is short, and whether it was sent to a peer", types, "GMEMU_FAST=all GMEMU_BOARDS=2", NULL},
        {"an event can be seen before it is taken", looks_ahead, NULL, NULL},
        {"a port can send to itself", to_itself, NULL, NULL},
        {"from other memory the board sends something else", other_memory, NULL, NULL},
        {"a message that finds no buffer holds up no others", holds_up_nobody, "GMEMU_FAST=none", NULL},
        {"what a port has sent in vain is gone with it", closed_sender, NULL, NULL},
        {"what a process has sent in vain is gone with it", killed_sender, NULL, NULL},
        {"messages may be long", long_messages, NULL, NULL},
        {"long messages reach another process", long_messages_to_process, NULL, NULL},
        {"a buffer is not freed before it is used", buffer_that_is_gone, NULL, "a message for a buffer that the board can't use any more"},
        {"all tokens can be used at once, and again", all_tokens, NULL, NULL},
        {"a send needs a token", one_send_too_many, NULL, "gm_send_with_callback without a send token"},
        {"a put needs a token", one_put_too_many, NULL, "gm_put without a send token"},
        {"letting a stream go on needs a token", one_resume_too_many, NULL, "gm_resume_sending without a send token"},
        {"a buffer needs a token", one_buffer_too_many, NULL, "a buffer without a receive token"},
        {"there are as many tokens as is said", fewer_tokens, "GMEMU_SEND_TOKENS=3 GMEMU_RECEIVE_TOKENS=2", "gm_send_with_callback without a send token"},
        {"tokens are counted for who wants them counted", counted_tokens, NULL, NULL},
        {"no more tokens are freed than were allocated", too_many_tokens_freed, NULL, "send tokens are freed that were not allocated"},
        {"a callback does not close the port", closed_by_callback, NULL, "gm_close by a callback"},
        {"a callback may send", sends_in_callbacks, NULL, NULL},
        {"gm_unknown calls back", told_by_unknown, NULL, NULL},
        {"an event of the library's has to be given back", event_ignored, NULL, "an event was not given to gm_unknown before the next one was taken"},
        {"a message is not given back", message_to_unknown, NULL, "gm_unknown with a message"},
        {"an event is gone after the next look", event_that_is_gone, NULL, "gm_unknown with an event that is gone"},
        {"gm_unknown wants an event", no_event, NULL, "gm_unknown without an event"},
        {"a stream that has failed stands until it is resumed, and others do not", stops, "GMEMU_TIMEOUT_MS=1000", NULL},
        {"only a stream that has failed is resumed", resumed_at_once, NULL, "gm_resume_sending of a stream that has not failed"},
        {"only a stream that has failed is dropped", dropped_at_once, NULL, "gm_drop_sends of a stream that has not failed"},
        {"a stream is resumed once for a failure", resumed_twice, NULL, "gm_resume_sending of a stream that has not failed"},
        {"a stream is either resumed or dropped", resumed_and_dropped, NULL, "gm_drop_sends of a stream that has not failed"},
        {"a stream has one priority", resumed_other_priority, NULL, "gm_resume_sending of a stream that has not failed"},
        {"sends fail when they are to", fails_now_and_then, "GMEMU_FAIL_EVERY=3 GMEMU_FAIL_STATUS=18", NULL},
        {"that a send is complete is told late when it is to", told_late, "GMEMU_DELAY_US=50000", NULL},
        {"memory is registered, and counted", registration, NULL, NULL},
        {"what is registered side by side is one", registered_side_by_side, "GMEMU_FAST=none", NULL},
        {"what is registered with something else too stays registered", registered_with_others, NULL, NULL},
        {"memory is not deregistered while it is sent", deregistered_while_sent, NULL, "gm_deregister_memory of memory that is being sent"},
        {"memory is not deregistered before the callback of what was sent from it", deregistered_before_callback, "GMEMU_DELAY_US=2000000", "gm_deregister_memory of memory that is being sent"},
        {"what is sent is not changed before its callback", changed_before_callback, "GMEMU_DELAY_US=50000", "100 bytes were changed before the callback of what was sent"},
        {"what is put is not changed before its callback", changed_before_callback_of_put, "GMEMU_DELAY_US=50000", "100 bytes were changed before the callback of what was sent"},
        {"what lies between is not registered", hole_between, NULL, "a put to memory that is not registered there"},
        {"memory is registered up to the limit", register_limit, "GMEMU_REGISTER_LIMIT=1048576", NULL},
        {"only whole pages are registered", part_of_a_page, NULL, "gm_register_memory of parts of a page"},
        {"memory is deregistered once", deregistered_twice, NULL, "gm_deregister_memory of memory that is not registered so"},
        {"memory is freed once", freed_twice, NULL, "gm_dma_free of memory that is not registered so"},
        {"memory is not freed while it is sent", freed_while_sent, NULL, "gm_dma_free of memory that is being sent"},
        {"memory is freed before its port is closed", closed_with_memory, NULL, "gm_close before gm_dma_free"},
        {"a buffer is memory that the board can use", buffer_of_other_memory, NULL, "a buffer of the size 13 that the board can't use as a whole"},
        {"a buffer is as long as its size says", buffer_too_small, NULL, "a buffer of the size 13 that the board can't use as a whole"},
        {"a buffer is aligned", buffer_not_aligned, NULL, "a buffer that is not aligned"},
        {"a buffer is provided once", buffer_twice, NULL, "a buffer is provided that the library has already"},
        {"a buffer has a size that exists", buffer_of_strange_size, NULL, "a buffer of the size 2 and the priority 0"},
        {"a message is not longer than its size says", message_too_long, NULL, "a message of 505 bytes with the size 9"},
        {"there are two priorities", strange_priority, NULL, "gm_send_with_callback with the priority 2"},
        {"a send has a callback", no_callback, NULL, "gm_send_with_callback without a callback"},
        {"a put writes what it is to, and nothing else", puts_in_process, NULL, NULL},
        {"what is put is there when the message behind it comes", puts_to_process, NULL, NULL},
        {"much memory is registered and used as it was before", puts_to_much, NULL, NULL},
        {"much memory is registered with two ports, half of it with both", puts_to_both, NULL, NULL},
        {"a put waits for what was sent before it", put_behind, NULL, NULL},
        {"a put that waits behind what has failed is dropped with the rest", put_dropped, "GMEMU_TIMEOUT_MS=100", NULL},
        {"what stays registered can be put to all the time", puts_while_registering, NULL, NULL},
        {"a put goes to registered memory", put_beside, NULL, "a put to memory that is not registered there"},
        {"a put goes to memory that is registered as a whole", put_past_the_end, NULL, "a put to memory that is not registered there"},
        {"a put goes to memory that is still registered", put_after_deregistration, NULL, "a put to memory that is not registered there"},
        {"a put has to be allowed", put_unallowed, NULL, "a put to a port that has not called gm_allow_remote_memory_access"},
        {"a put has a length", put_of_nothing, NULL, "gm_put of nothing"},
        {"a put to a closed port fails", put_to_nobody, NULL, NULL},
        {"a get reads what it is to, and nothing else", gets_in_process, NULL, NULL},
        {"a get reads from another process", gets_from_process, NULL, NULL},
        {"a get is from registered memory", get_beside, NULL, "a get from memory that is not registered there"},
        {"a get has to be allowed", get_unallowed, NULL, "a get from a port that has not called gm_allow_remote_memory_access"},
        {"memory is not freed while something is got into it", freed_while_got, NULL, "gm_dma_free of memory that is being sent"},
        {"each process has numbers of its own for the nodes", number_of_nodes, NULL, NULL},
        {"what a process has not taken before it was killed fails", killed_meanwhile, NULL, NULL},
        {"a port that another process opens anew can be reached", opened_anew, NULL, NULL},
        {"what a process had no room for before it was killed fails", full_of_the_killed, NULL, NULL},
        {"a process that is killed while it sends harms nobody", killed_while_it_sends, NULL, NULL},
        {"the port of a process that was killed can be opened", port_of_the_killed, NULL, NULL},
        {"whoever waits sleeps, and a message wakes it", sleeper_woken, NULL, NULL},
        {"whoever waits spins first, then sleeps, and a message wakes it", spinner_woken, NULL, NULL},
        {"an alarm that another thread sets wakes who sleeps", sleeper_and_alarm, NULL, NULL},
        {"the end of what another thread sends wakes who sleeps", sleeper_and_own_send, NULL, NULL},
        {"the death of a peer wakes who sleeps", sleeper_and_dead_peer, NULL, NULL},
        {"a port is not closed while a thread sleeps in it", closed_while_asleep, NULL, "gm_close while a thread sleeps in gm_unknown"},
        {"threads use a port one after another", one_after_another, NULL, NULL},
        {"threads do not use a port at once", two_threads_one_port, NULL, "gm_receive while another thread is within the library with the same port"},
        {"threads use two ports at once", two_threads_two_ports, NULL, NULL},
        {"a child does not use its parent's port", child_uses, NULL, "gm_receive by a child process"},
        {"a child that leaves a port alone does no harm", child_leaves_alone, NULL, NULL},
        {"there are sixteen ports, each for one", ports, "GMEMU_BOARDS=2", NULL},
        {"each board is a node", boards, "GMEMU_BOARDS=2", NULL},
        {"there may be no board", no_board, "GMEMU_BOARDS=0", NULL},
        {"the limits are those of GM 2", limits, NULL, NULL},
        {"GM 1 opens for its own version, and has one number for a node", first_release, "GMEMU_API=0x106", NULL},
        {"nodes have names", names, "GMEMU_BOARDS=2", NULL},
        {"GM 1 has no gm_put", first_release_puts, "GMEMU_API=0x106", "gm_put, which GM 1 does not have"},
        {"GM 1 has no gm_get", first_release_gets, "GMEMU_API=0x106", "gm_get, which GM 1 does not have"},
        {"the library is finalised as often as it was initialised", uninitialised, NULL, "gm_finalize without gm_init"},
        {"the library is initialised before a port is opened", opened_uninitialised, NULL, "gm_open before gm_init"},
        {"initialising counts", initialised_twice, NULL, NULL},
        {"nobody is ended when that is not wanted", lenient, "GMEMU_STRICT=0", NULL},
        {"alarms ring when their time has come", alarms, NULL, NULL},
        {"an alarm is rung by gm_unknown", alarm_event, NULL, NULL},
#define ENTRY(number, call) {#call " is not called after gm_close", after_close_##number, NULL, #call " of a port that is not open"},
        AFTER_CLOSES(ENTRY)};

static const struct role {
    const char *name;
    void (*run)(int line);
} ROLES[] = {{"target", target}, {"answerer", answerer}, {"deaf", deaf}, {"flooder", flooder}, {"caller", caller}, {"unwelcome", unwelcome}, {"swallower", swallower}, {"registrar", registrar}, {"wide", wide}, {"twice", twice}, {"source", source}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void finish(void) {
    while (open_sides) {
        struct side *last = &sides[open_sides - 1];
        if (last->port)
            shut_last();
        else
            open_sides--;
    }
    gm_finalize();
}

static int play(const char *name, int line) {
    for (size_t i = 0; i < COUNT(ROLES); i++) {
        if (strcmp(ROLES[i].name, name) == 0) {
            EQUAL(gm_init(), SUCCESS);
            ROLES[i].run(line);
            finish();
            return 0;
        }
    }
    return 2;
}

static void set_environment(const char *text, const char *folder) {
    setenv("GMEMU_DIR", folder, 1);
    /* Nothing times out only because the machine is busy. */
    setenv("GMEMU_TIMEOUT_MS", "60000", 1);
    char *words = text ? strdup(text) : NULL, *rest = NULL;
    for (char *word = words ? strtok_r(words, " ", &rest) : NULL; word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        *value = 0;
        setenv(word, value + 1, 1);
    }
    free(words);
}

static void remove_folder(const char *folder) {
    DIR *all = opendir(folder);
    for (struct dirent *each; all && (each = readdir(all));) unlinkat(dirfd(all), each->d_name, 0);
    if (all) closedir(all);
    rmdir(folder);
}

/* Runs one in a process, listens to what it says, and judges. */
static int try(const struct check *check) {
    char folder[] = "gm_check.XXXXXX", said[8192], whole[sizeof folder + PATH_MAX];
    int ends[2];
    if (!mkdtemp(folder) || !realpath(folder, whole) || pipe2(ends, O_CLOEXEC) != 0) {
        printf("FAILED %s: %s\n", check->name, strerror(errno));
        return 1;
    }
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setpgid(0, 0);
        dup2(ends[1], STDERR_FILENO);
        set_environment(check->environment, whole);
        char number[16];
        snprintf(number, sizeof number, "%d", (int)(check - CHECKS));
        execl("/proc/self/exe", "gm_check", "--run", number, NULL);
        _exit(127);
    }
    close(ends[1]);
    size_t length = 0;
    int64_t until = now() + LIMIT_SECONDS * 1000000000ll;
    int late = 0;
    for (;;) {
        struct pollfd more = {ends[0], POLLIN, 0};
        int left = (int)((until - now()) / 1000000);
        late = left <= 0 || poll(&more, 1, left) == 0;
        ssize_t bytes = late ? 0 : read(ends[0], said + length, sizeof said - 1 - length);
        if (bytes <= 0) break;
        length += (size_t)bytes;
    }
    said[length] = 0;
    if (late) kill(-pid, SIGKILL);
    close(ends[0]);
    int status = 0;
    waitpid(pid, &status, 0);
    /* Peers that it has left. */
    kill(-pid, SIGKILL);
    remove_folder(whole);
    char expected[512] = "";
    if (check->line) snprintf(expected, sizeof expected, "gm emulation: %s\n", check->line);
    int good = !late && strcmp(said, expected) == 0;
    good &= check->line ? WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT : WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (good) return 0;
    printf("FAILED %s\n", check->name);
    if (late) printf("  has not ended\n");
    if (WIFEXITED(status)) printf("  exit status %d%s\n", WEXITSTATUS(status), check->line ? " instead of abort" : "");
    if (WIFSIGNALED(status)) printf("  signal %d\n", WTERMSIG(status));
    if (check->line) printf("  expected: %s", expected);
    printf("  said: %s\n", said);
    return 1;
}

int main(int count, char **arguments) {
    if (count == 4 && strcmp(arguments[1], "--role") == 0) return play(arguments[2], atoi(arguments[3]));
    if (count == 3 && strcmp(arguments[1], "--run") == 0) {
        EQUAL(gm_init(), SUCCESS);
        CHECKS[atoi(arguments[2])].run();
        finish();
        return 0;
    }
    int bad = 0, tried = 0;
    for (size_t i = 0; i < COUNT(CHECKS); i++) {
        if (count == 2 && strcmp(arguments[1], "--list") == 0) {
            puts(CHECKS[i].name);
        } else if (count == 1 || strcmp(arguments[1], CHECKS[i].name) == 0) {
            bad += try(&CHECKS[i]);
            tried++;
        } else {
            continue;
        }
        fflush(stdout);
    }
    if (count > 1 && strcmp(arguments[1], "--list") != 0 && tried == 0) {
        printf("There is no such check.\n");
        return 2;
    }
    return bad > 0;
}
