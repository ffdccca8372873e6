/** Checks `references`: the kind exists and is stored, and there is a namespace to look in. */
import type { FieldModel } from "../../model/model.ts"
import type { TypeDeclaration } from "./declare.ts"
import { typeName } from "./declare.ts"
import { expectedWord } from "./diagnostic.ts"
import { type FieldDeclaration, present } from "./fields.ts"
import { kindKey } from "./kind-context.ts"
import type { TypeTable } from "./type-table.ts"
import { isScalar, itemType, shownType } from "./type-text.ts"

/** Called once per field of `type`. Reports in the file of the type. */
export function checkReference({ model, block, known }: FieldDeclaration, type: TypeDeclaration, table: TypeTable): void {
  if (model.references === undefined) return
  const { source } = type
  const inner = block.block("references")
  const start = inner?.start("kind") ?? block.start("references")
  if (known && !isScalar(itemType(model.type) ?? model.type, "string"))
    source.report(block.start("references"), {
      found: `references on a field of type ${shownType(model.type)}`,
      expected: "a field that is a string, or a list of strings",
    })
  const target = targetOf(model.references, table)
  if (target === undefined) return source.report(start, unknownKind(inner?.text("kind") ?? block.text("references") ?? "", table))
  for (const word of ["postsTo", "answeredBy"].filter((one) => target.block.has(one)))
    source.report(start, { found: `references to ${target.localName}, whose objects are not stored`, expected: `a kind without ${word}` })
  checkNamespace(model.references, { type, target, table }, inner?.start("namespace") ?? start)
}

type References = NonNullable<FieldModel["references"]>

function targetOf({ group, version, kind }: References, table: TypeTable): TypeDeclaration | undefined {
  const found = table.declarations.get(typeName(group, version, kind))
  return found?.isKind === true ? found : undefined
}

function unknownKind(written: string, table: TypeTable): { found: string; expected: string; nearest?: string } {
  const kinds = [...table.declarations.values()].filter(({ isKind }) => isKind)
  const { nearest } = expectedWord(
    written.includes("/") ? written : `core/${written}`,
    kinds.map(({ group, version, localName }) => kindKey(group, version, localName)),
  )
  return {
    found: `unknown kind "${written}"`,
    expected: "a kind that some schema file declares, as group/version Kind",
    ...present({ nearest }),
  }
}

interface Ends {
  readonly type: TypeDeclaration
  readonly target: TypeDeclaration
  readonly table: TypeTable
}

function checkNamespace({ namespace }: References, { type, target, table }: Ends, start: number): void {
  const { source } = type
  const isNamespaced = target.block.text("scope") !== "Cluster"
  if (namespace === undefined) {
    const owner = [...table.declarations.values()].find((one) => one.isKind && one.file === type.file)
    if (isNamespaced && owner?.block.text("scope") === "Cluster")
      source.report(start, {
        found: `references to ${target.localName}, which is in a namespace, from ${owner.localName}, which is in none`,
        expected: `{kind: ${kindKey(target.group, target.version, target.localName)}, namespace: the field that names it}`,
      })
    return
  }
  if (!isNamespaced) return source.report(start, { found: `namespace for ${target.localName}, which is in none`, expected: "kind alone" })
  const fields = table.fieldsByName(type.name)
  const field = fields.get(namespace)
  if (field === undefined)
    source.report(start, { found: `unknown field "${namespace}" of ${type.name}`, ...expectedWord(namespace, fields.keys()) })
  else if (!isScalar(field.type, "string"))
    source.report(start, {
      found: `the field ${namespace} of type ${shownType(field.type)} for namespace`,
      expected: "a field that is a string",
    })
}
