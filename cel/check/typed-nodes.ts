/** The state of the checker: types of nodes, bindings of type parameters, and issues. */
import type { Overload } from "../declaration.ts"
import type { Issue } from "../issue.ts"
import type { Expr } from "../syntax/expr.ts"
import type { Source } from "../syntax/source.ts"
import { formatType, sameType } from "../types/format.ts"
import { type CelType, dynType, errorType, paramType } from "../types/type.ts"
import { mostGeneral, Substitution } from "./substitution.ts"

export abstract class TypedNodes {
  protected readonly substitution = new Substitution()
  protected readonly types = new Map<number, CelType>()
  private free = 0

  constructor(
    private readonly source: Source,
    private readonly issues: Issue[],
  ) {}

  /** The types of an overload with parameters of its own. */
  protected instantiate(overload: Overload): { readonly argTypes: readonly CelType[]; readonly result: CelType } {
    const names = new Set<string>()
    for (const type of [overload.result, ...overload.args]) collectParameters(type, names)
    if (names.size === 0) return { argTypes: overload.args, result: overload.result }
    const own = new Substitution()
    for (const name of names) own.bind(paramType(name), this.freeType())
    return { argTypes: overload.args.map((type) => own.apply(type)), result: own.apply(overload.result) }
  }

  /** The common type of elements of both types. */
  protected join(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current
    if (this.assign([previous], [current])) return mostGeneral(previous, current)
    return dynType
  }

  protected assertType(expr: Expr, type: CelType): void {
    const found = this.typeOf(expr)
    if (!this.assign([type], [found])) this.mismatch(expr, type, found)
  }

  protected assign(from: readonly CelType[], to: readonly CelType[]): boolean {
    return this.substitution.assign(from, to)
  }

  protected freeType(): CelType {
    return paramType(`_var${this.free++}`)
  }

  /** A macro may use a node twice. Its type is then computed twice, and must be the same. */
  protected typed(expr: Expr, type: CelType): Expr {
    const known = this.types.get(expr.id)
    if (known === undefined || sameType(known, type)) this.types.set(expr.id, type)
    else {
      const types = `old:${formatType(known)}, new:${formatType(type)}`
      this.report(expr, `incompatible type already exists for expression: ${describe(expr)}(${expr.id}) ${types}`)
    }
    return expr
  }

  protected typeOf(expr: Expr): CelType {
    return this.types.get(expr.id) ?? errorType
  }

  protected mismatch(expr: Expr, expected: CelType, found: CelType): void {
    this.report(expr, `expected type '${formatType(expected)}' but found '${formatType(found)}'`, true)
  }

  /** `misplaced`: the node itself is valid. */
  protected report({ position, id }: Expr, message: string, misplaced = false): void {
    const { line, column } = this.source.checkedPosition(position)
    this.issues.push({ line, column, message, node: id, ...(misplaced && { misplaced }) })
  }
}

/** A node as the reference prints it: its identifier, and the function of a call. */
function describe(expr: Expr): string {
  if (expr.kind === "list" && expr.elements.length === 0) return `id:${expr.id} list_expr:{}`
  return expr.kind === "call" ? `id:${expr.id} call_expr:{function:"${expr.function}"}` : `id:${expr.id}`
}

function collectParameters(type: CelType, names: Set<string>): void {
  if (type.kind === "param") names.add(type.name)
  for (const parameter of type.parameters) collectParameters(parameter, names)
}
