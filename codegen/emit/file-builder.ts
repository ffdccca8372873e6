/**
 * Collects the imports and declarations of one generated file. Using a name imports it, so there are no unused imports.
 */
import type { FileModel, TypeModel } from "../../model/model.ts"
import { type Declaration, type PrintedImport, printFile } from "../print/print.ts"
import type { EmitContext } from "./context.ts"
import { typeOf } from "./context.ts"
import { upperFirst } from "../../model/names.ts"
import type { Part } from "./options.ts"

interface Imported {
  readonly name: string
  readonly alias: string
  type: boolean
}

export class FileBuilder {
  /** Below out: `core/v1/pod/shape.ts`. */
  readonly path: string
  private readonly modules = new Map<string, Map<string, Imported>>()
  private readonly taken = new Set<string>()
  private readonly declarations: Declaration[] = []

  constructor(
    readonly context: EmitContext,
    readonly file: FileModel,
    private readonly part: Part,
  ) {
    this.path = `${file.path}/${part}.ts`
  }

  /** Keeps an import from taking a name that the file declares itself. */
  reserve(...names: readonly string[]): void {
    for (const name of names) this.taken.add(name)
  }

  /** Imports a function or constant of the doorway. */
  runtime(name: string): string {
    return this.import(this.context.options.doorwayImport(this.path), name, false)
  }

  runtimeType(name: string): string {
    return this.import(this.context.options.doorwayImport(this.path), name, true)
  }

  /** Imports the export of a type, named by `exported`, from `part` of the file that declares the type. */
  ofType(typeName: string, part: Part, exported: (localName: string) => string, asType = false): string {
    const type = typeOf(this.context, typeName)
    const name = exported(type.localName)
    if (type.file === this.file.path && part === this.part) return name
    return this.import(this.context.options.importPath(this.path, type.file, part), name, asType, aliasOf(type, name))
  }

  /** Imports an export of another part of the same schema file. */
  sibling(part: Part, name: string): string {
    return this.import(`./${part}.ts`, name, false)
  }

  /** Imports the export of a behaviour file such as `checks/podContainers`: it has the behaviour's own name. */
  behaviour(folder: "checks" | "cells" | "conversions", name: string): string {
    return this.import(this.context.options.behaviourImport(this.path, `${folder}/${name}`), name, false)
  }

  declare(declaration: Declaration): void {
    this.declarations.push(declaration)
  }

  get empty(): boolean {
    return this.declarations.length === 0
  }

  /** Returns the text of the file. Called last. */
  print(): string {
    const imports: PrintedImport[] = [...this.modules]
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([module, names]) => ({
        module,
        names: [...names.values()]
          .toSorted((left, right) => (left.name < right.name ? -1 : 1))
          .map(({ name, alias, type }) => ({ name, type, ...(alias !== name && { alias }) })),
      }))
    return printFile({
      source: `${this.context.options.schemaFolder}/${this.file.path}.yaml`,
      imports,
      declarations: this.declarations,
    })
  }

  private import(module: string, name: string, type: boolean, fallback = `${name}_`, preferred = name): string {
    const names = this.modules.get(module) ?? new Map<string, Imported>()
    this.modules.set(module, names)
    const known = names.get(name)
    if (known !== undefined) {
      known.type &&= type
      return known.alias
    }
    const alias = this.taken.has(preferred) ? fallback : preferred
    this.taken.add(alias)
    names.set(name, { name, alias, type })
    return alias
  }
}

/** `validateEvent` of events.orch.io/v1 → `validateEventEventsOrchIoV1`: unique where two groups use one name. */
function aliasOf(type: TypeModel, name: string): string {
  const group = type.group === "" ? "core" : type.group
  return name + `${group}.${type.version}`.split(/[.-]/).map(upperFirst).join("")
}
