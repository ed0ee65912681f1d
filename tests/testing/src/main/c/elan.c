/*
 * An emulation of Quadrics' libelan (libelan.so) for Elan4 between processes of one host: joining a job, put, get and events. It exports what programs call, under the same names, and keeps the rules: a
 * program that breaks one is ended by abort(), as the original would do, behind a line on its standard error that begins with "elan emulation:".
 *
 * Each process of a job is a file below ELANEMU_DIR that its owner holds a lock on, so that whoever is killed leaves nothing that is in the way. What is put is written straight into the memory of the
 * other process, the last eight bytes last.
 *
 * Of the job: LIBELAN_ECAP0 or LIBELAN_ECAP, a text that all its processes have; RMS_PROCID and RMS_NPROCS, which process this one is, and of how many.
 *
 *   ELANEMU_DIR             where the processes are (/tmp/elanemu.<uid>)
 *   ELANEMU_VP_OFFSET       where in the state vp and nvp stand (12)
 *   ELANEMU_STATE_OFFSET    where in the base the state stands, a multiple of 8 below 2048 (another one in each process); none: nowhere
 *   ELANEMU_TWICE           1: there are two structures that look like the state (0)
 *   ELANEMU_BARRIER         1: elan_baseInit waits until all processes have called it (0)
 *   ELANEMU_DELAY_US        so long nothing of more than eight bytes is moved, and the program must leave alone what it puts (0: all is moved before the call returns)
 *   ELANEMU_DEAF            1: what is put never arrives (0)
 *   ELANEMU_REQUIRE_GALLOC  1: only memory of elan_allocMain and elan_gallocMain can be used, as with Elan3 (0)
 *   ELANEMU_EVENTS          how many events there may be at once (4096)
 *   ELANEMU_STRICT          0: nobody is ended, what is wrong is ignored (1)
 *
 * Read so where its users do not say it: a process that has died takes nothing, and events of what goes to it are never done; elan_link(old, new) makes old be done when both are, and new is no event of
 * its own any more; elan_baseInit may be called once.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

#define MAGIC 0x454c414e656d7531ull
#define BASE 4096
#define STATE 64
#define MOST_PROCESSES 65536
#define MOST_EVENTS 65536
#define MOST_RANGES 4096
#define LAST 8

typedef struct event ELAN_EVENT;
typedef void ELAN_STATE, ELAN_BASE, ELAN_GROUP;

/* What stands in the file of a process; tests look for its owner's number behind the first one. */
struct shared {
    _Atomic uint64_t magic;
    pid_t pid;
    _Atomic int here;
};

enum kind { FREE, PUT, GET, NOTHING };

struct op {
    enum kind kind;
    uint32_t generation;
    int done, never;
    unsigned char *from, *to;
    size_t bytes;
    unsigned vp;
    int64_t due;
    uint64_t sum;
    int linked; /* another one that has to be done too, or -1 */
    int next;   /* of those that wait to be moved, or of those that are free */
};

static struct {
    int begun, attached;
    unsigned vp, nvp;
    char folder[PATH_MAX - 64];
    int file;
    struct shared *own;
    pid_t pid;
    long long delay, most_events, strict, deaf, galloc;
    unsigned char *base, *state;
    struct shared **peers;
    struct op *ops;
    int free_op, first, last;
    _Atomic pid_t user;
    struct {
        uintptr_t at, bytes;
    } range[MOST_RANGES];
    int ranges;
} my;

EXPORT void *elan_base;

/* What the adapter and the program both change. */
static pthread_mutex_t adapter = PTHREAD_MUTEX_INITIALIZER;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static long long setting(const char *name, long long otherwise) {
    const char *text = getenv(name);
    return text && *text ? strtoll(text, NULL, 0) : otherwise;
}

__attribute__((format(printf, 1, 2))) static void wrong(const char *form, ...) {
    if (my.begun && !my.strict) return;
    va_list words;
    va_start(words, form);
    fputs("elan emulation: ", stderr);
    vfprintf(stderr, form, words);
    fputc('\n', stderr);
    va_end(words);
    abort();
}

static void enter(const char *call, const void *state) {
    if (!my.attached) {
        fprintf(stderr, "elan emulation: %s before elan_baseInit, or after elan_fini\n", call);
        abort();
    }
    pid_t me = (pid_t)syscall(SYS_gettid), nobody = 0;
    if (!atomic_compare_exchange_strong(&my.user, &nobody, me)) wrong("%s while another thread is within the library", call);
    if (my.pid != getpid()) wrong("%s by a child process", call);
    if (state && state != my.state) {
        /* Not even the lenient one can go on with it. */
        fprintf(stderr, "elan emulation: %s with something that is no state\n", call);
        abort();
    }
    pthread_mutex_lock(&adapter);
}

static void leave(void) {
    pthread_mutex_unlock(&adapter);
    atomic_store(&my.user, 0);
}

/* Joining a job. */

static const char *capability(void) {
    const char *text = getenv("LIBELAN_ECAP0");
    if (!text || !*text) text = getenv("LIBELAN_ECAP");
    if (!text || !*text) wrong("there is no capability in the environment");
    return text;
}

static unsigned number(const char *name, long long least, long long most) {
    const char *text = getenv(name);
    char *end = NULL;
    long long value = text && *text ? strtoll(text, &end, 10) : -1;
    if (!text || !*text || *end || value < least || value > most) wrong("%s is %s, which is no number from %lld to %lld", name, text ? text : "not set", least, most);
    return (unsigned)value;
}

static void path_of(unsigned vp, char *path, size_t bytes) {
    snprintf(path, bytes, "%s/%u", my.folder, vp);
}

static void find_folder(void) {
    uint64_t hash = 0xcbf29ce484222325ull;
    for (const char *at = capability(); *at; at++) hash = (hash ^ (unsigned char)*at) * 0x100000001b3ull;
    const char *all = getenv("ELANEMU_DIR");
    char parent[PATH_MAX - 128];
    if (all && *all)
        snprintf(parent, sizeof parent, "%s", all);
    else
        snprintf(parent, sizeof parent, "/tmp/elanemu.%u", (unsigned)getuid());
    mkdir(parent, 0700);
    snprintf(my.folder, sizeof my.folder, "%s/%016llx", parent, (unsigned long long)hash);
    mkdir(my.folder, 0700);
}

static void take_place(void) {
    char path[PATH_MAX];
    path_of(my.vp, path, sizeof path);
    for (;;) {
        struct stat here, there;
        my.file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (my.file < 0) wrong("%s: %s", path, strerror(errno));
        if (flock(my.file, LOCK_EX | LOCK_NB) != 0) wrong("there is a process %u of this job already", my.vp);
        /* One that was left by somebody who was killed is made anew. */
        if (fstat(my.file, &here) == 0 && stat(path, &there) == 0 && here.st_ino == there.st_ino) {
            if (here.st_size == 0) break;
            unlink(path);
        }
        close(my.file);
    }
    if (ftruncate(my.file, sizeof(struct shared)) != 0) wrong("%s: %s", path, strerror(errno));
    my.own = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, my.file, 0);
    if (my.own == MAP_FAILED) wrong("%s: %s", path, strerror(errno));
    my.own->pid = my.pid;
    atomic_store(&my.own->magic, MAGIC);
    atomic_store(&my.own->here, 1);
}

/* What another process shows of itself; NULL if it has never been there. */
static struct shared *peer(unsigned vp) {
    if (my.peers[vp]) return my.peers[vp];
    char path[PATH_MAX];
    path_of(vp, path, sizeof path);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return NULL;
    struct shared *found = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    struct stat size;
    int whole = fstat(file, &size) == 0 && size.st_size == sizeof(struct shared);
    close(file);
    if (found == MAP_FAILED) return NULL;
    if (!whole || atomic_load(&found->magic) != MAGIC) {
        munmap(found, sizeof(struct shared));
        return NULL;
    }
    return my.peers[vp] = found;
}

static void put_pointer(unsigned char *at, const void *pointer) {
    memcpy(at, &pointer, sizeof pointer);
}

static void put_number(unsigned char *at, unsigned value) {
    memcpy(at, &value, sizeof value);
}

static unsigned char *a_state(unsigned vp, unsigned nvp, unsigned vp_offset) {
    static const char version[] = "1.4.8 (emulated)";
    unsigned char *state = calloc(1, STATE);
    if (!state) abort();
    for (unsigned at = 16; at < STATE; at += 8) put_number(state + at, 0x5000 + at);
    put_pointer(state, version);
    put_number(state + 8, 1);
    put_number(state + 12, 7777);
    put_number(state + 16, 8888);
    put_number(state + vp_offset, vp);
    put_number(state + vp_offset + 4, nvp);
    return state;
}

/* Numbers, pointers to memory that can and can't be read, and structures that are almost right, with the state among them. */
static void make_base(void) {
    unsigned vp_offset = (unsigned)setting("ELANEMU_VP_OFFSET", 12);
    if (vp_offset % 4 || vp_offset < 8 || vp_offset > STATE - 8) wrong("ELANEMU_VP_OFFSET is %u", vp_offset);
    const char *text = getenv("ELANEMU_STATE_OFFSET");
    unsigned at = 256 + 8 * ((unsigned)my.pid * 2654435761u >> 8) % (2048 - 256 - 64);
    if (text && *text && strcmp(text, "none")) at = (unsigned)setting("ELANEMU_STATE_OFFSET", 0);
    if (at % 8 || at >= 2048) wrong("ELANEMU_STATE_OFFSET is %u", at);
    my.base = calloc(1, BASE);
    my.state = a_state(my.vp, my.nvp, vp_offset);
    if (!my.base) abort();
    unsigned char *decoy = a_state(my.vp + 1, my.nvp, vp_offset), *no_text = a_state(my.vp, my.nvp, vp_offset), *zeros = calloc(1, STATE);
    put_pointer(no_text, zeros);
    for (unsigned word = 0; word < BASE / 8; word++) {
        unsigned char *to = my.base + 8 * word;
        switch (word % 7) {
        case 0: put_number(to, word); break;
        case 1: put_pointer(to, (void *)0x10); break;
        case 2: put_pointer(to, decoy); break;
        case 3: put_pointer(to, no_text); break;
        case 4: put_pointer(to, (void *)(uintptr_t)0x7fffffffe000); break;
        case 5: put_pointer(to, zeros); break;
        default: put_number(to, 2048); break;
        }
    }
    if (!text || strcmp(text, "none")) {
        put_pointer(my.base + at, my.state);
        put_pointer(my.base + at + 8, zeros);
        if (setting("ELANEMU_TWICE", 0)) put_pointer(my.base + at + 16, a_state(my.vp, my.nvp, vp_offset));
    }
}

static void go_on(void);

/* It moves what is due without being asked. */
static void *run_adapter(void *unused) {
    for (;;) {
        pthread_mutex_lock(&adapter);
        go_on();
        pthread_mutex_unlock(&adapter);
        usleep(20);
    }
    return unused;
}

EXPORT ELAN_BASE *elan_baseInit(int flags) {
    (void)flags;
    if (my.begun) {
        fputs("elan emulation: elan_baseInit for the second time\n", stderr);
        abort();
    }
    my.pid = getpid();
    my.nvp = number("RMS_NPROCS", 1, MOST_PROCESSES);
    my.vp = number("RMS_PROCID", 0, my.nvp - 1);
    my.delay = setting("ELANEMU_DELAY_US", 0) * 1000;
    my.most_events = setting("ELANEMU_EVENTS", 4096);
    my.deaf = setting("ELANEMU_DEAF", 0);
    my.galloc = setting("ELANEMU_REQUIRE_GALLOC", 0);
    if (my.most_events < 1 || my.most_events > MOST_EVENTS) wrong("ELANEMU_EVENTS is %lld", my.most_events);
    my.peers = calloc(my.nvp, sizeof *my.peers);
    my.ops = calloc((size_t)my.most_events, sizeof *my.ops);
    if (!my.peers || !my.ops) abort();
    for (int i = 0; i < my.most_events; i++) my.ops[i].next = i + 1 < my.most_events ? i + 1 : -1;
    my.first = my.last = -1;
    find_folder();
    take_place();
    make_base();
    my.strict = setting("ELANEMU_STRICT", 1);
    if (setting("ELANEMU_BARRIER", 0))
        for (unsigned vp = 0; vp < my.nvp; vp++)
            while (!peer(vp) || !atomic_load(&peer(vp)->here)) usleep(1000);
    my.begun = my.attached = 1;
    pthread_t thread;
    if (my.delay && pthread_create(&thread, NULL, run_adapter, NULL) != 0) wrong("there is no thread for the adapter");
    return elan_base = my.base;
}

EXPORT ELAN_STATE *elan_init(int flags) {
    (void)elan_baseInit(flags);
    return my.state;
}

EXPORT int elan_attach(ELAN_STATE *state) {
    enter("elan_attach", state);
    leave();
    return 0;
}

EXPORT void elan_enable_network(ELAN_STATE *state) {
    enter("elan_enable_network", state);
    leave();
}

EXPORT void elan_disable_network(ELAN_STATE *state) {
    enter("elan_disable_network", state);
    leave();
}

EXPORT void elan_fini(ELAN_STATE *state, ELAN_GROUP *group, int flag) {
    (void)group, (void)flag;
    enter("elan_fini", state);
    my.attached = 0;
    close(my.file);
    leave();
}

EXPORT const char *elan_version(void) {
    return "1.4.8 (emulated)";
}

EXPORT int elan_checkVersion(const char *version) {
    return version && !strncmp(version, "1.4", 3);
}

EXPORT uint64_t elan_clock(ELAN_STATE *state) {
    (void)state;
    return (uint64_t)now();
}

EXPORT int elan_nRails(ELAN_STATE *state) {
    enter("elan_nRails", state);
    leave();
    return 1;
}

/* Memory. */

static int is_given(const void *memory, size_t bytes) {
    uintptr_t at = (uintptr_t)memory;
    for (int i = 0; i < my.ranges; i++)
        if (at >= my.range[i].at && at + bytes <= my.range[i].at + my.range[i].bytes) return 1;
    return 0;
}

EXPORT int elan_addressable(ELAN_STATE *state, const void *memory, size_t bytes) {
    enter("elan_addressable", state);
    int can = !my.galloc || is_given(memory, bytes);
    leave();
    return can;
}

EXPORT void *elan_allocMain(ELAN_STATE *state, size_t align, size_t bytes) {
    enter("elan_allocMain", state);
    void *memory = NULL;
    if (my.ranges < MOST_RANGES && posix_memalign(&memory, align < sizeof memory ? sizeof memory : align, bytes) == 0) {
        my.range[my.ranges].at = (uintptr_t)memory;
        my.range[my.ranges++].bytes = bytes;
    }
    leave();
    return memory;
}

EXPORT void elan_free(ELAN_STATE *state, void *memory) {
    enter("elan_free", state);
    int i = 0;
    while (i < my.ranges && my.range[i].at != (uintptr_t)memory) i++;
    if (i == my.ranges)
        wrong("elan_free of memory that it has not given");
    else {
        my.range[i] = my.range[--my.ranges];
        free(memory);
    }
    leave();
}

EXPORT void *elan_gallocMain(ELAN_BASE *base, ELAN_GROUP *group, size_t align, size_t bytes) {
    (void)base, (void)group;
    return elan_allocMain(my.state, align, bytes);
}

/* Put and get. */

static uint64_t sum_of(const unsigned char *at, size_t bytes) {
    uint64_t sum = bytes;
    for (size_t i = 0; i < bytes; i++) sum = (sum ^ at[i]) * 0x100000001b3ull;
    return sum;
}

/* Whether the other process is there to take or give it. */
static int copy(int write, pid_t pid, unsigned char *ours, unsigned char *theirs, size_t bytes) {
    while (bytes) {
        struct iovec here = {ours, bytes}, there = {theirs, bytes};
        ssize_t moved = write ? process_vm_writev(pid, &here, 1, &there, 1, 0) : process_vm_readv(pid, &here, 1, &there, 1, 0);
        if (moved < 0 && errno == ESRCH) return 0;
        if (moved <= 0) {
            struct iovec look = {&(unsigned char){0}, 1}, mine = {ours, 1};
            int own = process_vm_readv(getpid(), &look, 1, &mine, 1, 0) != 1;
            wrong("%s %p of %s, which can't be %s: %s", write ? "elan_put to" : "elan_get from", (void *)(own ? ours : theirs), own ? "this process" : "the other process",
                  write && !own ? "written" : "used", strerror(errno));
            return 0;
        }
        ours += moved;
        theirs += moved;
        bytes -= (size_t)moved;
    }
    return 1;
}

static void move(struct op *op) {
    struct shared *other = peer(op->vp);
    int there;
    if (op->kind == PUT && op->due && sum_of(op->from, op->bytes) != op->sum) wrong("what elan_put was given at %p was changed before it was written", (void *)op->from);
    if (op->kind == PUT && my.deaf)
        there = 0;
    else if (op->kind == PUT) {
        size_t last = op->bytes >= LAST ? LAST : op->bytes, body = op->bytes - last;
        there = copy(1, other->pid, op->from, op->to, body);
        atomic_thread_fence(memory_order_seq_cst);
        if (there && (uintptr_t)(op->to + body) % LAST && last == LAST) {
            /* Not one store, so it is seen in two halves. */
            there = copy(1, other->pid, op->from + body + LAST / 2, op->to + body + LAST / 2, LAST / 2);
            usleep(50);
            there = there && copy(1, other->pid, op->from + body, op->to + body, LAST / 2);
        } else if (there)
            there = copy(1, other->pid, op->from + body, op->to + body, last);
    } else
        there = copy(0, other->pid, op->to, op->from, op->bytes);
    op->never = !there;
    op->done = there;
}

/* Moves what is due, each in its turn. */
static void go_on(void) {
    if (my.first < 0) return;
    int64_t time = now();
    while (my.first >= 0 && my.ops[my.first].due <= time) {
        struct op *op = &my.ops[my.first];
        my.first = op->next;
        if (my.first < 0) my.last = -1;
        move(op);
    }
}

static ELAN_EVENT *handle_of(int index) {
    return (ELAN_EVENT *)(uintptr_t)((uint64_t)my.ops[index].generation << 20 | (unsigned)index << 3 | 0x100000000000000ull);
}

static int index_of(ELAN_EVENT *event, const char *call) {
    uint64_t handle = (uint64_t)(uintptr_t)event;
    int index = (int)(handle >> 3 & (MOST_EVENTS * 2 - 1));
    if (index >= my.most_events || my.ops[index].kind == FREE || handle_of(index) != event) {
        fprintf(stderr, "elan emulation: %s of what is no event, or none any more\n", call);
        abort();
    }
    return index;
}

static int new_op(enum kind kind) {
    int index = my.free_op;
    if (index < 0) {
        fprintf(stderr, "elan emulation: more than %lld events at once\n", my.most_events);
        abort();
    }
    struct op *op = &my.ops[index];
    my.free_op = op->next;
    uint32_t generation = op->generation + 1;
    memset(op, 0, sizeof *op);
    op->generation = generation;
    op->kind = kind;
    op->linked = op->next = -1;
    return index;
}

static ELAN_EVENT *begin(enum kind kind, const char *call, ELAN_STATE *state, void *from, void *to, size_t bytes, unsigned vp) {
    enter(call, state);
    go_on();
    if (vp >= my.nvp) wrong("%s with process %u of %u", call, vp, my.nvp);
    if (bytes == 0 || bytes > 1ull << 40) wrong("%s of %zu bytes", call, bytes);
    if (!peer(vp)) {
        fprintf(stderr, "elan emulation: %s with process %u, which has not joined the job\n", call, vp);
        abort();
    }
    if (my.galloc && !is_given(kind == PUT ? from : to, bytes)) wrong("%s with memory that the library has not given", call);
    int index = new_op(kind);
    struct op *op = &my.ops[index];
    op->from = from;
    op->to = to;
    op->bytes = bytes;
    op->vp = vp;
    /* Only within one put is the order of bytes known, so the shortest ones overtake the others. */
    if (my.delay && bytes > LAST) {
        op->due = now() + my.delay;
        if (kind == PUT) op->sum = sum_of(from, bytes);
        if (my.last >= 0)
            my.ops[my.last].next = index;
        else
            my.first = index;
        my.last = index;
    } else
        move(op);
    ELAN_EVENT *event = handle_of(index);
    leave();
    return event;
}

EXPORT ELAN_EVENT *elan_put(ELAN_STATE *state, void *from, void *to, size_t bytes, unsigned vp) {
    return begin(PUT, "elan_put", state, from, to, bytes, vp);
}

EXPORT ELAN_EVENT *elan_get(ELAN_STATE *state, void *from, void *to, size_t bytes, unsigned vp) {
    return begin(GET, "elan_get", state, from, to, bytes, vp);
}

EXPORT ELAN_EVENT *elan_nullEvent(ELAN_STATE *state) {
    enter("elan_nullEvent", state);
    int index = new_op(NOTHING);
    my.ops[index].done = 1;
    ELAN_EVENT *event = handle_of(index);
    leave();
    return event;
}

static void release(int index) {
    my.ops[index].kind = FREE;
    my.ops[index].next = my.free_op;
    my.free_op = index;
}

static int is_done(int index) {
    for (; index >= 0; index = my.ops[index].linked)
        if (!my.ops[index].done) return 0;
    return 1;
}

static int look(ELAN_EVENT *event, const char *call, int frees) {
    enter(call, NULL);
    int index = index_of(event, call);
    go_on();
    int done = is_done(index);
    while (done && frees && index >= 0) {
        int next = my.ops[index].linked;
        release(index);
        index = next;
    }
    leave();
    return done;
}

EXPORT int elan_poll(ELAN_EVENT *event, long how) {
    int done = look(event, "elan_poll", 1);
    for (long i = 0; !done && i < how; i++) done = look(event, "elan_poll", 1);
    return done;
}

EXPORT int elan_done(ELAN_EVENT *event, long how) {
    (void)how;
    return look(event, "elan_done", 0);
}

EXPORT void elan_wait(ELAN_EVENT *event, long how) {
    (void)how;
    while (!look(event, "elan_wait", 1)) usleep(10);
}

EXPORT ELAN_EVENT *elan_link(ELAN_EVENT *older, ELAN_EVENT *newer) {
    enter("elan_link", NULL);
    int index = index_of(older, "elan_link"), added = index_of(newer, "elan_link");
    if (index == added) wrong("elan_link of an event with itself");
    while (my.ops[index].linked >= 0) index = my.ops[index].linked;
    my.ops[index].linked = added;
    leave();
    return older;
}

EXPORT void elan_putWaitAll(ELAN_STATE *state, long how) {
    (void)how;
    for (int waits = 1; waits;) {
        enter("elan_putWaitAll", state);
        go_on();
        waits = my.first >= 0;
        leave();
    }
}

EXPORT void elan_getWaitAll(ELAN_STATE *state, long how) {
    elan_putWaitAll(state, how);
}

/* All processes that are wanted have come so far: a counter in each one's file would tell more, and nobody needs it. */
EXPORT void elan_gsync(ELAN_GROUP *group) {
    (void)group;
    for (unsigned vp = 0; vp < my.nvp; vp++)
        while (!peer(vp)) usleep(1000);
}
