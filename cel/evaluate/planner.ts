/** Compiles a checked tree to closures. They charge the costs that the reference's interpreter counts. */
import type { CheckedTree } from "../check/checker.ts"
import type { Declarations } from "../check/declarations.ts"
import type { Impl } from "../declaration.ts"
import type { CallExpr, Expr, FoldExpr } from "../syntax/expr.ts"
import { type CelType, dynType, isOptionalType } from "../types/type.ts"
import { constantValue } from "../values/constant.ts"
import { ErrorValue, ListValue, type Result, TypeValue, type Value } from "../values/value.ts"
import { listCost, listStep, mapStep, membershipStep } from "./aggregate.ts"
import { type Attribute, flatten, type Qualifier, resolveStep } from "./attribute.ts"
import { callStep, costsOf, implementation, recoveringStep } from "./call.ts"
import { buildingStep, foldStep, quantifierStep } from "./fold.ts"
import { type FoldShape, shapeOf } from "./fold-shape.ts"
import { Frame, type Step } from "./frame.ts"
import { conditionalStep, lenientCondition, lenientRange, logicStep, notStrictlyFalse, orStep } from "./logic.ts"

/** The program cannot be made, though its types fit: a constant is not a timestamp, or a pattern is invalid. */
export class PlanFault extends Error {}

export interface Plan {
  readonly step: Step
  /** Variables of the environment by slot; undefined for variables of comprehensions. */
  readonly slots: readonly (string | undefined)[]
}

/** Throws PlanFault. */
export function plan(tree: CheckedTree, declarations: Declarations): Plan {
  const planner = new Planner(tree, declarations)
  const step = planner.step(tree.expr)
  return { step, slots: planner.slots }
}

/** Functions that are evaluated at once when their argument is a constant. */
const conversions = new Set(["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"])

class Planner {
  readonly slots: (string | undefined)[] = []
  /** Slots of variables; the slots of the innermost comprehension are last. */
  private readonly locals = new Map<string, number[]>()
  /** Values of steps that are constants. */
  private readonly constants = new Map<Step, Value>()
  /** Nodes that begin or continue a chain. */
  private readonly attributes = new Map<Step, Attribute>()

  constructor(
    private readonly tree: CheckedTree,
    private readonly declarations: Declarations,
  ) {}

  step(expr: Expr): Step {
    switch (expr.kind) {
      case "constant":
        return this.constant(constantValue(expr.constant))
      case "ident":
        return this.ident(expr, expr.name)
      case "select":
        return this.chained(expr.operand, { key: expr.field, compute: undefined, optional: false, test: expr.test })
      case "call":
        return this.call(expr)
      case "list":
        return this.list(expr.elements, new Set(expr.optional))
      case "map": {
        const entries = expr.entries.map(({ key, value, optional }) => {
          return { key: this.step(key), value: this.step(value), optional }
        })
        return this.folded(
          mapStep(entries),
          entries.flatMap(({ key, value }) => [key, value]),
        )
      }
      case "struct":
        throw new PlanFault(`unknown type: ${expr.name}`)
      case "fold":
        return this.fold(expr)
    }
  }

  private constant(value: Value): Step {
    const step: Step = () => value
    this.constants.set(step, value)
    return step
  }

  private attribute(attribute: Attribute): Step {
    const resolve = resolveStep(attribute)
    const { ownCost } = attribute
    const step: Step =
      ownCost === 0
        ? resolve
        : (frame) => {
            const value = resolve(frame)
            frame.charge(ownCost)
            return value
          }
    this.attributes.set(step, attribute)
    return step
  }

  private ident(expr: Expr, name: string): Step {
    const type = this.tree.typeNames.get(expr.id)
    if (type !== undefined) return this.constant(new TypeValue(type))
    const slot = this.locals.get(name)?.at(-1) ?? this.declare(name, name)
    const base: Step = (frame) => frame.slots[slot] ?? null
    return this.attribute({ ...this.start(expr, base), ownCost: 1 })
  }

  /** A chain that begins with the value of a node. Nested optionals are flattened. */
  private start(expr: Expr, step: Step): Omit<Attribute, "ownCost"> {
    const type = this.type(expr)
    const optional = isOptionalType(type)
    const base: Step = optional ? (frame) => flatten(step(frame)) : step
    return { base, qualifiers: [], mayBeOptional: optional || type.kind === "dyn" || type.kind === "any" }
  }

  /** A step from an operand: it continues the operand's chain, or begins a chain. */
  private chained(operand: Expr, qualifier: Qualifier): Step {
    const step = this.step(operand)
    const chain = this.attributes.get(step) ?? { ...this.start(operand, step), ownCost: 1 }
    const qualifiers = [...chain.qualifiers, qualifier]
    return this.attribute({ ...chain, qualifiers, ownCost: qualifier.test ? 0 : chain.ownCost })
  }

  /** A node as part of another attribute: a chain without its own cost. */
  private resolved(step: Step): Step {
    const attribute = this.attributes.get(step)
    return attribute === undefined ? step : resolveStep(attribute)
  }

  private call(expr: CallExpr): Step {
    const [first, second, third] = expr.args
    switch (expr.function) {
      case "_[_]":
      case "_[?_]":
      case "_?._":
        if (first !== undefined && second !== undefined) return this.index(first, second, expr.function !== "_[_]")
        break
      case "_?_:_":
        if (first !== undefined && second !== undefined && third !== undefined) return this.conditional(expr, first, second, third)
        break
    }
    const operands = expr.target === undefined ? expr.args : [expr.target, ...expr.args]
    const args = operands.map((arg) => this.step(arg))
    return this.operator(expr, args) ?? this.function(expr, operands, args)
  }

  private index(operand: Expr, index: Expr, optional: boolean): Step {
    const step = this.step(index)
    const key = this.constants.get(step)
    const compute = key === undefined ? this.resolved(step) : undefined
    return this.chained(operand, { key, compute, optional, test: false })
  }

  private conditional(expr: Expr, condition: Expr, yes: Expr, no: Expr): Step {
    const holds = this.condition(condition)
    const base = conditionalStep(holds, this.resolved(this.step(yes)), this.resolved(this.step(no)))
    return this.attribute({ ...this.start(expr, base), ownCost: 0 })
  }

  /** Operators that are not ordinary calls. */
  private operator(expr: CallExpr, args: readonly Step[]): Step | undefined {
    const [left, right] = args
    if (left === undefined) return undefined
    const [overload = ""] = this.tree.overloads.get(expr.id) ?? []
    switch (overload) {
      case "not_strictly_false":
        return notStrictlyFalse(left)
      case "logical_and":
        return right && logicStep(this.lenient(left), this.lenient(right), false)
      case "logical_or":
        return right && logicStep(this.lenient(left), this.lenient(right), true)
      case "optional_or_optional":
        return right && orStep(left, right, false)
      case "optional_orValue_value":
        return right && orStep(left, right, true)
      case "in_list":
        return right && this.membership(expr, left, right)
      default:
        return undefined
    }
  }

  private membership(expr: CallExpr, value: Step, list: Step): Step | undefined {
    const constant = this.constants.get(list)
    if (!(constant instanceof ListValue) || (this.tree.overloads.get(expr.id)?.length ?? 0) > 1) return undefined
    return constant.size === 0 ? this.constant(false) : membershipStep(value, constant)
  }

  private function(expr: CallExpr, operands: readonly Expr[], args: readonly Step[]): Step {
    const declared = this.declarations.functions.get(expr.function)
    const overloads = this.tree.overloads.get(expr.id) ?? []
    if (declared === undefined) throw new PlanFault(`no such overload: ${expr.function}`)
    const types = operands.map((operand) => this.type(operand))
    const special = this.specialized(overloads, expr.function, args)
    const impl = special ?? implementation(declared, overloads, types)
    if (declared.recover !== undefined) return recoveringStep(args, special ?? impl, costsOf(declared, overloads), declared.recover)
    const early = args.length > 2 || special !== undefined
    const step = callStep(args, impl, costsOf(declared, overloads), early)
    const [only] = args
    if (args.length !== 1 || only === undefined || !conversions.has(expr.function) || !this.constants.has(only)) return step
    const value = step(new Frame([], Number.POSITIVE_INFINITY))
    if (value instanceof ErrorValue) throw new PlanFault(value.message)
    return this.constant(value)
  }

  /** The implementation specialized for constant arguments, if the overload has one. */
  private specialized(overloads: readonly string[], name: string, args: readonly Step[]): Impl | undefined {
    const candidates = this.declarations.functions.get(name)?.overloads ?? []
    const specialize = candidates.find(({ id, specialize }) => overloads.includes(id) && specialize !== undefined)?.specialize
    const found = specialize?.(args.map((arg) => this.constants.get(arg)))
    if (found !== undefined && "fault" in found) throw new PlanFault(found.fault)
    return found
  }

  private list(elements: readonly Expr[], optional: ReadonlySet<number>): Step {
    const steps = elements.map((element) => this.step(element))
    return this.folded(listStep(steps, optional), steps)
  }

  /** A list or map of constants is a constant, and costs nothing. */
  private folded(step: Step, parts: readonly Step[]): Step {
    if (!parts.every((part) => this.constants.has(part))) return step
    const value: Result = step(new Frame([], Number.POSITIVE_INFINITY))
    if (!(value instanceof ErrorValue)) return this.constant(value)
    return () => value
  }

  private condition(expr: Expr): Step {
    return this.lenient(this.step(expr))
  }

  private lenient(condition: Step): Step {
    return this.declarations.errorsAreFalse ? lenientCondition(condition) : condition
  }

  private fold(expr: FoldExpr): Step {
    const plain = this.step(expr.range)
    const range = this.declarations.errorsAreFalse ? lenientRange(plain) : plain
    const shape = shapeOf(expr)
    if (shape === undefined) return this.loop(expr, range)
    const iterSlot = this.declare(expr.iterVar)
    const step = this.shaped(shape, range, iterSlot)
    this.locals.get(expr.iterVar)?.pop()
    return step
  }

  private shaped(shape: FoldShape, range: Step, iterSlot: number): Step {
    const predicate = shape.predicate === undefined ? undefined : this.condition(shape.predicate)
    if (shape.kind === "quantifier" && predicate !== undefined) {
      return quantifierStep({ range, predicate, iterSlot, decisive: shape.decisive })
    }
    if (shape.kind === "quantifier") throw new TypeError("a quantifier without its predicate")
    const element = this.step(shape.element)
    const elementCost = this.constants.has(element) ? 0 : listCost
    return buildingStep({ range, predicate, element, iterSlot, elementCost })
  }

  private loop(expr: FoldExpr, range: Step): Step {
    const init = this.step(expr.init)
    const accuSlot = this.declare(expr.accuVar)
    const iterSlot = this.declare(expr.iterVar)
    const condition = this.step(expr.condition)
    const step = this.step(expr.step)
    this.locals.get(expr.iterVar)?.pop()
    const result = this.step(expr.result)
    this.locals.get(expr.accuVar)?.pop()
    const endless = this.constants.get(condition) === true
    return foldStep({ range, init, condition: endless ? undefined : condition, step, result, iterSlot, accuSlot })
  }

  private declare(name: string, variable?: string): number {
    const slot = this.slots.push(variable) - 1
    const slots = this.locals.get(name) ?? []
    this.locals.set(name, slots)
    slots.push(slot)
    return slot
  }

  private type(expr: Expr): CelType {
    return this.tree.types.get(expr.id) ?? dynType
  }
}
