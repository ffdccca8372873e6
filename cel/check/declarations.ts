/** The declarations of an environment, indexed by name. */
import type { FunctionDeclaration, Impl, InfixOperator, Library, Overload } from "../declaration.ts"
import { type Macro, MacroTable } from "../syntax/macro.ts"
import { sameType } from "../types/format.ts"
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  errorType,
  intType,
  listType,
  mapType,
  nullType,
  paramType,
  stringType,
  timestampType,
  typeType,
  uintType,
} from "../types/type.ts"

/** One function with the overloads of all libraries. */
export interface DeclaredFunction {
  readonly name: string
  readonly overloads: readonly Overload[]
  /** For all overloads without an implementation. */
  readonly impl?: Impl
  readonly recover?: FunctionDeclaration["recover"]
  readonly costs: readonly NonNullable<FunctionDeclaration["cost"]>[]
  readonly estimates: readonly NonNullable<FunctionDeclaration["estimate"]>[]
}

const standardTypes: readonly CelType[] = [
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType(paramType("A")),
  mapType(paramType("A"), paramType("B")),
  nullType,
  stringType,
  timestampType,
  typeType(),
  uintType,
]

/** Names that are types, by their run-time name. */
export const standardTypeNames: ReadonlyMap<string, CelType> = new Map(standardTypes.map((type) => [type.name, type]))

export class Declarations {
  readonly macros: MacroTable
  readonly optionalSyntax: boolean
  readonly errorsAreFalse: boolean
  readonly operators: readonly InfixOperator[]
  readonly functions: ReadonlyMap<string, DeclaredFunction>
  readonly types: ReadonlyMap<string, CelType>

  constructor(readonly libraries: readonly Library[]) {
    const macros: Macro[] = []
    const functions = new Map<string, DeclaredFunction>()
    const types = new Map(standardTypeNames)
    for (const library of libraries) {
      macros.push(...(library.macros ?? []))
      for (const type of library.types ?? []) types.set(type.name, type)
      for (const declaration of library.functions ?? []) {
        functions.set(declaration.name, merged(functions.get(declaration.name), declaration))
      }
    }
    this.macros = new MacroTable(macros)
    this.optionalSyntax = libraries.some((library) => library.optionalSyntax === true)
    this.errorsAreFalse = libraries.some((library) => library.errorsAreFalse === true)
    this.operators = libraries.flatMap((library) => library.operators ?? [])
    this.functions = functions
    this.types = types
  }
}

/** An overload that is declared again replaces the earlier one. */
function merged(known: DeclaredFunction | undefined, added: FunctionDeclaration): DeclaredFunction {
  const ids = new Set(added.overloads.map(({ id }) => id))
  const former = known?.overloads ?? []
  const kept = added.replaces === true ? [] : former.filter(({ id }) => !ids.has(id))
  const own = added.replaces === true ? added.overloads.map((overload) => implemented(overload, former)) : added.overloads
  const impl = added.impl ?? known?.impl
  const recover = added.recover ?? known?.recover
  return {
    name: added.name,
    overloads: [...kept, ...own],
    ...(impl !== undefined && { impl }),
    ...(recover !== undefined && { recover }),
    costs: [...(known?.costs ?? []), ...(added.cost === undefined ? [] : [added.cost])],
    estimates: [...(known?.estimates ?? []), ...(added.estimate === undefined ? [] : [added.estimate])],
  }
}

/** An overload with the implementation of the overload that takes the same arguments. */
function implemented(overload: Overload, former: readonly Overload[]): Overload {
  const takesSame = ({ args, member }: Overload): boolean =>
    member === overload.member &&
    args.length === overload.args.length &&
    args.every((type, index) => sameType(type, overload.args[index] ?? errorType))
  const same = overload.impl === undefined ? former.find(takesSame) : undefined
  return same === undefined ? overload : { ...same, id: overload.id, result: overload.result }
}
