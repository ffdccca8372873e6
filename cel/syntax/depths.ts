/** Thrown when a rule of the grammar is nested deeper than the limit. */
export class RecursionFault extends Error {}

/** How deep each rule of the grammar is nested while a source is read. */
export class Depths {
  private readonly depths = new Map<string, number>()
  constructor(private readonly limit: number) {}

  enter(rule: string): void {
    const depth = (this.depths.get(rule) ?? 0) + 1
    if (depth > this.limit) throw new RecursionFault(`expression recursion limit exceeded: ${this.limit}`)
    this.depths.set(rule, depth)
  }

  leave(rule: string, count = 1): void {
    this.depths.set(rule, (this.depths.get(rule) ?? 0) - count)
  }
}
