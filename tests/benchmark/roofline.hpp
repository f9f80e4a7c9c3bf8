#pragma once

/// Multiplications and additions a second in float, fused, on the threads of the surrounding OpenMP settings: measured,
/// in registers, at each call, since clocks change with the processor's load.
double multiply_add_rate();

/// The least time for this work at that rate, an exponential taken as 31 operations (what it costs where it is fastest:
/// 12.6 G/s beside 390 GFLOP/s on two threads).
double roofline_seconds(double flops, double exponentials);
