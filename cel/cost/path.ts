/**
 * The path from a variable to a value, as it grows in the reference: paths that continue the same one share memory once
 * it has room for more, and the last one to continue it decides the steps of all. Estimates follow this, because a
 * limit that is one higher or lower accepts other rules.
 */
export class Path {
  static readonly none = new Path([], 0, 0)

  private constructor(
    private readonly shared: string[],
    private readonly length: number,
    private readonly capacity: number,
  ) {}

  append(step: string): Path {
    if (this.length < this.capacity) {
      this.shared[this.length] = step
      return new Path(this.shared, this.length + 1, this.capacity)
    }
    return new Path([...this.steps(), step], this.length + 1, Math.max(1, this.capacity * 2))
  }

  /** The present steps of the path. */
  steps(): readonly string[] {
    return this.shared.slice(0, this.length)
  }
}
