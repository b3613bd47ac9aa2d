/* karst inside an engine: its cells come from the engine's arena, its tasks run on the engine's
 * threads, and the engine goes on drawing frames meanwhile. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

#include <karst/karst.h>

/* An allocator that knows what it gave. */
struct arena {
    atomic_size_t used, most;
};

static void *arena_allocate(void *context, size_t size, size_t alignment) {
    struct arena *const arena = context;
    const size_t used = atomic_fetch_add(&arena->used, size) + size;
    size_t most = atomic_load(&arena->most);
    while (used > most && !atomic_compare_exchange_weak(&arena->most, &most, used)) {
    }
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void arena_release(void *context, void *memory, size_t size, size_t alignment) {
    struct arena *const arena = context;
    (void)alignment;
    atomic_fetch_sub(&arena->used, size);
    free(memory);
}

/* Tasks on four threads. An engine hands them to those that it has. */
enum { WORKERS = 4 };
struct tasks {
    _Atomic int64_t next;
    int64_t count;
    void (*task)(void *, int64_t);
    void *context;
};

static int work(void *raw) {
    struct tasks *const tasks = raw;
    for (int64_t i; (i = atomic_fetch_add(&tasks->next, 1)) < tasks->count;) {
        tasks->task(tasks->context, i);
    }
    return 0;
}

static void run_tasks(void *context, int64_t count, void (*task)(void *, int64_t),
                      void *task_context) {
    (void)context;
    struct tasks tasks = {0, count, task, task_context};
    thrd_t workers[WORKERS - 1];
    int begun = 0;
    while (begun < WORKERS - 1 && thrd_create(&workers[begun], work, &tasks) == thrd_success) {
        ++begun;
    }
    work(&tasks);
    for (int i = 0; i < begun; ++i) {
        thrd_join(workers[i], NULL);
    }
}

/* Without the engine's own way to begin a job karst makes a thread for it. */
static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, karst_last_error());
    return 1;
}

int main(void) {
    struct arena arena = {0, 0};
    const karst_allocator allocator = {.struct_size = sizeof allocator,
                                       .context = &arena,
                                       .allocate = arena_allocate,
                                       .release = arena_release};
    const karst_task_runner runner = {
        .struct_size = sizeof runner, .concurrency = WORKERS, .run = run_tasks};
    const karst_options options = {
        .struct_size = sizeof options, .allocator = &allocator, .task_runner = &runner};
    karst_request *request = NULL;
    karst_job *job = NULL;
    if (karst_request_create("heightmap", &request) || karst_request_set_seed(request, 7) ||
        karst_request_set_extent(request, 129, 129, 0) || karst_request_set_cell(request, 8) ||
        karst_start(request, &options, &job)) {
        return fail("start");
    }
    int frames = 0;
    karst_job_state state = {.struct_size = sizeof state};
    do { /* each frame */
        if (karst_job_poll(job, &state)) {
            return fail("poll");
        }
        ++frames;
        thrd_sleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    } while (!state.finished);

    /* Heights in metres into the y of vertices of six floats. */
    static float vertices[129 * 129][6];
    karst_result *result = NULL;
    uint32_t height = 0;
    karst_layer layer = {.struct_size = sizeof layer};
    if (karst_job_take_result(job, &result) || karst_result_find_layer(result, "height", &height) ||
        karst_result_layer_at(result, height, &layer) ||
        karst_result_copy_amounts(result, height, &vertices[0][1], 129 * 129, sizeof *vertices)) {
        return fail("result");
    }
    printf("%s 0x%016" PRIx64 "\n", layer.name, layer.digest);
    karst_result_destroy(result);
    karst_job_destroy(job);
    karst_request_destroy(request);
    fprintf(stderr, "%d frames, at most %zu bytes of the arena, %zu left\n", frames,
            atomic_load(&arena.most), atomic_load(&arena.used));
    return atomic_load(&arena.used) == 0 && atomic_load(&arena.most) > 0 ? 0 : 1;
}
