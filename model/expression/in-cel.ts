/** Gives expressions of the dialect to CEL: to its checker, which types every part, and to its compiler. */
import {
  type CelType,
  type Compiled,
  dynType,
  Environment,
  type Field,
  isOptionalType,
  type Issue,
  type Library,
  objectType,
  optionalLibrary,
  type Refused,
  Source,
} from "../../cel/index.ts"
import type { ExpressionTree } from "../model.ts"
import type { ExpressionScope, StructSource, TypedTrees } from "./checked.ts"
import { dialectLibrary } from "./library.ts"
import { type ExpressionPositions, parseExpression } from "./read.ts"
import { TreeInCel } from "./tree-in-cel.ts"

type Names = Pick<ExpressionScope, "self" | "root"> & Partial<Pick<ExpressionScope, "old">>

/** Checks and compiles expressions with CEL. Make one for many expressions of the same schemas. */
export class DialectCompiler {
  private readonly environment: Environment
  private readonly objects = new Map<string, CelType>()

  constructor(
    private readonly structs: StructSource,
    library: Library = dialectLibrary(),
  ) {
    this.environment = new Environment({ libraries: [optionalLibrary, library], strictLiterals: false })
  }

  /**
   * Checks a tree that `parseExpression` made of `text`. Variables are `self` and `root`, and where there is a stored
   * object, `oldSelf` and `oldRoot`.
   */
  check(text: string, tree: ExpressionTree, positions: ExpressionPositions, scope: Names): TypedTrees {
    const source = new Source(text)
    const { environment, variables } = this.extended(scope)
    const inCel = new TreeInCel(source, positions)
    const expr = inCel.make(tree, variables)
    const { tree: checked, issues } = environment.checkTree(source, expr)
    const at = (issue: Issue): ExpressionTree | undefined => inCel.origins.get(issue.node ?? 0)
    const refused = new Set(issues.filter(({ misplaced }) => misplaced !== true).map(at))
    const misplaced = new Set(issues.filter((issue) => issue.misplaced === true).map(at))
    return {
      typeOf: (one) => held(checked.types.get(inCel.values.get(one) ?? 0)),
      isRefused: (one) => refused.has(one),
      isMisplaced: (one) => misplaced.has(one),
      isTaken: (name, index, one) => environment.takes(name, index, checked.types.get(inCel.values.get(one) ?? 0) ?? dynType),
      issues,
    }
  }

  /** Compiles a text that `parseExpression` reads without a fault, for evaluation by CEL. */
  compile(text: string, scope: Names): Compiled | Refused {
    const parsed = parseExpression(text)
    if ("fault" in parsed) return { fault: `${parsed.fault.found}: ${parsed.fault.expected}` }
    const source = new Source(text)
    const { environment, variables } = this.extended(scope)
    return environment.compileTree(source, new TreeInCel(source, parsed.positions).make(parsed.tree, variables))
  }

  private extended({ self, root, old }: Names): { readonly environment: Environment; readonly variables: ReadonlySet<string> } {
    const own = this.complete(self)
    const whole = this.complete(root)
    const stored = old === "never" ? {} : { oldSelf: own, oldRoot: whole }
    const variables = { self: own, root: whole, ...stored }
    return { environment: this.environment.extend({ variables }), variables: new Set(Object.keys(variables)) }
  }

  /** The type with the fields of the structs in it, which it only names. */
  private complete(type: CelType): CelType {
    if (type.kind === "struct") return this.object(type.name)
    return type.parameters.length === 0 ? type : { ...type, parameters: type.parameters.map((one) => this.complete(one)) }
  }

  /** Types refer to each other: an object is known before its fields. */
  private object(name: string): CelType {
    const known = this.objects.get(name)
    if (known !== undefined) return known
    const fields = new Map<string, Field>()
    const made = objectType(name, fields, this.structs.open(name))
    this.objects.set(name, made)
    for (const property of this.structs.names(name)) {
      const info = this.structs.field(name, property)
      if (info !== undefined) fields.set(property, { property, type: this.complete(info.type) })
    }
    return made
  }
}

/** An optional value has the type that it may hold. */
function held(type: CelType | undefined): CelType {
  return (type !== undefined && isOptionalType(type) ? type.parameters[0] : type) ?? dynType
}
