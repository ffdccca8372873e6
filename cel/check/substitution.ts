/** Unification of types: which type a parameter has, and whether one type is assignable to another. */
import { sameType } from "../types/format.ts"
import { type CelType, dynType, listType, mapType, nullType, opaqueType, typeType } from "../types/type.ts"

/** Type parameters and their bindings, by name. */
export class Substitution {
  private readonly bound = new Map<string, CelType>()
  /** The bindings that the present attempt replaced, the latest last. */
  private readonly former: (readonly [name: string, type: CelType | undefined])[] = []

  /** Binds parameters so that every type is assignable. Returns false, and binds none, if that is impossible. */
  assign(from: readonly CelType[], to: readonly CelType[]): boolean {
    this.former.length = 0
    if (this.assignableLists(from, to)) return true
    for (let last = this.former.pop(); last !== undefined; last = this.former.pop()) {
      const [name, type] = last
      if (type === undefined) this.bound.delete(name)
      else this.bound.set(name, type)
    }
    return false
  }

  bind(parameter: CelType, type: CelType): void {
    this.former.push([parameter.name, this.bound.get(parameter.name)])
    this.bound.set(parameter.name, type)
  }

  /** The type with bound parameters replaced; with `freeToDyn`, the others become dyn. */
  apply(type: CelType, freeToDyn = false): CelType {
    if (type.kind === "param") {
      const bound = this.bound.get(type.name)
      if (bound !== undefined) return this.apply(bound, freeToDyn)
      return freeToDyn ? dynType : type
    }
    if (type.parameters.length === 0) return type
    const parameters = type.parameters.map((parameter) => this.apply(parameter, freeToDyn))
    if (parameters.every((parameter, index) => parameter === type.parameters[index])) return type
    return withParameters(type, parameters)
  }

  private find(type: CelType): CelType | undefined {
    return type.kind === "param" ? this.bound.get(type.name) : undefined
  }

  private assignableLists(from: readonly CelType[], to: readonly CelType[]): boolean {
    return from.length === to.length && from.every((type, index) => this.assignable(type, to[index] ?? nullType))
  }

  private assignable(from: CelType, to: CelType): boolean {
    if (to.kind === "param") {
      const { valid, bound } = this.substitutes(from, to)
      if (valid) return true
      if (bound) return false
    }
    if (from.kind === "param") return this.substitutes(to, from).valid
    if (isDynamic(from) || isDynamic(to)) return true
    if (from.kind === "null") return isNullable(to)
    if (to.kind === "null") return isNullable(from)
    switch (from.kind) {
      case "type":
        return to.kind === "type"
      case "opaque":
      case "list":
      case "map":
        return from.kind === to.kind && from.name === to.name && this.assignableLists(from.parameters, to.parameters)
      default:
        return from.kind === to.kind && from.name === to.name
    }
  }

  /** Whether a type may replace a parameter, and whether it is bound. A more general type replaces its binding. */
  private substitutes(type: CelType, parameter: CelType): { readonly valid: boolean; readonly bound: boolean } {
    if (type.kind === parameter.kind && sameType(type, parameter)) return { valid: true, bound: true }
    const bound = this.find(parameter)
    if (bound === undefined) {
      const valid = !this.occurs(parameter, type)
      if (valid) this.bind(parameter, type)
      return { valid, bound: false }
    }
    if (type.kind === bound.kind && sameType(type, bound)) return { valid: true, bound: true }
    if (!this.assignable(type, bound)) return { valid: false, bound: true }
    const general = mostGeneral(type, bound)
    if (!this.occurs(parameter, general)) this.bind(parameter, general)
    return { valid: true, bound: true }
  }

  /** A parameter within itself has no finite type. */
  private occurs(parameter: CelType, within: CelType): boolean {
    if (sameType(parameter, within)) return true
    const bound = this.find(within)
    if (bound !== undefined) return this.occurs(parameter, bound)
    const nested = within.kind === "opaque" || within.kind === "list" || within.kind === "map"
    return nested && within.parameters.some((one) => this.occurs(parameter, one))
  }
}

/** Whether a value of one type may be used where another is expected. `dyn` is assignable to and from every type. */
export function isAssignable(from: CelType, to: CelType): boolean {
  return new Substitution().assign([from], [to])
}

function withParameters(type: CelType, parameters: readonly CelType[]): CelType {
  const [first = dynType, second = dynType] = parameters
  switch (type.kind) {
    case "list":
      return listType(first)
    case "map":
      return mapType(first, second)
    case "type":
      return typeType(first)
    default:
      return opaqueType(type.name, ...parameters)
  }
}

export function isDyn(type: CelType): boolean {
  return type.kind === "dyn" || type.kind === "any"
}

/** Types about which the checker assumes nothing. */
export function isDynamic(type: CelType): boolean {
  return isDyn(type) || type.kind === "error"
}

function isNullable({ kind }: CelType): boolean {
  return kind === "null" || kind === "opaque" || kind === "struct" || kind === "any" || kind === "duration" || kind === "timestamp"
}

/** The more general of two types that unify. */
export function mostGeneral(one: CelType, other: CelType): CelType {
  return isAtLeastAsGeneral(one, other) ? one : other
}

function isAtLeastAsGeneral(one: CelType, other: CelType): boolean {
  if (isDyn(one) || one.kind === "param") return true
  if (isDyn(other) || other.kind === "param" || one.kind !== other.kind) return false
  switch (one.kind) {
    case "opaque":
    case "list":
    case "map":
      return (
        one.name === other.name &&
        one.parameters.length === other.parameters.length &&
        one.parameters.every((parameter, index) => isAtLeastAsGeneral(parameter, other.parameters[index] ?? nullType))
      )
    case "type":
      return true
    default:
      return sameType(one, other)
  }
}
