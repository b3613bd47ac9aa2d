/* A small program over karst's C interface; exit status 0 if the library works. */
#include <stdio.h>

#include <karst/karst.h>

int main(void) {
    karst_request *request = NULL;
    karst_result *result = NULL;
    static unsigned char map[64 * 64];
    if (karst_request_create("cave", &request) != KARST_OK ||
        karst_request_set_extent(request, 64, 64, 0) != KARST_OK ||
        karst_run(request, NULL, &result) != KARST_OK ||
        karst_result_copy_layer(result, 0, map, sizeof map, 0) != KARST_OK) {
        fprintf(stderr, "%s\n", karst_last_error());
        return 1;
    }
    size_t open = 0;
    for (size_t i = 0; i < sizeof map; ++i) {
        open += map[i] == 255;
    }
    printf("karst %s: %zu of %zu cells are open\n", karst_version(), open, sizeof map);
    return karst_result_destroy(result) != KARST_OK || karst_request_destroy(request) != KARST_OK ||
           open == 0;
}
