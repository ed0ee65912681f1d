/*
 * An emulation of Myrinet's GM 2 (libgm.so) between processes of one host. It exports what programs call, under the same names, and keeps the rules: a program that breaks one is ended
 * by abort(), behind a line on its standard error that begins with "gm emulation:".
 *
 * Each open port is a file below GMEMU_DIR that its owner holds a lock on, so that whoever is killed leaves nothing that is in the way. In it lie a ring of messages, which others write under a
 * robust mutex, and what the port has registered. A send is complete when the receiver has taken the message out of the ring; where no buffer is for it, it stays there, and only what was sent
 * behind it on the same stream waits with it. Long memory that is registered is moved into a file that others map, as the board reaches it without the kernel's help; it stays where it is.
 *
 *   GMEMU_DIR             where the ports are (/tmp/gmemu.<uid>)
 *   GMEMU_NODE            the node's number that all know, for board 0 (1); the next board has the next number
 *   GMEMU_BOARDS          how many boards there are (1); 0 for none
 *   GMEMU_API             the newest version that the library is made for (0x20010); before 0x200 it is GM 1, as it is if it was compiled with -DGM_1 (0x106): then it does not
 *                         export what only GM 2 has either
 *   GMEMU_SEND_TOKENS     of a port (61)
 *   GMEMU_RECEIVE_TOKENS  of a port (254)
 *   GMEMU_FAST            which short messages lie in the queue of events: all, none, half (half)
 *   GMEMU_TIMEOUT_MS      a send fails when nobody has taken it for so long (3000)
 *   GMEMU_DELAY_US        so long nobody is told that a send is complete (0)
 *   GMEMU_FAIL_EVERY      of so many sends one fails and is not delivered (0: none)
 *   GMEMU_FAIL_STATUS     in this way (15)
 *   GMEMU_REGISTER_LIMIT  bytes that may be registered (no limit)
 *   GMEMU_STRICT          0: nobody is ended, what is wrong is ignored (1)
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { SUCCESS = 0, BUSY = 5, INVALID_PARAMETER = 8, SEND_TIMED_OUT = 15, SEND_REJECTED = 16, SEND_TARGET_PORT_CLOSED = 17, SEND_TARGET_NODE_UNREACHABLE = 18, SEND_DROPPED = 19,
       NO_SUCH_DEVICE = 24, INCOMPATIBLE = 26, NOT_SUPPORTED = 32, NO_MATCH = 33, PAGE_TABLE_FULL = 40, INVALID_PORT = 42, PERMISSION_DENIED = 11 };
enum { NO_RECV = 0, ALARM = 2, SLEEP = 4, RECV = 11, PEER_RECV = 13, FAST_RECV = 15, FAST_HIGH_PEER_RECV = 18, SENT_TOKENS = 29 };

#define PORTS 16u
#define NODES 64u
#ifdef GM_1
#define NEWEST 0x106
#else
#define NEWEST 0x20010
#endif
#define SIZES 32u
#define FAST_MOST 128u
#define HOST_NAME 128
#define RING (8u << 20)
#define LONG (1u << 20)
#define COPY (1ull << 30)
#define RANGES 4096u
/* Registered memory of so many bytes is mapped by those who put there. */
#define MAPPED_LEAST (1u << 20)
#define TOKENS 1024
#define PROVIDED 4096
#define PLACES 1024
#define EVENTS 4
/* So many that stand still are told apart; messages behind more wait for some of them. */
#define STREAMS 256
#define BUNDLE 31
#define POISON 0xaa
#define MAGIC 0x474d656d75303031ull
#define LOOK_NS 5000000ll

struct gm_port;
typedef void (*gm_send_completion_callback_t)(struct gm_port *, void *, int);

/* What others see of a port; tests look for the owner's number behind the first one. */
struct shared {
    _Atomic uint64_t magic;
    pid_t pid;
    _Atomic int closed, allowed, sleepers;
    _Atomic uint32_t bell;
    _Atomic uint64_t sizes[2];
    /* Of each priority and size: buffers that are provided, and messages that nobody has taken. */
    _Atomic uint32_t provided[2][SIZES], in_ring[2][SIZES];
    /* No two that are ever open are born at once. */
    uint64_t born;
    pthread_mutex_t mutex;
    _Atomic uint64_t written, taken;
    _Atomic uint32_t ranges;
    struct {
        _Atomic uint64_t at, bytes;
        /* The file that it lies in, or 0, and what its owner knows that by. */
        _Atomic uint64_t inode;
        _Atomic int file;
    } range[RANGES];
    unsigned char ring[RING];
};

enum state { WAITING, TAKEN, CANCELLED };

struct record {
    uint64_t bytes; /* of the record, with this; 0: go on at the beginning */
    uint32_t length, size, priority, node, port;
    _Atomic int state;
    /* What is long stays with the sender until it is taken. */
    uint64_t from;
    pid_t pid;
    unsigned short poisoned, to_peer;
    uint64_t born;
};

/* A peer's memory, as it lies here. */
struct view {
    struct view *next;
    uint64_t inode, bytes;
    unsigned char *here;
};

struct peer {
    struct shared *shared;
    int file, dead;
    int64_t looked;
    struct view *views;
    struct peer *next_gone;
};

enum kind { SEND, PUT, GET, RESUME, DROP };

struct op {
    struct op *next;
    enum kind kind;
    void *memory;
    uint64_t remote;
    size_t length;
    unsigned size, priority, node, port, to_peer;
    gm_send_completion_callback_t callback;
    void *context;
    int status, counted;
    uint64_t end, at; /* in the ring of the peer */
    struct record *record;
    struct shared *to;
    int64_t since, done;
    /* Of what it was given to send, where nobody is told at once that it is sent. */
    uint64_t sum;
};

struct stream {
    struct stream *next;
    unsigned priority, node, port;
    int stopped, errors;
    struct op *first, **last;
};

/* Numbers of buffers count from 1; 0 is none. */
struct buffer {
    void *memory;
    unsigned size, priority, tag;
    /* Of the same size and priority, or of those that are free; and of the same place among those that are provided. */
    unsigned below, beside;
};

struct alarm {
    struct alarm *next;
    int state;
    struct gm_port *port;
    void (*callback)(void *);
    void *context;
    uint64_t deadline;
};

struct gm_port {
    unsigned unit, id, node;
    int file;
    char path[PATH_MAX];
    struct shared *shared;
    struct peer peers[NODES][PORTS];
    struct stream *streams;
    struct op *complete, **complete_last;
    struct op *bundle;
    int send_tokens, counted, provided;
    struct buffer buffers[PROVIDED + 1];
    unsigned free_buffer, top[2][SIZES], places[PLACES];
    struct {
        uintptr_t at, bytes;
        int count, owned, file;
        uint64_t inode;
    } dma[RANGES];
    unsigned ranges;
    uint64_t registered;
    struct alarm *alarms, *ringing;
    struct {
        unsigned char event[64] __attribute__((aligned(64)));
        unsigned char fast[FAST_MOST + 64];
    } queue[EVENTS];
    unsigned turn, shorts;
    unsigned char sleep[64] __attribute__((aligned(64)));
    uint32_t heard;
    int64_t looked;
    char *_Atomic user;
    int depth;
    /* Sends that nobody was told of, and alarms: what may end without a bell. */
    _Atomic int waiting;
    uint64_t sends;
};

EXPORT unsigned long GM_PAGE_LEN = 4096;

static int initialised;

/* A child of this process finds it empty. */
static volatile char *parent;

/* Its address is this thread's name. */
static _Thread_local char thread;

/* Those that are open. */
#define MOST_OPEN 64
static struct gm_port *open_ports[MOST_OPEN];
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

/* What the environment says, read by gm_init. */
static struct {
    long long node, boards, api, send_tokens, receive_tokens, timeout, delay, fail_every, fail_status, register_limit, strict;
    enum { HALF, ALL, NONE } fast;
    char folder[PATH_MAX - 64];
} set;

static long long setting(const char *name, long long otherwise) {
    const char *text = getenv(name);
    return text && *text ? strtoll(text, NULL, 0) : otherwise;
}

static void read_settings(void) {
    set.node = setting("GMEMU_NODE", 1);
    set.boards = setting("GMEMU_BOARDS", 1);
    set.api = setting("GMEMU_API", NEWEST);
    set.send_tokens = setting("GMEMU_SEND_TOKENS", 61);
    set.receive_tokens = setting("GMEMU_RECEIVE_TOKENS", 254);
    set.timeout = setting("GMEMU_TIMEOUT_MS", 3000) * 1000000;
    set.delay = setting("GMEMU_DELAY_US", 0) * 1000;
    set.fail_every = setting("GMEMU_FAIL_EVERY", 0);
    set.fail_status = setting("GMEMU_FAIL_STATUS", SEND_TIMED_OUT);
    set.register_limit = setting("GMEMU_REGISTER_LIMIT", LLONG_MAX);
    set.strict = setting("GMEMU_STRICT", 1);
    const char *fast = getenv("GMEMU_FAST"), *folder = getenv("GMEMU_DIR");
    set.fast = fast && !strcmp(fast, "all") ? ALL : fast && !strcmp(fast, "none") ? NONE : HALF;
    if (folder && *folder)
        snprintf(set.folder, sizeof set.folder, "%s", folder);
    else
        snprintf(set.folder, sizeof set.folder, "/tmp/gmemu.%u", (unsigned)getuid());
}

__attribute__((format(printf, 1, 2))) static void wrong(const char *form, ...) {
    if (initialised && !set.strict) return;
    va_list words;
    va_start(words, form);
    fputs("gm emulation: ", stderr);
    vfprintf(stderr, form, words);
    fputc('\n', stderr);
    va_end(words);
    abort();
}

static void bell(struct shared *shared) {
    atomic_fetch_add(&shared->bell, 1);
    if (atomic_load(&shared->sleepers)) syscall(SYS_futex, &shared->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void check_open(struct gm_port *port, const char *call) {
    int open = 0;
    for (int i = 0; i < MOST_OPEN; i++) open |= port && open_ports[i] == port;
    if (!open) {
        fprintf(stderr, "gm emulation: %s of a port that is not open\n", call);
        abort();
    }
}

static void enter(struct gm_port *port, const char *call) {
    check_open(port, call);
    char *nobody = NULL;
    if (atomic_load(&port->user) != &thread && !atomic_compare_exchange_strong(&port->user, &nobody, &thread))
        wrong("%s while another thread is within the library with the same port", call);
    if (!*parent) wrong("%s by a child process", call);
    port->depth++;
}

static void leave(struct gm_port *port) {
    if (--port->depth == 0) atomic_store(&port->user, NULL);
}

/* What takes no time. */
static void visit(struct gm_port *port, const char *call) {
    enter(port, call);
    leave(port);
}

/* Node numbers. Each process has others than all know. */

static unsigned strange;

static unsigned local_of(unsigned global) {
    return global + strange;
}

static unsigned global_of(unsigned local) {
    return local - strange;
}

static void know_parent(void) {
    long page = sysconf(_SC_PAGESIZE);
    char *own = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED || madvise(own, (size_t)page, MADV_WIPEONFORK) != 0) {
        fprintf(stderr, "gm emulation: there is no memory that children do not have: %s\n", strerror(errno));
        abort();
    }
    *own = 1;
    parent = own;
}

EXPORT int gm_init(void) {
    pthread_mutex_lock(&opening);
    read_settings();
    strange = set.api < 0x200 ? 0 : 100 + (unsigned)getpid() % 800;
    if (!parent) know_parent();
    initialised++;
    mkdir(set.folder, 0700);
    pthread_mutex_unlock(&opening);
    return SUCCESS;
}

EXPORT void gm_finalize(void) {
    if (initialised-- <= 0) wrong("gm_finalize without gm_init");
}

/* A lock of the open file, which ends with its last descriptor, and which others ask for without taking it: they are in nobody's way. */
static int hold(int file) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_OFD_SETLK, &lock) == 0;
}

/* Whether nobody holds the file's lock. */
static int is_dead(int file) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

EXPORT int gm_open(struct gm_port **out, unsigned unit, unsigned id, const char *name, int api) {
    (void)name;
    if (!initialised) wrong("gm_open before gm_init");
    if (api > set.api) return INCOMPATIBLE;
    if ((long long)unit >= set.boards) return NO_SUCH_DEVICE;
    if (id >= PORTS || id == 0 || id == 1 || id == 3) return id >= PORTS ? INVALID_PORT : BUSY;
    struct gm_port *port = aligned_alloc(64, (sizeof *port + 63) / 64 * 64);
    if (!port) return 9;
    memset(port, 0, sizeof *port);
    port->unit = unit;
    port->id = id;
    port->node = (unsigned)set.node + unit;
    snprintf(port->path, sizeof port->path, "%s/%u.%u", set.folder, port->node, id);
    for (;;) {
        port->file = open(port->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (port->file < 0) {
            fprintf(stderr, "gm emulation: %s: %s\n", port->path, strerror(errno));
            free(port);
            return PERMISSION_DENIED;
        }
        struct stat here, there;
        if (!hold(port->file)) {
            close(port->file);
            free(port);
            return BUSY;
        }
        /* Its owner may have removed it in between; one that was left by somebody who was killed is made anew. */
        if (fstat(port->file, &here) == 0 && stat(port->path, &there) == 0 && here.st_ino == there.st_ino && here.st_size == 0) break;
        if (fstat(port->file, &here) == 0 && stat(port->path, &there) == 0 && here.st_ino == there.st_ino) unlink(port->path);
        close(port->file);
    }
    if (ftruncate(port->file, sizeof(struct shared)) != 0) abort();
    port->shared = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, port->file, 0);
    if (port->shared == MAP_FAILED) abort();
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&port->shared->mutex, &kind);
    port->shared->pid = getpid();
    port->shared->born = (uint64_t)now();
    /* Others of the same user may reach our memory even where the kernel (Yama) keeps such from each other. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    for (unsigned number = PROVIDED; number; number--) {
        port->buffers[number].below = port->free_buffer;
        port->free_buffer = number;
    }
    port->send_tokens = (int)set.send_tokens;
    port->counted = port->send_tokens;
    port->complete_last = &port->complete;
    pthread_mutex_lock(&opening);
    int place = 0;
    while (place < MOST_OPEN && open_ports[place]) place++;
    if (place == MOST_OPEN) abort();
    open_ports[place] = port;
    pthread_mutex_unlock(&opening);
    /* All sizes, until the program says which. */
    atomic_store(&port->shared->sizes[0], ~0ull);
    atomic_store(&port->shared->sizes[1], ~0ull);
    atomic_store(&port->shared->magic, MAGIC);
    *out = port;
    return SUCCESS;
}

static void lock(struct shared *shared) {
    if (pthread_mutex_lock(&shared->mutex) == EOWNERDEAD) pthread_mutex_consistent(&shared->mutex);
}

static void unlock(struct shared *shared) {
    pthread_mutex_unlock(&shared->mutex);
}

/* Closed, or its owner was killed, which is looked for now and then, as that costs a call of the kernel. Somebody else may have opened it since. */
static int is_over(struct peer *peer) {
    if (atomic_load(&peer->shared->closed) || peer->dead) return 1;
    int64_t time = now();
    if (time - peer->looked < LOOK_NS) return 0;
    peer->looked = time;
    return peer->dead = is_dead(peer->file);
}

static void drop_view(struct view **place) {
    struct view *view = *place;
    *place = view->next;
    munmap(view->here, view->bytes);
    free(view);
}

/* The port of somebody else, or our own; NULL if there is none. Stays mapped, since operations point to it. */
static struct shared *reach(struct gm_port *port, unsigned node, unsigned id) {
    if (node == port->node && id == port->id) return port->shared;
    if (node >= NODES || id >= PORTS) return NULL;
    struct peer *peer = &port->peers[node][id];
    if (peer->shared && !is_over(peer)) return peer->shared;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%u.%u", set.folder, node, id);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return NULL;
    struct stat status;
    struct shared *shared = MAP_FAILED;
    if (!is_dead(file) && fstat(file, &status) == 0 && status.st_size == sizeof *shared)
        shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared == MAP_FAILED) {
        close(file);
        return NULL;
    }
    if (atomic_load(&shared->magic) != MAGIC) {
        munmap(shared, sizeof *shared);
        close(file);
        return NULL;
    }
    if (peer->shared) {
        struct peer *gone = malloc(sizeof *gone);
        while (peer->views) drop_view(&peer->views);
        *gone = *peer;
        peer->next_gone = gone;
    }
    peer->shared = shared;
    peer->file = file;
    peer->dead = 0;
    peer->looked = now();
    return shared;
}

static int is_gone(struct gm_port *port, struct op *op) {
    if (atomic_load(&op->to->closed)) return 1;
    if (op->to == port->shared) return 0;
    for (struct peer *peer = &port->peers[op->node][op->port]; peer; peer = peer->next_gone)
        if (peer->shared == op->to) return peer->dead = peer->dead || is_dead(peer->file);
    return 1;
}

/* Memory that the board can use. */

/* One that has changed, under the lock, as others look there while they put. */
static void tell_range(struct gm_port *port, unsigned changed) {
    struct shared *own = port->shared;
    lock(own);
    atomic_store(&own->range[changed].at, port->dma[changed].at);
    atomic_store(&own->range[changed].bytes, port->dma[changed].bytes);
    atomic_store(&own->range[changed].file, port->dma[changed].file);
    atomic_store(&own->range[changed].inode, port->dma[changed].inode);
    atomic_store(&own->ranges, port->ranges);
    unlock(own);
}

/* Whether all of it is, be it in several pieces that were registered side by side. */
static int is_known(struct shared *there, uint64_t at, uint64_t bytes) {
    uint32_t ranges = atomic_load(&there->ranges), looked = 0;
    uint64_t left = bytes;
    while (left && looked < ranges) {
        for (looked = 0; left && looked < ranges; looked++) {
            uint64_t from = atomic_load(&there->range[looked].at), length = atomic_load(&there->range[looked].bytes);
            if (at < from || at - from >= length) continue;
            uint64_t here = length - (at - from) < left ? length - (at - from) : left;
            at += here;
            left -= here;
            break;
        }
    }
    return !left;
}

static int is_dma(struct gm_port *port, const void *memory, size_t bytes) {
    return is_known(port->shared, (uintptr_t)memory, bytes);
}

/* Those of a chain do not use what is not registered any more; its pages may be, with something else that lies in them. */
static void check_chain(struct gm_port *port, struct op *chain, uintptr_t at, uintptr_t bytes, const char *call) {
    for (struct op *op = chain; op; op = op->next)
        if ((op->kind == SEND || op->kind == PUT || op->kind == GET) && (uintptr_t)op->memory < at + bytes && (uintptr_t)op->memory + op->length > at && !is_dma(port, op->memory, op->length))
            wrong("%s of memory that is being sent", call);
}

/* It belongs to the library until the callback is called. */
static void check_unused(struct gm_port *port, uintptr_t at, uintptr_t bytes, const char *call) {
    for (struct stream *stream = port->streams; stream; stream = stream->next) check_chain(port, stream->first, at, bytes, call);
    check_chain(port, port->complete, at, bytes, call);
    check_chain(port, port->bundle, at, bytes, call);
}

/* Memory of this process that lies in a file; none of it lies in two. */
static struct {
    uintptr_t at, bytes;
} mapped[RANGES];

/* Under the lock of those that are open. */
static int find_mapped(uintptr_t at, uintptr_t bytes) {
    for (unsigned i = 0; i < RANGES; i++)
        if (mapped[i].bytes && mapped[i].at < at + bytes && at < mapped[i].at + mapped[i].bytes) return (int)i;
    return -1;
}

static int is_zero(const unsigned char *memory, size_t bytes) {
    return !memory[0] && !memcmp(memory, memory + 1, bytes - 1);
}

/* Moves memory into a file, which nobody else may use meanwhile. What was never written to takes no room there either. Fails if the file can't be made. */
static int move(unsigned char *memory, size_t bytes, int file) {
    if (ftruncate(file, (off_t)bytes) != 0) return 0;
    for (size_t at = 0; at < bytes; at += GM_PAGE_LEN)
        if (!is_zero(memory + at, GM_PAGE_LEN) && pwrite(file, memory + at, GM_PAGE_LEN, (off_t)at) != (ssize_t)GM_PAGE_LEN) return 0;
    return mmap(memory, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == memory;
}

/* So that others can map it, if it is long and not theirs already. What can't be had so is written by the kernel. */
static void map_range(struct gm_port *port, unsigned place) {
    uintptr_t at = port->dma[place].at, bytes = port->dma[place].bytes;
    int file = -1, free_one = 0;
    struct stat status;
    if (bytes < MAPPED_LEAST) return;
    pthread_mutex_lock(&opening);
    while (free_one < (int)RANGES && mapped[free_one].bytes) free_one++;
    if (free_one < (int)RANGES && find_mapped(at, bytes) < 0) file = memfd_create("gm", MFD_CLOEXEC);
    if (file >= 0 && move((unsigned char *)at, bytes, file) && fstat(file, &status) == 0) {
        mapped[free_one].at = at;
        mapped[free_one].bytes = bytes;
        port->dma[place].file = file;
        port->dma[place].inode = status.st_ino;
    } else if (file >= 0) {
        close(file);
    }
    pthread_mutex_unlock(&opening);
}

/* What the program has in it stays. */
static void unmap_range(struct gm_port *port, unsigned place) {
    if (!port->dma[place].inode) return;
    pthread_mutex_lock(&opening);
    mapped[find_mapped(port->dma[place].at, port->dma[place].bytes)].bytes = 0;
    pthread_mutex_unlock(&opening);
    close(port->dma[place].file);
}

static int add_range(struct gm_port *port, uintptr_t at, uintptr_t bytes, int owned) {
    for (unsigned i = 0; i < port->ranges; i++) {
        if (port->dma[i].at == at && port->dma[i].bytes == bytes) {
            port->dma[i].count++;
            return SUCCESS;
        }
    }
    if (port->ranges == RANGES || (long long)(port->registered + bytes) > set.register_limit) return PAGE_TABLE_FULL;
    port->dma[port->ranges].at = at;
    port->dma[port->ranges].bytes = bytes;
    port->dma[port->ranges].count = 1;
    port->dma[port->ranges].owned = owned;
    port->dma[port->ranges].file = 0;
    port->dma[port->ranges].inode = 0;
    if (!owned) map_range(port, port->ranges);
    port->ranges++;
    port->registered += bytes;
    tell_range(port, port->ranges - 1);
    return SUCCESS;
}

static int remove_range(struct gm_port *port, uintptr_t at, uintptr_t bytes, const char *call) {
    for (unsigned i = 0; i < port->ranges; i++) {
        if (port->dma[i].at == at && (!bytes || port->dma[i].bytes == bytes)) {
            if (--port->dma[i].count == 0) {
                uintptr_t whole = port->dma[i].bytes;
                port->registered -= whole;
                unmap_range(port, i);
                port->dma[i] = port->dma[--port->ranges];
                tell_range(port, i);
                check_unused(port, at, whole, call);
            }
            return SUCCESS;
        }
    }
    wrong("%s of memory that is not registered so", call);
    return INVALID_PARAMETER;
}

EXPORT void *gm_dma_malloc(struct gm_port *port, size_t bytes) {
    enter(port, "gm_dma_malloc");
    size_t whole = (bytes + GM_PAGE_LEN - 1) / GM_PAGE_LEN * GM_PAGE_LEN;
    void *memory = aligned_alloc(GM_PAGE_LEN, whole ? whole : GM_PAGE_LEN);
    if (memory && add_range(port, (uintptr_t)memory, whole ? whole : GM_PAGE_LEN, 1) != SUCCESS) {
        free(memory);
        memory = NULL;
    }
    leave(port);
    return memory;
}

EXPORT void *gm_dma_calloc(struct gm_port *port, size_t count, size_t bytes) {
    void *memory = gm_dma_malloc(port, count * bytes);
    return memory ? memset(memory, 0, count * bytes) : NULL;
}

EXPORT void gm_dma_free(struct gm_port *port, void *memory) {
    enter(port, "gm_dma_free");
    if (remove_range(port, (uintptr_t)memory, 0, "gm_dma_free") == SUCCESS) free(memory);
    leave(port);
}

EXPORT int gm_register_memory(struct gm_port *port, void *memory, size_t bytes) {
    enter(port, "gm_register_memory");
    if ((uintptr_t)memory % GM_PAGE_LEN || bytes % GM_PAGE_LEN || !bytes) wrong("gm_register_memory of parts of a page");
    unsigned char *resident = malloc(bytes / GM_PAGE_LEN + 1);
    int status = mincore(memory, bytes, resident) == 0 ? add_range(port, (uintptr_t)memory, bytes, 0) : INVALID_PARAMETER;
    free(resident);
    leave(port);
    return status;
}

EXPORT int gm_register_memory_ex(struct gm_port *port, void *memory, size_t bytes, void *pvma) {
    return pvma == memory ? gm_register_memory(port, memory, bytes) : INVALID_PARAMETER;
}

EXPORT int gm_deregister_memory(struct gm_port *port, void *memory, size_t bytes) {
    enter(port, "gm_deregister_memory");
    int status = remove_range(port, (uintptr_t)memory, bytes, "gm_deregister_memory");
    leave(port);
    return status;
}

EXPORT int gm_allow_remote_memory_access(struct gm_port *port) {
    enter(port, "gm_allow_remote_memory_access");
    atomic_store(&port->shared->allowed, 1);
    leave(port);
    return SUCCESS;
}

/* What is known of a port. */

EXPORT unsigned gm_num_send_tokens(struct gm_port *port) {
    enter(port, "gm_num_send_tokens");
    leave(port);
    return (unsigned)set.send_tokens;
}

EXPORT unsigned gm_num_receive_tokens(struct gm_port *port) {
    enter(port, "gm_num_receive_tokens");
    leave(port);
    return (unsigned)set.receive_tokens;
}

EXPORT unsigned gm_num_ports(struct gm_port *port) {
    visit(port, "gm_num_ports");
    return PORTS;
}

EXPORT unsigned gm_get_port_id(struct gm_port *port) {
    visit(port, "gm_get_port_id");
    return port->id;
}

EXPORT int gm_get_node_id(struct gm_port *port, unsigned *node) {
    visit(port, "gm_get_node_id");
    *node = local_of(port->node);
    return SUCCESS;
}

#ifndef GM_1
static int translate(unsigned from, unsigned to, unsigned *out) {
    if (set.api < 0x200) return NOT_SUPPORTED;
    if (from == 0 || to == 0) return INVALID_PARAMETER;
    *out = to;
    return SUCCESS;
}

EXPORT int gm_node_id_to_global_id(struct gm_port *port, unsigned node, unsigned *global) {
    visit(port, "gm_node_id_to_global_id");
    return translate(node, global_of(node) < NODES ? global_of(node) : 0, global);
}

EXPORT int gm_global_id_to_node_id(struct gm_port *port, unsigned global, unsigned *node) {
    visit(port, "gm_global_id_to_node_id");
    return translate(global, global < NODES ? local_of(global) : 0, node);
}
#endif

static void name_host(unsigned node, char *name, size_t bytes) {
    snprintf(name, bytes, "node%u", node);
}

EXPORT int gm_get_host_name(struct gm_port *port, char *name) {
    visit(port, "gm_get_host_name");
    name_host(port->node, name, HOST_NAME);
    return SUCCESS;
}

static int host_to_node(const char *name, unsigned *node) {
    for (unsigned each = 1; each < NODES; each++) {
        char known[HOST_NAME];
        name_host(each, known, sizeof known);
        if (strcmp(known, name)) continue;
        *node = local_of(each);
        return SUCCESS;
    }
    return NO_MATCH;
}

EXPORT unsigned gm_host_name_to_node_id(struct gm_port *port, char *name) {
    unsigned node = 0;
    visit(port, "gm_host_name_to_node_id");
    return host_to_node(name, &node) == SUCCESS ? node : 0;
}

#ifndef GM_1
EXPORT int gm_host_name_to_node_id_ex(struct gm_port *port, unsigned microseconds, const char *name, unsigned *node) {
    (void)microseconds;
    visit(port, "gm_host_name_to_node_id_ex");
    return host_to_node(name, node);
}

EXPORT int gm_node_id_to_host_name_ex(struct gm_port *port, unsigned microseconds, unsigned node, char (*name)[HOST_NAME + 1]) {
    (void)microseconds;
    visit(port, "gm_node_id_to_host_name_ex");
    unsigned global = global_of(node);
    if (global == 0 || global >= NODES) return NO_MATCH;
    name_host(global, *name, sizeof *name);
    return SUCCESS;
}
#endif

/* What types there are is not known; all boards here have the same. */
EXPORT int gm_get_node_type(struct gm_port *port, int *type) {
    visit(port, "gm_get_node_type");
    *type = 1;
    return SUCCESS;
}

EXPORT int gm_max_node_id_in_use(struct gm_port *port, unsigned *node) {
    visit(port, "gm_max_node_id_in_use");
    *node = local_of(NODES - 1);
    return SUCCESS;
}

EXPORT int gm_max_node_id(struct gm_port *port, unsigned *node) {
    return gm_max_node_id_in_use(port, node);
}

static const unsigned char BOARD[] = {0x00, 0x60, 0xdd, 0x00, 0x00};

static void board_id(unsigned node, char *id) {
    memcpy(id, BOARD, sizeof BOARD);
    id[sizeof BOARD] = (char)node;
}

EXPORT int gm_get_unique_board_id(struct gm_port *port, char *id) {
    visit(port, "gm_get_unique_board_id");
    board_id(port->node, id);
    return SUCCESS;
}

EXPORT int gm_unique_id(struct gm_port *port, char *id) {
    return gm_get_unique_board_id(port, id);
}

EXPORT int gm_node_id_to_unique_id(struct gm_port *port, unsigned node, char *id) {
    visit(port, "gm_node_id_to_unique_id");
    if (global_of(node) == 0 || global_of(node) >= NODES) return INVALID_PARAMETER;
    board_id(global_of(node), id);
    return SUCCESS;
}

EXPORT int gm_unique_id_to_node_id(struct gm_port *port, char *id, unsigned *node) {
    visit(port, "gm_unique_id_to_node_id");
    unsigned global = (unsigned char)id[sizeof BOARD];
    if (memcmp(id, BOARD, sizeof BOARD) || global == 0 || global >= NODES) return NO_MATCH;
    *node = local_of(global);
    return SUCCESS;
}

EXPORT int gm_set_enable_nack_down(struct gm_port *port, int enabled) {
    (void)enabled;
    visit(port, "gm_set_enable_nack_down");
    return SUCCESS;
}

EXPORT unsigned gm_mtu(struct gm_port *port) {
    visit(port, "gm_mtu");
    return 4096;
}

EXPORT unsigned gm_min_message_size(struct gm_port *port) {
    visit(port, "gm_min_message_size");
    return 3;
}

EXPORT size_t gm_max_length_for_size(unsigned size) {
    return size < 3 ? 0 : ((size_t)1 << size) - 8;
}

EXPORT unsigned gm_min_size_for_length(size_t length) {
    unsigned size = 3;
    while (gm_max_length_for_size(size) < length) size++;
    return size;
}

EXPORT const char *gm_strerror(int status) {
    static __thread char words[32];
    snprintf(words, sizeof words, "GM status %d", status);
    return words;
}

EXPORT void gm_perror(const char *what, int status) {
    fprintf(stderr, "%s: %s\n", what, gm_strerror(status));
}

EXPORT uint64_t gm_ticks(struct gm_port *port) {
    visit(port, "gm_ticks");
    return (uint64_t)now() / 500;
}

/* Sending. */

static struct stream *stream_to(struct gm_port *port, unsigned priority, unsigned node, unsigned id) {
    for (struct stream *each = port->streams; each; each = each->next)
        if (each->priority == priority && each->node == node && each->port == id) return each;
    struct stream *stream = calloc(1, sizeof *stream);
    stream->priority = priority;
    stream->node = node;
    stream->port = id;
    stream->last = &stream->first;
    stream->next = port->streams;
    port->streams = stream;
    return stream;
}

static void complete(struct gm_port *port, struct op *op, int status) {
    op->status = status;
    op->done = now();
    op->next = NULL;
    *port->complete_last = op;
    port->complete_last = &op->next;
}

static struct op *unqueue(struct stream *stream) {
    struct op *op = stream->first;
    stream->first = op->next;
    if (!stream->first) stream->last = &stream->first;
    return op;
}

static void stop(struct gm_port *port, struct stream *stream, int status) {
    struct op *op = unqueue(stream);
    stream->stopped = 1;
    stream->errors++;
    complete(port, op, status);
}

/* Under the lock. */
static void settle(struct shared *there, struct record *record, enum state state) {
    atomic_store(&record->state, (int)state);
    atomic_fetch_sub(&there->in_ring[record->priority][record->size], 1);
}

static int is_taken(struct op *op) {
    int taken = atomic_load(&op->record->state) == TAKEN;
    /* What is behind has been taken, and the record may be somebody else's by now. */
    return atomic_load(&op->to->taken) >= op->end || taken;
}

/* Whether there is room for a record in a ring; where it would begin then. Under the lock. */
static int room(struct shared *to, uint64_t bytes, uint64_t *at, uint64_t *skip) {
    uint64_t written = atomic_load(&to->written), left = RING - (written - atomic_load(&to->taken));
    uint64_t until_end = RING - written % RING;
    *skip = until_end < bytes ? until_end : 0;
    *at = written + *skip;
    return *skip + bytes <= left;
}

static int to_ring(struct gm_port *port, struct op *op) {
    int is_long = op->length > LONG;
    uint64_t bytes = (sizeof(struct record) + (is_long ? 0 : op->length) + 63) / 64 * 64, at, skip;
    lock(op->to);
    if (!room(op->to, bytes, &at, &skip)) {
        unlock(op->to);
        return 0;
    }
    if (skip) *(uint64_t *)(op->to->ring + atomic_load(&op->to->written) % RING) = 0;
    struct record *record = (struct record *)(op->to->ring + at % RING);
    record->bytes = bytes;
    record->length = (uint32_t)op->length;
    record->size = op->size;
    record->priority = op->priority;
    record->node = port->node;
    record->port = port->id;
    record->from = is_long ? (uintptr_t)op->memory : 0;
    record->pid = port->shared->pid;
    record->poisoned = !is_dma(port, op->memory, op->length);
    record->to_peer = (unsigned short)op->to_peer;
    record->born = port->shared->born;
    atomic_store(&record->state, WAITING);
    if (!is_long && !record->poisoned) memcpy(record + 1, op->memory, op->length);
    atomic_fetch_add(&op->to->in_ring[op->priority][op->size], 1);
    op->record = record;
    op->end = at + bytes;
    op->since = now();
    atomic_store(&op->to->written, op->end);
    unlock(op->to);
    bell(op->to);
    return 1;
}

static int is_registered(struct shared *there, uint64_t at, uint64_t bytes) {
    lock(there);
    int known = is_known(there, at, bytes);
    unlock(there);
    return known;
}

/* From or to the memory of a process, as the board does without its help. Fails if it has died. */
static int copy(pid_t pid, uint64_t here, uint64_t there, uint64_t bytes, int writes) {
    if (pid == getpid()) {
        if (writes)
            memmove((void *)(uintptr_t)there, (void *)(uintptr_t)here, bytes);
        else
            memmove((void *)(uintptr_t)here, (void *)(uintptr_t)there, bytes);
        return 1;
    }
    while (bytes) {
        size_t most = bytes < COPY ? bytes : COPY;
        struct iovec ours = {(void *)(uintptr_t)here, most}, theirs = {(void *)(uintptr_t)there, most};
        ssize_t done = writes ? process_vm_writev(pid, &ours, 1, &theirs, 1, 0) : process_vm_readv(pid, &ours, 1, &theirs, 1, 0);
        if (done <= 0 && errno == EPERM) {
            fprintf(stderr, "gm emulation: the memory of the process %d can't be used by another one of the same user: %s\n", (int)pid, strerror(errno));
            abort();
        }
        if (done <= 0) return 0;
        here += (uint64_t)done;
        there += (uint64_t)done;
        bytes -= (uint64_t)done;
    }
    return 1;
}

static int is_told(struct shared *there, struct view *view) {
    for (uint32_t i = 0; i < atomic_load(&there->ranges); i++)
        if (atomic_load(&there->range[i].inode) == view->inode) return 1;
    return 0;
}

static struct view *view(struct peer *peer, int number, uint64_t inode) {
    for (struct view *each = peer->views; each; each = each->next)
        if (each->inode == inode) return each;
    for (struct view **each = &peer->views; *each;) {
        if (is_told(peer->shared, *each))
            each = &(*each)->next;
        else
            drop_view(each);
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)peer->shared->pid, number);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return NULL;
    struct stat status;
    struct view *made = NULL;
    /* It may be another one by now. */
    if (fstat(file, &status) == 0 && status.st_ino == inode) {
        void *here = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (here != MAP_FAILED) {
            made = malloc(sizeof *made);
            *made = (struct view){peer->views, inode, (uint64_t)status.st_size, here};
            peer->views = made;
        }
    }
    close(file);
    return made;
}

/* Where a peer's memory that is registered lies here, or NULL if it does not. */
static unsigned char *seen(struct gm_port *port, struct op *op) {
    struct peer *peer = &port->peers[op->node][op->port];
    if (peer->shared != op->to || op->to->pid == port->shared->pid || is_over(peer)) return NULL;
    uint64_t at = 0, inode = 0;
    int file = 0;
    lock(op->to);
    for (uint32_t i = 0; i < atomic_load(&op->to->ranges) && !inode; i++) {
        at = atomic_load(&op->to->range[i].at);
        uint64_t bytes = atomic_load(&op->to->range[i].bytes);
        if (op->remote < at || op->remote - at >= bytes || op->length > bytes - (op->remote - at)) continue;
        inode = atomic_load(&op->to->range[i].inode);
        file = atomic_load(&op->to->range[i].file);
    }
    unlock(op->to);
    struct view *found = inode ? view(peer, file, inode) : NULL;
    return found ? found->here + (op->remote - at) : NULL;
}

/* Puts or gets. */
static int reach_over(struct gm_port *port, struct op *op) {
    const char *what = op->kind == PUT ? "put to" : "get from";
    unsigned char *there = seen(port, op);
    if (!there && is_gone(port, op)) return SEND_TARGET_PORT_CLOSED;
    if (!atomic_load(&op->to->allowed)) wrong("a %s a port that has not called gm_allow_remote_memory_access", what);
    if (!there && !is_registered(op->to, op->remote, op->length)) {
        if (is_gone(port, op)) return SEND_TARGET_PORT_CLOSED;
        wrong("a %s memory that is not registered there", what);
        return SUCCESS;
    }
    int known = is_dma(port, op->memory, op->length);
    /* What is received where the board can't write is lost. */
    if (op->kind == GET && !known) return SUCCESS;
    unsigned char *poison = known ? NULL : memset(malloc(op->length), POISON, op->length), *here = poison ? poison : op->memory;
    int done = copy(there ? port->shared->pid : op->to->pid, (uintptr_t)here, there ? (uintptr_t)there : op->remote, op->length, op->kind == PUT);
    free(poison);
    return done ? SUCCESS : SEND_TARGET_PORT_CLOSED;
}

/* Whether there are buffers for all these messages, which the board would have brought there by now. */
static int have_buffers(struct stream *air) {
    for (struct op *each = air->first; each; each = each->next)
        if (!is_taken(each) && atomic_load(&each->to->in_ring[each->priority][each->size]) > atomic_load(&each->to->provided[each->priority][each->size])) return 0;
    return 1;
}

/* Takes a stream as far as it goes. */
static void push(struct gm_port *port, struct stream *stream) {
    int64_t time = 0;
    while (stream->first && !stream->stopped) {
        struct op *op = stream->first;
        if (!op->to) {
            unsigned node = global_of(op->node), id = op->port;
            op->node = node;
            if (node >= NODES || node == 0) {
                stop(port, stream, SEND_TARGET_NODE_UNREACHABLE);
                return;
            }
            op->to = reach(port, node, id);
            if (!op->to) {
                stop(port, stream, SEND_TARGET_PORT_CLOSED);
                return;
            }
        }
        struct stream *air = stream_to(port, 2 + op->priority, op->node, op->port);
        /* Its port was opened anew, and it is not known yet that what was sent before is lost. */
        if (air->first && air->first->to != op->to) return;
        if (op->kind != SEND && !have_buffers(air)) return;
        if (set.fail_every && !op->counted++ && ++port->sends % (uint64_t)set.fail_every == 0) {
            stop(port, stream, (int)set.fail_status);
            return;
        }
        if (op->kind != SEND) {
            int status = reach_over(port, op);
            if (status != SUCCESS) {
                stop(port, stream, status);
                return;
            }
            complete(port, unqueue(stream), SUCCESS);
            continue;
        }
        if (!(atomic_load(&op->to->sizes[op->priority]) >> op->size & 1)) {
            stop(port, stream, SEND_REJECTED);
            return;
        }
        if (!op->since) op->since = now();
        if (to_ring(port, op)) {
            /* It is on its way; what follows may follow. */
            struct op *flying = unqueue(stream);
            flying->next = NULL;
            *air->last = flying;
            air->last = &flying->next;
            continue;
        }
        if (!time) time = now();
        if (is_gone(port, op)) {
            stop(port, stream, SEND_TARGET_PORT_CLOSED);
        } else if (time - op->since > set.timeout) {
            stop(port, stream, SEND_TIMED_OUT);
        }
        return;
    }
}

/* Those in a ring: taken, given up, or still there. A stream of these has a priority of 2 or 3. */
static void watch(struct gm_port *port, struct stream *air) {
    int64_t time = 0;
    while (air->first) {
        struct op *op = air->first;
        if (is_taken(op)) {
            complete(port, unqueue(air), SUCCESS);
            continue;
        }
        time = time ? time : now();
        if (time - op->since < LOOK_NS) return;
        int gone = is_gone(port, op), late = time - op->since > set.timeout;
        if (!gone && !late) return;
        /* All that is behind it in the ring comes back too. At once, as nobody is to take that as soon as this one is out of the way. */
        lock(op->to);
        int taken = is_taken(op);
        for (struct op *each = op; each && !taken; each = each->next) settle(each->to, each->record, CANCELLED);
        unlock(op->to);
        if (taken) continue;
        struct stream *stream = stream_to(port, air->priority - 2, local_of(air->node), air->port);
        stream->stopped = 1;
        stream->errors++;
        complete(port, unqueue(air), gone ? SEND_TARGET_PORT_CLOSED : SEND_TIMED_OUT);
        if (!air->first) return;
        for (struct op *each = air->first; each; each = each->next) {
            each->to = NULL;
            each->node = local_of(each->node);
            each->since = 0;
        }
        *air->last = stream->first;
        if (!stream->first) stream->last = air->last;
        stream->first = air->first;
        air->first = NULL;
        air->last = &air->first;
        return;
    }
}

static void progress(struct gm_port *port) {
    for (struct stream *each = port->streams; each; each = each->next) {
        if (each->priority >= 2)
            watch(port, each);
        else
            push(port, each);
    }
}

static uint64_t sum_of(struct op *op) {
    const unsigned char *memory = op->memory;
    uint64_t sum = op->length;
    for (size_t i = 0; i < op->length; i++) sum = (sum ^ memory[i]) * 0x100000001b3ull;
    return sum;
}

/* What a late board may read yet. */
static int is_watched(struct gm_port *port, struct op *op) {
    return set.delay && (op->kind == SEND || op->kind == PUT) && is_dma(port, op->memory, op->length);
}

static void start(struct gm_port *port, struct op model, const char *call) {
    if (--port->send_tokens < 0) wrong("%s without a send token", call);
    if (model.priority > 1) wrong("%s with the priority %u", call, model.priority);
    if (!model.callback) wrong("%s without a callback", call);
    /* Whoever sleeps without end has to look now and then from here on. */
    if (atomic_fetch_add(&port->waiting, 1) == 0 && atomic_load(&port->shared->sleepers)) bell(port->shared);
    struct op *op = malloc(sizeof *op);
    *op = model;
    op->next = NULL;
    if (is_watched(port, op)) op->sum = sum_of(op);
    struct stream *stream = stream_to(port, op->priority, op->node, op->port);
    if (op->kind == RESUME || op->kind == DROP) {
        if (stream->errors == 0) wrong("%s of a stream that has not failed", call);
        stream->errors--;
        stream->stopped = stream->errors > 0;
        if (op->kind == DROP) {
            while (stream->first) complete(port, unqueue(stream), SEND_DROPPED);
        }
        complete(port, op, SUCCESS);
    } else {
        *stream->last = op;
        stream->last = &op->next;
    }
    progress(port);
}

static void send_message(struct gm_port *port, struct op op, const char *call) {
    enter(port, call);
    if (op.size < 3 || op.size >= SIZES || op.length > gm_max_length_for_size(op.size)) wrong("a message of %zu bytes with the size %u", op.length, op.size);
    start(port, op, call);
    leave(port);
}

EXPORT void gm_send_with_callback(
        struct gm_port *port, void *message, unsigned size, size_t length, int priority, unsigned node, unsigned id, gm_send_completion_callback_t callback, void *context) {
    send_message(port,
            (struct op){.kind = SEND, .memory = message, .length = length, .size = size, .priority = (unsigned)priority, .node = node, .port = id, .callback = callback, .context = context},
            "gm_send_with_callback");
}

/* To the port of the same number there, whose event says so too. */
EXPORT void gm_send_to_peer_with_callback(
        struct gm_port *port, void *message, unsigned size, size_t length, int priority, unsigned node, gm_send_completion_callback_t callback, void *context) {
    check_open(port, "gm_send_to_peer_with_callback");
    send_message(port,
            (struct op){.kind = SEND, .memory = message, .length = length, .size = size, .priority = (unsigned)priority, .node = node, .port = port->id, .to_peer = 1, .callback = callback, .context = context},
            "gm_send_to_peer_with_callback");
}

static void access_memory(struct gm_port *port, struct op op, const char *call) {
    enter(port, call);
    if (!op.length) wrong("%s of nothing", call);
    start(port, op, call);
    leave(port);
}

EXPORT void gm_directed_send_with_callback(
        struct gm_port *port, void *local, uint64_t remote, size_t length, int priority, unsigned node, unsigned id, gm_send_completion_callback_t callback, void *context) {
    access_memory(port,
            (struct op){.kind = PUT, .memory = local, .remote = remote, .length = length, .priority = (unsigned)priority, .node = node, .port = id, .callback = callback, .context = context},
            "gm_directed_send_with_callback");
}

#ifndef GM_1
static void check_second(const char *call) {
    if (set.api < 0x200) wrong("%s, which GM 1 does not have", call);
}

EXPORT void gm_put(
        struct gm_port *port, void *local, uint64_t remote, size_t length, int priority, unsigned node, unsigned id, gm_send_completion_callback_t callback, void *context) {
    check_second("gm_put");
    access_memory(port,
            (struct op){.kind = PUT, .memory = local, .remote = remote, .length = length, .priority = (unsigned)priority, .node = node, .port = id, .callback = callback, .context = context},
            "gm_put");
}

EXPORT void gm_get(
        struct gm_port *port, uint64_t remote, void *local, size_t length, int priority, unsigned node, unsigned id, gm_send_completion_callback_t callback, void *context) {
    check_second("gm_get");
    access_memory(port,
            (struct op){.kind = GET, .memory = local, .remote = remote, .length = length, .priority = (unsigned)priority, .node = node, .port = id, .callback = callback, .context = context},
            "gm_get");
}
#endif

EXPORT void gm_resume_sending(struct gm_port *port, int priority, unsigned node, unsigned id, gm_send_completion_callback_t callback, void *context) {
    enter(port, "gm_resume_sending");
    start(port, (struct op){.kind = RESUME, .priority = (unsigned)priority, .node = node, .port = id, .callback = callback, .context = context}, "gm_resume_sending");
    leave(port);
}

EXPORT void gm_drop_sends(struct gm_port *port, int priority, unsigned node, unsigned id, gm_send_completion_callback_t callback, void *context) {
    enter(port, "gm_drop_sends");
    start(port, (struct op){.kind = DROP, .priority = (unsigned)priority, .node = node, .port = id, .callback = callback, .context = context}, "gm_drop_sends");
    leave(port);
}

/* Receiving. */

static unsigned *place_of(struct gm_port *port, const void *memory) {
    return &port->places[((uintptr_t)memory >> 3) * 0x9e3779b97f4a7c15ull >> 54];
}

static void add_buffer(struct gm_port *port, struct buffer buffer) {
    unsigned *place = place_of(port, buffer.memory), *top = &port->top[buffer.priority][buffer.size], number = port->free_buffer;
    for (unsigned each = *place; each; each = port->buffers[each].beside)
        if (port->buffers[each].memory == buffer.memory) wrong("a buffer is provided that the library has already");
    port->free_buffer = port->buffers[number].below;
    buffer.below = *top;
    buffer.beside = *place;
    port->buffers[number] = buffer;
    *top = *place = number;
    port->provided++;
    atomic_fetch_add(&port->shared->provided[buffer.priority][buffer.size], 1);
}

/* The one that was provided last. */
static struct buffer take_buffer(struct gm_port *port, unsigned priority, unsigned size) {
    unsigned *top = &port->top[priority][size], number = *top;
    struct buffer taken = port->buffers[number];
    *top = taken.below;
    unsigned *each = place_of(port, taken.memory);
    while (*each != number) each = &port->buffers[*each].beside;
    *each = taken.beside;
    port->buffers[number].below = port->free_buffer;
    port->free_buffer = number;
    port->provided--;
    atomic_fetch_sub(&port->shared->provided[priority][size], 1);
    return taken;
}

EXPORT void gm_provide_receive_buffer_with_tag(struct gm_port *port, void *memory, unsigned size, int priority, unsigned tag) {
    enter(port, "gm_provide_receive_buffer");
    if (port->provided >= (int)set.receive_tokens || port->provided == PROVIDED) wrong("a buffer without a receive token");
    if (size < 3 || size >= SIZES || (unsigned)priority > 1) wrong("a buffer of the size %u and the priority %d", size, priority);
    if ((uintptr_t)memory % 8) wrong("a buffer that is not aligned");
    if (!is_dma(port, memory, gm_max_length_for_size(size))) wrong("a buffer of the size %u that the board can't use as a whole", size);
    add_buffer(port, (struct buffer){.memory = memory, .size = size, .priority = priority & 1, .tag = tag});
    leave(port);
}

EXPORT void gm_provide_receive_buffer(struct gm_port *port, void *memory, unsigned size, int priority) {
    gm_provide_receive_buffer_with_tag(port, memory, size, priority, 0);
}

EXPORT int gm_set_acceptable_sizes(struct gm_port *port, int priority, size_t mask) {
    enter(port, "gm_set_acceptable_sizes");
    if ((unsigned)priority > 1) wrong("acceptable sizes of the priority %d", priority);
    atomic_store(&port->shared->sizes[priority & 1], mask);
    leave(port);
    return SUCCESS;
}

static void put_event(unsigned char *event, size_t at, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) event[at + i] = (unsigned char)(value >> 8 * (bytes - 1 - i));
}

static int is_fast(struct gm_port *port, uint32_t length) {
    if (length > FAST_MOST || set.fast == NONE) return 0;
    return set.fast == ALL || port->shorts % 2 == 0;
}

static int type_of(struct record *record, int fast) {
    return (fast ? FAST_RECV : RECV) + (record->to_peer ? PEER_RECV - RECV : 0) + (int)record->priority;
}

/* What is done with at the beginning of the ring makes room for more. */
static void sweep(struct shared *own) {
    for (;;) {
        uint64_t taken = atomic_load(&own->taken);
        if (taken == atomic_load(&own->written)) return;
        struct record *record = (struct record *)(own->ring + taken % RING);
        if (record->bytes && atomic_load(&record->state) == WAITING) return;
        atomic_store(&own->taken, taken + (record->bytes ? record->bytes : RING - taken % RING));
    }
}

static int has_buffer(struct gm_port *port, struct record *record) {
    return record->priority < 2 && record->size < SIZES && port->top[record->priority][record->size];
}

/* Nobody sends again what the sender can't send again. */
static void give_up(struct gm_port *port, struct record *record) {
    struct shared *own = port->shared, *sender = reach(port, record->node, record->port);
    if (sender && sender->born == record->born) return;
    lock(own);
    if (atomic_load(&record->state) == WAITING) settle(own, record, CANCELLED);
    unlock(own);
}

/* The first message that has a buffer, and none of its stream before it that has not. */
static struct record *next_message(struct gm_port *port) {
    struct shared *own = port->shared;
    struct record *waiting[STREAMS];
    int count = 0;
    sweep(own);
    for (uint64_t at = atomic_load(&own->taken), end = atomic_load(&own->written); at < end;) {
        struct record *record = (struct record *)(own->ring + at % RING);
        at += record->bytes ? record->bytes : RING - at % RING;
        if (!record->bytes || atomic_load(&record->state) != WAITING) continue;
        int behind = 0;
        for (int i = 0; i < count && !behind; i++) behind = waiting[i]->node == record->node && waiting[i]->port == record->port && waiting[i]->priority == record->priority;
        if (behind) continue;
        if (has_buffer(port, record)) return record;
        waiting[count++] = record;
        if (count == STREAMS) break;
    }
    if (count && now() - port->looked >= LOOK_NS) {
        port->looked = now();
        for (int i = 0; i < count; i++) give_up(port, waiting[i]);
    }
    return NULL;
}

static int fetch(struct record *record, void *to) {
    if (record->poisoned)
        memset(to, POISON, record->length);
    else if (record->from)
        return copy(record->pid, (uintptr_t)to, record->from, record->length, 0);
    else
        memcpy(to, record + 1, record->length);
    return 1;
}

static int take(struct gm_port *port, unsigned char *event, unsigned char *fast) {
    struct shared *own = port->shared;
    struct record *record;
    while ((record = next_message(port))) {
        struct buffer into = port->buffers[port->top[record->priority][record->size]];
        if (!is_dma(port, into.memory, gm_max_length_for_size(into.size))) wrong("a message for a buffer that the board can't use any more");
        uint32_t length = record->length, node = record->node, id = record->port;
        int quick = is_fast(port, length), type = type_of(record, quick);
        void *message = quick ? fast : into.memory;
        lock(own);
        int taken = atomic_load(&record->state) == WAITING;
        if (taken) {
            /* Its sender has died if it is not to be had. */
            taken = fetch(record, message);
            settle(own, record, taken ? TAKEN : CANCELLED);
        }
        unlock(own);
        sweep(own);
        if (!taken) continue;
        port->shorts += length <= FAST_MOST;
        take_buffer(port, into.priority, into.size);
        put_event(event, 32, (uintptr_t)message, 8);
        put_event(event, 40, (uintptr_t)into.memory, 8);
        put_event(event, 52, length, 4);
        put_event(event, 56, local_of(node), 2);
        event[60] = (unsigned char)into.tag;
        event[61] = (unsigned char)into.size;
        event[62] = (unsigned char)id;
        event[63] = (unsigned char)type;
        struct shared *sender = reach(port, node, id);
        if (sender && sender != own) bell(sender);
        return 1;
    }
    return 0;
}

static struct alarm **due(struct gm_port *port) {
    for (struct alarm **each = &port->alarms; *each; each = &(*each)->next)
        if ((int64_t)(*each)->deadline <= now()) return each;
    return NULL;
}

static struct alarm *next_alarm(struct gm_port *port) {
    struct alarm **place = due(port), *alarm = place ? *place : NULL;
    if (!alarm) return NULL;
    *place = alarm->next;
    atomic_fetch_sub(&port->waiting, 1);
    return alarm;
}

static int is_due(struct op *op) {
    return !set.delay || now() - op->done >= set.delay;
}

static unsigned char *next_event(struct gm_port *port, int sleep) {
    if (port->bundle || port->ringing) wrong("an event was not given to gm_unknown before the next one was taken");
    /* What was in the last event is gone. */
    memset(port->queue[port->turn].event, POISON, 64);
    memset(port->queue[port->turn].fast, POISON, FAST_MOST);
    port->turn = (port->turn + 1) % EVENTS;
    unsigned char *event = port->queue[port->turn].event;
    memset(event, 0, 64);
    uint32_t heard = atomic_load(&port->shared->bell);
    progress(port);
    struct op **end = &port->complete;
    for (int count = 0; *end && count < BUNDLE && is_due(*end); count++) end = &(*end)->next;
    if (end != &port->complete) {
        port->bundle = port->complete;
        port->complete = *end;
        *end = NULL;
        if (!port->complete) port->complete_last = &port->complete;
        event[63] = SENT_TOKENS;
        return event;
    }
    port->ringing = next_alarm(port);
    if (port->ringing) {
        event[63] = ALARM;
        return event;
    }
    if (take(port, event, port->queue[port->turn].fast)) return event;
    if (sleep) {
        port->heard = heard;
        memset(port->sleep, 0, 64);
        port->sleep[63] = SLEEP;
        return port->sleep;
    }
    return event;
}

EXPORT void *gm_receive(struct gm_port *port) {
    enter(port, "gm_receive");
    unsigned char *event = next_event(port, 0);
    leave(port);
    return event;
}

EXPORT void *gm_blocking_receive_no_spin(struct gm_port *port) {
    enter(port, "gm_blocking_receive_no_spin");
    unsigned char *event = next_event(port, 1);
    leave(port);
    return event;
}

EXPORT void *gm_blocking_receive(struct gm_port *port) {
    enter(port, "gm_blocking_receive");
    int64_t until = now() + 1000000;
    unsigned char *event;
    do event = next_event(port, 1);
    while (event[63] == SLEEP && now() < until);
    leave(port);
    return event;
}

/* The type of the event that is next. */
static int peek(struct gm_port *port, uint16_t *sender) {
    *sender = 0;
    progress(port);
    if (port->complete && is_due(port->complete)) return SENT_TOKENS;
    if (due(port)) return ALARM;
    struct record *record = next_message(port);
    if (!record) return NO_RECV;
    *sender = (uint16_t)local_of(record->node);
    return type_of(record, is_fast(port, record->length));
}

EXPORT int gm_next_event_peek(struct gm_port *port, uint16_t *sender) {
    enter(port, "gm_next_event_peek");
    int type = peek(port, sender);
    leave(port);
    return type;
}

EXPORT int gm_receive_pending(struct gm_port *port) {
    uint16_t sender;
    enter(port, "gm_receive_pending");
    int type = peek(port, &sender);
    leave(port);
    return type != NO_RECV;
}

/* Until something happens to the port, without holding it, as others may use it meanwhile. What ends without a bell is looked for now and then. */
static void sleep_in(struct gm_port *port) {
    struct shared *own = port->shared;
    atomic_fetch_add(&own->sleepers, 1);
    int late = 0;
    while (!late && atomic_load(&own->bell) == port->heard) {
        struct timespec slice = {0, LOOK_NS};
        int waiting = atomic_load(&port->waiting);
        late = syscall(SYS_futex, &own->bell, FUTEX_WAIT, port->heard, waiting ? &slice : NULL, NULL, 0) != 0 && errno == ETIMEDOUT;
    }
    atomic_fetch_sub(&own->sleepers, 1);
}

EXPORT void gm_unknown(struct gm_port *port, void *given) {
    unsigned char *event = given;
    if (!event) wrong("gm_unknown without an event");
    if (event == port->sleep) {
        check_open(port, "gm_unknown");
        sleep_in(port);
        return;
    }
    enter(port, "gm_unknown");
    if (event != port->queue[port->turn].event) wrong("gm_unknown with an event that is gone");
    if (event[63] == SENT_TOKENS) {
        while (port->bundle) {
            struct op *op = port->bundle;
            port->bundle = op->next;
            port->send_tokens++;
            atomic_fetch_sub(&port->waiting, 1);
            if (op->sum && is_watched(port, op) && sum_of(op) != op->sum) wrong("%zu bytes were changed before the callback of what was sent", op->length);
            /* It may send. */
            op->callback(port, op->context, op->status);
            free(op);
        }
    } else if (event[63] == ALARM && port->ringing) {
        struct alarm *alarm = port->ringing;
        port->ringing = NULL;
        alarm->state = 0;
        alarm->callback(alarm->context);
    } else if (event[63] >= RECV && event[63] <= FAST_HIGH_PEER_RECV) {
        wrong("gm_unknown with a message");
    }
    leave(port);
}

EXPORT void *gm_memorize_message(void *message, void *buffer, unsigned length) {
    return memcpy(buffer, message, length);
}

EXPORT void gm_initialize_alarm(struct alarm *alarm) {
    memset(alarm, 0, sizeof *alarm);
}

static void forget(struct gm_port *port, struct alarm *alarm) {
    /* Its event is there, but nobody has given it to gm_unknown. */
    if (port->ringing == alarm) port->ringing = NULL;
    for (struct alarm **each = &port->alarms; *each; each = &(*each)->next) {
        if (*each == alarm) {
            *each = alarm->next;
            atomic_fetch_sub(&port->waiting, 1);
            return;
        }
    }
}

EXPORT void gm_set_alarm(struct gm_port *port, struct alarm *alarm, uint64_t microseconds, void (*callback)(void *), void *context) {
    enter(port, "gm_set_alarm");
    forget(port, alarm);
    atomic_fetch_add(&port->waiting, 1);
    alarm->state = 1;
    alarm->port = port;
    alarm->callback = callback;
    alarm->context = context;
    alarm->deadline = (uint64_t)now() + microseconds * 1000;
    alarm->next = port->alarms;
    port->alarms = alarm;
    leave(port);
    bell(port->shared);
}

EXPORT void gm_cancel_alarm(struct alarm *alarm) {
    if (!alarm->state) return;
    enter(alarm->port, "gm_cancel_alarm");
    forget(alarm->port, alarm);
    alarm->state = 0;
    leave(alarm->port);
}

EXPORT void gm_flush_alarm(struct gm_port *port) {
    enter(port, "gm_flush_alarm");
    leave(port);
}

/* Only counted, of both priorities at once: a program asks before it sends. */

EXPORT int gm_send_token_available(struct gm_port *port, unsigned priority) {
    (void)priority;
    visit(port, "gm_send_token_available");
    return port->counted > 0;
}

EXPORT int gm_alloc_send_token(struct gm_port *port, unsigned priority) {
    (void)priority;
    visit(port, "gm_alloc_send_token");
    int available = port->counted > 0;
    port->counted -= available;
    return available;
}

EXPORT void gm_free_send_tokens(struct gm_port *port, unsigned priority, unsigned count) {
    (void)priority;
    visit(port, "gm_free_send_tokens");
    if (count > (unsigned)set.send_tokens - (unsigned)port->counted) wrong("send tokens are freed that were not allocated");
    port->counted += (int)count;
}

EXPORT void gm_free_send_token(struct gm_port *port, unsigned priority) {
    gm_free_send_tokens(port, priority, 1);
}

/* Nobody may come for what is still here. */
static void forsake(struct op *op) {
    if (op->length <= LONG) return;
    lock(op->to);
    if (!is_taken(op)) settle(op->to, op->record, CANCELLED);
    unlock(op->to);
}

EXPORT void gm_close(struct gm_port *port) {
    enter(port, "gm_close");
    if (port->depth > 1) wrong("gm_close by a callback");
    if (atomic_load(&port->shared->sleepers)) wrong("gm_close while a thread sleeps in gm_unknown");
    atomic_store(&port->shared->closed, 1);
    unlink(port->path);
    bell(port->shared);
    while (port->streams) {
        struct stream *stream = port->streams;
        port->streams = stream->next;
        while (stream->first) {
            struct op *op = unqueue(stream);
            if (stream->priority >= 2) forsake(op);
            free(op);
        }
        free(stream);
    }
    for (unsigned node = 0; node < NODES; node++) {
        for (unsigned id = 0; id < PORTS; id++) {
            for (struct peer *peer = &port->peers[node][id], *next; peer; peer = next) {
                next = peer->next_gone;
                if (peer->shared) {
                    bell(peer->shared);
                    while (peer->views) drop_view(&peer->views);
                    munmap(peer->shared, sizeof *peer->shared);
                    close(peer->file);
                }
                if (peer != &port->peers[node][id]) free(peer);
            }
        }
    }
    for (struct op *each = port->complete, *next; each; each = next) {
        next = each->next;
        free(each);
    }
    for (unsigned i = 0; i < port->ranges; i++) {
        if (port->dma[i].owned) wrong("gm_close before gm_dma_free");
        unmap_range(port, i);
    }
    munmap(port->shared, sizeof *port->shared);
    close(port->file);
    pthread_mutex_lock(&opening);
    for (int i = 0; i < MOST_OPEN; i++)
        if (open_ports[i] == port) open_ports[i] = NULL;
    pthread_mutex_unlock(&opening);
    free(port);
}
