/**
 * A point in time, to the nanosecond: seconds since 1970 in UTC, and nanoseconds from 0 to 999,999,999. `offset` is the
 * offset east of UTC, in seconds, of the text that it was read from; only `string(t)` uses it.
 */
export class Timestamp {
  constructor(
    readonly seconds: number,
    readonly nanos: number,
    readonly offset: number = 0,
  ) {}
}

/** A span of time in nanoseconds, within 64 bits. */
export class Duration {
  constructor(readonly nanos: bigint) {}
}
