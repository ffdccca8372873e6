/** The macros that every environment has: has, all, exists, exists_one, map and filter. */
import { accumulator, type Expr } from "./expr.ts"
import type { Macro, MacroHelper } from "./macro.ts"

function variable(helper: MacroHelper, arg: Expr | undefined, message: string): string {
  if (arg?.kind === "ident") return arg.name
  if (arg === undefined) throw new TypeError("a macro was expanded without its arguments")
  return helper.fail(arg, message)
}

type Quantifier = (helper: MacroHelper, predicate: Expr) => { init: Expr; condition: Expr; step: Expr; result: Expr }

function quantifier(name: string, parts: Quantifier): Macro {
  return {
    name,
    receiver: true,
    arity: 2,
    expand(helper, range, [name, predicate]) {
      if (range === undefined || predicate === undefined) return undefined
      const iterVar = variable(helper, name, "argument must be a simple name")
      return helper.fold({ iterVar, range, accuVar: accumulator, ...parts(helper, predicate) })
    },
  }
}

const all = quantifier("all", (helper, predicate) => ({
  init: helper.constant({ type: "bool", value: true }),
  condition: helper.call("@not_strictly_false", helper.ident(accumulator)),
  step: helper.call("_&&_", helper.ident(accumulator), predicate),
  result: helper.ident(accumulator),
}))

const exists = quantifier("exists", (helper, predicate) => ({
  init: helper.constant({ type: "bool", value: false }),
  condition: helper.call("@not_strictly_false", helper.call("!_", helper.ident(accumulator))),
  step: helper.call("_||_", helper.ident(accumulator), predicate),
  result: helper.ident(accumulator),
}))

const existsOne = quantifier("exists_one", (helper, predicate) => {
  const init = helper.constant({ type: "int", value: 0n })
  const one = helper.constant({ type: "int", value: 1n })
  const condition = helper.constant({ type: "bool", value: true })
  const next = helper.call("_+_", helper.ident(accumulator), one)
  return {
    init,
    condition,
    step: helper.call("_?_:_", predicate, next, helper.ident(accumulator)),
    result: helper.call("_==_", helper.ident(accumulator), one),
  }
})

function mapping(arity: 2 | 3): Macro {
  return {
    name: "map",
    receiver: true,
    arity,
    expand(helper, range, [name, ...rest]) {
      const transform = rest.at(-1)
      const predicate = arity === 3 ? rest[0] : undefined
      if (range === undefined || transform === undefined) return undefined
      const iterVar = variable(helper, name, "argument is not an identifier")
      return building(helper, iterVar, range, transform, predicate)
    },
  }
}

const filter: Macro = {
  name: "filter",
  receiver: true,
  arity: 2,
  expand(helper, range, [name, predicate]) {
    if (range === undefined || name === undefined || predicate === undefined) return undefined
    const iterVar = variable(helper, name, "argument is not an identifier")
    return building(helper, iterVar, range, name, predicate)
  },
}

/** A loop that appends an element for each item that the predicate holds for. */
function building(helper: MacroHelper, iterVar: string, range: Expr, element: Expr, predicate?: Expr): Expr {
  const result = helper.ident(accumulator)
  const init = helper.list()
  const condition = helper.constant({ type: "bool", value: true })
  const appended = helper.call("_+_", result, helper.list(element))
  return helper.fold({
    iterVar,
    range,
    accuVar: accumulator,
    init,
    condition,
    step: predicate === undefined ? appended : helper.call("_?_:_", predicate, appended, result),
    result,
  })
}

const has: Macro = {
  name: "has",
  receiver: false,
  arity: 1,
  expand(helper, _target, [arg]) {
    if (arg === undefined) return undefined
    if (arg.kind !== "select") return helper.fail(arg, "invalid argument to has() macro")
    return helper.presence(arg.operand, arg.field)
  },
}

export const standardMacros: readonly Macro[] = [has, all, exists, existsOne, mapping(2), mapping(3), filter]
