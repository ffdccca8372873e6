/** Compiles expressions over declared variables and libraries. */
import { type CheckedTree, check } from "./check/checker.ts"
import { Declarations } from "./check/declarations.ts"
import { checkLiterals } from "./check/literals.ts"
import { isAssignable } from "./check/substitution.ts"
import type { Bounds } from "./cost/bounds.ts"
import { type EstimateOptions, estimateCost } from "./cost/estimate.ts"
import type { Library } from "./declaration.ts"
import { PlanFault, plan } from "./evaluate/planner.ts"
import { Program } from "./evaluate/program.ts"
import type { Issue } from "./issue.ts"
import { standardLibrary } from "./standard/library.ts"
import { literalRules } from "./standard/literals.ts"
import type { Expr } from "./syntax/expr.ts"
import { parse } from "./syntax/parser.ts"
import { Source } from "./syntax/source.ts"
import { type CelType, dynType } from "./types/type.ts"

export interface EnvironmentOptions {
  /** The names that expressions may use, with their types. */
  readonly variables?: Readonly<Record<string, CelType>>
  /** Libraries besides the standard library. */
  readonly libraries?: readonly Library[]
  /**
   * True, as in the API server: elements of a list have one type, and constants such as `timestamp('soon')` are issues.
   * False, as in the language's specification: lists may mix types.
   */
  readonly strictLiterals?: boolean
}

export interface Issues {
  readonly list: readonly Issue[]
  /** All of them with the lines they point at, as users read them: `ERROR: <input>:1:5: undeclared ...`. */
  readonly text: string
}

export interface Compiled {
  readonly program: Program
  /** The type of the result. */
  readonly type: CelType
  readonly ast: CheckedTree
  /** The bounds of the cost of an evaluation. */
  estimate(options?: EstimateOptions): Bounds
}

/** A source that cannot be compiled: it has issues, or (`fault`) it cannot become a program. */
export type Refused = { readonly issues: Issues } | { readonly fault: string }

/** Make it once for many expressions: it indexes its declarations. */
export class Environment {
  private readonly declarations: Declarations
  private readonly variables: ReadonlyMap<string, CelType>
  private readonly strictLiterals: boolean

  constructor(options: EnvironmentOptions = {}, from?: Environment) {
    const known = from?.declarations.libraries ?? [standardLibrary]
    const added = options.libraries ?? []
    const shared = added.length === 0 ? from?.declarations : undefined
    this.declarations = shared ?? new Declarations([...known, ...added])
    this.variables = new Map([...(from?.variables ?? []), ...Object.entries(options.variables ?? {})])
    this.strictLiterals = options.strictLiterals ?? from?.strictLiterals ?? true
  }

  /** An environment with more variables or libraries. It shares the existing index. */
  extend(options: EnvironmentOptions): Environment {
    return new Environment(options, this)
  }

  /** Parses, checks and compiles a source. */
  compile(text: string): Compiled | Refused {
    const source = new Source(text)
    const { macros, optionalSyntax, operators } = this.declarations
    const parsed = parse(source, { macros, optionalSyntax, operators })
    return "issues" in parsed ? refused(source, parsed.issues) : this.compileTree(source, parsed.expr)
  }

  /** Checks and compiles a tree that is parsed already. Its positions are offsets in `source`. */
  compileTree(source: Source, expr: Expr): Compiled | Refused {
    const tree = this.check(source, expr)
    if ("issues" in tree) return tree
    try {
      const program = new Program(plan(tree, this.declarations))
      const type = tree.types.get(tree.expr.id) ?? dynType
      return { program, type, ast: tree, estimate: (options) => estimateCost(tree, this.declarations, options) }
    } catch (cause) {
      if (cause instanceof PlanFault) return { fault: cause.message }
      throw cause
    }
  }

  /** Whether some overload of a function takes a value of this type at `index`; 0 is the target, if there is one. */
  takes(name: string, index: number, type: CelType): boolean {
    const overloads = this.declarations.functions.get(name)?.overloads ?? []
    return overloads.some(({ args: { [index]: expected } }) => expected !== undefined && isAssignable(type, expected))
  }

  private check(source: Source, expr: Expr): CheckedTree | { readonly issues: Issues } {
    const { tree, issues } = this.checkTree(source, expr)
    return issues.length === 0 ? tree : refused(source, issues)
  }

  /** Checks a parsed tree without compiling it. Refused nodes have the error type. */
  checkTree(source: Source, expr: Expr): { readonly tree: CheckedTree; readonly issues: readonly Issue[] } {
    const issues: Issue[] = []
    const tree = check(expr, source, this.declarations, this.variables, issues)
    if (issues.length === 0 && this.strictLiterals) checkLiterals(tree, source, literalRules, issues)
    return { tree, issues }
  }
}

function refused(source: Source, list: readonly Issue[]): { readonly issues: Issues } {
  return { issues: { list, text: source.format(list) } }
}
