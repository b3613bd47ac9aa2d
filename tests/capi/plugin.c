/* karst_c as a plugin of a C11 program: loaded and unloaded while it runs, across a fork, with
 * nothing left behind: no text on the standard streams, no signal handler, no locale.
 *     karst_plugin LIBRARY */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <karst/karst.h>

static FILE *report; /* the real standard error */

static void require(int good, const char *what) {
    if (!good) {
        fprintf(report, "karst_plugin: %s\n", what);
        exit(1);
    }
}

/* What a host looks up. */
struct karst {
    void *library;
    karst_status (*request_create)(const char *, karst_request **);
    karst_status (*request_destroy)(karst_request *);
    karst_status (*request_set_extent)(karst_request *, int64_t, int64_t, int64_t);
    karst_status (*request_set_text)(karst_request *, const char *, const char *);
    karst_status (*run)(const karst_request *, const karst_options *, karst_result **);
    karst_status (*start)(const karst_request *, const karst_options *, karst_job **);
    karst_status (*job_poll)(const karst_job *, karst_job_state *);
    karst_status (*job_wait)(const karst_job *, int64_t);
    karst_status (*job_cancel)(karst_job *);
    karst_status (*job_take_result)(karst_job *, karst_result **);
    karst_status (*job_destroy)(karst_job *);
    karst_status (*result_layer_at)(const karst_result *, uint32_t, karst_layer *);
    karst_status (*result_destroy)(karst_result *);
    const char *(*last_error)(void);
};

static void find(void *library, const char *name, void *function) {
    void *const found = dlsym(library, name);
    require(found != NULL, name);
    memcpy(function, &found, sizeof found);
}

static struct karst load(const char *path) {
    struct karst k;
    k.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    require(k.library != NULL, dlerror());
    find(k.library, "karst_request_create", &k.request_create);
    find(k.library, "karst_request_destroy", &k.request_destroy);
    find(k.library, "karst_request_set_extent", &k.request_set_extent);
    find(k.library, "karst_request_set_text", &k.request_set_text);
    find(k.library, "karst_run", &k.run);
    find(k.library, "karst_start", &k.start);
    find(k.library, "karst_job_poll", &k.job_poll);
    find(k.library, "karst_job_wait", &k.job_wait);
    find(k.library, "karst_job_cancel", &k.job_cancel);
    find(k.library, "karst_job_take_result", &k.job_take_result);
    find(k.library, "karst_job_destroy", &k.job_destroy);
    find(k.library, "karst_result_layer_at", &k.result_layer_at);
    find(k.library, "karst_result_destroy", &k.result_destroy);
    find(k.library, "karst_last_error", &k.last_error);
    return k;
}

static karst_request *cave(const struct karst *k, int64_t side) {
    karst_request *request = NULL;
    require(k->request_create("cave", &request) == KARST_OK, "create");
    require(k->request_set_extent(request, side, side, 0) == KARST_OK, "extent");
    /* A decimal point, whatever the locale has. */
    require(k->request_set_text(request, "passage_width", "4.5") == KARST_OK, k->last_error());
    require(k->request_set_text(request, "passage_width", "4,5") == KARST_INVALID_ARGUMENT,
            "a decimal comma is no number");
    return request;
}

static uint64_t digest(const struct karst *k, karst_result *result) {
    karst_layer layer = {.struct_size = sizeof layer};
    require(k->result_layer_at(result, 0, &layer) == KARST_OK, "layer");
    require(k->result_destroy(result) == KARST_OK, "destroy");
    return layer.digest;
}

static uint64_t small_job(const struct karst *k) {
    karst_request *const request = cave(k, 64);
    karst_result *result = NULL;
    require(k->run(request, NULL, &result) == KARST_OK, k->last_error());
    require(k->request_destroy(request) == KARST_OK, "destroy");
    return digest(k, result);
}

static uint64_t small_job_beside(const struct karst *k) {
    karst_request *const request = cave(k, 64);
    karst_job *job = NULL;
    karst_result *result = NULL;
    require(k->start(request, NULL, &job) == KARST_OK, k->last_error());
    require(k->job_wait(job, -1) == KARST_OK, k->last_error());
    require(k->job_take_result(job, &result) == KARST_OK, "take");
    require(k->job_destroy(job) == KARST_OK, "destroy a job");
    require(k->request_destroy(request) == KARST_OK, "destroy a request");
    return digest(k, result);
}

/* A job of the parent runs while the process forks. */
static void fork_during_a_job(const struct karst *k, uint64_t expected) {
    karst_request *const request = cave(k, 1024);
    karst_job *job = NULL;
    require(k->start(request, NULL, &job) == KARST_OK, k->last_error());
    const pid_t child = fork();
    require(child >= 0, "fork");
    if (child == 0) {
        karst_job_state state = {.struct_size = sizeof state};
        require(k->job_poll(job, &state) == KARST_FORKED, "the child polls the parent's job");
        require(k->job_wait(job, -1) == KARST_FORKED, "the child waits for the parent's job");
        require(k->job_cancel(job) == KARST_FORKED, "the child cancels the parent's job");
        require(k->job_destroy(job) == KARST_OK, "the child forgets the parent's job");
        require(small_job(k) == expected, "a job of the child");
        require(small_job_beside(k) == expected, "a job beside the child");
        exit(0);
    }
    int status = 0;
    require(waitpid(child, &status, 0) == child && status == 0, "the child");
    const pid_t leaver = fork();
    if (leaver == 0) { /* ends while its own job runs, and one of its parent is known */
        karst_job *own = NULL;
        require(k->start(request, NULL, &own) == KARST_OK, k->last_error());
        exit(0);
    }
    require(waitpid(leaver, &status, 0) == leaver && status == 0, "the end of a running job");
    k->job_cancel(job);
    require(k->job_destroy(job) == KARST_OK, "destroy");
    require(k->request_destroy(request) == KARST_OK, "destroy");
}

enum { SIGNALS = 32 };

static void look_at_signals(struct sigaction *actions) {
    for (int i = 1; i < SIGNALS; ++i) {
        sigaction(i, NULL, &actions[i]);
    }
}

int main(int count, char **arguments) {
    report = fdopen(dup(2), "w");
    require(count == 2, "the library's path is missing");
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C.UTF-8"};
    for (size_t i = 0; i < sizeof commas / sizeof *commas; ++i) {
        if (setlocale(LC_ALL, commas[i]) != NULL) {
            break;
        }
    }
    char locale[64];
    snprintf(locale, sizeof locale, "%s", setlocale(LC_ALL, NULL));
    FILE *const streams = tmpfile();
    require(streams != NULL, "a temporary file");
    require(dup2(fileno(streams), 1) == 1 && dup2(fileno(streams), 2) == 2, "dup2");
    static struct sigaction before[SIGNALS], after[SIGNALS];
    look_at_signals(before);

    uint64_t expected = 0;
    for (int i = 0; i < 3; ++i) {
        const struct karst k = load(arguments[1]);
        const uint64_t made = small_job(&k);
        expected = i == 0 ? made : expected;
        require(made == expected, "the digest after the library was loaded again");
        require(small_job_beside(&k) == expected, "a job beside the caller");
        fork_during_a_job(&k, expected);
        require(dlclose(k.library) == 0, dlerror());
        require(dlopen(arguments[1], RTLD_NOW | RTLD_NOLOAD) == NULL, "it is not unloaded");
    }

    look_at_signals(after);
    for (int i = 1; i < SIGNALS; ++i) {
        require(before[i].sa_handler == after[i].sa_handler, "a signal handler was set");
    }
    require(strcmp(locale, setlocale(LC_ALL, NULL)) == 0, "the locale was changed");
    fflush(NULL);
    struct stat written;
    require(fstat(fileno(streams), &written) == 0 && written.st_size == 0,
            "something was written to the standard streams");
    fprintf(report, "loaded three times, locale %s, digest %016llx\n", locale,
            (unsigned long long)expected);
    return 0;
}
