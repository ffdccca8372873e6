/** A point in time, to the nanosecond: seconds since 1970 in UTC, and nanoseconds from 0 to 999,999,999. */
export class Timestamp {
  constructor(
    readonly seconds: number,
    readonly nanos: number,
  ) {}
}

/** A span of time in nanoseconds, within 64 bits. */
export class Duration {
  constructor(readonly nanos: bigint) {}
}
