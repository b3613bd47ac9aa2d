/* Simulations of the C interface on CUDA streams: Physarum as karst_run makes it on the CPU, a
 * glider of Life that is known, both at once. Exit status 77: there is no CUDA device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include <karst/karst.h>

enum { WIDTH = 300, HEIGHT = 200, PITCH = 320, STEPS = 77, SIDE = 70 };

static void require(int good, const char *what) {
    if (!good) {
        fprintf(stderr, "%s: %s\n", what, karst_last_error());
        exit(1);
    }
}

static void require_cuda(cudaError_t status) {
    require(status == cudaSuccess, cudaGetErrorString(status));
}

int main(void) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("there is no CUDA device here\n");
        return 77;
    }
    cudaStream_t streams[2];
    uint32_t *trail = NULL;
    uint8_t *cells = NULL;
    require_cuda(cudaStreamCreateWithFlags(&streams[0], cudaStreamNonBlocking));
    require_cuda(cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking));
    require_cuda(cudaMalloc((void **)&trail, sizeof *trail * PITCH * HEIGHT));
    require_cuda(cudaMalloc((void **)&cells, SIDE * SIDE));

    karst_request *request = NULL;
    require(karst_request_create("physarum", &request) == KARST_OK, "create");
    require(karst_request_set_extent(request, WIDTH, HEIGHT, 0) == KARST_OK, "extent");
    require(karst_request_set_seed(request, 5) == KARST_OK, "seed");
    require(karst_request_set_integer(request, "steps", STEPS) == KARST_OK, "steps");
    static uint8_t board[SIDE * SIDE];
    static const int glider[][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
    for (int i = 0; i < 5; ++i) {
        board[glider[i][1] * SIDE + glider[i][0]] = 1;
    }
    const karst_life life = {.struct_size = sizeof life,
                             .rule = "B3/S23",
                             .width = SIDE,
                             .height = SIDE,
                             .cells = board};
    karst_simulation *physarum = NULL, *gliding = NULL;
    require(karst_cuda_physarum(request, streams[0], &physarum) == KARST_OK, "physarum");
    require(karst_cuda_life(&life, streams[1], &gliding) == KARST_OK, "life");
    require(karst_cuda_advance(physarum, STEPS) == KARST_OK, "advance");
    require(karst_cuda_advance(gliding, 4 * 69) == KARST_OK, "advance");
    require(karst_cuda_copy(physarum, trail, WIDTH - 1) == KARST_INVALID_ARGUMENT, "pitch");
    require(karst_cuda_copy(physarum, board, PITCH) == KARST_INVALID_ARGUMENT, "host memory");
    require(karst_cuda_copy(physarum, trail, PITCH) == KARST_OK, "copy");
    require(karst_cuda_copy(gliding, cells, SIDE) == KARST_OK, "copy");
    require(karst_cuda_destroy(physarum) == KARST_OK, "destroy");
    require(karst_cuda_destroy(gliding) == KARST_OK, "destroy");
    require(karst_cuda_advance(gliding, 1) == KARST_INVALID_HANDLE, "a simulation that is gone");

    static uint32_t made[PITCH * HEIGHT];
    static uint8_t moved[SIDE * SIDE], expected[SIDE * SIDE];
    require_cuda(cudaStreamSynchronize(streams[0]));
    require_cuda(cudaStreamSynchronize(streams[1]));
    require_cuda(cudaMemcpy(made, trail, sizeof made, cudaMemcpyDeviceToHost));
    require_cuda(cudaMemcpy(moved, cells, sizeof moved, cudaMemcpyDeviceToHost));

    karst_result *result = NULL;
    karst_layer layer = {.struct_size = sizeof layer};
    require(karst_run(request, NULL, &result) == KARST_OK, "run");
    require(karst_result_layer_at(result, 0, &layer) == KARST_OK, "layer");
    for (int y = 0; y < HEIGHT; ++y) {
        require(memcmp(made + y * PITCH, (const uint32_t *)layer.cells + y * WIDTH,
                       sizeof *made * WIDTH) == 0,
                "the trail is not that of the CPU");
    }
    for (int i = 0; i < 5; ++i) { /* a cell to the south-east each four generations, on a torus */
        expected[(glider[i][1] + 69) % SIDE * SIDE + (glider[i][0] + 69) % SIDE] = 1;
    }
    require(memcmp(moved, expected, sizeof expected) == 0, "the glider is elsewhere");
    karst_result_destroy(result);
    karst_request_destroy(request);
    printf("Physarum as on the CPU, and the glider where it must be\n");
    return 0;
}
