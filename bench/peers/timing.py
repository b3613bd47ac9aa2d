"""Medians by CUDA events, and one JSON line a measurement."""
import json
import statistics

import torch


def median_ms(run, repetitions=9, warm_up=2):
    """Median milliseconds of run() on the current stream."""
    for _ in range(warm_up):
        run()
    times = []
    for _ in range(repetitions):
        start = torch.cuda.Event(enable_timing=True)
        stop = torch.cuda.Event(enable_timing=True)
        start.record()
        run()
        stop.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(stop))
    return statistics.median(times)


def kernel_launches(run):
    """Kernels that one run() starts."""
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    run()
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=activities) as profile:
        run()
        torch.cuda.synchronize()
    return sum(event.count for event in profile.key_averages() if "aunchKernel" in event.key)


def report(**values):
    print(json.dumps(values), flush=True)
