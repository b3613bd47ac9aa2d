/* A map of a cave from a seed, in the caller's memory. */
#include <inttypes.h>
#include <stdio.h>

#include <karst/karst.h>

int main(void) {
    static unsigned char map[256 * 256]; /* 255: open, 0: rock; row 0 is the north */
    karst_request *request = NULL;
    karst_result *result = NULL;
    karst_layer layer = {.struct_size = sizeof layer};
    if (karst_request_create("cave", &request) ||
        karst_request_set_seed_text(request, "old mine") ||
        karst_request_set_extent(request, 256, 256, 0) ||
        karst_request_set_real(request, "passage_width", 6) || /* metres */
        karst_run(request, NULL, &result) ||
        karst_result_copy_layer(result, 0, map, sizeof map, 0) ||
        karst_result_layer_at(result, 0, &layer)) {
        fprintf(stderr, "%s\n", karst_last_error());
        return 1;
    }
    printf("%s 0x%016" PRIx64 "\n", layer.name, layer.digest);
    karst_result_destroy(result);
    karst_request_destroy(request);
    return 0;
}
