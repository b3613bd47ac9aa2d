// A memory resource that knows how much of it is held.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory_resource>

namespace karst::test {

class CountingMemory final : public std::pmr::memory_resource {
public:
    std::size_t held() const noexcept { return held_; }

private:
    void *do_allocate(std::size_t bytes, std::size_t alignment) override {
        void *const memory = std::pmr::new_delete_resource()->allocate(bytes, alignment);
        held_ += bytes;
        return memory;
    }
    void do_deallocate(void *memory, std::size_t bytes, std::size_t alignment) override {
        held_ -= bytes;
        std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
    }
    bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override {
        return this == &other;
    }

    std::atomic<std::size_t> held_{0};
};

} // namespace karst::test
