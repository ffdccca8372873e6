import type { CelType } from "../types/type.ts"

/** Variables by name; a comprehension adds its own in front of the outer ones. */
export class Scope {
  private readonly variables = new Map<string, CelType>()
  constructor(
    variables: Iterable<readonly [string, CelType]>,
    private readonly outer?: Scope,
  ) {
    this.variables = new Map(variables)
  }

  find(name: string): CelType | undefined {
    return this.variables.get(name) ?? this.outer?.find(name)
  }

  /** Whether the variable belongs to the environment, not to a comprehension. */
  isOutermost(name: string): boolean {
    if (this.outer === undefined) return this.variables.has(name)
    return !this.variables.has(name) && this.outer.isOutermost(name)
  }
}
