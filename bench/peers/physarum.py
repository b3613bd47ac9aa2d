"""Jones's Physarum on a torus in floats, as people write it in PyTorch and Triton.

    python3 bench/peers/physarum.py [SIDE,AGENTS ...]

The same parameters as `karst bench`: sensors 45 degrees apart and 9 cells ahead, turns of 45
degrees, steps of a cell, a deposit of 5, a mean of 3x3 of which 0.9 stays. Floats added by atomics:
the result differs from run to run, so only the total of the trail is checked.
"""
import math
import sys
import time

import torch
import triton
import triton.language as tl

from timing import kernel_launches, median_ms, report

SENSOR_ANGLE = math.radians(45)
ROTATION_ANGLE = math.radians(45)
SENSOR_OFFSET = 9.0
STEP_SIZE = 1.0
DEPOSIT = 5.0
RETAIN = 0.9
BLOCK = 1024


class Simulation:
    def __init__(self, side, agents):
        generator = torch.Generator("cuda").manual_seed(1)
        draw = torch.rand((3, agents), device="cuda", generator=generator)
        self.side = side
        self.x = draw[0] * side
        self.y = draw[1] * side
        self.heading = draw[2] * (2 * math.pi)
        self.trail = torch.zeros((side, side), device="cuda")
        self.window = torch.full((1, 1, 3, 3), RETAIN / 9, device="cuda")

    def diffuse(self):
        padded = torch.nn.functional.pad(self.trail[None, None], (1, 1, 1, 1), mode="circular")
        self.trail = torch.nn.functional.conv2d(padded, self.window)[0, 0]


class PyTorch(Simulation):
    name = "pytorch"

    def cells(self, x, y):
        return (y.long() % self.side) * self.side + x.long() % self.side

    def sense(self, angle):
        x = self.x + SENSOR_OFFSET * torch.cos(angle)
        y = self.y + SENSOR_OFFSET * torch.sin(angle)
        return self.trail.view(-1)[self.cells(x, y)]

    def step(self):
        front = self.sense(self.heading)
        left = self.sense(self.heading - SENSOR_ANGLE)
        right = self.sense(self.heading + SENSOR_ANGLE)
        side = torch.where(left < right, ROTATION_ANGLE, -ROTATION_ANGLE)
        coin = torch.where(torch.rand_like(front) < 0.5, ROTATION_ANGLE, -ROTATION_ANGLE)
        stays = ((front > left) & (front > right)) | (left == right)
        lost = (front < left) & (front < right)
        self.heading = self.heading + torch.where(lost, coin, torch.where(stays, 0.0, side))
        self.x = (self.x + STEP_SIZE * torch.cos(self.heading)) % self.side
        self.y = (self.y + STEP_SIZE * torch.sin(self.heading)) % self.side
        deposits = torch.full_like(self.x, DEPOSIT)
        self.trail.view(-1).index_add_(0, self.cells(self.x, self.y), deposits)
        self.diffuse()


@triton.jit
def reading(trail, x, y, angle, offset, side, valid):
    column = (tl.floor(x + offset * tl.cos(angle)).to(tl.int32) + side) % side
    row = (tl.floor(y + offset * tl.sin(angle)).to(tl.int32) + side) % side
    return tl.load(trail + row.to(tl.int64) * side + column, mask=valid, other=0.0)


@triton.jit
def sense_turn_move(xs, ys, headings, trail, side, agents, seed, sensor_angle, rotation_angle,
                    offset, step_size, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    valid = i < agents
    x = tl.load(xs + i, mask=valid, other=0.0)
    y = tl.load(ys + i, mask=valid, other=0.0)
    heading = tl.load(headings + i, mask=valid, other=0.0)
    front = reading(trail, x, y, heading, offset, side, valid)
    left = reading(trail, x, y, heading - sensor_angle, offset, side, valid)
    right = reading(trail, x, y, heading + sensor_angle, offset, side, valid)
    turn = tl.where(left < right, rotation_angle, -rotation_angle)
    coin = tl.where(tl.rand(seed, i) < 0.5, rotation_angle, -rotation_angle)
    stays = ((front > left) & (front > right)) | (left == right)
    lost = (front < left) & (front < right)
    heading += tl.where(lost, coin, tl.where(stays, 0.0, turn))
    width = side.to(tl.float32)
    x += step_size * tl.cos(heading)
    y += step_size * tl.sin(heading)
    x = tl.where(x < 0, x + width, tl.where(x >= width, x - width, x))
    y = tl.where(y < 0, y + width, tl.where(y >= width, y - width, y))
    tl.store(xs + i, x, mask=valid)
    tl.store(ys + i, y, mask=valid)
    tl.store(headings + i, heading, mask=valid)


@triton.jit
def deposit(xs, ys, trail, side, agents, amount, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    valid = i < agents
    column = tl.minimum(tl.load(xs + i, mask=valid, other=0.0).to(tl.int32), side - 1)
    row = tl.minimum(tl.load(ys + i, mask=valid, other=0.0).to(tl.int32), side - 1)
    tl.atomic_add(trail + row.to(tl.int64) * side + column, tl.full((BLOCK,), amount, tl.float32),
                  mask=valid)


class Triton(Simulation):
    name = "triton"

    def __init__(self, side, agents):
        super().__init__(side, agents)
        self.steps = 0

    def step(self):
        agents = self.x.numel()
        blocks = (triton.cdiv(agents, BLOCK),)
        self.steps += 1
        sense_turn_move[blocks](self.x, self.y, self.heading, self.trail, self.side, agents,
                                self.steps, SENSOR_ANGLE, ROTATION_ANGLE, SENSOR_OFFSET, STEP_SIZE,
                                BLOCK)
        deposit[blocks](self.x, self.y, self.trail, self.side, agents, DEPOSIT, BLOCK)
        self.diffuse()


def check(simulation):
    """The trail's total after n steps is the sum of what each step's deposits have become."""
    agents = simulation.x.numel()
    steps = 20
    for _ in range(steps):
        simulation.step()
    expected = agents * DEPOSIT * sum(RETAIN ** (k + 1) for k in range(steps))
    total = simulation.trail.double().sum().item()
    if abs(total / expected - 1) > 1e-4:
        sys.exit(f"physarum by {simulation.name}: total {total}, expected {expected}")


def main():
    cases = [tuple(int(n) for n in case.split(",")) for case in sys.argv[1:]] or [
        (2048, 629146), (2048, 16777216), (8192, 67108864)]
    torch.zeros(1, device="cuda")
    for kind in (PyTorch, Triton):
        check(kind(256, 10000))
        for side, agents in cases:
            torch.cuda.synchronize()
            begin = time.perf_counter()
            simulation = kind(side, agents)
            simulation.step()
            torch.cuda.synchronize()
            first = time.perf_counter() - begin
            for _ in range(20):
                simulation.step()
            ms = median_ms(simulation.step, 21)
            report(simulation="physarum", peer=kind.name, side=side, agents=agents, ms=ms,
                   agent_steps_per_second=agents / ms * 1e3,
                   launches=kernel_launches(simulation.step), first_step_ms=first * 1e3)
            del simulation


main()
