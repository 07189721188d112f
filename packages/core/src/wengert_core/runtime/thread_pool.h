/* A few sleeping threads that take pieces of one large kernel at a time. Included by thread_pool.pyx only.
 *
 * Note [Worker threads]
 * A job is a body to be called on pieces of 0 .. n. Its caller takes pieces like everybody else, so that a job is done
 * even if no worker comes, and it returns when no worker is inside any more. There is one pool and one job at a time:
 * whoever finds it taken (a second Python thread, a body inside a job) does all pieces itself. Workers are started by
 * the first job that has pieces for them, never touch Python, take no signals and end with the process. A child of
 * fork() has none of them; it starts with an empty pool.
 *
 * Note [Each its share first]
 * 0 .. n is cut into as many shares as there are threads. Each thread begins with its own, the same one in every job,
 * and takes what is left of others' only when that is done: so the next kernel on the same arrays finds them in the
 * caches of who worked on them last (a mean of 10^6 float32, two threads, medians: 44 to 62 us instead of 74 to 84).
 *
 * Note [Away from the caller]
 * Where processors share no cache (as on many virtual machines) Linux wakes a thread on the processor of who wakes it.
 * There a worker waits until the caller has done the whole job, again and again, until the balancing that comes by
 * every few milliseconds moves one of the two. So workers may run on all processors of the caller but the one that it
 * is on. Larger pools are left alone: there one worker counts for little, and a system call for each whenever the
 * caller moves for much.
 */
#ifndef WENGERT_WORKERS_H
#define WENGERT_WORKERS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getcpu, sched_setaffinity */
#endif
#include <Python.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#ifdef __linux__
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

enum { WG_MOST_WORKERS = 1023, WG_PIECES_EACH = 4, WG_SPINS = 2000, WG_LINGER = 1500, WG_KEPT_OFF = 8 };

typedef void (*wg_body)(Py_ssize_t begin, Py_ssize_t end, void *ctx);

static struct {
    pthread_mutex_t lock;            /* of workers, seats, active */
    pthread_cond_t wake, left;
    int wanted;                      /* threads that work at once, with the caller */
    int registered;                  /* that fork() has to be told */
    int taken;                       /* a job is running */
    int workers;                     /* started */
    int seats;                       /* workers that the job still waits for */
    int active;                      /* workers inside the job */
    wg_body body;                    /* from here on: the job */
    void *ctx;
    Py_ssize_t n, piece, share;
    int shares;
    fenv_t rounding;                 /* the caller's, so that results do not depend on who computes them */
} wg_pool = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .wake = PTHREAD_COND_INITIALIZER,
    .left = PTHREAD_COND_INITIALIZER,
    .wanted = 1,
};

static struct {
    Py_ssize_t next;                 /* in this share, where nobody has begun */
    char apart[64 - sizeof(Py_ssize_t)];
} wg_shares[WG_MOST_WORKERS + 1];

#ifdef __linux__
static struct {
    pid_t thread;                    /* 0: it has not begun */
    int avoided;                     /* the processor it may not run on; -1: none */
} wg_places[WG_MOST_WORKERS];

/* Keep the workers off the processor the caller is on. With the lock; no system call as long as the caller stays
   there. */
static void wg_keep_off(void) {
    const int here = sched_getcpu();
    cpu_set_t others;
    for (int i = 0; i < wg_pool.workers && wg_pool.workers <= WG_KEPT_OFF; i++) {
        if (here < 0 || wg_places[i].avoided == here || wg_places[i].thread == 0) continue;
        if (sched_getaffinity(0, sizeof others, &others) != 0 || CPU_COUNT(&others) < 2) return;
        CPU_CLR(here, &others);
        wg_places[i].avoided = here; /* also if that fails: it is not tried with every job */
        sched_setaffinity(wg_places[i].thread, sizeof others, &others);
    }
}

static void wg_begin(int worker) {
    wg_places[worker].avoided = -1;
    wg_places[worker].thread = (pid_t)syscall(SYS_gettid);
}
#else
static void wg_keep_off(void) {}
static void wg_begin(int worker) { (void)worker; }
#endif

/* who: 0 for the caller. */
static void wg_take_pieces(int who) {
    const Py_ssize_t n = wg_pool.n, piece = wg_pool.piece, share = wg_pool.share;
    const int shares = wg_pool.shares;
    for (int i = 0; i < shares; i++) {
        const int which = (who + i) % shares;
        const Py_ssize_t rest = n - which * share, end = which * share + (rest < share ? rest : share);
        for (;;) {
            const Py_ssize_t begin = __atomic_fetch_add(&wg_shares[which].next, piece, __ATOMIC_RELAXED);
            if (begin >= end) break;
            wg_pool.body(begin, end - begin < piece ? end : begin + piece, wg_pool.ctx);
        }
    }
}

static inline void wg_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Wait, awake and without the lock, until there may be a seat, or long enough. */
static void wg_linger(void) {
    for (int i = 0; i < WG_LINGER && __atomic_load_n(&wg_pool.seats, __ATOMIC_RELAXED) == 0; i++) wg_pause();
}

static void *wg_worker(void *number) {
    pthread_mutex_lock(&wg_pool.lock);
    wg_begin((int)(intptr_t)number);
    for (;;) {
        while (wg_pool.seats == 0) pthread_cond_wait(&wg_pool.wake, &wg_pool.lock);
        __atomic_fetch_sub(&wg_pool.seats, 1, __ATOMIC_RELAXED);
        wg_pool.active++;
        pthread_mutex_unlock(&wg_pool.lock);
        fesetenv(&wg_pool.rounding);
        wg_take_pieces((int)(intptr_t)number + 1);
        pthread_mutex_lock(&wg_pool.lock);
        if (__atomic_sub_fetch(&wg_pool.active, 1, __ATOMIC_RELEASE) == 0) pthread_cond_signal(&wg_pool.left);
        pthread_mutex_unlock(&wg_pool.lock);
        wg_linger();
        pthread_mutex_lock(&wg_pool.lock);
    }
    return NULL;
}

/* In the child of a fork: the threads are gone, and whatever another thread was doing with the pool. */
static void wg_after_fork(void) {
    wg_pool.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    wg_pool.wake = wg_pool.left = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    wg_pool.workers = wg_pool.seats = wg_pool.active = 0;
#ifdef __linux__
    memset(wg_places, 0, sizeof wg_places);
#endif
    __atomic_store_n(&wg_pool.taken, 0, __ATOMIC_RELEASE);
}

/* Start workers until there are that many, or no more can be had. They leave all signals to Python's threads, except
 * those that a thread sends to itself by a fault. */
static void wg_start_workers(int count) {
    sigset_t none, before;
    pthread_t thread;
    if (wg_pool.workers >= count) return;
    if (!wg_pool.registered) {
        if (pthread_atfork(NULL, NULL, wg_after_fork) != 0) return;
        wg_pool.registered = 1;
    }
    sigfillset(&none);
    sigdelset(&none, SIGSEGV);
    sigdelset(&none, SIGBUS);
    sigdelset(&none, SIGFPE);
    sigdelset(&none, SIGILL);
    pthread_sigmask(SIG_SETMASK, &none, &before);
    while (wg_pool.workers < count) {
        if (pthread_create(&thread, NULL, wg_worker, (void *)(intptr_t)wg_pool.workers) != 0) break;
#ifdef __linux__
        pthread_setname_np(thread, "wengert-worker");
#endif
        pthread_detach(thread);
        wg_pool.workers++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void wg_wait_until_left(void) {
    pthread_mutex_lock(&wg_pool.lock);
    __atomic_store_n(&wg_pool.seats, 0, __ATOMIC_RELAXED);    /* who has not come yet need not come */
    pthread_mutex_unlock(&wg_pool.lock);
    for (int i = 0; i < WG_SPINS && __atomic_load_n(&wg_pool.active, __ATOMIC_ACQUIRE); i++) wg_pause();
    pthread_mutex_lock(&wg_pool.lock);
    while (wg_pool.active) pthread_cond_wait(&wg_pool.left, &wg_pool.lock);
    pthread_mutex_unlock(&wg_pool.lock);
}

/* body on pieces that make up 0 .. n, none smaller than grain but those at the end of a share. Returns how many threads
   were asked to work. */
static int wg_parallel_for(Py_ssize_t n, Py_ssize_t grain, wg_body body, void *ctx) {
    const int wanted = __atomic_load_n(&wg_pool.wanted, __ATOMIC_RELAXED);
    if (n <= 0) return 1;
    if (grain < 1) grain = 1;
    if (wanted <= 1 || n / 2 < grain || __atomic_exchange_n(&wg_pool.taken, 1, __ATOMIC_ACQUIRE)) {
        body(0, n, ctx);
        return 1;
    }
    const Py_ssize_t shares = n / grain;
    int workers = shares < wanted ? (int)shares - 1 : wanted - 1;
    if (workers > WG_MOST_WORKERS) workers = WG_MOST_WORKERS;
    wg_start_workers(workers);
    if (workers > wg_pool.workers) workers = wg_pool.workers;
    const Py_ssize_t share = (n + workers) / (workers + 1);
    const Py_ssize_t pieces = share / grain < WG_PIECES_EACH ? share / grain : WG_PIECES_EACH;
    wg_pool.body = body;
    wg_pool.ctx = ctx;
    wg_pool.n = n;
    wg_pool.share = share;
    wg_pool.shares = workers + 1;
    wg_pool.piece = (share + pieces - 1) / pieces;
    for (int i = 0; i <= workers; i++) wg_shares[i].next = i * share;
    fegetenv(&wg_pool.rounding);
    pthread_mutex_lock(&wg_pool.lock);
    wg_keep_off();
    __atomic_store_n(&wg_pool.seats, workers, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&wg_pool.lock);
    for (int i = 0; i < workers; i++) pthread_cond_signal(&wg_pool.wake);
    wg_take_pieces(0);
    wg_wait_until_left();
    __atomic_store_n(&wg_pool.taken, 0, __ATOMIC_RELEASE);
    return workers + 1;
}

static int wg_wanted_threads(void) { return __atomic_load_n(&wg_pool.wanted, __ATOMIC_RELAXED); }
static void wg_want_threads(int n) { __atomic_store_n(&wg_pool.wanted, n, __ATOMIC_RELAXED); }

#endif
