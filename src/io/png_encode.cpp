#include "io/png_encode.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <new>

#include <zlib.h>

#include "core/thread_pool.hpp"

namespace karst::io {

namespace {

constexpr std::string_view kData = "IDAT";
constexpr std::size_t kStripeBytes = std::size_t{1} << 20; // of filtered rows, about
constexpr std::size_t kMostInput = std::size_t{1} << 30;   // zlib counts in 32 bits
constexpr int kStripesAThread = 2;                         // in memory at a time
// Heights have noise in their low bytes, where a longer search finds little for ten times the time.
constexpr int kLevel16 = 1;
constexpr int kLevel8 = 3;

void append_big_endian(std::string &bytes, std::uint32_t value) {
    for (const int shift : {24, 16, 8, 0}) {
        bytes += static_cast<char>((value >> shift) & 0xff);
    }
}

const Bytef *bytes_of(std::string_view text) {
    return reinterpret_cast<const Bytef *>(text.data());
}

// The filter types of the specification (9.2) that are used here.
enum class Filter : std::uint8_t { none = 0, sub = 1, up = 2 };
constexpr std::array kFilters{Filter::none, Filter::sub, Filter::up};

// `out` gets the filtered row. `left` is the row with a pixel of zeros before it.
void filter_row(Filter filter, const std::uint8_t *row, const std::uint8_t *left,
                const std::uint8_t *above, std::size_t bytes, std::uint8_t *out) {
    switch (filter) {
    case Filter::none:
        std::copy_n(row, bytes, out);
        break;
    case Filter::sub:
        for (std::size_t i = 0; i < bytes; ++i) {
            out[i] = static_cast<std::uint8_t>(row[i] - left[i]);
        }
        break;
    case Filter::up:
        for (std::size_t i = 0; i < bytes; ++i) {
            out[i] = static_cast<std::uint8_t>(row[i] - above[i]);
        }
        break;
    }
}

// The sum of absolute values of a filtered row, as signed bytes: the usual guess at how well it
// will compress (PNG specification, 12.7).
std::uint64_t cost(const std::uint8_t *filtered, std::size_t bytes) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
        sum += static_cast<std::uint64_t>(std::min<int>(filtered[i], 256 - filtered[i]));
    }
    return sum;
}

struct Stripe {
    std::vector<std::uint8_t> deflated;
    uLong crc = 0;   // of its chunk
    uLong adler = 1; // of the filtered rows
    std::uint64_t filtered_bytes = 0;

    std::string_view text() const {
        return {reinterpret_cast<const char *>(deflated.data()), deflated.size()};
    }
};

// A chunk without its CRC.
uLong chunk_crc(std::string_view type, std::string_view data) {
    const uLong crc = crc32_z(0, bytes_of(type), type.size());
    return data.empty() ? crc : crc32_z(crc, bytes_of(data), data.size());
}

void write_with_crc(OutputFile &file, std::string_view type, std::string_view data, uLong crc) {
    std::string head;
    append_big_endian(head, static_cast<std::uint32_t>(data.size()));
    head += type;
    std::string tail;
    append_big_endian(tail, static_cast<std::uint32_t>(crc));
    file.write(head);
    file.write(data);
    file.write(tail);
}

class Encoder {
public:
    explicit Encoder(const PngImage &image)
        : image_(image), row_(image.row_bytes()),
          rows_(std::max<std::int64_t>(1, static_cast<std::int64_t>(kStripeBytes / (row_ + 1)))) {}

    std::int64_t stripes() const { return (image_.size.height + rows_ - 1) / rows_; }

    Stripe stripe(std::int64_t index) const {
        const std::int64_t first = index * rows_;
        const std::int64_t end = std::min(image_.size.height, first + rows_);
        const std::vector<std::uint8_t> filtered = filter(first, end);
        Stripe stripe;
        stripe.filtered_bytes = filtered.size();
        stripe.adler = adler32_z(1, filtered.data(), filtered.size());
        stripe.deflated = deflated(filtered, end == image_.size.height);
        stripe.crc = chunk_crc(kData, stripe.text());
        return stripe;
    }

private:
    // Rows [first, end) behind their filter types. One filter for all of them: the cheapest of
    // every eighth row.
    std::vector<std::uint8_t> filter(std::int64_t first, std::int64_t end) const {
        const std::size_t pixel = image_.pixel_bytes();
        const std::size_t stride = pixel + row_; // a pixel of zeros before each row
        const auto count = static_cast<std::size_t>(end - first);
        std::vector<std::uint8_t> raw((count + 1) * stride); // from the row above the first
        for (std::int64_t y = std::max<std::int64_t>(0, first - 1); y < end; ++y) {
            image_.fill_row(y,
                            raw.data() + static_cast<std::size_t>(y - first + 1) * stride + pixel);
        }
        std::vector<std::uint8_t> filtered(count * (row_ + 1));
        const auto apply = [&](Filter filter, std::size_t y, std::uint8_t *out) {
            const std::uint8_t *const row = raw.data() + (y + 1) * stride + pixel;
            filter_row(filter, row, row - pixel, row - stride, row_, out);
        };
        std::array<std::uint64_t, kFilters.size()> costs{};
        for (std::size_t y = 0; y < count; y += 8) {
            for (std::size_t i = 0; i < kFilters.size(); ++i) {
                apply(kFilters[i], y, filtered.data());
                costs[i] += cost(filtered.data(), row_);
            }
        }
        const Filter best = kFilters[static_cast<std::size_t>(
            std::min_element(costs.begin(), costs.end()) - costs.begin())];
        for (std::size_t y = 0; y < count; ++y) {
            std::uint8_t *const out = filtered.data() + y * (row_ + 1);
            *out = static_cast<std::uint8_t>(best);
            apply(best, y, out + 1);
        }
        return filtered;
    }

    // As raw deflate, ready for the next stripe or, the last, with an end.
    std::vector<std::uint8_t> deflated(const std::vector<std::uint8_t> &bytes, bool last) const {
        struct Stream : z_stream {
            explicit Stream(int level) : z_stream{} {
                constexpr int kRaw = -15; // no header and no checksum, a window of 2^15 bytes
                constexpr int kMemory = 8;
                if (deflateInit2(this, level, Z_DEFLATED, kRaw, kMemory, Z_DEFAULT_STRATEGY) !=
                    Z_OK) {
                    throw std::bad_alloc(); // of all reasons only memory is possible
                }
            }
            ~Stream() { deflateEnd(this); }
        } stream(image_.depth == 16 ? kLevel16 : kLevel8);
        constexpr std::size_t kFlush = 16; // bytes that the bound of a stream without flush lacks
        // A stripe is far below 2^32 bytes, which is all that uLong holds on Windows.
        std::vector<std::uint8_t> out(deflateBound(&stream, static_cast<uLong>(bytes.size())) +
                                      kFlush);
        std::size_t taken = 0;
        std::size_t made = 0;
        for (;;) {
            const std::size_t input = std::min(kMostInput, bytes.size() - taken);
            const std::size_t room = std::min(kMostInput, out.size() - made);
            const bool all = taken + input == bytes.size();
            stream.next_in = const_cast<Bytef *>(bytes.data() + taken); // zlib only reads it
            stream.avail_in = static_cast<uInt>(input);
            stream.next_out = out.data() + made;
            stream.avail_out = static_cast<uInt>(room);
            const int end = last ? Z_FINISH : Z_FULL_FLUSH;
            deflate(&stream, all ? end : Z_NO_FLUSH);
            taken += input - stream.avail_in;
            made += room - stream.avail_out;
            if (all && stream.avail_in == 0 && stream.avail_out != 0) {
                break;
            }
        }
        out.resize(made);
        return out;
    }

    const PngImage &image_;
    std::size_t row_;   // bytes
    std::int64_t rows_; // of a stripe
};

// Writes stripes in their order while those after them are compressed: the thread that brings the
// one that is due writes it, and then what has come meanwhile.
class StripeWriter {
public:
    // `most` stripes from the one that is due on may be in memory.
    StripeWriter(OutputFile &file, std::int64_t most) : file_(file), most_(most) {}

    // Stripe `index`, as make() gives it. After an exception of one stripe no other is written.
    template <class Make>
    void put(std::int64_t index, Make &&make) {
        std::unique_lock lock(mutex_);
        // The one that is due never waits, and threads take stripes in their order.
        room_.wait(lock, [&] { return failed_ || index < due_ + most_; });
        if (failed_) {
            return;
        }
        lock.unlock();
        try {
            Stripe stripe = make();
            lock.lock();
            ready_.emplace(index, std::move(stripe));
            if (!writing_) {
                write_ready(lock);
            }
        } catch (...) {
            if (!lock.owns_lock()) {
                lock.lock();
            }
            failed_ = true;
            room_.notify_all();
            throw;
        }
    }

    // Of all stripes.
    uLong adler() const { return adler_; }

private:
    void write_ready(std::unique_lock<std::mutex> &lock) {
        writing_ = true;
        for (auto at = ready_.find(due_); at != ready_.end() && !failed_; at = ready_.find(due_)) {
            const Stripe stripe = std::move(at->second);
            ready_.erase(at);
            lock.unlock();
            write(stripe);
            adler_ =
                adler32_combine(adler_, stripe.adler, static_cast<z_off_t>(stripe.filtered_bytes));
            lock.lock();
            ++due_;
            room_.notify_all();
        }
        writing_ = false;
    }

    void write(const Stripe &stripe) {
        const std::string_view data = stripe.text();
        if (data.size() <= kMostInput) {
            write_with_crc(file_, kData, data, stripe.crc);
            return;
        }
        for (std::size_t at = 0; at < data.size(); at += kMostInput) { // of one very long row
            write_png_chunk(file_, kData, data.substr(at, kMostInput));
        }
    }

    OutputFile &file_;  // of the thread that writes
    uLong adler_ = 1;   // likewise
    std::int64_t most_; // stripes
    std::mutex mutex_;
    std::condition_variable room_;
    std::map<std::int64_t, Stripe> ready_; // under mutex_, as all below
    std::int64_t due_ = 0;
    bool writing_ = false;
    bool failed_ = false;
};

} // namespace

void write_png_chunk(OutputFile &file, std::string_view type, std::string_view data) {
    write_with_crc(file, type, data, chunk_crc(type, data));
}

std::size_t PngImage::pixel_bytes() const {
    const std::size_t channels = colour == PngColour::grey ? 1 : colour == PngColour::rgb ? 3 : 4;
    return channels * static_cast<std::size_t>(depth / 8);
}

void encode_png(OutputFile &file, const PngImage &image,
                const std::vector<std::pair<std::string, std::string>> &texts) {
    std::string header;
    append_big_endian(header, static_cast<std::uint32_t>(image.size.width));
    append_big_endian(header, static_cast<std::uint32_t>(image.size.height));
    header += static_cast<char>(image.depth);
    header += static_cast<char>(image.colour);
    header.append(3, '\0'); // deflate, the five filters, not interlaced
    file.write(kPngSignature);
    write_png_chunk(file, "IHDR", header);
    for (const auto &[key, value] : texts) {
        write_png_chunk(file, "tEXt", key + '\0' + value);
    }

    const Encoder encoder(image);
    const std::int64_t count = encoder.stripes();
    const int threads = file.threads() > 0 ? file.threads() : core::usable_threads();
    core::ThreadPool pool(static_cast<int>(std::min<std::int64_t>(threads, count)));
    struct Context {
        const Encoder &encoder;
        StripeWriter writer;
    } context{encoder, {file, std::int64_t{kStripesAThread} * pool.concurrency()}};
    write_png_chunk(file, kData, "\x78\x01"); // zlib's header: deflate, 32 KiB, fastest
    pool.run(
        count,
        [](void *raw, std::int64_t i) {
            Context &c = *static_cast<Context *>(raw);
            c.writer.put(i, [&c, i] { return c.encoder.stripe(i); });
        },
        &context);
    const uLong adler = context.writer.adler();
    std::string sum;
    append_big_endian(sum, static_cast<std::uint32_t>(adler));
    write_png_chunk(file, kData, sum);
    write_png_chunk(file, "IEND", "");
}

} // namespace karst::io
