// The kernel of Physarum for one instruction set: the arithmetic of rules/physarum.hpp and
// rules/trail.hpp in 32 bits, one operation for many agents or cells. Loads from places that depend
// on data stand in loops of their own, without vectors: gathering instructions are slower.
//
// As in cpu/life_rows.hpp, no inline function may be called here.
#pragma once

#include "cpu/physarum_kernel.hpp"

namespace karst::cpu {

namespace {

// What lies ahead of each agent, its heading changed by `angle`.
void look_ahead(AgentBatch &batch, std::uint32_t angle, const Offset *offsets) {
    const std::uint16_t *const heading = batch.heading;
    for (std::int64_t i = 0; i < kBatch; ++i) { // core::direction_index
        batch.direction[i] = ((heading[i] + angle + 8) >> 4) & 4095;
    }
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < kBatch; ++i) {
        batch.ahead[i] = offsets[batch.direction[i]];
    }
}

// `at` brought back to [0, side) by one turn around the torus, in Q16.16; both fit 31 bits.
std::int32_t around(std::int32_t at, std::int32_t side) {
    const std::int32_t turn = side << 16;
    at += at < 0 ? turn : 0;
    return at - (at >= turn ? turn : 0);
}

int is_inside(std::int32_t cell, std::int32_t side) {
    return static_cast<std::uint32_t>(cell) < static_cast<std::uint32_t>(side) ? 1 : 0;
}

struct Place {
    std::int32_t x, y; // Q16.16
    std::int32_t cell;
    int inside; // of the map, else the others mean nothing
};

template <bool torus>
Place place(std::int32_t x, std::int32_t y, std::int32_t width, std::int32_t height) {
    if (torus) {
        x = around(x, width);
        y = around(y, height);
    }
    return {x, y, (y >> 16) * width + (x >> 16),
            torus ? 1 : is_inside(x >> 16, width) & is_inside(y >> 16, height)};
}

template <bool torus>
void read(const AgentGround &ground, AgentBatch &batch, std::uint32_t *reading) {
    const std::int32_t width = ground.width;
    const std::int32_t height = ground.height;
    const std::int32_t *__restrict const x = batch.x;
    const std::int32_t *__restrict const y = batch.y;
    const Offset *__restrict const ahead = batch.ahead;
    std::int32_t *__restrict const cells = batch.cell;
    for (std::int64_t i = 0; i < kBatch; ++i) {
        const Place at = place<torus>(x[i] + ahead[i].x, y[i] + ahead[i].y, width, height);
        cells[i] = at.inside != 0 ? at.cell : -1;
    }
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < kBatch; ++i) {
        reading[i] = torus || cells[i] >= 0 ? ground.trail[cells[i]] : 0;
    }
}

template <bool torus>
void sense(const AgentGround &ground, AgentBatch &batch) {
    const std::uint32_t angle = ground.sensor_angle;
    look_ahead(batch, 0, ground.sensor);
    read<torus>(ground, batch, batch.reading[0]);
    look_ahead(batch, 0 - angle, ground.sensor);
    read<torus>(ground, batch, batch.reading[1]);
    look_ahead(batch, angle, ground.sensor);
    read<torus>(ground, batch, batch.reading[2]);
    const bool to_larger = ground.to_larger;
    for (std::int64_t i = 0; i < kBatch; ++i) { // rules::choose_turn
        const std::uint32_t front = batch.reading[0][i];
        const std::uint32_t left = batch.reading[1][i];
        const std::uint32_t right = batch.reading[2][i];
        const bool straight = (front > left) & (front > right);
        const bool at_random = (front < left) & (front < right) & !to_larger;
        const std::int32_t larger = left < right ? 1 : right < left ? -1 : 0;
        const std::int32_t turn = straight ? 0 : larger;
        batch.turn[i] = at_random ? kTurnAtRandom : turn;
    }
}

void sense_any(const AgentGround &ground, AgentBatch &batch) {
    ground.torus ? sense<true>(ground, batch) : sense<false>(ground, batch);
}

template <bool torus>
void move(const AgentGround &ground, AgentBatch &batch) {
    const std::int32_t width = ground.width;
    const std::int32_t height = ground.height;
    std::int32_t *__restrict const x = batch.x;
    std::int32_t *__restrict const y = batch.y;
    std::uint16_t *__restrict const heading = batch.heading;
    const Offset *__restrict const ahead = batch.ahead;
    std::int32_t *__restrict const cells = batch.cell;
    const std::int32_t *__restrict const turn = batch.turn;
    const std::int32_t angle = ground.rotation_angle;
    for (std::int64_t i = 0; i < kBatch; ++i) {
        heading[i] = static_cast<std::uint16_t>(heading[i] + turn[i] * angle);
    }
    look_ahead(batch, 0, ground.step);
    for (std::int64_t i = 0; i < kBatch; ++i) {
        const Place at = place<torus>(x[i] + ahead[i].x, y[i] + ahead[i].y, width, height);
        x[i] = at.inside != 0 ? at.x : x[i];
        y[i] = at.inside != 0 ? at.y : y[i];
        cells[i] = at.inside != 0 ? at.cell : -1;
    }
}

void move_any(const AgentGround &ground, AgentBatch &batch) {
    ground.torus ? move<true>(ground, batch) : move<false>(ground, batch);
}

PhysarumKernel::Bits fold_row(const std::uint32_t *__restrict trail,
                              const std::uint32_t *__restrict count, std::uint32_t deposit,
                              std::uint32_t *__restrict folded, std::int64_t width) {
    std::uint32_t counts = 0;
    std::uint32_t bits = 0;
    for (std::int64_t x = 0; x < width; ++x) { // rules::fold
        const std::uint32_t sum = trail[x] + count[x] * deposit;
        const std::uint32_t cell = sum | (sum < trail[x] ? 0xffffffffu : 0);
        folded[x] = cell;
        counts |= count[x];
        bits |= cell;
    }
    return {counts, bits};
}

void diffuse_row(const std::uint32_t *const folded[3], std::uint32_t retain_share,
                 std::uint32_t *__restrict columns, std::uint32_t *__restrict trail,
                 std::int64_t width) {
    const std::uint32_t *const above = folded[0];
    const std::uint32_t *const here = folded[1];
    const std::uint32_t *const below = folded[2];
    for (std::int64_t x = 0; x < width + 2; ++x) {
        columns[x] = above[x] + here[x] + below[x];
    }
    for (std::int64_t x = 0; x < width; ++x) { // rules::diffuse_decay
        const std::uint64_t window = columns[x] + columns[x + 1] + columns[x + 2];
        trail[x] = static_cast<std::uint32_t>((window * retain_share) >> 32);
    }
}

} // namespace

} // namespace karst::cpu
