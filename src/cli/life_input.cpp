#include "cli/life_input.hpp"

#include <algorithm>
#include <array>

#include <karst/error.hpp>
#include <karst/seed.hpp>

#include "cli/inputs.hpp"
#include "core/digest.hpp"
#include "core/extent.hpp"
#include "core/run.hpp"
#include "io/file.hpp"
#include "io/rle.hpp"

namespace karst::cli {

namespace {

constexpr std::array kBoundaries{"torus", "dead", "alive"}; // in the order of LifeBoundary

const ParamInfo &soup_info() {
    static const ParamInfo info{"soup", "fraction", ParamType::real, 0, 1, {}, 0.5, "Live cells."};
    return info;
}

LifeBoundary parse_boundary(const std::string &text) {
    const auto found = std::find(kBoundaries.begin(), kBoundaries.end(), text);
    if (found == kBoundaries.end()) {
        throw Error(ErrorCode::invalid_argument,
                    "boundary is '" + text + "'; allowed is one of torus, dead, alive");
    }
    return static_cast<LifeBoundary>(found - kBoundaries.begin());
}

// The topology that Golly writes behind a rule: ":T64,48" is a torus, ":P64,48" a dead plane.
struct Topology {
    std::string rule;
    OptionalText size, boundary;
};

Topology parse_topology(const std::string &text, const std::string &file) {
    const auto colon = text.find(':');
    if (colon == std::string::npos) {
        return {text, std::nullopt, std::nullopt};
    }
    std::string size = text.substr(std::min(colon + 2, text.size()));
    const char kind = colon + 1 < text.size() ? text[colon + 1] : ' ';
    if ((kind != 'T' && kind != 'P') || size.find_first_not_of("0123456789,") != size.npos ||
        size.starts_with("0") || size.find(",0") != size.npos) {
        throw Error(ErrorCode::unsupported,
                    "'" + file + "' asks for the topology '" + text.substr(colon) +
                        "'; allowed is :Twidth,height (torus), :Pwidth,height (plane) or none");
    }
    std::replace(size.begin(), size.end(), ',', 'x');
    if (size.find('x') == size.npos) {
        size += "x" + size; // ":T64" is square
    }
    return {text.substr(0, colon), size, kind == 'T' ? "torus" : "dead"};
}

// The board, and as much again for the engine's copy and its next generation.
void require_board(auto extent, const Options &options) {
    auto words = extent;
    words.width = (extent.width + 63) / 64;
    core::require_memory(std::uint64_t{3} * 8 * static_cast<std::uint64_t>(words.cells()),
                         "a Life board of " + size_text(extent) + " cells", options);
}

// Draws the pattern on a new board and records where its corner came to lie.
void place(LifeJob &job, const io::Pattern &pattern, Extent2 extent, const OptionalText &at,
           const Options &options) {
    const std::int64_t room_x = extent.width - pattern.extent.width;
    const std::int64_t room_y = extent.height - pattern.extent.height;
    std::int64_t left = room_x / 2;
    std::int64_t top = room_y / 2;
    if (at) {
        const Cell2 cell = parse_cell("at", *at);
        left = cell.x;
        top = cell.y;
    }
    if (room_x < 0 || room_y < 0 || left < 0 || top < 0 || left > room_x || top > room_y) {
        throw Error(ErrorCode::invalid_argument,
                    "a pattern of " + size_text(pattern.extent) + " at " + std::to_string(left) +
                        "," + std::to_string(top) + " does not lie on the board of " +
                        size_text(extent) + "; allowed is a larger --size or another --at");
    }
    require_board(extent, options);
    job.board = LifeBoard(extent, options.memory);
    for (const auto &run : pattern.runs) {
        for (std::int64_t i = 0; i < run.length; ++i) {
            job.board.set(left + run.x + i, top + run.y, true);
        }
    }
    job.parameters.emplace_back("at", std::to_string(left) + "," + std::to_string(top));
}

[[noreturn]] void refuse_together(const char *a, const char *b) {
    throw Error(ErrorCode::invalid_argument,
                std::string(a) + " and " + b + " together; allowed is one of them");
}

template <class Job>
void describe(Job &job) {
    job.parameters.emplace_back("rule", to_string(job.rule));
    job.parameters.emplace_back(
        "boundary", std::string(kBoundaries.at(static_cast<std::size_t>(job.boundary))));
}

// `draw` is make_soup of that extent.
template <class Job>
Job from_soup(const LifeInput &input, typename Job::Rule rule, auto extent, auto draw,
              const Options &options) {
    Job job;
    const double density = parse_real(soup_info(), *input.soup);
    job.seed = parse_seed(input.seed.value_or("0"));
    job.rule = rule;
    job.boundary = parse_boundary(input.boundary.value_or("torus"));
    core::require_sides(extent);
    require_board(extent, options);
    Options quiet = options; // the simulation's progress starts at 0
    quiet.progress = {};
    job.board = draw(extent, density, *job.seed, {}, quiet);
    job.parameters.emplace_back("soup", density);
    describe(job);
    return job;
}

LifeJob from_file(const LifeInput &input, const Options &options) {
    const io::Pattern pattern = io::read_rle(*input.in);
    const Topology topology = parse_topology(pattern.rule, *input.in);
    LifeJob job;
    try {
        job.rule =
            parse_life_rule(input.rule.value_or(topology.rule.empty() ? "B3/S23" : topology.rule));
    } catch (const Error &error) {
        if (input.rule) {
            throw;
        }
        throw Error(ErrorCode::invalid_input, *input.in + ": " + error.what());
    }
    job.boundary = parse_boundary(input.boundary.value_or(topology.boundary.value_or("torus")));
    Extent2 extent{std::max<std::int64_t>(1, pattern.extent.width),
                   std::max<std::int64_t>(1, pattern.extent.height)};
    if (input.size || topology.size) {
        extent = parse_size(input.size ? *input.size : *topology.size);
    }
    job.parameters.emplace_back("in", io::file_name(*input.in));
    place(job, pattern, extent, input.at, options);
    job.parameters.emplace_back("in_digest", io::hexadecimal(digest(job.board)));
    describe(job);
    return job;
}

void require_one_start(const LifeInput &input) {
    if (input.in && input.soup) {
        refuse_together("--in", "--soup");
    }
    if (input.in && input.seed) {
        refuse_together("--in", "--seed");
    }
    if (input.soup && input.at) {
        refuse_together("--soup", "--at");
    }
    if (input.in && input.soup_map) {
        refuse_together("--in", "--soup-map");
    }
    if (!input.in && !input.soup) {
        throw Error(ErrorCode::invalid_argument,
                    "no board to start from; allowed is --in FILE.rle or --soup DENSITY");
    }
}

} // namespace

void add_life_input_options(CLI::App &command, LifeInput &input) {
    command.add_option("--in", input.in, "A pattern to start from")->type_name("FILE.rle");
    command.add_option("--soup", input.soup, "Or each cell alive with this probability, 0 to 1")
        ->type_name("DENSITY");
    command
        .add_option("--soup-map", input.soup_map,
                    "A map over the board: white keeps the soup's probability, black gives none")
        ->type_name("FILE.png");
    command.add_option("--seed", input.seed, "Seed of the soup: a number or text (default 0)")
        ->type_name("SEED");
    command
        .add_option("--rule", input.rule,
                    "B3/S23 and the like (default: the file's, else B3/S23); in a volume "
                    "B14-26/S13-26 and the like (default B5/S4,5)")
        ->type_name("RULE");
    command
        .add_option("--size", input.size,
                    "Cells of the board (default: the file's topology or pattern; soups 256x256); "
                    "three numbers make a volume")
        ->type_name("WxH[xD]");
    command
        .add_option("--at", input.at, "Cell of the pattern's upper left corner (default: centred)")
        ->type_name("X,Y");
    command
        .add_option("--boundary", input.boundary,
                    "Outside the board: torus (default), dead or alive")
        ->type_name("KIND");
}

bool is_volume(const LifeInput &input) {
    return input.size && numbers_in(*input.size) == 3;
}

LifeJob make_life_job(const LifeInput &input, const Options &options) {
    require_one_start(input);
    if (!input.soup) {
        return from_file(input, options);
    }
    Field2D<std::uint16_t> map;
    if (input.soup_map) {
        map = Inputs().map(*input.soup_map)->content;
    }
    const auto draw = [&map](Extent2 extent, double density, std::uint64_t seed, Cell2 origin,
                             const Options &quiet) {
        return map.empty() ? make_soup(extent, density, seed, origin, quiet)
                           : make_soup(extent, density, map, seed, origin, quiet);
    };
    LifeJob job = from_soup<LifeJob>(input, parse_life_rule(input.rule.value_or("B3/S23")),
                                     parse_size(input.size.value_or("256x256")), draw, options);
    if (input.soup_map) {
        job.parameters.emplace_back("soup_map", io::file_name(*input.soup_map));
        job.parameters.emplace_back("soup_map_digest", io::hexadecimal(core::digest(map)));
    }
    return job;
}

LifeVolumeJob make_life_volume_job(const LifeInput &input, const Options &options) {
    if (input.in) {
        throw Error(ErrorCode::invalid_argument, "size is '" + *input.size +
                                                     "' with --in, whose patterns are flat; "
                                                     "allowed is WIDTHxHEIGHT, or --soup");
    }
    if (input.soup_map) {
        throw Error(ErrorCode::invalid_argument, "size is '" + *input.size +
                                                     "' with --soup-map, which lies on a board; "
                                                     "allowed is WIDTHxHEIGHT, or --soup alone");
    }
    require_one_start(input);
    const Layout layout = parse_layout(input.size, {}, {}, {{1, 1}, 1, 1}, false);
    return from_soup<LifeVolumeJob>(
        input, input.rule ? parse_life_rule_3d(*input.rule) : LifeRule3{},
        Extent3{layout.extent.width, layout.extent.height, layout.depth}, make_soup_3d, options);
}

} // namespace karst::cli
