/* The C interface of karst: C11, C++ and every language that calls C. It is the library karst_c,
 * which exports nothing else.
 *
 * Calls. A function that can fail gives a karst_status; what went wrong is then the text of
 * karst_last_error() on the same thread, and nothing was written to the caller's memory (but the
 * size that karst_request_get_text is asked for). No
 * exception leaves a function. All functions may be called from any thread at any time. karst
 * writes nothing to the standard streams, installs no signal handler and reads no locale.
 *
 * Handles. karst_request, karst_job and karst_result are made and destroyed by the functions below.
 * A null or foreign pointer and one that is destroyed give KARST_INVALID_HANDLE. Before the library
 * is unloaded all handles must be destroyed; a program that ends cancels the jobs that still run.
 *
 * Structs. Their first member is their size, which the caller sets: a newer library then knows what
 * an older program has. In structs that karst reads, 0 is the default of every member. In structs
 * that karst fills, texts belong to karst: those of results and jobs live as long as their handle,
 * all others as long as the library is loaded.
 *
 * Units. Lengths are metres, axes glTF's: x east, y up, z south; row 0 of a map is the north.
 */
#ifndef KARST_KARST_H
#define KARST_KARST_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#if defined(KARST_EXPORTS)
#define KARST_C_API __declspec(dllexport)
#else
#define KARST_C_API
#endif
#elif defined(__GNUC__)
#define KARST_C_API __attribute__((visibility("default")))
#else
#define KARST_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t karst_status;
enum {
    KARST_OK = 0,
    KARST_INVALID_ARGUMENT = 1,   /* a parameter, size or flag is outside what is allowed */
    KARST_IO_FAILURE = 2,         /* a file cannot be written */
    KARST_INVALID_INPUT = 3,      /* a shape or a map is wrong */
    KARST_OUT_OF_MEMORY = 4,      /* the job does not fit, or the allocator gave nothing */
    KARST_NO_DEVICE = 5,          /* the asked device does not exist here */
    KARST_DEVICE_FAILURE = 6,     /* the device failed while it worked */
    KARST_UNSUPPORTED = 7,        /* valid, but not possible in this build, version or format */
    KARST_REQUIREMENT_FAILED = 8, /* a stated requirement was not met */
    KARST_CANCELLED = 9,          /* the caller asked to stop */
    KARST_BUFFER_TOO_SMALL = 10,  /* the text says how much is needed */
    KARST_NOT_FINISHED = 11,      /* the job still runs */
    KARST_INVALID_HANDLE = 12,    /* null, foreign or destroyed */
    KARST_FORKED = 13,            /* the job runs in the process that this one was forked from */
    KARST_INTERNAL = 14           /* a fault of karst, or an exception of a callback */
};

/* "0.1.0" */
KARST_C_API const char *karst_version(void);
/* The arrays of one algorithm version never change. */
KARST_C_API uint32_t karst_algorithm_version(void);
/* "invalid_argument"; "unknown" for what is no status. */
KARST_C_API const char *karst_status_name(karst_status status);
/* Of the last call on this thread that failed, at most 1023 bytes; "" before that. It is
 * overwritten by the next that fails. */
KARST_C_API const char *karst_last_error(void);

/* ---- Devices ---------------------------------------------------------------------------------*/

enum {
    KARST_DEVICE_CPU = 0,
    KARST_DEVICE_CUDA = 1,
    KARST_DEVICE_AUTOMATIC = 2 /* the CPU or the first CUDA device, whichever is done first */
};

typedef struct karst_device {
    uint32_t struct_size;
    int32_t kind;
    int32_t ordinal; /* number of the CUDA device */
    uint32_t reserved;
    uint64_t memory; /* bytes */
    char name[256];  /* "CPU, 8 threads" or the CUDA name */
} karst_device;

/* The CPU is device 0. */
KARST_C_API karst_status karst_device_count(uint32_t *count);
KARST_C_API karst_status karst_device_at(uint32_t index, karst_device *device);

/* ---- What karst can make ---------------------------------------------------------------------*/

typedef struct karst_generator {
    uint32_t struct_size;
    uint32_t param_count;
    uint32_t preset_count; /* a request begins with preset 0, if there is one */
    uint32_t layer_count;
    uint32_t map_count; /* painted maps that it takes */
    int32_t takes_shape;
    const char *name; /* "heightmap" */
    const char *help; /* one sentence */
    int64_t width;    /* of a new request, cells */
    int64_t height;
    int64_t depth; /* 0: it makes maps, not volumes */
    double cell;   /* metres a cell */
} karst_generator;

enum {
    KARST_BOOLEAN = 0,
    KARST_INTEGER = 1,
    KARST_REAL = 2,
    KARST_CHOICE = 3, /* one of a list of texts */
    KARST_TEXT = 4
};

typedef struct karst_param {
    uint32_t struct_size;
    int32_t type;
    uint32_t choice_count;
    int32_t default_boolean;
    const char *name; /* "passage_width" */
    const char *help; /* one sentence */
    const char *unit; /* "m", "degrees", "fraction", "cells", "steps" or "" */
    double minimum;   /* of integers and reals */
    double maximum;
    double default_number;    /* of integers and reals */
    const char *default_text; /* of choices and texts, else "" */
} karst_param;

typedef struct karst_preset {
    uint32_t struct_size;
    uint32_t reserved;
    const char *name;
    const char *help; /* one sentence */
} karst_preset;

enum {
    KARST_MAP = 0,      /* a layer of two dimensions */
    KARST_VOLUME = 1,   /* a layer of three dimensions */
    KARST_MESH = 2,     /* triangles */
    KARST_DOCUMENT = 3, /* JSON */
    KARST_DRAWING = 4   /* SVG, a document too */
};

typedef struct karst_layer_kind {
    uint32_t struct_size;
    int32_t kind;
    int32_t on_request; /* it is made only if karst_request_add_layer names it */
    uint32_t reserved;
    const char *name;
    const char *help;  /* one sentence */
    const char *param; /* the boolean parameter that makes it; "": always there */
} karst_layer_kind;

/* All counts are those of karst_generator; an index beyond them is an invalid argument. The order
 * of generators never changes, new ones come at the end. */
KARST_C_API karst_status karst_generator_count(uint32_t *count);
KARST_C_API karst_status karst_generator_at(uint32_t generator, karst_generator *info);
KARST_C_API karst_status karst_find_generator(const char *name, uint32_t *generator);
KARST_C_API karst_status karst_param_at(uint32_t generator, uint32_t param, karst_param *info);
KARST_C_API karst_status karst_choice_at(uint32_t generator, uint32_t param, uint32_t choice,
                                         const char **name);
KARST_C_API karst_status karst_preset_at(uint32_t generator, uint32_t preset, karst_preset *info);
KARST_C_API karst_status karst_layer_at(uint32_t generator, uint32_t layer, karst_layer_kind *info);
KARST_C_API karst_status karst_map_at(uint32_t generator, uint32_t map, const char **name);

/* ---- Requests: what to make ------------------------------------------------------------------*/

typedef struct karst_request karst_request;

/* Of the generator of that name, with its first preset, its usual size, and seed 0. A request may
 * be run many times; a run takes a copy of it. */
KARST_C_API karst_status karst_request_create(const char *generator, karst_request **request);
KARST_C_API karst_status karst_request_destroy(karst_request *request);

/* Puts all parameters to their defaults and then to the values of the preset; layers that were
 * added stay. */
KARST_C_API karst_status karst_request_set_preset(karst_request *request, const char *preset);
KARST_C_API karst_status karst_request_set_seed(karst_request *request, uint64_t seed);
/* As on the command line: a number, or any other text, which is hashed. */
KARST_C_API karst_status karst_request_set_seed_text(karst_request *request, const char *seed);
/* Cells; depth is 0 for maps. */
KARST_C_API karst_status karst_request_set_extent(karst_request *request, int64_t width,
                                                  int64_t height, int64_t depth);
/* Metres a cell. */
KARST_C_API karst_status karst_request_set_cell(karst_request *request, double metres);

/* Whole numbers are good for integers and reals. Type and range are checked, what several
 * parameters must be together when the request runs. karst_request_set_text takes what the command
 * line takes, of any type: "true", "0.5", "B3/S23".
 */
KARST_C_API karst_status karst_request_set_boolean(karst_request *request, const char *param,
                                                   int32_t value);
KARST_C_API karst_status karst_request_set_integer(karst_request *request, const char *param,
                                                   int64_t value);
KARST_C_API karst_status karst_request_set_real(karst_request *request, const char *param,
                                                double value);
KARST_C_API karst_status karst_request_set_text(karst_request *request, const char *param,
                                                const char *value);
/* The value as text with a 0 byte at its end. `size` is what that takes; text may be null if
 * capacity is 0, to ask for it. */
KARST_C_API karst_status karst_request_get_text(const karst_request *request, const char *param,
                                                char *text, size_t capacity, size_t *size);

/* A painted map over the whole ground, copied. Cell (x, y) is cells[y * row + x]; 0 is black and
 * 65535 white. */
typedef struct karst_painted_map {
    uint32_t struct_size;
    uint32_t reserved;
    int64_t width; /* 1 to 65536 */
    int64_t height;
    int64_t row; /* cells from one row to the next; 0: width */
    const uint16_t *cells;
    double black; /* of a map of a parameter: what the two mean */
    double white;
} karst_painted_map;

/* `map` is one of karst_map_at; null cells take it away. */
KARST_C_API karst_status karst_request_set_map(karst_request *request, const char *map,
                                               const karst_painted_map *painted);
/* The closed mesh of a volume's shape, copied: x, y, z of each vertex in metres and three indices a
 * triangle. 0 vertices take it away. Whether it is closed, the run says. */
KARST_C_API karst_status karst_request_set_shape(karst_request *request, const float *positions,
                                                 size_t vertex_count, const uint32_t *indices,
                                                 size_t index_count);
/* Asks for a layer that is made on request or by a parameter. */
KARST_C_API karst_status karst_request_add_layer(karst_request *request, const char *layer);
/* Not 0: layers that were not added may be left out, which can save time. */
KARST_C_API karst_status karst_request_set_only_added(karst_request *request, int32_t only);

/* ---- Running
 * -----------------------------------------------------------------------------------*/

/* Memory of cells. It is called on any thread of the job, and for a result until that is
 * destroyed. Small things (texts, lists, meshes) come from C++'s allocator. */
typedef struct karst_allocator {
    uint32_t struct_size;
    uint32_t reserved;
    void *context;
    /* `alignment` is a power of 2; null: there is no memory. */
    void *(*allocate)(void *context, size_t size, size_t alignment);
    void (*release)(void *context, void *memory, size_t size, size_t alignment);
} karst_allocator;

/* The host's threads; `threads` of the options then says nothing. Context and functions must be
 * there until the run or the job has ended. */
typedef struct karst_task_runner {
    uint32_t struct_size;
    int32_t concurrency; /* how many tasks can run at once, at least 1 */
    void *context;
    /* Calls task(task_context, i) once for each i in [0, count), in any order and on any threads,
     * and returns when all are done. It is not called from a task. */
    void (*run)(void *context, int64_t count, void (*task)(void *task_context, int64_t i),
                void *task_context);
    /* Begins a job of karst_start: sees to it that job(job_context) is called once, on another
     * thread, and returns 0 at once; anything else: it will not be called, and karst_start gives
     * KARST_CANCELLED. The thread must have returned from `job` before the library is unloaded.
     * Null: karst makes a thread. */
    int32_t (*launch)(void *context, void (*job)(void *job_context), void *job_context);
} karst_task_runner;

typedef struct karst_options {
    uint32_t struct_size;
    int32_t device_kind;
    int32_t device_ordinal;
    int32_t threads;       /* of the CPU; 0: all that the process may use */
    uint64_t memory_limit; /* bytes a job may need; 0: what the machine has free */
    /* Called on the job's thread, perhaps before karst_start has returned; `fraction` of the whole
     * never falls. Anything but 0 cancels. */
    int32_t (*progress)(void *progress_context, const char *stage, double fraction);
    void *progress_context;
    const karst_allocator *allocator;     /* copied; null: C++'s */
    const karst_task_runner *task_runner; /* copied; null: karst's own threads */
} karst_options;

typedef struct karst_job karst_job;
typedef struct karst_result karst_result;

/* Null options are the defaults everywhere. Several jobs may run at once. */

/* Bytes that a run needs at its peak, its result included. */
KARST_C_API karst_status karst_request_memory(const karst_request *request,
                                              const karst_options *options, uint64_t *bytes);
/* Runs on the calling thread. */
KARST_C_API karst_status karst_run(const karst_request *request, const karst_options *options,
                                   karst_result **result);
/* Begins to run and returns. */
KARST_C_API karst_status karst_start(const karst_request *request, const karst_options *options,
                                     karst_job **job);

typedef struct karst_job_state {
    uint32_t struct_size;
    int32_t finished;    /* 1: it has ended, with `status` */
    karst_status status; /* KARST_NOT_FINISHED while it runs */
    uint32_t reserved;
    double fraction; /* of the whole, 0 to 1 */
    char stage[64];  /* what runs now, "network 2 of 3" */
} karst_job_state;

KARST_C_API karst_status karst_job_poll(const karst_job *job, karst_job_state *state);
/* Waits at most so long, negative: until the end. KARST_NOT_FINISHED, or what karst_run would have
 * given. */
KARST_C_API karst_status karst_job_wait(const karst_job *job, int64_t milliseconds);
/* Asks it to stop; it ends soon after, with KARST_CANCELLED if it was not done. */
KARST_C_API karst_status karst_job_cancel(karst_job *job);
/* The result of a job that ended with KARST_OK; once. */
KARST_C_API karst_status karst_job_take_result(karst_job *job, karst_result **result);
/* Cancels it if it runs, and waits for its end. */
KARST_C_API karst_status karst_job_destroy(karst_job *job);

/* ---- Results
 * -----------------------------------------------------------------------------------*/

typedef struct karst_result_info {
    uint32_t struct_size;
    uint32_t layer_count;    /* maps and volumes */
    uint32_t mesh_count;     /* each of one part or several */
    uint32_t document_count; /* JSON and SVG */
    uint32_t measure_count;
    uint32_t note_count; /* what a person should know of it, "2 of 3 entrances were made" */
    double cell;         /* metres a cell */
} karst_result_info;

enum {
    KARST_MASK = 0,   /* 0 or 255 */
    KARST_AMOUNT = 1, /* value * scale + offset, in `unit` */
    KARST_ID = 2,     /* equal values belong together */
    KARST_COLOUR = 3  /* 0x00RRGGBB */
};

/* Cell (x, y, z) is at index (z * height + y) * width + x, its channels behind each other, each of
 * `bits` as an unsigned integer of the processor's byte order. */
typedef struct karst_layer {
    uint32_t struct_size;
    int32_t kind;    /* KARST_MAP or KARST_VOLUME */
    int32_t meaning; /* KARST_MASK and so on */
    uint32_t channels;
    uint32_t bits; /* of a channel: 8, 16 or 32 */
    uint32_t reserved;
    int64_t width;
    int64_t height;
    int64_t depth; /* 1 of a map */
    double scale;
    double offset;
    const char *name;
    const char *unit;
    uint64_t size;     /* bytes of all cells */
    const void *cells; /* karst's own memory, until the result is destroyed */
    uint64_t digest; /* as the command line prints it; computed once, when it is first asked for */
} karst_layer;

typedef struct karst_mesh {
    uint32_t struct_size;
    uint32_t part_count;
    uint32_t socket_count;
    uint32_t reserved;
    const char *name;
} karst_mesh;

typedef struct karst_mesh_part {
    uint32_t struct_size;
    int32_t has_normals;
    int32_t has_uvs;
    int32_t has_tangents;
    uint64_t vertex_count;
    uint64_t index_count; /* three a triangle, counter-clockwise seen from the front */
    const char *name;
    float pivot[3]; /* positions are relative to it */
    uint32_t reserved;
    uint64_t digest;
} karst_mesh_part;

/* Where a part is copied to. Each attribute begins at its pointer, null: it is not copied, and goes
 * on by `stride` bytes a vertex, 0: by its own size, so that one buffer may hold all of them. What
 * the part does not have must be null. */
typedef struct karst_mesh_buffers {
    uint32_t struct_size;
    uint32_t stride;
    uint64_t vertex_capacity;
    uint64_t index_capacity;
    float *positions; /* x, y, z */
    float *normals;   /* x, y, z */
    float *uvs;       /* u, v */
    float *tangents;  /* x, y, z, sign of the bitangent */
    uint32_t *indices;
} karst_mesh_buffers;

/* A place that an engine attaches things to. */
typedef struct karst_socket {
    uint32_t struct_size;
    float position[3];
    float forward[3]; /* horizontal, of length 1 */
    uint32_t reserved;
    const char *name; /* "SOCKET_entrance_0" */
} karst_socket;

typedef struct karst_document {
    uint32_t struct_size;
    uint32_t reserved;
    const char *name;
    const char *text; /* with a 0 byte at its end */
    uint64_t length;  /* bytes without it */
    uint64_t digest;
} karst_document;

typedef struct karst_measure {
    uint32_t struct_size;
    uint32_t reserved;
    const char *name; /* "open share" */
    double value;
} karst_measure;

KARST_C_API karst_status karst_result_destroy(karst_result *result);
KARST_C_API karst_status karst_result_get_info(const karst_result *result, karst_result_info *info);

KARST_C_API karst_status karst_result_layer_at(const karst_result *result, uint32_t index,
                                               karst_layer *layer);
KARST_C_API karst_status karst_result_find_layer(const karst_result *result, const char *name,
                                                 uint32_t *index);
/* All cells into `cells`, which has `capacity` bytes; rows begin `row` bytes from each other, 0:
 * behind each other. */
KARST_C_API karst_status karst_result_copy_layer(const karst_result *result, uint32_t index,
                                                 void *cells, size_t capacity, size_t row);
/* value * scale + offset of each cell of a layer of one channel, `stride` bytes from one to the
 * next, 0: 4. `capacity` counts values. So heights go into the vertices of a renderer. */
KARST_C_API karst_status karst_result_copy_amounts(const karst_result *result, uint32_t index,
                                                   float *values, size_t capacity, size_t stride);

KARST_C_API karst_status karst_result_mesh_at(const karst_result *result, uint32_t index,
                                              karst_mesh *mesh);
/* Most meshes are made only if karst_request_add_layer named them. */
KARST_C_API karst_status karst_result_find_mesh(const karst_result *result, const char *name,
                                                uint32_t *index);
KARST_C_API karst_status karst_result_part_at(const karst_result *result, uint32_t mesh,
                                              uint32_t part, karst_mesh_part *info);
KARST_C_API karst_status karst_result_copy_part(const karst_result *result, uint32_t mesh,
                                                uint32_t part, const karst_mesh_buffers *buffers);
KARST_C_API karst_status karst_result_socket_at(const karst_result *result, uint32_t mesh,
                                                uint32_t socket, karst_socket *info);

KARST_C_API karst_status karst_result_document_at(const karst_result *result, uint32_t index,
                                                  karst_document *document);
KARST_C_API karst_status karst_result_find_document(const karst_result *result, const char *name,
                                                    uint32_t *index);
KARST_C_API karst_status karst_result_measure_at(const karst_result *result, uint32_t index,
                                                 karst_measure *measure);
KARST_C_API karst_status karst_result_note_at(const karst_result *result, uint32_t index,
                                              const char **note);

/* Writes a layer, mesh or document of that name in the format of the file's extension. The file
 * appears whole or not at all; an older one is replaced. `path` is UTF-8. */
KARST_C_API karst_status karst_result_write(const karst_result *result, const char *layer,
                                            const char *path);

/* ---- Simulations on a CUDA stream of the caller ------------------------------------------------
 *
 * As karst/cuda.hpp says: the functions that make one take device memory and wait for the stream;
 * all others put kernels on it and return. `stream` is a cudaStream_t, and must outlive the
 * simulation. One thread uses a simulation at a time. In a build without CUDA all of them give
 * KARST_UNSUPPORTED. */

typedef struct karst_simulation karst_simulation;

enum {
    KARST_TORUS = 0, /* what lies beyond the border of a board */
    KARST_DEAD = 1,
    KARST_ALIVE = 2
};

typedef struct karst_life {
    uint32_t struct_size;
    int32_t boundary;
    const char *rule; /* "B3/S23" */
    int64_t width;
    int64_t height;
    const uint8_t *cells; /* of the host, a byte each, row by row; not 0: alive */
} karst_life;

/* The field of a request of "physarum" without painted maps; its parameter "steps" is not used. */
KARST_C_API karst_status karst_cuda_physarum(const karst_request *request, void *stream,
                                             karst_simulation **simulation);
KARST_C_API karst_status karst_cuda_life(const karst_life *life, void *stream,
                                         karst_simulation **simulation);
KARST_C_API karst_status karst_cuda_advance(karst_simulation *simulation, int64_t steps);
/* Into device memory of the caller, rows `pitch` cells from each other: the trail of Physarum as
 * uint32_t of 16 fraction bits, cells of Life as a byte each, 1 alive. */
KARST_C_API karst_status karst_cuda_copy(karst_simulation *simulation, void *cells, int64_t pitch);
/* Its memory is given back in the order of the stream. */
KARST_C_API karst_status karst_cuda_destroy(karst_simulation *simulation);

#ifdef __cplusplus
}
#endif

#endif
