/*
 * Whether the emulation of libelan keeps its own rules: each scene starts processes of a job, some of which do what is allowed and have to succeed, and some of which break one rule and have to be ended
 * by the library behind the line that names it. It knows of the library only what programs that used it tell: names, arguments, and the two structures as they are inferred.
 *
 *   elan_check --list      their names
 *   elan_check NAME ...    these; all without a name
 *
 * says nothing of a scene that is as it should be, and of another one what happened instead; ends with 0, with 1 if one was not, and with 77 if one can't be tried here, behind a line that says why.
 *
 * Processes of a scene tell each other where they are on a board, which is memory that all have; what they wait for is waited for with a limit.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The library. */
typedef struct elan_event ELAN_EVENT;
typedef struct elan_state ELAN_STATE;
typedef struct elan_base ELAN_BASE;
typedef struct elan_group ELAN_GROUP;
extern ELAN_BASE *elan_base;
ELAN_BASE *elan_baseInit(int flags);
ELAN_STATE *elan_init(int flags);
int elan_attach(ELAN_STATE *);
void elan_enable_network(ELAN_STATE *);
void elan_disable_network(ELAN_STATE *);
void elan_fini(ELAN_STATE *, ELAN_GROUP *, int flag);
const char *elan_version(void);
int elan_checkVersion(const char *);
uint64_t elan_clock(ELAN_STATE *);
int elan_nRails(ELAN_STATE *);
ELAN_EVENT *elan_put(ELAN_STATE *, void *src, void *dst, size_t size, unsigned vp);
ELAN_EVENT *elan_get(ELAN_STATE *, void *src, void *dst, size_t size, unsigned vp);
ELAN_EVENT *elan_nullEvent(ELAN_STATE *);
int elan_poll(ELAN_EVENT *, long how);
int elan_done(ELAN_EVENT *, long how);
void elan_wait(ELAN_EVENT *, long how);
ELAN_EVENT *elan_link(ELAN_EVENT *, ELAN_EVENT *);
void elan_putWaitAll(ELAN_STATE *, long how);
void elan_getWaitAll(ELAN_STATE *, long how);
int elan_addressable(ELAN_STATE *, const void *, size_t);
void *elan_allocMain(ELAN_STATE *, size_t align, size_t size);
void elan_free(ELAN_STATE *, void *);
void *elan_gallocMain(ELAN_BASE *, ELAN_GROUP *, size_t align, size_t size);
void elan_gsync(ELAN_GROUP *);
void elan_hbcast(ELAN_GROUP *, void *buf, size_t size, unsigned root, void *dest);

#define MOST 8
#define LIMIT_NS 20000000000ll
#define SKIPPED 77
/* Nothing else is there, whatever the program was compiled with. */
#define FIXED ((unsigned char *)0x300000000000ull)
#define FIXED_BYTES 65536u
#define KILLED ((const char *)1)

static struct board {
    _Atomic int step[MOST];
    _Atomic pid_t pid[MOST];
    _Atomic uint64_t value[MOST];
} *board;

static int board_file;

struct scene {
    const char *name;
    void (*run)(int role);
    int roles;
    const char *ends[MOST]; /* of each process: NULL: well; KILLED; else the library's last words */
    const char *environment[6];
    int places[MOST]; /* 1 and more: which process of the job a role is, counted from 1; 0: the one of its own number */
    unsigned later;   /* a bit for each role that another one starts */
};

static const struct scene *scene;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

__attribute__((noreturn, format(printf, 2, 3))) static void fail(int line, const char *form, ...) {
    va_list words;
    va_start(words, form);
    fprintf(stderr, "line %d: ", line);
    vfprintf(stderr, form, words);
    fputc('\n', stderr);
    _exit(3);
}

#define MUST(condition) \
    do { \
        if (!(condition)) fail(__LINE__, "%s", #condition); \
    } while (0)

#define UNTIL(condition) \
    do { \
        int64_t began = now(); \
        while (!(condition)) { \
            if (now() - began > LIMIT_NS) fail(__LINE__, "never: %s", #condition); \
            sched_yield(); \
        } \
    } while (0)

/* Nobody waits for a process that is gone. */
static void step(int role, int reached) {
    atomic_store(&board->step[role], reached);
}

static void await(int role, int reached) {
    int64_t began = now();
    while (atomic_load(&board->step[role]) < reached) {
        if (now() - began > LIMIT_NS) fail(__LINE__, "role %d never came to step %d", role, reached);
        usleep(50);
    }
}

static void await_death(int role) {
    UNTIL(atomic_load(&board->pid[role]) && kill(atomic_load(&board->pid[role]), 0) != 0 && errno == ESRCH);
}

/* Looking for the state as its users would have to: asking the kernel, which knows what can be read. */

static ELAN_BASE *base;
static ELAN_STATE *state;
static ELAN_GROUP *group;
static unsigned vp, nvp, state_offset;

static int read_at(const void *at, void *into, size_t bytes) {
    struct iovec here = {into, bytes}, there = {(void *)(uintptr_t)at, bytes};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

static int is_text(const char *at) {
    char letter;
    int length = 0;
    while (length < 64 && read_at(at + length, &letter, 1) && letter >= ' ' && letter <= '~') length++;
    return length > 0 && length < 64 && read_at(at + length, &letter, 1) && letter == 0;
}

static int is_state(const unsigned char *at, unsigned pair_at) {
    unsigned char copy[64];
    const char *version;
    unsigned pair[2];
    if (!read_at(at, copy, sizeof copy)) return 0;
    memcpy(&version, copy, sizeof version);
    memcpy(pair, copy + pair_at, sizeof pair);
    return is_text(version) && pair[0] == vp && pair[1] == nvp;
}

static int find_state(unsigned pair_at) {
    int found = 0;
    for (unsigned at = 0; at < 2048; at += 8) {
        void *word;
        memcpy(&word, (unsigned char *)base + at, sizeof word);
        if (!is_state(word, pair_at)) continue;
        state = word;
        state_offset = at;
        memcpy(&group, (unsigned char *)base + at + 8, sizeof group);
        found++;
    }
    return found;
}

static void know_place(void) {
    vp = (unsigned)atoi(getenv("RMS_PROCID"));
    nvp = (unsigned)atoi(getenv("RMS_NPROCS"));
}

static void join(void) {
    know_place();
    base = elan_baseInit(0);
    MUST(base && base == elan_base);
    MUST(find_state(12) == 1);
}

/* Joined, and the others of the first ones too. */
static void join_with(int role, int roles) {
    join();
    step(role, 1);
    for (int other = 0; other < roles; other++) await(other, 1);
}

static unsigned char *fixed(void) {
    unsigned char *at = mmap(FIXED, FIXED_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    MUST(at == FIXED);
    return at;
}

static void *nothing_there(void) {
    void *at = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(at != MAP_FAILED);
    return at;
}

static void *only_to_read(void) {
    void *at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(at != MAP_FAILED);
    return at;
}

static void put(void *from, void *to, size_t bytes, unsigned at) {
    elan_wait(elan_put(state, from, to, bytes, at), 1);
}

/* Often enough for whatever would be done. */
static void must_never(ELAN_EVENT *event) {
    for (int i = 0; i < 200; i++) {
        MUST(!elan_poll(event, 0));
        usleep(100);
    }
}

static uint64_t cell[64];

/* Starting processes. */

static const char *self;

static void set_place(int role) {
    char text[16];
    snprintf(text, sizeof text, "%d", scene->places[role] ? scene->places[role] - 1 : role);
    setenv("RMS_PROCID", text, 1);
    if (!getenv("RMS_NPROCS")) {
        snprintf(text, sizeof text, "%d", scene->roles);
        setenv("RMS_NPROCS", text, 1);
    }
    /* What a scene wants comes last; a name alone is taken away. */
    for (int i = 0; i < 6 && scene->environment[i]; i++) {
        char setting[256];
        snprintf(setting, sizeof setting, "%s", scene->environment[i]);
        char *value = strchr(setting, '=');
        if (!value)
            unsetenv(setting);
        else {
            *value = 0;
            setenv(setting, value + 1, 1);
        }
    }
}

__attribute__((noreturn)) static void become(int role) {
    char number[16], file[16];
    set_place(role);
    snprintf(number, sizeof number, "%d", role);
    snprintf(file, sizeof file, "%d", board_file);
    setenv("CHECK_ROLE", number, 1);
    setenv("CHECK_BOARD", file, 1);
    execl("/proc/self/exe", self, scene->name, (char *)NULL);
    _exit(4);
}

static pid_t start(int role) {
    pid_t pid = fork();
    if (pid == 0) become(role);
    atomic_store(&board->pid[role], pid);
    return pid;
}

static int ended(pid_t pid) {
    int status;
    MUST(waitpid(pid, &status, 0) == pid);
    return status;
}

/* Scenes: joining. */

static void joins(int role) {
    join_with(role, 3);
    MUST(vp == (unsigned)role && nvp == 3);
    unsigned attached;
    memcpy(&attached, (unsigned char *)state + 8, sizeof attached);
    MUST(attached == 1);
    MUST(elan_nRails(state) >= 1);
    MUST(is_text(elan_version()) && elan_checkVersion(elan_version()) && !elan_checkVersion("0.9"));
    MUST(state_offset % 8 == 0 && state_offset >= 256 && state_offset < 2048);
    uint64_t before = elan_clock(state);
    UNTIL(elan_clock(state) > before);
}

static void state_moves(int role) {
    join();
    atomic_store(&board->value[role], state_offset);
    step(role, 1);
    int others = 0;
    for (int other = 0; other < MOST; other++) {
        await(other, 1);
        others += atomic_load(&board->value[other]) != state_offset;
    }
    MUST(others > 0);
}

static void pair_at(unsigned at) {
    know_place();
    base = elan_baseInit(0);
    MUST(find_state(at) == 1);
    MUST(elan_nRails(state) >= 1);
}

static void pair_at_8(int role) {
    (void)role;
    pair_at(8);
}

static void pair_at_24(int role) {
    (void)role;
    pair_at(24);
}

static void pair_at_56(int role) {
    (void)role;
    pair_at(56);
}

static void state_first(int role) {
    (void)role;
    join();
    MUST(state_offset == 0);
}

static void state_nowhere(int role) {
    (void)role;
    know_place();
    base = elan_baseInit(0);
    for (unsigned at = 8; at <= 56; at += 4) MUST(find_state(at) == 0);
}

static void state_twice(int role) {
    (void)role;
    know_place();
    base = elan_baseInit(0);
    MUST(find_state(12) == 2);
}

static void inits(int role) {
    (void)role;
    elan_baseInit(0);
}

static void inits_twice(int role) {
    (void)role;
    elan_baseInit(0);
    elan_baseInit(0);
}

static void same_place(int role) {
    if (role == 1) await(0, 1);
    join();
    step(role, 1);
    if (role == 0) await_death(1);
}

static void other_job(int role) {
    if (role == 1) setenv("LIBELAN_ECAP0", "another job", 1);
    join_with(role, 2);
}

/* Whatever it does at that moment. */
static void killed_anywhere(int role) {
    if (role == 1) {
        for (join();; step(1, 1)) put(&cell[0], &cell[1], 8, 0);
    } else if (role == 2) {
        join();
        cell[0] = 5;
        put(&cell[0], &cell[1], 8, 0);
        MUST(cell[1] == 5);
    } else {
        for (int i = 0; i < 30; i++) {
            pid_t pid = start(1);
            if (i % 3 == 0) {
                await(1, 1);
                step(1, 0);
            } else
                usleep((useconds_t)i * 150);
            kill(pid, SIGKILL);
            int status = ended(pid);
            MUST(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
            step(1, 0);
        }
        MUST(ended(start(2)) == 0);
    }
}

static void barrier(int role) {
    if (role == 0) {
        join();
        MUST(atomic_load(&board->step[1]) == 1);
    } else {
        usleep(20000);
        step(1, 1);
        join();
    }
}

/* A file that somebody left is not somebody. */
static void barrier_after_death(int role) {
    if (role == 0) {
        setenv("ELANEMU_BARRIER", "0", 1);
        join();
        step(0, 1);
        raise(SIGKILL);
    } else if (role == 1) {
        await(0, 1);
        await_death(0);
        step(1, 1);
        join();
        MUST(atomic_load(&board->step[2]) == 1);
    } else {
        await(1, 1);
        usleep(20000);
        step(2, 1);
        join();
    }
}

static void step_by_step(int role) {
    (void)role;
    know_place();
    state = elan_init(0);
    unsigned attached;
    memcpy(&attached, (unsigned char *)state + 8, sizeof attached);
    MUST(attached == 0 && is_state((unsigned char *)state, 12));
    MUST(elan_attach(state) == 0);
    memcpy(&attached, (unsigned char *)state + 8, sizeof attached);
    MUST(attached == 1);
    elan_enable_network(state);
    put(&cell[0], &cell[1], 8, 0);
}

static void puts_unattached(int role) {
    (void)role;
    state = elan_init(0);
    elan_put(state, &cell[0], &cell[1], 8, 0);
}

static void puts_not_enabled(int role) {
    (void)role;
    state = elan_init(0);
    elan_attach(state);
    elan_put(state, &cell[0], &cell[1], 8, 0);
}

static void enables_unattached(int role) {
    (void)role;
    elan_enable_network(elan_init(0));
}

static void puts_disabled(int role) {
    (void)role;
    join();
    elan_disable_network(state);
    elan_put(state, &cell[0], &cell[1], 8, 0);
}

static void calls_uninitialised(int role) {
    (void)role;
    elan_nRails((ELAN_STATE *)(void *)cell);
}

static void calls_after_fini(int role) {
    (void)role;
    join();
    elan_fini(state, group, 0);
    elan_nRails(state);
}

static void puts_to_whom_has_left(int role) {
    join_with(role, 2);
    if (role == 1) {
        elan_fini(state, group, 0);
        step(1, 2);
        await_death(0);
    } else {
        await(1, 2);
        elan_put(state, &cell[0], &cell[1], 8, 1);
    }
}

static void calls_without_state(int role) {
    (void)role;
    join();
    elan_put(NULL, &cell[0], &cell[1], 8, 0);
}

static void calls_with_base(int role) {
    (void)role;
    join();
    elan_nRails((ELAN_STATE *)(void *)base);
}

/* Scenes: put and get. */

static void all_lengths(int role) {
    static unsigned char mine[1 << 20], theirs[(1 << 20) + 64];
    static const size_t lengths[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 100, 4095, 4096, 4097, 65536, 1000000};
    join();
    atomic_store(&board->value[role], (uintptr_t)theirs);
    step(role, 1);
    await(1 - role, 1);
    unsigned char *there = (unsigned char *)(uintptr_t)atomic_load(&board->value[1 - role]);
    int turn = 1;
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        for (unsigned shift = 0; shift < 9; shift += 4) {
            size_t length = lengths[i];
            turn++;
            for (size_t at = 0; at < length; at++) mine[at] = (unsigned char)(at * 7 + (size_t)turn + (unsigned)role);
            put(mine, there + 16 + shift, length, (unsigned)(1 - role));
            step(role, turn);
            await(1 - role, turn);
            for (size_t at = 0; at < length; at++) MUST(theirs[16 + shift + at] == (unsigned char)(at * 7 + (size_t)turn + (unsigned)(1 - role)));
            MUST(theirs[15 + shift] == 0 && theirs[16 + shift + length] == 0);
            /* And back what was put there. */
            memset(mine, 0, length);
            elan_wait(elan_get(state, there + 16 + shift, mine, length, (unsigned)(1 - role)), 1);
            for (size_t at = 0; at < length; at++) MUST(mine[at] == (unsigned char)(at * 7 + (size_t)turn + (unsigned)role));
            turn++;
            step(role, turn);
            await(1 - role, turn);
            memset(theirs, 0, length + 64);
            turn++;
            step(role, turn);
            await(1 - role, turn);
        }
    }
}

/* Who sees the last eight bytes sees the rest, and sees them whole. */
static void last_bytes_last(int role) {
    enum { WORDS = 520, ROUNDS = 20000 };
    static volatile uint64_t slot[WORDS] __attribute__((aligned(8)));
    static uint64_t message[WORDS];
    static volatile uint64_t answered;
    join();
    atomic_store(&board->value[role], role ? (uintptr_t)slot : (uintptr_t)&answered);
    step(role, 1);
    await(1 - role, 1);
    uint64_t there = atomic_load(&board->value[1 - role]);
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        unsigned words = 2 + (unsigned)(round * 37 % (WORDS - 1));
        uint64_t whole = round << 32 | round;
        if (role == 0) {
            for (unsigned i = 0; i < words; i++) message[i] = whole;
            put(message, (void *)(uintptr_t)(there + 8 * (WORDS - words)), 8 * words, 1);
            UNTIL(answered == round);
        } else {
            uint64_t seen;
            int64_t began = now();
            while ((seen = slot[WORDS - 1]) != whole) {
                MUST(seen >> 32 == (seen & UINT32_MAX));
                if (now() - began > LIMIT_NS) fail(__LINE__, "round %d never came", (int)round);
            }
            for (unsigned i = WORDS - words; i < WORDS; i++) MUST(slot[i] == whole);
            message[0] = round;
            put(message, (void *)(uintptr_t)there, 8, 0);
        }
    }
}

/* A wrong program is shown what it does wrong. */
static void unaligned_end_in_two(int role) {
    static volatile uint32_t slot[64] __attribute__((aligned(8)));
    static uint32_t message[16];
    join();
    atomic_store(&board->value[role], (uintptr_t)slot);
    step(role, 1);
    await(1 - role, 1);
    uint64_t there = atomic_load(&board->value[1 - role]);
    if (role == 0) {
        int64_t began = now();
        for (uint32_t round = 1; atomic_load(&board->step[1]) < 2; round++) {
            MUST(now() - began < LIMIT_NS);
            for (int i = 0; i < 16; i++) message[i] = round;
            put(message, (void *)(uintptr_t)(there + 4), sizeof message, 1);
        }
        step(0, 2);
    } else {
        int64_t began = now();
        for (int halves = 0; !halves;) {
            uint32_t second = slot[16], first = slot[15];
            /* The second one is read first, and is newer. */
            halves = second > first;
            MUST(now() - began < LIMIT_NS);
        }
        step(1, 2);
        /* Whom nobody would take anything from. */
        await(0, 2);
    }
}

static void to_itself(int role) {
    (void)role;
    join();
    cell[0] = 4711;
    put(&cell[0], &cell[1], 8, 0);
    MUST(cell[1] == 4711);
    elan_wait(elan_get(state, &cell[1], &cell[2], 8, 0), 1);
    MUST(cell[2] == 4711);
}

static void in_order(int role) {
    enum { ROUNDS = 3000 };
    static volatile uint64_t seen[4];
    static uint64_t numbers[ROUNDS + 1][2];
    join();
    atomic_store(&board->value[role], (uintptr_t)seen);
    step(role, 1);
    await(1 - role, 1);
    uint64_t there = atomic_load(&board->value[1 - role]);
    if (role == 0) {
        ELAN_EVENT *one[64], *two[64];
        for (uint64_t round = 1; round <= ROUNDS; round++) {
            numbers[round][1] = round;
            if (round > 64) {
                elan_wait(one[round % 64], 1);
                elan_wait(two[round % 64], 1);
            }
            one[round % 64] = elan_put(state, numbers[round], (void *)(uintptr_t)there, 16, 1);
            two[round % 64] = elan_put(state, numbers[round], (void *)(uintptr_t)(there + 16), 16, 1);
        }
        elan_putWaitAll(state, 1);
        step(0, 2);
        await(1, 2);
    } else {
        for (uint64_t last = 0; last < ROUNDS;) {
            last = seen[3];
            atomic_thread_fence(memory_order_seq_cst);
            MUST(seen[1] >= last);
            if (last == 0) await(0, 1);
        }
        step(1, 2);
    }
}

static void not_before_its_time(int role) {
    (void)role;
    join();
    volatile uint64_t *to = &cell[3];
    for (uint64_t round = 1; round <= 5; round++) {
        cell[1] = round;
        uint64_t before = elan_clock(state);
        ELAN_EVENT *event = elan_put(state, &cell[0], &cell[2], 16, 0);
        UNTIL(*to == round);
        MUST(elan_clock(state) - before >= 20000000);
        elan_wait(event, 1);
        before = elan_clock(state);
        event = elan_get(state, &cell[2], &cell[4], 16, 0);
        UNTIL(elan_poll(event, 0));
        MUST(elan_clock(state) - before >= 20000000 && cell[5] == round);
    }
}

static void moves_unasked(int role) {
    static volatile uint64_t seen[2];
    join();
    atomic_store(&board->value[role], (uintptr_t)seen);
    step(role, 1);
    await(1 - role, 1);
    for (int round = 2; round < 100; round++) {
        if (role == 0) {
            cell[1] = (uint64_t)round;
            ELAN_EVENT *event = elan_put(state, &cell[0], (void *)(uintptr_t)atomic_load(&board->value[1]), 16, 1);
            await(1, round);
            elan_wait(event, 1);
            step(0, round);
        } else {
            UNTIL(seen[1] == (uint64_t)round);
            step(1, round);
            await(0, round);
        }
    }
}

static void deaf(int role) {
    (void)role;
    join();
    cell[0] = 1;
    must_never(elan_put(state, &cell[0], &cell[1], 8, 0));
    MUST(cell[1] == 0);
    elan_wait(elan_get(state, &cell[0], &cell[1], 8, 0), 1);
    MUST(cell[1] == 1);
}

/* What one puts to somebody who has died is never done, whether it was known to be there before or not. */
static void to_the_dead(int role) {
    join();
    atomic_store(&board->value[role], (uintptr_t)cell);
    step(role, 1);
    if (role == 1) {
        await(0, 2);
        raise(SIGKILL);
    }
    await(1, 1);
    void *there = (void *)(uintptr_t)atomic_load(&board->value[1]);
    if (!getenv("CHECK_UNKNOWN")) put(&cell[0], there, 8, 1);
    step(0, 2);
    await_death(1);
    must_never(elan_put(state, &cell[0], there, 8, 1));
    must_never(elan_get(state, there, &cell[0], 8, 1));
    /* Others are there as before. */
    put(&cell[0], &cell[1], 8, 0);
}

/* The dead one's number has another process, which has the same memory. */
static void in_the_place_of_the_dead(int role) {
    if (role == 0) {
        join();
        step(0, 1);
        await(1, 1);
        cell[0] = 1;
        put(&cell[0], FIXED, 8, 1);
        step(0, 2);
        await(2, 1);
        if (atomic_load(&board->step[3]) == SKIPPED) exit(SKIPPED);
        await(3, 1);
        usleep(20000);
        must_never(elan_put(state, &cell[0], FIXED, 8, 1));
        must_never(elan_get(state, FIXED, &cell[0], 8, 1));
        step(0, 3);
    } else if (role == 1) {
        fixed();
        join();
        step(1, 1);
        pause();
    } else if (role == 2) {
        pid_t pid = start(1);
        await(0, 2);
        kill(pid, SIGKILL);
        ended(pid);
        struct clone_args how = {.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&pid, .set_tid_size = 1};
        long other = syscall(SYS_clone3, &how, sizeof how);
        if (other == 0) become(3);
        if (other < 0) {
            fprintf(stderr, "no process can be given a number here: %s\n", strerror(errno));
            step(3, SKIPPED);
            step(2, 1);
            exit(SKIPPED);
        }
        MUST(other == pid);
        step(2, 1);
        MUST(ended(pid) == 0);
    } else {
        unsigned char *mine = fixed();
        step(3, 1);
        await(0, 3);
        for (unsigned i = 0; i < FIXED_BYTES; i++) MUST(mine[i] == 0);
    }
}

/* Where both ends are the process itself, so that it is the library's place to say which one is wrong. */
static void puts_nowhere(int role) {
    join_with(role, 2);
    if (role == 1) await_death(0);
    elan_put(state, &cell[0], (void *)0x10, 8, 1);
}

static void puts_late_to_nowhere(int role) {
    join_with(role, 2);
    if (role == 1)
        await_death(0);
    else
        elan_wait(elan_put(state, &cell[0], (void *)0x10, 8, 1), 1);
}

static void puts_where_one_only_reads(int role) {
    (void)role;
    join();
    elan_put(state, &cell[0], only_to_read(), 8, 0);
}

static void puts_over_an_end(int role) {
    (void)role;
    static unsigned char much[4096];
    join();
    unsigned char *at = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(at != MAP_FAILED && mprotect(at + 4096, 4096, PROT_NONE) == 0);
    elan_put(state, much, at + 8, 4096, 0);
}

static void puts_from_nowhere(int role) {
    (void)role;
    join();
    elan_put(state, nothing_there(), &cell[0], 8, 0);
}

static void gets_from_nowhere(int role) {
    (void)role;
    join();
    elan_get(state, nothing_there(), &cell[0], 8, 0);
}

static void gets_to_nowhere(int role) {
    (void)role;
    join();
    elan_get(state, &cell[0], only_to_read(), 8, 0);
}

static void puts_to_no_process(int role) {
    (void)role;
    join();
    elan_put(state, &cell[0], &cell[1], 8, 3);
}

static void puts_to_nobody_yet(int role) {
    (void)role;
    join();
    elan_put(state, &cell[0], &cell[1], 8, 2);
}

static void puts_nothing(int role) {
    (void)role;
    join();
    elan_put(state, &cell[0], &cell[1], 0, 0);
}

static void gets_less_than_nothing(int role) {
    (void)role;
    join();
    elan_get(state, &cell[0], &cell[1], (size_t)-8, 0);
}

static void changes_what_is_sent(int role) {
    (void)role;
    join();
    ELAN_EVENT *event = elan_put(state, &cell[0], &cell[8], 64, 0);
    cell[7]++;
    elan_wait(event, 1);
}

static void changes_and_is_let(int role) {
    (void)role;
    join();
    ELAN_EVENT *event = elan_put(state, &cell[0], &cell[8], 64, 0);
    cell[7] = 9;
    elan_wait(event, 1);
    MUST(cell[15] == 9);
    elan_free(state, cell);
}

/* Who looks before the event is done does not see what was there before. */
static void shows_nothing_early(int role) {
    (void)role;
    join();
    cell[1] = 1;
    cell[3] = 2;
    ELAN_EVENT *event = elan_get(state, &cell[0], &cell[2], 16, 0);
    MUST(cell[3] != 1 && cell[3] != 2);
    elan_wait(event, 1);
    MUST(cell[3] == 1);
}

/* Nobody may count on what was put first being there first. */
static void short_ones_overtake(int role) {
    (void)role;
    join();
    cell[0] = 1;
    ELAN_EVENT *first = elan_put(state, &cell[0], &cell[8], 64, 0), *second = elan_put(state, &cell[0], &cell[16], 8, 0);
    MUST(cell[16] == 1 && cell[8] == 0);
    elan_wait(first, 1);
    elan_wait(second, 1);
    MUST(cell[8] == 1);
}

/* Scenes: events. */

static ELAN_EVENT *a_put(void) {
    return elan_put(state, &cell[0], &cell[2], 16, 0);
}

static void looks_and_frees(int role) {
    (void)role;
    join();
    for (int i = 0; i < 10000; i++) {
        ELAN_EVENT *event = a_put();
        UNTIL(elan_done(event, 0));
        MUST(elan_done(event, 0));
        MUST(elan_poll(event, i % 2));
    }
    elan_wait(a_put(), 0);
    elan_wait(elan_nullEvent(state), 0);
}

static void polls_the_freed(int role) {
    (void)role;
    join();
    ELAN_EVENT *event = a_put();
    MUST(elan_poll(event, 0));
    elan_poll(event, 0);
}

static void polls_the_freed_much_later(int role) {
    (void)role;
    join();
    ELAN_EVENT *event = a_put();
    MUST(elan_poll(event, 0));
    for (int i = 0; i < 20000; i++) MUST(elan_poll(a_put(), 0));
    a_put();
    elan_done(event, 0);
}

static void waits_for_the_freed(int role) {
    (void)role;
    join();
    ELAN_EVENT *event = a_put();
    elan_wait(event, 0);
    elan_wait(event, 0);
}

static void polls_nothing(int role) {
    (void)role;
    join();
    elan_poll(NULL, 0);
}

static void polls_something(int role) {
    (void)role;
    join();
    elan_poll((ELAN_EVENT *)(void *)&cell[0], 0);
}

static void links(int role) {
    (void)role;
    join();
    for (int i = 0; i < 1000; i++) {
        /* Of four that there may be, none is left. */
        ELAN_EVENT *all = a_put();
        for (int more = 0; more < 3; more++) all = elan_link(all, a_put());
        UNTIL(elan_poll(all, 0));
    }
}

static void links_late_ones(int role) {
    (void)role;
    static uint64_t large[1 << 17], there[1 << 17];
    join();
    for (uint64_t i = 1; i <= 20; i++) {
        large[(1 << 17) - 1] = i;
        ELAN_EVENT *first = elan_put(state, &cell[0], &cell[2], 16, 0), *second = elan_put(state, large, there, sizeof large, 0);
        /* Either may be the older one. */
        ELAN_EVENT *both = i % 2 ? elan_link(first, second) : elan_link(second, first);
        UNTIL(elan_poll(both, 0));
        MUST(there[(1 << 17) - 1] == i);
    }
}

static void is_not_done_before_the_other(int role) {
    (void)role;
    join();
    must_never(elan_link(elan_nullEvent(state), a_put()));
    must_never(elan_link(a_put(), elan_nullEvent(state)));
}

static void polls_the_linked(int role) {
    (void)role;
    join();
    ELAN_EVENT *older = a_put(), *newer = a_put();
    elan_link(older, newer);
    elan_poll(newer, 0);
}

static void polls_the_freed_with_another(int role) {
    (void)role;
    join();
    ELAN_EVENT *older = a_put(), *newer = a_put();
    MUST(elan_poll(elan_link(older, newer), 0));
    elan_poll(newer, 0);
}

static void links_to_itself(int role) {
    (void)role;
    join();
    ELAN_EVENT *event = a_put();
    elan_link(event, event);
}

static void links_in_a_ring(int role) {
    (void)role;
    join();
    ELAN_EVENT *older = a_put(), *newer = a_put();
    elan_link(older, newer);
    elan_link(newer, older);
}

static void links_the_freed(int role) {
    (void)role;
    join();
    ELAN_EVENT *event = a_put();
    elan_wait(event, 1);
    elan_link(event, a_put());
}

static void has_too_many(int role) {
    (void)role;
    join();
    for (int i = 0; i < 4; i++) a_put();
    step(0, 1);
    a_put();
}

static void has_as_many_as_there_may_be(int role) {
    (void)role;
    join();
    ELAN_EVENT *events[4];
    for (int i = 0; i < 4; i++) events[i] = a_put();
    for (int i = 0; i < 1000; i++) {
        elan_wait(events[i % 4], 1);
        events[i % 4] = a_put();
    }
}

static void waits_for_all(int role) {
    (void)role;
    join();
    ELAN_EVENT *events[20];
    for (int i = 0; i < 10; i++) {
        cell[2 * i + 1] = (uint64_t)i + 1;
        events[i] = elan_put(state, &cell[2 * i], &cell[20 + 2 * i], 16, 0);
    }
    elan_putWaitAll(state, 1);
    for (int i = 0; i < 10; i++) {
        MUST(elan_done(events[i], 0) && cell[20 + 2 * i + 1] == (uint64_t)i + 1);
        events[10 + i] = elan_get(state, &cell[2 * i], &cell[40 + 2 * i], 16, 0);
    }
    elan_getWaitAll(state, 1);
    for (int i = 0; i < 10; i++) MUST(elan_done(events[10 + i], 0) && cell[40 + 2 * i + 1] == (uint64_t)i + 1);
    for (int i = 0; i < 20; i++) MUST(elan_poll(events[i], 0));
}

/* Scenes: who calls. */

static void *waits_for_ever(void *event) {
    step(0, 1);
    elan_wait(event, 1);
    return NULL;
}

static void two_threads(int role) {
    (void)role;
    join();
    ELAN_EVENT *event = a_put();
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, waits_for_ever, event) == 0);
    await(0, 1);
    MUST(elan_clock(state) > 0);
    /* It is on its way into the library. */
    for (int64_t began = now(); now() - began < LIMIT_NS;) {
        elan_nRails(state);
        usleep(100);
    }
}

static pthread_mutex_t one_lock = PTHREAD_MUTEX_INITIALIZER;

static void *puts_in_turn(void *unused) {
    for (int i = 0; i < 2000; i++) {
        pthread_mutex_lock(&one_lock);
        elan_wait(a_put(), 1);
        pthread_mutex_unlock(&one_lock);
        MUST(elan_clock(state) > 0);
    }
    return unused;
}

static void threads_in_turn(int role) {
    (void)role;
    join();
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) MUST(pthread_create(&threads[i], NULL, puts_in_turn, NULL) == 0);
    for (int i = 0; i < 4; i++) MUST(pthread_join(threads[i], NULL) == 0);
}

static void child_calls(int role) {
    (void)role;
    join();
    pid_t pid = getenv("CHECK_RAW") ? (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL) : fork();
    if (pid == 0) elan_nRails(state);
    if (pid == 0) _exit(0);
    int status = ended(pid);
    /* Who has forked may go on. */
    elan_wait(a_put(), 1);
    MUST(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    abort();
}

/* Scenes: memory. */

static void any_memory(int role) {
    (void)role;
    join();
    MUST(elan_addressable(state, cell, sizeof cell));
    unsigned char *given = elan_allocMain(state, 128, 1000);
    MUST((uintptr_t)given % 128 == 0);
    memset(given, 1, 1000);
    put(given, cell, sizeof cell, 0);
    MUST(cell[63] == 0x0101010101010101ull);
    elan_free(state, given);
}

static void given_memory(int role) {
    join();
    unsigned char *mine = elan_allocMain(state, 8, 1000);
    MUST(!elan_addressable(state, cell, 8));
    MUST(elan_addressable(state, mine, 1000) && elan_addressable(state, mine + 999, 1));
    MUST(!elan_addressable(state, mine + 1, 1000) && !elan_addressable(state, mine - 1, 2));
    atomic_store(&board->value[role], (uintptr_t)mine);
    mine[role] = (unsigned char)(role + 1);
    step(role, 1);
    await(1 - role, 1);
    unsigned char *theirs = (unsigned char *)(uintptr_t)atomic_load(&board->value[1 - role]);
    elan_wait(elan_get(state, theirs + 1 - role, mine + 500, 1, (unsigned)(1 - role)), 1);
    MUST(mine[500] == 2 - role);
    put(mine + role, theirs + 700, 1, (unsigned)(1 - role));
    step(role, 2);
    await(1 - role, 2);
    MUST(mine[700] == 2 - role);
    elan_free(state, mine);
    MUST(!elan_addressable(state, mine, 1000));
}

static void puts_what_was_not_given(int role) {
    (void)role;
    join();
    elan_put(state, cell, elan_allocMain(state, 8, 8), 8, 0);
}

static void puts_to_what_was_not_given(int role) {
    (void)role;
    join();
    elan_put(state, elan_allocMain(state, 8, 8), cell, 8, 0);
}

static void gets_from_what_was_freed(int role) {
    join();
    uint64_t *mine = elan_allocMain(state, 8, 4096);
    atomic_store(&board->value[role], (uintptr_t)mine);
    step(role, 1);
    await(1 - role, 1);
    if (role == 1) {
        elan_free(state, mine);
        step(1, 2);
        await_death(0);
    } else {
        await(1, 2);
        elan_get(state, (void *)(uintptr_t)atomic_load(&board->value[1]), mine, 8, 1);
    }
}

static void frees_another_ones(int role) {
    (void)role;
    join();
    elan_free(state, cell);
}

static void frees_twice(int role) {
    (void)role;
    join();
    void *given = elan_allocMain(state, 8, 8);
    elan_free(state, given);
    elan_free(state, given);
}

static void frees_everybodys(int role) {
    (void)role;
    join();
    elan_free(state, elan_gallocMain(base, group, 8, 8));
}

static void the_same_address(int role) {
    join_with(role, 3);
    for (unsigned i = 1; i < 6; i++) {
        unsigned char *here = elan_gallocMain(base, group, 64u << i, 5000 * i);
        MUST((uintptr_t)here % (64u << i) == 0);
        memset(here, role + 1, 5000 * i);
        MUST(elan_addressable(state, here, 5000 * i));
        elan_gsync(group);
        /* Everybody knows everybody's. */
        for (unsigned other = 0; other < 3; other++) {
            elan_wait(elan_get(state, here + 5000 * i - 1, cell, 1, other), 1);
            MUST(*(unsigned char *)cell == other + 1);
        }
        elan_gsync(group);
    }
}

/* Scenes: all of a job. */

static void synchronises(int role) {
    join();
    for (int round = 1; round <= 300; round++) {
        step(role, round);
        elan_gsync(group);
        for (int other = 0; other < 4; other++) MUST(atomic_load(&board->step[other]) >= round);
    }
}

static void broadcasts(int role) {
    static uint64_t from[1000], to[1000];
    join();
    for (unsigned round = 0; round < 100; round++) {
        for (unsigned i = 0; i < 1000; i++) from[i] = round * 10u + (unsigned)role;
        elan_hbcast(group, from, sizeof from, round % 3, to);
        for (unsigned i = 0; i < 1000; i++) MUST(to[i] == round * 10 + round % 3);
    }
}

static void synchronises_no_group(int role) {
    (void)role;
    join();
    elan_gsync((ELAN_GROUP *)(void *)state);
}

/* One end of the stream is killed in the middle of it, and comes again. */
static void killed_in_a_stream(int role) {
    static volatile uint64_t counter;
    if (role == 0) {
        join();
        atomic_store(&board->value[0], (uintptr_t)&counter);
        step(0, 1);
        await(2, 1);
        MUST(counter > 0);
    } else if (role == 1) {
        join();
        for (;;) {
            cell[0]++;
            put(&cell[0], (void *)(uintptr_t)atomic_load(&board->value[0]), 8, 0);
            step(1, 1);
        }
    } else {
        await(0, 1);
        for (int i = 0; i < 10; i++) {
            pid_t pid = start(1);
            await(1, 1);
            kill(pid, SIGKILL);
            ended(pid);
            step(1, 0);
        }
        step(2, 1);
    }
}

#define ALONE .roles = 1
#define ENDS(words) .ends = {words}
#define WITH(...) .environment = {__VA_ARGS__}

static const struct scene scenes[] = {
    {"joins", joins, .roles = 3},
    {"state moves", state_moves, .roles = MOST},
    {"pair at 8", pair_at_8, ALONE, WITH("ELANEMU_VP_OFFSET=8")},
    {"pair at 24", pair_at_24, ALONE, WITH("ELANEMU_VP_OFFSET=24")},
    {"pair at 56", pair_at_56, ALONE, WITH("ELANEMU_VP_OFFSET=56")},
    {"pair across the end", inits, ALONE, ENDS("ELANEMU_VP_OFFSET is 60"), WITH("ELANEMU_VP_OFFSET=60")},
    {"state first", state_first, ALONE, WITH("ELANEMU_STATE_OFFSET=0")},
    {"state nowhere", state_nowhere, ALONE, WITH("ELANEMU_STATE_OFFSET=none")},
    {"state twice", state_twice, ALONE, WITH("ELANEMU_TWICE=1")},
    {"the other name of the capability", joins, .roles = 3, WITH("LIBELAN_ECAP0", "LIBELAN_ECAP=07ab")},
    {"without capability", inits, ALONE, ENDS("there is no capability"), WITH("LIBELAN_ECAP0", "LIBELAN_ECAP")},
    {"without number", inits, ALONE, ENDS("RMS_PROCID is not set"), WITH("RMS_PROCID")},
    {"without size", inits, ALONE, ENDS("RMS_NPROCS is not set"), WITH("RMS_NPROCS")},
    {"behind the last one", inits, ALONE, ENDS("RMS_PROCID is 1, "), WITH("RMS_PROCID=1")},
    {"a number that is none", inits, ALONE, ENDS("RMS_PROCID is 0x, "), WITH("RMS_PROCID=0x")},
    {"inits twice", inits_twice, ALONE, ENDS("elan_baseInit for the second time")},
    {"the same place", same_place, .roles = 2, .ends = {NULL, "there is a process 0 of this job already"}, .places = {1, 1}},
    {"the same place of another job", other_job, .roles = 2, .places = {1, 1}},
    {"killed anywhere", killed_anywhere, .roles = 3, .places = {3, 1, 1}, .later = 6},
    {"barrier", barrier, .roles = 2, WITH("ELANEMU_BARRIER=1")},
    {"barrier after a death", barrier_after_death, .roles = 3, .ends = {KILLED}, .places = {1, 2, 1}, WITH("RMS_NPROCS=2", "ELANEMU_BARRIER=1")},
    {"step by step", step_by_step, ALONE},
    {"puts unattached", puts_unattached, ALONE, ENDS("elan_put while the network is not enabled")},
    {"puts not enabled", puts_not_enabled, ALONE, ENDS("elan_put while the network is not enabled")},
    {"puts disabled", puts_disabled, ALONE, ENDS("elan_put while the network is not enabled")},
    {"enables unattached", enables_unattached, ALONE, ENDS("elan_enable_network before elan_attach")},
    {"calls uninitialised", calls_uninitialised, ALONE, ENDS("elan_nRails before elan_baseInit")},
    {"calls after elan_fini", calls_after_fini, ALONE, ENDS("elan_nRails after elan_fini")},
    {"puts to whom has left", puts_to_whom_has_left, .roles = 2, ENDS("elan_put with process 1, which has left the job")},
    {"calls without state", calls_without_state, ALONE, ENDS("elan_put with something that is no state")},
    {"calls with the base", calls_with_base, ALONE, ENDS("elan_nRails with something that is no state")},
    {"all lengths", all_lengths, .roles = 2},
    {"all lengths, late", all_lengths, .roles = 2, WITH("ELANEMU_DELAY_US=20")},
    {"last bytes last", last_bytes_last, .roles = 2},
    {"unaligned end in two", unaligned_end_in_two, .roles = 2},
    {"to itself", to_itself, ALONE},
    {"in order", in_order, .roles = 2},
    {"in order, late", in_order, .roles = 2, WITH("ELANEMU_DELAY_US=50")},
    {"not before its time", not_before_its_time, ALONE, WITH("ELANEMU_DELAY_US=20000")},
    {"moves unasked", moves_unasked, .roles = 2, WITH("ELANEMU_DELAY_US=100")},
    {"deaf", deaf, ALONE, WITH("ELANEMU_DEAF=1")},
    {"to the dead", to_the_dead, .roles = 2, .ends = {NULL, KILLED}},
    {"to the dead, late", to_the_dead, .roles = 2, .ends = {NULL, KILLED}, WITH("ELANEMU_DELAY_US=50")},
    {"to the dead whom nobody knew", to_the_dead, .roles = 2, .ends = {NULL, KILLED}, WITH("CHECK_UNKNOWN=1")},
    {"to the dead, which ends", to_the_dead, .roles = 2, .ends = {"elan_put with process 1, which has died", KILLED}, WITH("ELANEMU_DEAD=abort")},
    {"in the place of the dead", in_the_place_of_the_dead, .roles = 4, .places = {1, 2, 3, 4}, .later = 10},
    {"puts nowhere", puts_nowhere, .roles = 2, .ends = {"elan_put: 0x10 of the other process can't be written", "elan_put: 0x10 of the other process can't be written"}},
    {"puts late to nowhere", puts_late_to_nowhere, .roles = 2, ENDS("elan_put: 0x10 of the other process can't be written"), WITH("ELANEMU_DELAY_US=50")},
    {"puts where one only reads", puts_where_one_only_reads, ALONE, ENDS("of the other process can't be written")},
    {"puts over an end", puts_over_an_end, ALONE, ENDS("of the other process can't be written")},
    {"puts from nowhere", puts_from_nowhere, ALONE, ENDS("of this process can't be read")},
    {"puts from nowhere, late", puts_from_nowhere, ALONE, ENDS("of this process can't be read"), WITH("ELANEMU_DELAY_US=50")},
    {"gets from nowhere", gets_from_nowhere, ALONE, ENDS("of the other process can't be read")},
    {"gets to nowhere", gets_to_nowhere, ALONE, ENDS("of this process can't be written")},
    {"gets to nowhere, late", gets_to_nowhere, ALONE, ENDS("of this process can't be written"), WITH("ELANEMU_DELAY_US=50")},
    {"puts to no process", puts_to_no_process, ALONE, ENDS("elan_put with process 3 of 1")},
    {"puts to no process, and is let", puts_to_no_process, ALONE, ENDS("elan_put with process 3 of 1"), WITH("ELANEMU_STRICT=0")},
    {"puts to nobody yet", puts_to_nobody_yet, ALONE, ENDS("elan_put with process 2, which has not joined the job"), WITH("RMS_NPROCS=3")},
    {"puts nothing", puts_nothing, ALONE, ENDS("elan_put of 0 bytes")},
    {"gets less than nothing", gets_less_than_nothing, ALONE, ENDS("elan_get of 18446744073709551608 bytes")},
    {"changes what is sent", changes_what_is_sent, ALONE, ENDS("was changed before it was sent"), WITH("ELANEMU_DELAY_US=5000")},
    {"changes, and is let", changes_and_is_let, ALONE, WITH("ELANEMU_DELAY_US=5000", "ELANEMU_STRICT=0")},
    {"short ones overtake", short_ones_overtake, ALONE, WITH("ELANEMU_DELAY_US=200000")},
    {"shows nothing early", shows_nothing_early, ALONE, WITH("ELANEMU_DELAY_US=200000")},
    {"looks and frees", looks_and_frees, ALONE},
    {"polls the freed", polls_the_freed, ALONE, ENDS("elan_poll of what is no event, or none any more")},
    {"polls the freed much later", polls_the_freed_much_later, ALONE, ENDS("elan_done of what is no event, or none any more")},
    {"waits for the freed", waits_for_the_freed, ALONE, ENDS("elan_wait of what is no event, or none any more")},
    {"polls nothing", polls_nothing, ALONE, ENDS("elan_poll of what is no event, or none any more")},
    {"polls something", polls_something, ALONE, ENDS("elan_poll of what is no event, or none any more")},
    {"links", links, ALONE, WITH("ELANEMU_EVENTS=4")},
    {"links late ones", links_late_ones, ALONE, WITH("ELANEMU_DELAY_US=100")},
    {"is not done before the other", is_not_done_before_the_other, ALONE, WITH("ELANEMU_DEAF=1")},
    {"polls the linked", polls_the_linked, ALONE, ENDS("elan_poll of an event that was linked to another one")},
    {"polls the freed with another", polls_the_freed_with_another, ALONE, ENDS("elan_poll of what is no event, or none any more")},
    {"links to itself", links_to_itself, ALONE, ENDS("elan_link of an event with itself")},
    {"links in a ring", links_in_a_ring, ALONE, ENDS("elan_link of an event that was linked to another one")},
    {"links the freed", links_the_freed, ALONE, ENDS("elan_link of what is no event, or none any more")},
    {"has too many", has_too_many, ALONE, ENDS("more than 4 events at once"), WITH("ELANEMU_EVENTS=4")},
    {"has as many as there may be", has_as_many_as_there_may_be, ALONE, WITH("ELANEMU_EVENTS=4")},
    {"waits for all", waits_for_all, ALONE, WITH("ELANEMU_DELAY_US=2000")},
    {"two threads", two_threads, ALONE, ENDS("while another thread is within the library"), WITH("ELANEMU_DEAF=1")},
    {"threads in turn", threads_in_turn, ALONE},
    {"threads in turn, late", threads_in_turn, ALONE, WITH("ELANEMU_DELAY_US=1")},
    {"child calls", child_calls, ALONE, ENDS("elan_nRails by a child process")},
    {"child of another kind calls", child_calls, ALONE, ENDS("elan_nRails by a child process"), WITH("CHECK_RAW=1")},
    {"any memory", any_memory, ALONE},
    {"given memory", given_memory, .roles = 2, WITH("ELANEMU_REQUIRE_GALLOC=1")},
    {"puts what was not given", puts_what_was_not_given, ALONE, ENDS("elan_put with memory that the library has not given"), WITH("ELANEMU_REQUIRE_GALLOC=1")},
    {"puts to what was not given", puts_to_what_was_not_given, ALONE, ENDS("elan_put with memory that the library of process 0 has not given"), WITH("ELANEMU_REQUIRE_GALLOC=1")},
    {"gets from what was freed", gets_from_what_was_freed, .roles = 2, ENDS("elan_get with memory that the library of process 1 has not given"), WITH("ELANEMU_REQUIRE_GALLOC=1")},
    {"frees another one's", frees_another_ones, ALONE, ENDS("elan_free of memory that it has not given")},
    {"frees twice", frees_twice, ALONE, ENDS("elan_free of memory that it has not given")},
    {"frees everybody's", frees_everybodys, ALONE, ENDS("elan_free of memory of elan_gallocMain")},
    {"the same address", the_same_address, .roles = 3},
    {"synchronises", synchronises, .roles = 4},
    {"broadcasts", broadcasts, .roles = 3},
    {"synchronises no group", synchronises_no_group, ALONE, ENDS("elan_gsync with something that is no group")},
    {"killed in a stream", killed_in_a_stream, .roles = 3, .places = {1, 2, 3}, .later = 2},
};

enum { SCENES = sizeof scenes / sizeof *scenes };

/* The runner. */

static char folder[] = "/tmp/elan_check.XXXXXX";

static int said(int file, char *words, size_t bytes) {
    ssize_t length = pread(file, words, bytes - 1, 0);
    words[length < 0 ? 0 : length] = 0;
    for (char *at = words; *at; at++)
        if (*at == '\n') *at = ' ';
    return (int)length;
}

static int run(int number) {
    char words[4096] = "", capability[64], failure[8192] = "";
    pid_t pids[MOST] = {0};
    int errors[MOST], skipped = 0, left = 0;
    scene = &scenes[number];
    board_file = memfd_create("board", 0);
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, board_file, 0);
    if (board_file < 0 || ftruncate(board_file, sizeof *board) != 0 || board == MAP_FAILED) fail(__LINE__, "no board: %s", strerror(errno));
    snprintf(capability, sizeof capability, "%016x%d", number, (int)getpid());
    setenv("LIBELAN_ECAP0", capability, 1);
    unsetenv("LIBELAN_ECAP");
    unsetenv("RMS_NPROCS");
    setenv("ELANEMU_DIR", folder, 1);
    for (int role = 0; role < scene->roles; role++) {
        errors[role] = -1;
        if (scene->later >> role & 1) continue;
        errors[role] = memfd_create("errors", MFD_CLOEXEC);
        pid_t pid = fork();
        if (pid == 0) {
            dup2(errors[role], STDERR_FILENO);
            /* Its own ones end with it too, as they have the same group. */
            setpgid(0, 0);
            become(role);
        }
        setpgid(pid, pid);
        atomic_store(&board->pid[role], pid);
        pids[role] = pid;
        left++;
    }
    int64_t began = now();
    while (left) {
        int late = now() - began > 2 * LIMIT_NS;
        for (int role = 0; role < scene->roles; role++) {
            int status;
            if (!pids[role]) continue;
            if (late) kill(-pids[role], SIGKILL);
            if (waitpid(pids[role], &status, late ? 0 : WNOHANG) != pids[role]) continue;
            kill(-pids[role], SIGKILL);
            pids[role] = 0;
            left--;
            said(errors[role], words, sizeof words);
            const char *wanted = scene->ends[role];
            const char *line = strstr(words, "elan emulation: ");
            int well = wanted == KILLED ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
                       : wanted        ? WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && line && strstr(line, wanted)
                                       : WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == SKIPPED) && !line;
            skipped |= WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED;
            if (!well || late) {
                size_t length = strlen(failure);
                snprintf(failure + length, sizeof failure - length, "role %d %s with %d%s, saying: %.1500s; ", role, WIFSIGNALED(status) ? "ended by signal" : "ended",
                         WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), late ? ", late" : "", words);
            }
        }
        usleep(200);
    }
    for (int role = 0; role < scene->roles; role++) {
        if (skipped && errors[role] >= 0 && said(errors[role], words, sizeof words) > 0) snprintf(failure, sizeof failure, "%s", words);
        if (errors[role] >= 0) close(errors[role]);
    }
    munmap(board, sizeof *board);
    close(board_file);
    if (*failure) printf("%s: %s\n", scene->name, failure);
    fflush(stdout);
    return skipped ? SKIPPED : *failure != 0;
}

static int scene_named(const char *name) {
    for (int i = 0; i < SCENES; i++)
        if (!strcmp(scenes[i].name, name)) return i;
    fail(__LINE__, "there is no scene %s", name);
}

static void remove_folder(void) {
    pid_t pid = fork();
    if (pid == 0) execlp("rm", "rm", "-rf", folder, (char *)NULL);
    waitpid(pid, NULL, 0);
}

int main(int count, char **arguments) {
    self = arguments[0];
    const char *role = getenv("CHECK_ROLE");
    if (role) {
        board_file = atoi(getenv("CHECK_BOARD"));
        board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, board_file, 0);
        MUST(board != MAP_FAILED);
        scene = &scenes[scene_named(arguments[1])];
        scene->run(atoi(role));
        return 0;
    }
    if (count == 2 && !strcmp(arguments[1], "--list")) {
        for (int i = 0; i < SCENES; i++) puts(scenes[i].name);
        return 0;
    }
    if (!mkdtemp(folder)) fail(__LINE__, "no folder: %s", strerror(errno));
    int worst = 0;
    for (int i = 0; i < (count > 1 ? count - 1 : SCENES); i++) {
        int outcome = run(count > 1 ? scene_named(arguments[i + 1]) : i);
        if (outcome == 1 || !worst) worst = outcome;
    }
    remove_folder();
    return worst;
}
