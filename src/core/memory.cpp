#include "core/memory.hpp"

#include <algorithm>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace karst::core {

namespace {

constexpr std::uintptr_t kPage = 4096;
constexpr std::uintptr_t kLargePage = std::uintptr_t{1} << 21;

class LargePages final : public std::pmr::memory_resource {
    void *do_allocate(std::size_t bytes, std::size_t alignment) override {
        void *const memory = std::pmr::new_delete_resource()->allocate(bytes, alignment);
        prefer_large_pages(memory, bytes);
        return memory;
    }
    void do_deallocate(void *memory, std::size_t bytes, std::size_t alignment) override {
        std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
    }
    bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override {
        return this == &other;
    }
};

} // namespace

void prefer_large_pages([[maybe_unused]] void *memory,
                        [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
    if (bytes >= 2 * kLargePage) {
        // From the page that the allocator's own words lie in: those before belong to others.
        const auto begin = reinterpret_cast<std::uintptr_t>(memory) / kPage * kPage;
        const auto end = reinterpret_cast<std::uintptr_t>(memory) + bytes;
        madvise(reinterpret_cast<void *>(begin), (end - begin) / kPage * kPage, MADV_HUGEPAGE);
    }
#endif
}

void take_pages(Run &run, void *memory, std::size_t bytes) {
    if (bytes < 2 * kLargePage) {
        return;
    }
    prefer_large_pages(memory, bytes);
#if defined(MADV_POPULATE_WRITE)
    const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + kPage - 1) / kPage * kPage;
    const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / kPage * kPage;
    const std::uintptr_t first = begin / kLargePage;
    const std::uintptr_t last = (end + kLargePage - 1) / kLargePage;
    run.for_ranges(
        static_cast<std::int64_t>(last - first), 2, [&](std::int64_t from, std::int64_t to) {
            const auto at = [&](std::int64_t page) {
                return std::clamp((first + static_cast<std::uintptr_t>(page)) * kLargePage, begin,
                                  end);
            };
            // A system that does not know it gives the pages when they are written.
            madvise(reinterpret_cast<void *>(at(from)), at(to) - at(from), MADV_POPULATE_WRITE);
        });
#else
    (void)run;
#endif
}

std::pmr::memory_resource *large_pages() noexcept {
    static LargePages &memory = *new LargePages; // it outlives every field
    return &memory;
}

std::pmr::memory_resource *large_pages(const Run &run) noexcept {
    return run.memory() == std::pmr::new_delete_resource() ? large_pages() : run.memory();
}

} // namespace karst::core
