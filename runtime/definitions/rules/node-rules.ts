/** The rules of one schema, compiled for evaluation. */
import type { DeclaredType } from "../../../cel/schema/declared-type.ts"
import type { Structural } from "../structural.ts"
import { type CompiledRule, compileRule, compileWork, storedAges } from "./compile.ts"

/**
 * Compiles rules one by one, when the first value needs them: a definition may have a thousand rules, which take half a
 * second. Concurrent requests share compiled rules.
 */
export class NodeRules {
  /** Why no rule of the schema can be evaluated. */
  readonly fault: string | undefined
  private readonly compiled: CompiledRule[] = []
  private anyUsesOldSelf = false

  /** `type`: type of the schema's values; undefined: no rule can be evaluated. */
  constructor(
    private readonly schema: Structural,
    private type: DeclaredType | undefined,
  ) {
    if (schema.rules.length === 0) this.type = undefined
    else if (type === undefined) this.fault = "failed to convert to declType for CEL validation rules"
  }

  get count(): number {
    return this.schema.rules.length
  }

  get areCompiled(): boolean {
    return this.type === undefined
  }

  /** Compiles the next rule. Returns the work, in the unit of turns. */
  compileNext(): number {
    const rule = this.schema.rules[this.compiled.length]
    if (rule === undefined || this.type === undefined) return 0
    const { compiled } = compileRule(rule, this.schema, this.type.type, storedAges)
    this.compiled.push(compiled)
    if (compiled.usesOldSelf) this.anyUsesOldSelf = true
    // Frees the type, which is as large as the schema.
    if (this.compiled.length === this.count) this.type = undefined
    return compileWork(rule)
  }

  /** Whether any rule uses `oldSelf`. Known when all are compiled. */
  get useOldSelf(): boolean {
    return this.anyUsesOldSelf
  }

  /** Undefined for a rule that is not compiled yet. */
  at(index: number): CompiledRule | undefined {
    return this.compiled[index]
  }
}
