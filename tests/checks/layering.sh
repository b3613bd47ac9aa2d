#!/usr/bin/env bash
# Which folder may include what (docs/architecture.md): layering.sh ROOT
# Prints every include that goes up or sideways and exits with 1 if there is one.
set -euo pipefail
cd "$1"

# All C++ and CUDA sources as "folder file:line: include".
includes() {
    local folder
    for folder in include/karst src/core src/rules src/sim src/cpu cuda src/shape src/io generators \
        src/lab src/capi src/cli examples; do
        if [[ -d $folder ]]; then
            grep -rnE '^[[:space:]]*#[[:space:]]*include' --include='*.hpp' --include='*.h' \
                --include='*.cpp' --include='*.c' --include='*.cu' --include='*.cuh' "$folder" |
                sed "s|^|$folder |" || true
        fi
    done
}

includes | awk '
BEGIN {
    # Own headers: a regular expression of the paths in quotes.
    own["include/karst"] = "^$"
    own["src/core"] = "^core/"
    own["src/rules"] = "^(core|rules)/"
    own["src/sim"] = "^(core|rules|sim)/"
    own["src/cpu"] = "^(core|rules|sim|cpu)/"
    own["cuda"] = "^(core|rules|sim|cuda)/"
    own["src/shape"] = "^(core|rules|shape)/"
    own["src/io"] = "^(core|io)/"
    own["generators"] = "^((core|sim|shape|generators)/|rules/(erosion|terrain).hpp$)"
    own["src/lab"] = "^(core|rules|sim|lab)/|^generators/registry.hpp$"
    own["src/capi"] = "^(generators/(registry|physarum).hpp$|io/|core/|capi/)"
    own["src/cli"] = "^(generators/registry.hpp$|sim/(bench|devices|tune).hpp$|io/|lab/|core/|cli/)"
    own["examples"] = "^$"
    # Libraries: who may include which angle-bracket header besides <karst/...> and the standard.
    library["src/core"] = "^(nvtx3/nvToolsExt\\.h|xxhash\\.h|sched\\.h|unistd\\.h|sys/mman\\.h|windows\\.h)$"
    library["src/cpu"] = "^immintrin\\.h$"
    library["examples"] = "^(cuda_runtime(_api)?\\.h$|irrlicht/irrlicht\\.h$)"
    library["cuda"] = "^(dlfcn\\.h$|cuda|cub/|thrust/|cooperative_groups)"
    library["src/shape"] = "^meshoptimizer\\.h$"
    library["src/io"] = "^(stb_image_write\\.h|tiny_obj_loader\\.h|png\\.h|OpenEXR/|zlib\\.h|nlohmann/|sys/|linux/magic\\.h$|unistd\\.h|fcntl\\.h|io\\.h$|share\\.h$|windows\\.h$)"
    library["generators"] = "^nlohmann/"
    library["src/capi"] = "^(pthread|unistd|process)\\.h$"
    library["src/cli"] = "^(stb_easy_font\\.h$|CLI/|nlohmann/|sys/|unistd\\.h|signal\\.h|fcntl\\.h$|io\\.h$|windows\\.h$|shellapi\\.h$)"
}
{
    folder = $1
    place = $2
    sub(/:[[:space:]]*#.*/, "", place)
    fault = ""
    if (match($0, /"[^"]+"/)) {
        path = substr($0, RSTART + 1, RLENGTH - 2)
        # A bare name is a file of the same folder.
        if (path ~ /\// ? path !~ own[folder] : own[folder] == "^$") {
            fault = "\"" path "\""
        }
    } else if (match($0, /<[^>]+>/)) {
        path = substr($0, RSTART + 1, RLENGTH - 2)
        standard = path ~ /^[a-z_0-9]+$/ || (folder ~ /^(examples|include\/karst)$/ && path ~ /^(std[a-z]+|inttypes|threads)\.h$/)
        if (path ~ /^karst\//) {
            standard = path != "karst/cuda.hpp" || folder ~ /^(cuda|examples|bench|src\/capi)$/
        }
        if (place ~ /^include\/karst\/cuda\.hpp:/ && path == "cuda_runtime_api.h") {
            standard = 1
        }
        if (folder == "src/rules" && path ~ /^(c?math|ctgmath|complex|random)(\.h)?$/) {
            standard = 0
        }
        if (!standard && !(folder in library && path ~ library[folder])) {
            fault = "<" path ">"
        }
    }
    if (fault != "") {
        print place ": " folder " must not include " fault
        faults++
    }
}
END { exit faults > 0 }'
