/** Computes the type of every node of a tree, and the overloads that each call may use. */
import type { Issue } from "../issue.ts"
import type { CallExpr, Expr, FoldExpr, ListExpr, MapExpr, SelectExpr, StructExpr } from "../syntax/expr.ts"
import type { Source } from "../syntax/source.ts"
import { formatSignature, formatType, sameType } from "../types/format.ts"
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  dynType,
  errorType,
  intType,
  isOptionalType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  typeType,
  uintType,
} from "../types/type.ts"
import type { DeclaredFunction, Declarations } from "./declarations.ts"
import { Scope } from "./scope.ts"
import { isDyn, isDynamic } from "./substitution.ts"
import { TypedNodes } from "./typed-nodes.ts"

/** A tree whose names are resolved, with the types and overloads of its nodes. */
export interface CheckedTree {
  /** Names of variables and functions that contain dots are one node. */
  readonly expr: Expr
  readonly types: ReadonlyMap<number, CelType>
  /** The overloads that may apply to a call: one, or several when the types of its arguments are unknown. */
  readonly overloads: ReadonlyMap<number, readonly string[]>
  /** Nodes that name a type. */
  readonly typeNames: ReadonlyMap<number, CelType>
  /** Variables of the environment that the expression reads. */
  readonly variables: ReadonlySet<string>
}

/** Checks a tree. Faults are added to `issues`, in the reference's words. */
export function check(
  expr: Expr,
  source: Source,
  declarations: Declarations,
  variables: ReadonlyMap<string, CelType>,
  issues: Issue[],
): CheckedTree {
  return new Checker(source, declarations, variables, issues).run(expr)
}

class Checker extends TypedNodes {
  private scope: Scope
  private readonly overloads = new Map<number, readonly string[]>()
  private readonly typeNames = new Map<number, CelType>()
  private readonly variables = new Set<string>()
  /** Types of objects by name. As in the reference, such a name is a variable without a value. */
  private objects: ReadonlyMap<string, CelType> | undefined

  constructor(
    source: Source,
    private readonly declarations: Declarations,
    private readonly declared: ReadonlyMap<string, CelType>,
    issues: Issue[],
  ) {
    super(source, issues)
    this.scope = new Scope(declared)
  }

  run(expr: Expr): CheckedTree {
    const checked = this.check(expr)
    const types = new Map([...this.types].map(([id, type]) => [id, this.substitution.apply(type, true)] as const))
    const { overloads, typeNames, variables } = this
    return { expr: checked, types, overloads, typeNames, variables }
  }

  private check(expr: Expr): Expr {
    switch (expr.kind) {
      case "constant":
        return this.typed(expr, constantTypes[expr.constant.type])
      case "ident":
        return this.ident(expr, expr.name) ?? this.undeclared(expr, expr.name)
      case "select":
        return this.select(expr)
      case "call":
        return this.call(expr)
      case "list":
        return this.list(expr)
      case "map":
        return this.map(expr)
      case "struct":
        return this.struct(expr)
      case "fold":
        return this.fold(expr)
    }
  }

  /** A node as the variable or type that it names; undefined when there is no such name. */
  private ident(expr: Expr, written: string): Expr | undefined {
    const name = written.startsWith(".") ? written.slice(1) : written
    const variable = this.scope.find(name)
    const type = variable === undefined ? this.declarations.types.get(name) : undefined
    const object = variable === undefined && type === undefined ? this.objectNamed(name) : undefined
    if (variable === undefined && type === undefined && object === undefined) return undefined
    if (variable !== undefined && this.scope.isOutermost(name)) this.variables.add(name)
    if (type !== undefined) this.typeNames.set(expr.id, type)
    const { id, position } = expr
    const resolved: Expr = expr.kind === "ident" && expr.name === name ? expr : { kind: "ident", id, position, name }
    return this.typed(resolved, variable ?? object ?? typeType(type))
  }

  /** The object type of that name; undefined for `self.spec` where `self` is a variable. */
  private objectNamed(name: string): CelType | undefined {
    const [root = ""] = name.split(".")
    if (this.scope.find(root) !== undefined) return undefined
    this.objects ??= objectTypes(this.declared.values())
    return this.objects.get(name)
  }

  private undeclared(expr: Expr, name: string): Expr {
    this.typed(expr, errorType)
    this.report(expr, `undeclared reference to '${name}' (in container '')`)
    return expr
  }

  private select(expr: SelectExpr): Expr {
    const name = expr.test ? undefined : qualifiedName(expr)
    const variable = name === undefined ? undefined : this.ident(expr, name)
    if (variable !== undefined) return variable
    const operand = this.check(expr.operand)
    const field = this.fieldType(expr, operand, expr.field, false)
    return this.typed({ ...expr, operand }, this.substitution.apply(expr.test ? boolType : field))
  }

  private fieldType(expr: Expr, operand: Expr, field: string, optional: boolean): CelType {
    const operandType = this.substitution.apply(this.typeOf(operand))
    const inner = unwrapped(operandType)
    const type = inner ?? operandType
    const result = this.plainFieldType(expr, type, field)
    return inner !== undefined || optional ? optionalType(result) : result
  }

  private plainFieldType(expr: Expr, type: CelType, field: string): CelType {
    switch (type.kind) {
      case "map":
        return type.parameters[1] ?? dynType
      case "struct": {
        const known = type.fields?.get(field)
        if (known !== undefined) return known.type
        if (type.open === true) return dynType
        this.report(expr, `undefined field '${field}'`)
        return errorType
      }
      case "param":
        this.assign([dynType], [type])
        return dynType
      default:
        if (!isDynamic(type)) this.report(expr, `type '${formatType(type)}' does not support field selection`)
        return dynType
    }
  }

  private call(expr: CallExpr): Expr {
    if (expr.function === "_?._") return this.optionalSelect(expr)
    const args = expr.args.map((arg) => this.check(arg))
    const { target } = expr
    if (target === undefined) return this.resolve(expr, expr.function, undefined, args)
    const prefix = qualifiedName(target)
    if (prefix !== undefined && this.find(`${prefix}.${expr.function}`) !== undefined) {
      return this.resolve(expr, `${prefix}.${expr.function}`, undefined, args)
    }
    return this.resolve(expr, expr.function, this.check(target), args)
  }

  private optionalSelect(expr: CallExpr): Expr {
    const [operandExpr, field] = expr.args
    if (operandExpr === undefined || field?.kind !== "constant" || field.constant.type !== "string") {
      this.report(field ?? expr, "unsupported optional field selection")
      return this.typed(expr, errorType)
    }
    const operand = this.check(operandExpr)
    const type = this.fieldType(expr, operand, field.constant.value, true)
    this.overloads.set(expr.id, ["select_optional_field"])
    return this.typed({ ...expr, args: [operand, field] }, this.substitution.apply(type))
  }

  private find(name: string): DeclaredFunction | undefined {
    return this.declarations.functions.get(name.startsWith(".") ? name.slice(1) : name)
  }

  private resolve(expr: CallExpr, name: string, target: Expr | undefined, args: readonly Expr[]): Expr {
    const { id, position } = expr
    const declared = this.find(name)
    if (declared === undefined) {
      const unknown: Expr = { kind: "call", id, position, ...(target && { target }), function: name, args }
      this.typed(unknown, errorType)
      this.report(expr, `undeclared reference to '${name}' (in container '')`)
      return unknown
    }
    const resolved: Expr = { kind: "call", id, position, ...(target && { target }), function: declared.name, args }
    const type = this.resolveOverloads(resolved, declared, target, args)
    return this.typed(resolved, type ?? errorType)
  }

  /** The type of a call; undefined, with an issue, when no overload fits. */
  private resolveOverloads(call: Expr, declared: DeclaredFunction, target: Expr | undefined, args: readonly Expr[]): CelType | undefined {
    const argTypes = [...(target === undefined ? [] : [target]), ...args].map((arg) => this.typeOf(arg))
    const fitting: string[] = []
    let result: CelType | undefined
    for (const overload of declared.overloads) {
      if ((target !== undefined) !== (overload.member === true)) continue
      if (declared.name === "_&&_" || declared.name === "_||_") return this.logical(call, overload.id, args, argTypes)
      const { argTypes: expected, result: found } = this.instantiate(overload)
      if (!this.assign(argTypes, expected)) continue
      fitting.push(overload.id)
      const type = this.substitution.apply(found)
      if (result === undefined) result = type
      else if (!isDyn(result) && !sameType(type, result)) result = dynType
    }
    if (result === undefined) {
      const types = argTypes.map((type) => this.substitution.apply(type, true))
      const signature = formatSignature(types, target !== undefined)
      this.report(call, `found no matching overload for '${declared.name}' applied to '${signature}'`)
      return undefined
    }
    this.overloads.set(call.id, fitting)
    return result
  }

  private logical(call: Expr, id: string, args: readonly Expr[], types: readonly CelType[]): CelType | undefined {
    let sound = true
    args.forEach((arg, index) => {
      const type = types[index] ?? dynType
      if (this.assign([type], [boolType])) return
      this.mismatch(arg, boolType, type)
      sound = false
    })
    if (!sound) return undefined
    this.overloads.set(call.id, [id])
    return boolType
  }

  private list(expr: ListExpr): Expr {
    let type: CelType | undefined
    const elements = expr.elements.map((element, index) => {
      const checked = this.check(element)
      const found = this.typeOf(checked)
      const elementType = expr.optional.includes(index) ? this.optionalEntry(checked, found) : found
      type = this.join(type, elementType)
      return checked
    })
    return this.typed({ ...expr, elements }, listType(type ?? this.freeType()))
  }

  /** The type within an optional that initializes an element or a field. */
  private optionalEntry(expr: Expr, type: CelType): CelType {
    const inner = unwrapped(type)
    if (inner === undefined && !isDyn(type)) this.mismatch(expr, optionalType(type), type)
    return inner ?? type
  }

  private map(expr: MapExpr): Expr {
    let keyType: CelType | undefined
    let valueType: CelType | undefined
    const entries = expr.entries.map((entry) => {
      const key = this.check(entry.key)
      keyType = this.join(keyType, this.typeOf(key))
      const value = this.check(entry.value)
      const found = this.typeOf(value)
      valueType = this.join(valueType, entry.optional ? this.optionalEntry(value, found) : found)
      return { ...entry, key, value }
    })
    return this.typed({ ...expr, entries }, mapType(keyType ?? this.freeType(), valueType ?? this.freeType()))
  }

  /** Expressions cannot create messages here: only the name is resolved. */
  private struct(expr: StructExpr): Expr {
    const resolved = this.ident(expr, expr.name)
    if (resolved === undefined) return this.undeclared(expr, expr.name)
    const type = this.typeOf(resolved)
    this.types.set(expr.id, errorType)
    const [made] = type.parameters
    if (type.kind !== "type") this.report(expr, `'${type.name}' is not a type`)
    else this.report(expr, `'${made === undefined ? type.name : made.name}' is not a message type`)
    return expr
  }

  private fold(expr: FoldExpr): Expr {
    const range = this.check(expr.range)
    const init = this.check(expr.init)
    const accuType = this.typeOf(init)
    const iterType = this.iterationType(range)
    const outside = this.scope
    const accumulated = new Scope([[expr.accuVar, accuType]], outside)
    this.scope = new Scope([[expr.iterVar, iterType]], accumulated)
    const condition = this.check(expr.condition)
    this.assertType(condition, boolType)
    const step = this.check(expr.step)
    this.assertType(step, accuType)
    this.scope = accumulated
    const result = this.check(expr.result)
    this.scope = outside
    const fold = { ...expr, range, init, condition, step, result }
    return this.typed(fold, this.substitution.apply(this.typeOf(result)))
  }

  private iterationType(range: Expr): CelType {
    const type = this.substitution.apply(this.typeOf(range))
    switch (type.kind) {
      case "list":
      case "map":
        return type.parameters[0] ?? dynType
      case "dyn":
      case "error":
      case "param":
        this.assign([dynType], [type])
        return dynType
      default: {
        const expected = "must be list, map, or dynamic"
        this.report(range, `expression of type '${formatType(type)}' cannot be range of a comprehension (${expected})`, true)
        return errorType
      }
    }
  }
}

const constantTypes = {
  null: nullType,
  bool: boolType,
  int: intType,
  uint: uintType,
  double: doubleType,
  string: stringType,
  bytes: bytesType,
}

/** The type of an optional's value; undefined for other types. */
function unwrapped(type: CelType): CelType | undefined {
  return isOptionalType(type) ? type.parameters[0] : undefined
}

/** All objects that variables hold, at any depth. */
function objectTypes(types: Iterable<CelType>, found: Map<string, CelType> = new Map()): ReadonlyMap<string, CelType> {
  for (const type of types) {
    if (type.kind === "struct" && !found.has(type.name)) {
      found.set(type.name, type)
      objectTypes(
        Array.from(type.fields?.values() ?? [], (field) => field.type),
        found,
      )
    }
    objectTypes(type.parameters, found)
  }
  return found
}

/** The dotted name `a.b.c` of selections that could be one name. */
function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === "ident") return expr.name
  if (expr.kind !== "select" || expr.test) return undefined
  const prefix = qualifiedName(expr.operand)
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`
}
