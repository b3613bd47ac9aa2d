#include "lab/bits.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <karst/error.hpp>

#include "core/rng.hpp"
#include "core/thread_pool.hpp"
#include "lab/real.hpp"
#include "lab/require.hpp"

namespace karst::lab {

namespace {

using Bits = std::vector<std::uint8_t>; // 0 or 1 each

void check(const BitSettings &settings) {
    require_within("bytes", settings.bytes, 1, std::int64_t{1} << 40);
    require_within("stride", settings.stride, 1, 65536);
    require_within("unit", settings.unit, 1, UINT32_MAX);
}

const SeenField *last_field(const Sight &sight, bool (*wanted)(StageCells)) {
    const auto found = std::find_if(sight.fields.rbegin(), sight.fields.rend(),
                                    [&](const SeenField &field) { return wanted(field.meaning); });
    return found == sight.fields.rend() ? nullptr : &*found;
}

const SeenField &field_of(const Sight &sight, BitSource source) {
    const SeenField *field = nullptr;
    if (source == BitSource::threshold) {
        field = last_field(sight, [](StageCells cells) { return cells == StageCells::mask; });
    }
    if (field == nullptr) {
        field = last_field(sight, [](StageCells cells) { return cells == StageCells::amount; });
    }
    if (field == nullptr) {
        throw Error(ErrorCode::unsupported, "this job shows no field that bits are taken from; "
                                            "allowed is one with a trail or another amount");
    }
    return *field;
}

struct Taken {
    Bits bits;
    std::int64_t cells = 0;
};

Taken taken_of(const SeenField &field, const BitSettings &settings) {
    std::uint64_t sum = 0;
    for (const std::uint32_t cell : field.cells) {
        sum += cell;
    }
    const std::int64_t width =
        field.width > 0 ? field.width : static_cast<std::int64_t>(field.cells.size());
    const auto count = static_cast<std::int64_t>(field.cells.size());
    Taken taken;
    for (std::int64_t y = 0; y < count / width; y += settings.stride) {
        for (std::int64_t x = 0; x < width; x += settings.stride) {
            const std::uint64_t cell = field.cells[static_cast<std::size_t>(y * width + x)];
            ++taken.cells;
            if (settings.source == BitSource::threshold) {
                const bool above = field.meaning == StageCells::mask
                                       ? cell != 0
                                       : cell * static_cast<std::uint64_t>(count) > sum;
                taken.bits.push_back(above ? 1 : 0);
            } else if (cell >= settings.unit) {
                taken.bits.push_back(cell & 1);
            }
        }
    }
    return taken;
}

void add_word(std::uint32_t word, Bits &bits) {
    for (int i = 0; i < 32; ++i) {
        bits.push_back((word >> i) & 1);
    }
}

// Block `index` of a source that needs no field.
Taken drawn_block(std::int64_t index, const BitSettings &settings) {
    constexpr std::int32_t kBlock = 4096;
    constexpr std::uint32_t kUse = core::use(core::stage_physarum_spawn);
    Taken taken;
    for (std::int32_t i = 0; i < kBlock; ++i) {
        if (settings.source == BitSource::random) {
            const core::Draw4 draw =
                core::draw_at(settings.seed, i, static_cast<std::int32_t>(index), 0, kUse);
            for (const std::uint32_t word : draw.word) {
                add_word(word, taken.bits);
            }
        } else {
            const std::uint64_t seed =
                settings.seed + static_cast<std::uint64_t>(index * kBlock + i);
            add_word(core::draw_at(seed, 0, 0, 0, kUse).word[0], taken.bits);
        }
    }
    taken.cells = static_cast<std::int64_t>(taken.bits.size());
    return taken;
}

// Makes bytes of bits, counts them and gives them on.
class ByteSink {
public:
    ByteSink(const BitSettings &settings, BitReport &report,
             const std::function<void(std::span<const std::uint8_t>)> &sink)
        : settings_(settings), report_(report), sink_(sink) {}

    bool is_full() const { return given_ == settings_.bytes; }
    double fraction() const {
        return static_cast<double>(given_) / static_cast<double>(settings_.bytes);
    }

    // Whether a bit came of it.
    bool add(const Bits &bits) {
        bool gave = false;
        report_.bits += static_cast<std::int64_t>(bits.size());
        for (const std::uint8_t bit : bits) {
            if (!settings_.whitened) {
                push(bit);
                gave = true;
            } else if (!has_first_) {
                first_ = bit;
                has_first_ = true;
            } else {
                has_first_ = false;
                if (first_ != bit) {
                    push(first_);
                    gave = true;
                }
            }
        }
        const std::size_t left =
            std::min(bytes_.size(), static_cast<std::size_t>(settings_.bytes - given_));
        const std::span<const std::uint8_t> piece(bytes_.data(), left);
        for (const std::uint8_t byte : piece) {
            ++report_.counts[byte];
            products_ += given_ > 0 ? std::uint64_t{last_} * byte : 0;
            first_byte_ = given_ == 0 ? byte : first_byte_;
            last_ = byte;
            ++given_;
        }
        sink_(piece);
        bytes_.clear();
        return gave;
    }

    void finish() {
        const auto n = static_cast<double>(given_);
        double sum = 0;
        double squares = 0;
        double ones = 0;
        for (std::size_t byte = 0; byte < report_.counts.size(); ++byte) {
            const auto count = static_cast<double>(report_.counts[byte]);
            const auto value = static_cast<double>(byte);
            sum += count * value;
            squares += count * value * value;
            for (int bit = 0; bit < 8; ++bit) {
                ones += (byte >> bit & 1) != 0 ? count : 0;
            }
            const double expected = n / 256;
            report_.chi_square += (count - expected) * (count - expected) / expected;
            if (count > 0) {
                report_.entropy -= count / n * logarithm(count / n) / logarithm(2);
            }
        }
        report_.ones = ones / (8 * n);
        // Around a ring, as Knuth has it (volume 2, 3.3.2 K).
        const double products = static_cast<double>(products_) +
                                static_cast<double>(last_) * static_cast<double>(first_byte_);
        const double spread = n * squares - sum * sum;
        report_.serial_correlation = spread > 0 ? (n * products - sum * sum) / spread : 1;
    }

private:
    void push(std::uint8_t bit) {
        byte_ = static_cast<std::uint8_t>(byte_ | bit << filled_);
        if (++filled_ == 8) {
            bytes_.push_back(byte_);
            byte_ = 0;
            filled_ = 0;
        }
    }

    const BitSettings &settings_;
    BitReport &report_;
    const std::function<void(std::span<const std::uint8_t>)> &sink_;
    std::vector<std::uint8_t> bytes_;
    std::uint8_t byte_ = 0;
    int filled_ = 0;
    std::uint8_t first_ = 0; // of two bits
    bool has_first_ = false;
    std::int64_t given_ = 0;
    std::uint8_t first_byte_ = 0, last_ = 0;
    std::uint64_t products_ = 0;
};

} // namespace

BitReport extract_bits(const Subject *subject, const BitSettings &settings, const Options &options,
                       const std::function<void(std::span<const std::uint8_t>)> &sink,
                       const std::function<void(double fraction)> &progress) {
    check(settings);
    const bool drawn = settings.source == BitSource::random || settings.source == BitSource::key;
    if (!drawn && subject == nullptr) {
        throw Error(ErrorCode::invalid_argument, "bits of fields need a generator");
    }
    Options own = options;
    if (own.device.kind == DeviceKind::automatic) {
        own.device = Device{}; // small fields, many beside each other
    }
    core::ThreadPool pool(options.threads > 0 ? options.threads : core::usable_threads());
    BitReport report;
    ByteSink bytes(settings, report, sink);
    std::int64_t barren = 0; // fields in a row that gave nothing
    // Of bits that are nearly all alike whitening leaves few.
    const std::int64_t most_barren = settings.whitened ? 4096 : 64;
    struct Context {
        const Subject *subject;
        const BitSettings &settings;
        const Options &options;
        std::int64_t first;
        std::vector<Taken> all;
    } context{subject, settings, own, 0, {}};
    while (!bytes.is_full()) {
        if (options.cancel != nullptr && options.cancel->load(std::memory_order_relaxed)) {
            throw Error(ErrorCode::cancelled, "cancelled");
        }
        context.all.assign(static_cast<std::size_t>(pool.concurrency()), {});
        pool.run(
            pool.concurrency(),
            [](void *raw, std::int64_t i) {
                Context &c = *static_cast<Context *>(raw);
                Taken &taken = c.all[static_cast<std::size_t>(i)];
                const std::int64_t index = c.first + i;
                taken =
                    c.settings.source < BitSource::threshold
                        ? drawn_block(index, c.settings)
                        : taken_of(field_of(c.subject->look(c.settings.seed +
                                                                static_cast<std::uint64_t>(index),
                                                            c.options),
                                            c.settings.source),
                                   c.settings);
            },
            &context);
        context.first += pool.concurrency();
        for (const Taken &taken : context.all) {
            if (bytes.is_full()) {
                break; // more threads make more fields, and use no more of them
            }
            report.fields += drawn ? 0 : 1;
            report.cells += taken.cells;
            barren = bytes.add(taken.bits) ? 0 : barren + 1;
            if (barren == most_barren) {
                throw Error(ErrorCode::unsupported,
                            std::to_string(barren) +
                                " fields in a row gave no bit; allowed is a smaller stride or "
                                "another source");
            }
        }
        if (progress) {
            progress(bytes.fraction());
        }
    }
    bytes.finish();
    return report;
}

} // namespace karst::lab
