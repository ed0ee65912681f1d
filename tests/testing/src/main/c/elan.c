/*
 * An emulation of Quadrics' libelan (libelan.so) for Elan4 between processes of one host: joining a job, put, get and events. It exports what programs call, under the same names, and keeps the rules: a
 * program that breaks one is ended by abort(), as the original would do, behind a line on its standard error that begins with "elan emulation:".
 *
 * Each process of a job is a file below ELANEMU_DIR that its owner holds a lock on, so that whoever is killed leaves nothing that is in the way. What is put is written straight into the memory of the
 * other process by process_vm_writev, the last eight bytes in a call of their own behind a fence: where they are aligned, the kernel stores them at once.
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
 *   ELANEMU_DEAD            what becomes of a put to a process that has died, and of a get from it: never, it is never done; abort, it ends this one (never)
 *   ELANEMU_REQUIRE_GALLOC  1: only memory of elan_allocMain and elan_gallocMain can be used, at both ends, as with Elan3 (0)
 *   ELANEMU_EVENTS          how many events there may be at once (4096)
 *   ELANEMU_STRICT          0: nobody is ended, what is wrong is ignored, as far as one can go on with it (1)
 *
 * Read so where its users do not say it:
 *   - elan_baseInit may be called once, and does all of elan_init, elan_attach and elan_enable_network, without which nothing can be put;
 *   - elan_link(old, new) makes old be done when both are, and returns it; new is no event of its own any more;
 *   - elan_done tells whether an event is done and leaves it; elan_putWaitAll and elan_getWaitAll leave the events too;
 *   - memory of elan_gallocMain is at the same address in processes that have asked for the same in the same order, and the call waits for nobody;
 *   - elan_hbcast takes from the root's buf, and gives into everybody's dest;
 *   - a process that has called elan_fini is gone, and who puts to it then has made a mistake, unlike who puts to one that has died;
 *   - one thread at a time means: also no other call while one waits in elan_wait or elan_gsync.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
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
#define PAGE 4096
/* Nobody maps anything there unasked. */
#define SYMMETRIC 0x200000000000ull
/* So long a peer that was seen is taken for the same process: numbers of processes do not come round in that time. */
#define SEEN_NS 10000000
#define POISON 0xeb

typedef struct event ELAN_EVENT;
typedef void ELAN_STATE, ELAN_BASE, ELAN_GROUP;

/* What stands in the file of a process; tests look for its owner's number behind the first one. */
struct shared {
    _Atomic uint64_t magic;
    pid_t pid;
    _Atomic int here, gone;
    /* How often elan_gsync was called, and what the root of an elan_hbcast gives. */
    _Atomic uint64_t synced;
    _Atomic uintptr_t given;
    /* What elan_allocMain has given; bytes is 0 where there is nothing, and at is written before it. */
    struct {
        _Atomic uint64_t at, bytes;
    } range[MOST_RANGES];
};

struct peer {
    struct shared *shared;
    ino_t file;
    int dead;
    int64_t seen;
};

enum kind { FREE, PUT, GET, NOTHING };

struct op {
    enum kind kind;
    uint32_t generation;
    int done, linked_to;
    unsigned char *from, *to;
    size_t bytes;
    unsigned vp;
    int64_t due;
    uint64_t sum;
    int linked; /* another one that has to be done too, or -1 */
    int next;   /* of those that wait to be moved, or of those that are free */
};

static struct {
    int begun, attached, enabled;
    unsigned vp, nvp;
    char folder[PATH_MAX - 64];
    int file;
    struct shared *own;
    pid_t pid;
    long long delay, most_events, strict, deaf, galloc, dead_aborts;
    unsigned char *base, *state, *group;
    struct peer *peers;
    struct op *ops;
    int free_op, first, last;
    uint64_t open_puts, open_gets;
    uint64_t symmetric;
    /* A child of this process finds it empty. */
    volatile char *parent;
    char *_Atomic user;
    /* Of elan_gallocMain, in the same order as the process's ranges. */
    unsigned char collective[MOST_RANGES];
} my;

/* Its address is this thread's name. */
static _Thread_local char thread;

EXPORT void *elan_base;

/* What the adapter and the program both change. */
static pthread_mutex_t adapter = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static long long setting(const char *name, long long otherwise) {
    const char *text = getenv(name);
    return text && *text ? strtoll(text, NULL, 0) : otherwise;
}

static void say(const char *form, va_list words) {
    char line[PATH_MAX + 256] = "elan emulation: ";
    size_t begin = strlen(line);
    int length = vsnprintf(line + begin, sizeof line - begin - 1, form, words);
    size_t end = length < 0 ? begin : begin + (size_t)length < sizeof line - 1 ? begin + (size_t)length : sizeof line - 2;
    line[end++] = '\n';
    /* In one piece, as others may be ended too. */
    while (write(STDERR_FILENO, line, end) < 0 && errno == EINTR) continue;
}

/* What nobody can go on with. */
__attribute__((format(printf, 1, 2), noreturn)) static void fatal(const char *form, ...) {
    va_list words;
    va_start(words, form);
    say(form, words);
    abort();
}

__attribute__((format(printf, 1, 2))) static void wrong(const char *form, ...) {
    if (my.begun && !my.strict) return;
    va_list words;
    va_start(words, form);
    say(form, words);
    abort();
}

static void enter(const char *call, const void *state) {
    if (!my.begun) fatal("%s before elan_baseInit", call);
    if (!*my.parent) {
        wrong("%s by a child process", call);
        *my.parent = 1;
    }
    char *nobody = NULL;
    if (!atomic_compare_exchange_strong(&my.user, &nobody, &thread)) wrong("%s while another thread is within the library", call);
    if (!my.attached) fatal("%s after elan_fini", call);
    if (state != my.state) fatal("%s with something that is no state", call);
    pthread_mutex_lock(&adapter);
}

static void leave(void) {
    pthread_mutex_unlock(&adapter);
    atomic_store(&my.user, NULL);
}

/* The adapter works meanwhile, and other threads must not. */
static void pause_within(void) {
    pthread_mutex_unlock(&adapter);
    usleep(20);
    pthread_mutex_lock(&adapter);
}

/* Joining a job. */

static const char *capability(void) {
    const char *text = getenv("LIBELAN_ECAP0");
    if (!text || !*text) text = getenv("LIBELAN_ECAP");
    if (!text || !*text) fatal("there is no capability in the environment");
    return text;
}

static unsigned number(const char *name, long long least, long long most) {
    const char *text = getenv(name);
    char *end = NULL;
    long long value = text && *text ? strtoll(text, &end, 10) : -1;
    if (!text || !*text || *end || value < least || value > most) fatal("%s is %s, which is no number from %lld to %lld", name, text ? text : "not set", least, most);
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

/*
 * These locks go with whoever has opened the file, and whether there is one can be asked without taking it. Who comes holds the one of the second byte. Whoever has the place holds the one of the first
 * byte as well, which who only clears away what somebody left never does: else a file without a process would look as if it had one.
 */
enum { PLACE, COMING };

static struct flock lock_of(off_t byte) {
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
}

static int has_owner(int file) {
    struct flock lock = lock_of(PLACE);
    return fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* A process that has this place later has another file there. */
static int is_alive(unsigned vp, ino_t known) {
    char path[PATH_MAX];
    path_of(vp, path, sizeof path);
    struct stat there;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return 0;
    int alive = fstat(file, &there) == 0 && there.st_ino == known && has_owner(file);
    close(file);
    return alive;
}

static void take_place(void) {
    char path[PATH_MAX];
    path_of(my.vp, path, sizeof path);
    for (;;) {
        struct stat here, there;
        my.file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (my.file < 0) fatal("%s: %s", path, strerror(errno));
        struct flock coming = lock_of(COMING), place = lock_of(PLACE);
        if (fcntl(my.file, F_OFD_SETLK, &coming) != 0) fatal("there is a process %u of this job already", my.vp);
        /* One that was left by somebody who was killed is made anew. */
        if (fstat(my.file, &here) == 0 && stat(path, &there) == 0 && here.st_ino == there.st_ino) {
            if (here.st_size == 0 && fcntl(my.file, F_OFD_SETLK, &place) == 0) break;
            unlink(path);
        }
        close(my.file);
    }
    if (ftruncate(my.file, sizeof(struct shared)) != 0) fatal("%s: %s", path, strerror(errno));
    my.own = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, my.file, 0);
    if (my.own == MAP_FAILED) fatal("%s: %s", path, strerror(errno));
    my.own->pid = my.pid;
    atomic_store(&my.own->magic, MAGIC);
}

/* What another process shows of itself, and whether it has died; NULL if it has never been there. */
static struct shared *peer(unsigned vp, int *dead) {
    struct peer *peer = &my.peers[vp];
    *dead = 0;
    if (!peer->shared) {
        char path[PATH_MAX];
        path_of(vp, path, sizeof path);
        int file = open(path, O_RDWR | O_CLOEXEC);
        if (file < 0) return NULL;
        struct stat size;
        struct shared *found = MAP_FAILED;
        if (fstat(file, &size) == 0 && size.st_size == sizeof(struct shared)) found = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (found == MAP_FAILED || atomic_load(&found->magic) != MAGIC) {
            if (found != MAP_FAILED) munmap(found, sizeof(struct shared));
            close(file);
            return NULL;
        }
        int owned = has_owner(file);
        close(file);
        if (!owned) {
            /* Left by somebody. Another process may have this place yet. */
            *dead = 1;
            munmap(found, sizeof(struct shared));
            return my.own;
        }
        *peer = (struct peer){.shared = found, .file = size.st_ino, .seen = now()};
    }
    /* Else what is put could get into a process that has nothing to do with it and happens to have the number. */
    if (!peer->dead && now() - peer->seen > SEEN_NS) {
        peer->dead = !atomic_load(&peer->shared->gone) && !is_alive(vp, peer->file);
        peer->seen = now();
    }
    *dead = peer->dead;
    return peer->shared;
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
    if (vp_offset % 4 || vp_offset < 8 || vp_offset > STATE - 8) fatal("ELANEMU_VP_OFFSET is %u", vp_offset);
    const char *text = getenv("ELANEMU_STATE_OFFSET");
    int nowhere = text && !strcmp(text, "none");
    /* With room for the group and a second state behind it. */
    unsigned at = 256 + 8 * (((unsigned)my.pid * 2654435761u >> 8) % ((2048 - 256) / 8 - 2));
    if (text && *text && !nowhere) at = (unsigned)setting("ELANEMU_STATE_OFFSET", 0);
    if (at % 8 || at >= 2048) fatal("ELANEMU_STATE_OFFSET is %u", at);
    static const unsigned char no_letters[] = {7, 1, 2, 3, 0};
    my.base = calloc(1, BASE);
    my.group = calloc(1, STATE);
    my.state = a_state(my.vp, my.nvp, vp_offset);
    unsigned char *zeros = calloc(1, STATE), *edge = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!my.base || !my.group || !zeros || edge == MAP_FAILED || mprotect(edge + PAGE, PAGE, PROT_NONE) != 0) abort();
    unsigned char *decoy = a_state(my.vp + 1, my.nvp, vp_offset);
    unsigned char *no_text = a_state(my.vp, my.nvp, vp_offset), *no_printable = a_state(my.vp, my.nvp, vp_offset), *no_memory = a_state(my.vp, my.nvp, vp_offset);
    put_pointer(no_text, zeros);
    put_pointer(no_printable, no_letters);
    put_pointer(no_memory, (void *)0x10);
    /* So near the end of what can be read that the pair is behind it. */
    memcpy(edge + PAGE - 8, my.state, 8);
    const void *const found[] = {(void *)0x10, decoy, no_text, (void *)0x7fffffffe000, zeros, (void *)2048, no_printable, edge + PAGE - 8, no_memory, edge + PAGE, my.state + 4, (void *)-8};
    for (unsigned word = 0; word < BASE / 8; word++) {
        unsigned turn = word % (sizeof found / sizeof *found + 1);
        if (turn == 0)
            put_number(my.base + 8 * word, word);
        else
            put_pointer(my.base + 8 * word, found[turn - 1]);
    }
    if (!nowhere) {
        put_pointer(my.base + at, my.state);
        put_pointer(my.base + at + 8, my.group);
        if (setting("ELANEMU_TWICE", 0)) put_pointer(my.base + at + 16, a_state(my.vp, my.nvp, vp_offset));
    }
}

static void go_on(void);
static void synchronise(void);

/* It moves what is due without being asked. */
static void *run_adapter(void *unused) {
    prctl(PR_SET_NAME, "elan adapter");
    pthread_mutex_lock(&adapter);
    for (;;) {
        go_on();
        if (my.first < 0)
            pthread_cond_wait(&wanted, &adapter);
        else {
            int64_t due = my.ops[my.first].due;
            pthread_mutex_unlock(&adapter);
            struct timespec until = {due / 1000000000, due % 1000000000};
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
            pthread_mutex_lock(&adapter);
        }
    }
    return unused;
}

/* No signal of the program's is for it. */
static void start_adapter(void) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread_of_adapter;
    if (pthread_create(&thread_of_adapter, NULL, run_adapter, NULL) != 0) fatal("there is no thread for the adapter");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void begin_once(const char *call) {
    static _Atomic int begun;
    if (atomic_exchange(&begun, 1)) fatal("%s for the second time", call);
    my.pid = getpid();
    my.nvp = number("RMS_NPROCS", 1, MOST_PROCESSES);
    my.vp = number("RMS_PROCID", 0, my.nvp - 1);
    my.delay = setting("ELANEMU_DELAY_US", 0) * 1000;
    my.most_events = setting("ELANEMU_EVENTS", 4096);
    my.deaf = setting("ELANEMU_DEAF", 0);
    my.galloc = setting("ELANEMU_REQUIRE_GALLOC", 0);
    const char *dead = getenv("ELANEMU_DEAD");
    my.dead_aborts = dead && !strcmp(dead, "abort");
    if (my.most_events < 1 || my.most_events > MOST_EVENTS) fatal("ELANEMU_EVENTS is %lld", my.most_events);
    my.peers = calloc(my.nvp, sizeof *my.peers);
    my.ops = calloc((size_t)my.most_events, sizeof *my.ops);
    if (!my.peers || !my.ops) abort();
    for (int i = 0; i < my.most_events; i++) my.ops[i].next = i + 1 < my.most_events ? i + 1 : -1;
    my.first = my.last = -1;
    my.symmetric = SYMMETRIC;
    char *parent = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (parent == MAP_FAILED || madvise(parent, PAGE, MADV_WIPEONFORK) != 0) fatal("there is no memory that children do not have");
    *parent = 1;
    my.parent = parent;
    /* Some kernels let only descendants be written to; elsewhere it fails, and is not needed. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    find_folder();
    take_place();
    make_base();
    my.strict = setting("ELANEMU_STRICT", 1);
    if (my.delay) start_adapter();
    atomic_store(&my.own->here, 1);
    if (setting("ELANEMU_BARRIER", 0)) {
        pthread_mutex_lock(&adapter);
        synchronise();
        pthread_mutex_unlock(&adapter);
    }
    my.begun = my.attached = 1;
}

static void show_attached(unsigned attached) {
    if (setting("ELANEMU_VP_OFFSET", 12) > 8) put_number(my.state + 8, attached);
}

EXPORT ELAN_BASE *elan_baseInit(int flags) {
    (void)flags;
    begin_once("elan_baseInit");
    my.enabled = 1;
    return elan_base = my.base;
}

EXPORT ELAN_STATE *elan_init(int flags) {
    (void)flags;
    begin_once("elan_init");
    show_attached(0);
    my.enabled = -1;
    return my.state;
}

EXPORT int elan_attach(ELAN_STATE *state) {
    enter("elan_attach", state);
    if (my.enabled >= 0) wrong("elan_attach of what is attached");
    show_attached(1);
    my.enabled = 0;
    leave();
    return 0;
}

EXPORT void elan_enable_network(ELAN_STATE *state) {
    enter("elan_enable_network", state);
    if (my.enabled < 0) wrong("elan_enable_network before elan_attach");
    my.enabled = 1;
    leave();
}

EXPORT void elan_disable_network(ELAN_STATE *state) {
    enter("elan_disable_network", state);
    if (my.enabled > 0) my.enabled = 0;
    leave();
}

EXPORT void elan_fini(ELAN_STATE *state, ELAN_GROUP *group, int flag) {
    (void)group, (void)flag;
    enter("elan_fini", state);
    atomic_store(&my.own->gone, 1);
    my.attached = my.enabled = 0;
    my.first = my.last = -1;
    close(my.file);
    leave();
}

EXPORT const char *elan_version(void) {
    return "1.4.8 (emulated)";
}

EXPORT int elan_checkVersion(const char *version) {
    return version && !strncmp(version, "1.4", 3);
}

/* The one call that is for every thread at any time. */
EXPORT uint64_t elan_clock(ELAN_STATE *state) {
    if (!my.begun || state != my.state) fatal("elan_clock with something that is no state");
    return (uint64_t)now();
}

EXPORT int elan_nRails(ELAN_STATE *state) {
    enter("elan_nRails", state);
    leave();
    return 1;
}

/* Memory. */

static int is_given(struct shared *by, const void *memory, size_t bytes) {
    uint64_t at = (uintptr_t)memory;
    for (int i = 0; i < MOST_RANGES; i++) {
        uint64_t long_is = atomic_load(&by->range[i].bytes), from = atomic_load(&by->range[i].at);
        if (long_is && at >= from && at + bytes <= from + long_is) return 1;
    }
    return 0;
}

static void *give(void *memory, size_t bytes, int collective) {
    int i = 0;
    while (i < MOST_RANGES && atomic_load(&my.own->range[i].bytes)) i++;
    if (i == MOST_RANGES) fatal("more than %d pieces of memory", MOST_RANGES);
    atomic_store(&my.own->range[i].at, (uintptr_t)memory);
    atomic_store(&my.own->range[i].bytes, bytes);
    my.collective[i] = (unsigned char)collective;
    return memory;
}

static void check_size(const char *call, size_t align, size_t bytes) {
    if (bytes == 0 || bytes > 1ull << 40) fatal("%s of %zu bytes", call, bytes);
    if (align & (align - 1)) fatal("%s with the alignment %zu", call, align);
}

EXPORT int elan_addressable(ELAN_STATE *state, const void *memory, size_t bytes) {
    enter("elan_addressable", state);
    int can = !my.galloc || is_given(my.own, memory, bytes);
    leave();
    return can;
}

EXPORT void *elan_allocMain(ELAN_STATE *state, size_t align, size_t bytes) {
    enter("elan_allocMain", state);
    check_size("elan_allocMain", align, bytes);
    void *memory;
    if (posix_memalign(&memory, align < sizeof memory ? sizeof memory : align, bytes) != 0) fatal("elan_allocMain of %zu bytes: there is no memory", bytes);
    give(memory, bytes, 0);
    leave();
    return memory;
}

EXPORT void elan_free(ELAN_STATE *state, void *memory) {
    enter("elan_free", state);
    int i = 0;
    while (i < MOST_RANGES && (!atomic_load(&my.own->range[i].bytes) || atomic_load(&my.own->range[i].at) != (uintptr_t)memory)) i++;
    if (i == MOST_RANGES)
        wrong("elan_free of memory that it has not given");
    else if (my.collective[i])
        wrong("elan_free of memory of elan_gallocMain");
    else {
        atomic_store(&my.own->range[i].bytes, 0);
        free(memory);
    }
    leave();
}

EXPORT void *elan_gallocMain(ELAN_BASE *base, ELAN_GROUP *group, size_t align, size_t bytes) {
    enter("elan_gallocMain", my.state);
    if (base != my.base || !base) fatal("elan_gallocMain with something that is no base");
    if (group != my.group) fatal("elan_gallocMain with something that is no group");
    check_size("elan_gallocMain", align, bytes);
    size_t step = align < PAGE ? PAGE : align;
    uint64_t at = (my.symmetric + step - 1) / step * step;
    void *memory = mmap((void *)(uintptr_t)at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory == MAP_FAILED || (uintptr_t)memory != at) fatal("elan_gallocMain of %zu bytes: %s", bytes, strerror(errno));
    my.symmetric = (at + bytes + PAGE - 1) / PAGE * PAGE;
    give(memory, bytes, 1);
    leave();
    return memory;
}

/* Put and get. */

static uint64_t sum_of(const unsigned char *at, size_t bytes) {
    uint64_t sum = bytes;
    for (size_t i = 0; i < bytes; i++) sum = (sum ^ at[i]) * 0x100000001b3ull;
    return sum;
}

static const char *name_of(enum kind kind) {
    return kind == PUT ? "elan_put" : "elan_get";
}

/* Whether ours is what can't be used, where one of both can't. */
static int is_ours_bad(int write, unsigned char *ours) {
    unsigned char byte;
    struct iovec look = {&byte, 1}, mine = {ours, 1};
    pid_t own = getpid();
    return process_vm_readv(own, &look, 1, &mine, 1, 0) != 1 || (!write && process_vm_writev(own, &look, 1, &mine, 1, 0) != 1);
}

/* Whether the other process is there to take or give it. */
static int copy(int write, pid_t pid, unsigned char *ours, unsigned char *theirs, size_t bytes) {
    while (bytes) {
        struct iovec here = {ours, bytes}, there = {theirs, bytes};
        ssize_t moved = write ? process_vm_writev(pid, &here, 1, &there, 1, 0) : process_vm_readv(pid, &here, 1, &there, 1, 0);
        if (moved < 0 && errno == ESRCH) return 0;
        if (moved <= 0) {
            int error = errno, own = error == EFAULT && is_ours_bad(write, ours);
            wrong("%s: %p of %s can't be %s: %s", write ? "elan_put" : "elan_get", (void *)(own ? ours : theirs), own ? "this process" : "the other process", write == own ? "read" : "written",
                  strerror(error));
            return 0;
        }
        ours += moved;
        theirs += moved;
        bytes -= (size_t)moved;
    }
    return 1;
}

static int put_now(pid_t pid, struct op *op) {
    size_t last = op->bytes >= LAST ? LAST : op->bytes, body = op->bytes - last;
    if (!copy(1, pid, op->from, op->to, body)) return 0;
    atomic_thread_fence(memory_order_seq_cst);
    if ((uintptr_t)(op->to + body) % LAST == 0 || last < LAST) return copy(1, pid, op->from + body, op->to + body, last);
    /* Not one store, so it is seen in two halves. */
    if (!copy(1, pid, op->from + body + LAST / 2, op->to + body + LAST / 2, LAST / 2)) return 0;
    usleep(50);
    return copy(1, pid, op->from + body, op->to + body, LAST / 2);
}

static void move(struct op *op) {
    int dead;
    struct shared *other = peer(op->vp, &dead);
    if (op->kind == PUT && op->due && sum_of(op->from, op->bytes) != op->sum) wrong("what elan_put was given at %p was changed before it was sent", (void *)op->from);
    if (op->kind == PUT && my.deaf) return;
    if (!dead) dead = !(op->kind == PUT ? put_now(other->pid, op) : copy(0, other->pid, op->to, op->from, op->bytes));
    if (dead) {
        if (my.dead_aborts) fatal("%s with process %u, which has died", name_of(op->kind), op->vp);
        return;
    }
    op->done = 1;
    *(op->kind == PUT ? &my.open_puts : &my.open_gets) -= 1;
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

/* No address, so that nobody can look into it. */
static ELAN_EVENT *handle_of(int index) {
    return (ELAN_EVENT *)(uintptr_t)((uint64_t)my.ops[index].generation << 20 | (unsigned)index << 3 | 0x100000000000000ull);
}

static int index_of(ELAN_EVENT *event, const char *call) {
    uint64_t handle = (uint64_t)(uintptr_t)event;
    int index = (int)(handle >> 3 & (MOST_EVENTS * 2 - 1));
    if (index >= my.most_events || my.ops[index].kind == FREE || handle_of(index) != event) fatal("%s of what is no event, or none any more", call);
    if (my.ops[index].linked_to) fatal("%s of an event that was linked to another one", call);
    return index;
}

static int new_op(enum kind kind) {
    int index = my.free_op;
    if (index < 0) fatal("more than %lld events at once", my.most_events);
    struct op *op = &my.ops[index];
    my.free_op = op->next;
    uint32_t generation = op->generation + 1;
    memset(op, 0, sizeof *op);
    op->generation = generation;
    op->kind = kind;
    op->linked = op->next = -1;
    return index;
}

/* By the kernel, which says whether it can be: of a put that is moved later it has to be known now. */
static void check_readable(const unsigned char *at, size_t bytes) {
    for (const unsigned char *end = at + bytes; at < end; at = (const unsigned char *)((uintptr_t)at / PAGE * PAGE + PAGE)) {
        unsigned char byte;
        struct iovec look = {&byte, 1}, mine = {(void *)(uintptr_t)at, 1};
        if (process_vm_readv(my.pid, &look, 1, &mine, 1, 0) != 1) fatal("elan_put: %p of this process can't be read: %s", (const void *)at, strerror(errno));
    }
}

/* What is there before a get is done is nothing that anybody may use. */
static void poison(unsigned char *at, size_t bytes) {
    static unsigned char pattern[PAGE];
    memset(pattern, POISON, sizeof pattern);
    while (bytes) {
        size_t some = bytes < PAGE ? bytes : PAGE;
        struct iovec from = {pattern, some}, to = {at, some};
        if (process_vm_writev(my.pid, &from, 1, &to, 1, 0) != (ssize_t)some) fatal("elan_get: %p of this process can't be written: %s", (void *)at, strerror(errno));
        at += some;
        bytes -= some;
    }
}

static ELAN_EVENT *begin(enum kind kind, ELAN_STATE *state, void *from, void *to, size_t bytes, unsigned vp) {
    const char *call = name_of(kind);
    enter(call, state);
    go_on();
    if (my.enabled <= 0) wrong("%s while the network is not enabled", call);
    if (vp >= my.nvp) fatal("%s with process %u of %u", call, vp, my.nvp);
    if (bytes == 0 || bytes > 1ull << 40) fatal("%s of %zu bytes", call, bytes);
    int dead;
    struct shared *other = peer(vp, &dead);
    if (!other || (!dead && !atomic_load(&other->here))) fatal("%s with process %u, which has not joined the job", call, vp);
    if (!dead && atomic_load(&other->gone)) fatal("%s with process %u, which has left the job", call, vp);
    if (my.galloc && !is_given(my.own, kind == PUT ? from : to, bytes)) wrong("%s with memory that the library has not given", call);
    if (my.galloc && !dead && !is_given(other, kind == PUT ? to : from, bytes)) wrong("%s with memory that the library of process %u has not given", call, vp);
    /* Only within one put is the order of bytes known, so the shortest ones overtake the others. */
    int later = my.delay && bytes > LAST;
    if (later && kind == PUT) check_readable(from, bytes);
    if (later && kind == GET) poison(to, bytes);
    int index = new_op(kind);
    struct op *op = &my.ops[index];
    op->from = from;
    op->to = to;
    op->bytes = bytes;
    op->vp = vp;
    *(kind == PUT ? &my.open_puts : &my.open_gets) += 1;
    if (later) {
        op->due = now() + my.delay;
        if (kind == PUT) op->sum = sum_of(from, bytes);
        if (my.last >= 0)
            my.ops[my.last].next = index;
        else
            my.first = index;
        my.last = index;
        pthread_cond_signal(&wanted);
    } else
        move(op);
    ELAN_EVENT *event = handle_of(index);
    leave();
    return event;
}

EXPORT ELAN_EVENT *elan_put(ELAN_STATE *state, void *from, void *to, size_t bytes, unsigned vp) {
    return begin(PUT, state, from, to, bytes, vp);
}

EXPORT ELAN_EVENT *elan_get(ELAN_STATE *state, void *from, void *to, size_t bytes, unsigned vp) {
    return begin(GET, state, from, to, bytes, vp);
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

/* Whether it is done; if so, it is freed with all that was linked to it. */
static int ends(int index) {
    go_on();
    if (!is_done(index)) return 0;
    while (index >= 0) {
        int next = my.ops[index].linked;
        release(index);
        index = next;
    }
    return 1;
}

EXPORT int elan_poll(ELAN_EVENT *event, long how) {
    enter("elan_poll", my.state);
    int index = index_of(event, "elan_poll"), done = ends(index);
    for (long i = 0; !done && i < how; i++) {
        pause_within();
        done = ends(index);
    }
    leave();
    return done;
}

EXPORT int elan_done(ELAN_EVENT *event, long how) {
    (void)how;
    enter("elan_done", my.state);
    int index = index_of(event, "elan_done");
    go_on();
    int done = is_done(index);
    leave();
    return done;
}

EXPORT void elan_wait(ELAN_EVENT *event, long how) {
    (void)how;
    enter("elan_wait", my.state);
    for (int index = index_of(event, "elan_wait"); !ends(index);) pause_within();
    leave();
}

EXPORT ELAN_EVENT *elan_link(ELAN_EVENT *older, ELAN_EVENT *newer) {
    enter("elan_link", my.state);
    int index = index_of(older, "elan_link"), added = index_of(newer, "elan_link");
    if (index == added) fatal("elan_link of an event with itself");
    my.ops[added].linked_to = 1;
    while (my.ops[index].linked >= 0) index = my.ops[index].linked;
    my.ops[index].linked = added;
    leave();
    return older;
}

EXPORT void elan_putWaitAll(ELAN_STATE *state, long how) {
    (void)how;
    enter("elan_putWaitAll", state);
    for (go_on(); my.open_puts; go_on()) pause_within();
    leave();
}

EXPORT void elan_getWaitAll(ELAN_STATE *state, long how) {
    (void)how;
    enter("elan_getWaitAll", state);
    for (go_on(); my.open_gets; go_on()) pause_within();
    leave();
}

/* All of a job. */

static void synchronise(void) {
    int dead;
    /* Known before anybody can go on and end. */
    for (unsigned vp = 0; vp < my.nvp; vp++)
        while (!peer(vp, &dead) || dead) pause_within();
    uint64_t turn = atomic_fetch_add(&my.own->synced, 1) + 1;
    for (unsigned vp = 0; vp < my.nvp; vp++)
        while (atomic_load(&my.peers[vp].shared->synced) < turn) pause_within();
}

EXPORT void elan_gsync(ELAN_GROUP *group) {
    enter("elan_gsync", my.state);
    if (group != my.group) fatal("elan_gsync with something that is no group");
    synchronise();
    leave();
}

EXPORT void elan_hbcast(ELAN_GROUP *group, void *buf, size_t bytes, unsigned root, void *dest) {
    enter("elan_hbcast", my.state);
    if (group != my.group) fatal("elan_hbcast with something that is no group");
    if (root >= my.nvp) fatal("elan_hbcast from process %u of %u", root, my.nvp);
    if (root == my.vp) atomic_store(&my.own->given, (uintptr_t)buf);
    synchronise();
    struct shared *giver = my.peers[root].shared;
    if (root == my.vp)
        memmove(dest, buf, bytes);
    else if (!copy(0, giver->pid, dest, (unsigned char *)atomic_load(&giver->given), bytes))
        fatal("elan_hbcast from process %u, which has died", root);
    /* The root may use its buf again. */
    synchronise();
    leave();
}
