import type { Constant, Expr, FoldExpr, Position } from "./expr.ts"
import type { Nodes } from "./nodes.ts"

/** Makes the nodes of an expansion. Each gets the position of the macro's call. */
export interface MacroHelper {
  constant(constant: Constant): Expr
  ident(name: string): Expr
  list(...elements: readonly Expr[]): Expr
  call(name: string, ...args: readonly Expr[]): Expr
  memberCall(name: string, target: Expr, ...args: readonly Expr[]): Expr
  presence(operand: Expr, field: string): Expr
  fold(parts: Omit<FoldExpr, "id" | "kind" | "position">): Expr
  /** Reports a fault at a node. The expansion ends. */
  fail(at: Expr, message: string): never
}

/** A call that is replaced when it is parsed. */
export interface Macro {
  readonly name: string
  /** Called as `target.name(...)`. */
  readonly receiver: boolean
  /** The number of arguments; undefined: any. */
  readonly arity?: number
  /** Returns the replacement; undefined: the call does not use the macro. `helper.fail` reports a fault. */
  expand(helper: MacroHelper, target: Expr | undefined, args: readonly Expr[]): Expr | undefined
}

/** Thrown when the arguments of a macro are invalid. */
class MacroFault extends Error {
  constructor(
    readonly at: Expr,
    message: string,
  ) {
    super(message)
  }
}

/** Macros by name, kind of call and number of arguments. */
export class MacroTable {
  private readonly macros = new Map<string, Macro>()

  constructor(macros: readonly Macro[]) {
    for (const macro of macros) this.macros.set(key(macro.name, macro.receiver, macro.arity), macro)
  }

  /** The expansion of a call, a fault of its arguments, or undefined when the call uses no macro. */
  expand(
    nodes: Nodes,
    position: Position,
    name: string,
    target: Expr | undefined,
    args: readonly Expr[],
  ): Expr | { readonly at: Expr; readonly message: string } | undefined {
    const receiver = target !== undefined
    const macro = this.macros.get(key(name, receiver, args.length)) ?? this.macros.get(key(name, receiver, undefined))
    if (macro === undefined) return undefined
    try {
      return macro.expand(helperAt(nodes, position), target, args)
    } catch (cause) {
      if (cause instanceof MacroFault) return { at: cause.at, message: cause.message }
      throw cause
    }
  }
}

function key(name: string, receiver: boolean, arity: number | undefined): string {
  return `${name}:${receiver}:${arity ?? "*"}`
}

function helperAt(nodes: Nodes, position: Position): MacroHelper {
  return {
    constant: (constant) => nodes.constant(position, constant),
    ident: (name) => nodes.ident(position, name),
    list: (...elements) => nodes.list(position, elements),
    call: (name, ...args) => nodes.call(position, name, args),
    memberCall: (name, target, ...args) => nodes.call(position, name, args, target),
    presence: (operand, field) => nodes.select(position, operand, field, true),
    fold: (parts) => ({ kind: "fold", id: nodes.id(), position, ...parts }),
    fail: (at, message) => {
      throw new MacroFault(at, message)
    },
  }
}
