/** `index.ts` of the out folder: the records of every emitted kind, and the OpenAPI documents. */
import type { KindModel } from "../model/model.ts"
import { printFile } from "../print/print.ts"
import type { EmitContext } from "./context.ts"
import { upperFirst } from "./names.ts"
import { kindsOf, resourceName } from "./resource.ts"

/** The text of `index.ts`. `documents`: paths of the OpenAPI v3 documents as clients ask for them (`api/v1`, `apis/apps/v1`). */
export function emitIndex(context: EmitContext, documents: readonly string[]): string {
  const kinds = kindsOf(context)
  const counts = new Map<string, number>()
  for (const kind of kinds) counts.set(resourceName(kind), (counts.get(resourceName(kind)) ?? 0) + 1)
  const localName = (kind: KindModel): string => {
    const name = resourceName(kind)
    return (counts.get(name) ?? 0) > 1 ? `${name}${upperFirst(kind.group === "" ? "core" : kind.group.split(/[.-]/).map(upperFirst).join(""))}${upperFirst(kind.version)}` : name
  }
  const imports = kinds.map((kind) => ({
    module: context.options.importPath("index.ts", kind.file, "resource"),
    names: [{ name: resourceName(kind), type: false, ...(localName(kind) !== resourceName(kind) && { alias: localName(kind) }) }],
  }))
  return printFile({
    source: `${context.options.schemaFolder}/`,
    imports: [...imports.toSorted((left, right) => (left.module < right.module ? -1 : 1)), { module: context.options.kitImport("index.ts"), names: [{ name: "Kind", type: true }] }],
    declarations: [
      { declare: "constant", name: "kinds", type: "readonly Kind[]", exported: true, doc: "Every generated kind, by group, version and name.", value: list(kinds.map(localName)) },
      {
        declare: "constant",
        name: "openApiDocuments",
        type: "readonly string[]",
        exported: true,
        doc: "The OpenAPI v3 documents: `openapi/v3/<path>.json` beside this file. The v2 document is `openapi/v2.json`.",
        value: list(documents.map((path) => JSON.stringify(path))),
      },
    ],
  })
}

function list(items: readonly string[]): string {
  return items.length === 0 ? "[]" : `[\n${items.map((item) => `  ${item},\n`).join("")}]`
}
