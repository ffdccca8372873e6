/** Counters of audit for `/metrics`. */
import type { Level } from "./policy.ts"

/** Where an event was lost. */
export type AuditPlugin = "buffered" | "log" | "truncate" | "webhook"

/** Created once per server that audits. */
export class AuditCounts {
  /** Events that were made. */
  events = 0
  /** Requests that were refused because their first event could not be stored. */
  rejected = 0
  private readonly requests = new Map<Level, number>()
  private readonly lost = new Map<AuditPlugin, number>()

  /** Called once per request. */
  countRequest(level: Level): void {
    this.requests.set(level, (this.requests.get(level) ?? 0) + 1)
  }

  /** Called with the number of events that were lost. */
  countLost(plugin: AuditPlugin, events: number): void {
    this.lost.set(plugin, (this.lost.get(plugin) ?? 0) + events)
  }

  lostBy(plugin: AuditPlugin): number {
    return this.lost.get(plugin) ?? 0
  }

  get levels(): readonly (readonly [level: string, count: number])[] {
    return [...this.requests].toSorted(([one], [other]) => (one < other ? -1 : 1))
  }

  get errors(): readonly (readonly [plugin: string, count: number])[] {
    return [...this.lost].toSorted(([one], [other]) => (one < other ? -1 : 1))
  }
}
