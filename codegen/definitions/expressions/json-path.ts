/** JSONPath of columns and selectable fields, and the expressions of the dialect that read the same value. */
import type { ExpressionTree } from "../../../model/model.ts"

type Step =
  | { readonly field: string }
  | { readonly index: number }
  /** The first item whose `field` is `value`. */
  | { readonly field: string; readonly value: string }

const stepPattern =
  /\.((?:[^.[\]\\'"]|\\.)+)|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|\[\?\(@\.([\w-]+) ?== ?(?:"([^"\\]*)"|'([^'\\]*)')\)\]/gy

/** Reads `.spec.size`, with names in quotes, indexes and one kind of filter. Undefined for other paths. */
function stepsOf(path: string): readonly Step[] | undefined {
  const steps: Step[] = []
  const text = /^\{(.*)\}$/.exec(path)?.[1] ?? path
  let read = 0
  for (const [whole, plain, single, double, index, field, quoted, apostrophed] of text.matchAll(stepPattern)) {
    read += whole.length
    const name = (plain ?? single ?? double)?.replaceAll(/\\(.)/g, "$1")
    if (name !== undefined) steps.push({ field: name })
    else if (index !== undefined) steps.push({ index: Number(index) })
    else steps.push({ field: field ?? "", value: quoted ?? apostrophed ?? "" })
  }
  if (read < text.length) return undefined
  return steps.length === 0 ? undefined : steps
}

const plainName = /^[A-Za-z_]\w*$/

/** Returns the expression that reads the value at a path; undefined when the dialect has none. */
export function expressionOfPath(path: string): string | undefined {
  const steps = stepsOf(path)
  const [first, ...rest] = steps ?? []
  if (first === undefined || !("field" in first) || "value" in first || !plainName.test(first.field)) return undefined
  return rest.reduce((made, step) => {
    if ("index" in step) return `${made}[${step.index}]`
    if ("value" in step) return `${made}.filter(item, item.${step.field} == ${JSON.stringify(step.value)})[0]`
    return plainName.test(step.field) ? `${made}.${step.field}` : `${made}[${JSON.stringify(step.field)}]`
  }, first.field)
}

/** Returns the dotted path of fields, as scale and selectable name them; undefined for other paths. */
export function dottedPath(path: string): string | undefined {
  const steps = stepsOf(path)
  const names = steps?.map((step) =>
    "field" in step && !("value" in step) && /^[A-Za-z_$][\w$-]*$/.test(step.field) ? step.field : undefined,
  )
  return names?.every((name) => name !== undefined) === true ? names.join(".") : undefined
}

/** Returns the JSONPath that reads the same value as the expression; undefined when there is none. */
export function pathOfTree(tree: ExpressionTree): string | undefined {
  switch (tree.node) {
    case "name":
      return tree.name === "self" ? "" : named(tree.name)
    case "select": {
      const of = pathOfTree(tree.of)
      return of === undefined ? undefined : of + named(tree.field)
    }
    case "index":
      return indexed(tree)
    case "convert":
      return tree.list ? undefined : pathOfTree(tree.of)
    default:
      return undefined
  }
}

function named(field: string): string {
  return /^[\w$-]+$/.test(field) ? `.${field}` : `['${field.replaceAll(/['\\]/g, "\\$&")}']`
}

function indexed({ of, index }: ExpressionTree & { node: "index" }): string | undefined {
  const value = index.node === "literal" ? index.value : undefined
  if (typeof value === "string") {
    const inner = pathOfTree(of)
    return inner === undefined ? undefined : inner + named(value)
  }
  if (typeof value !== "number") return undefined
  if (of.node === "macro" && of.macro === "filter" && value === 0) return filtered(of)
  const inner = pathOfTree(of)
  return inner === undefined ? undefined : `${inner}[${value}]`
}

/** `items.filter(item, item.type == "Ready")[0]`. */
function filtered({ of, variable, body }: ExpressionTree & { node: "macro" }): string | undefined {
  const list = pathOfTree(of)
  if (list === undefined || body.node !== "binary" || body.operator !== "==") return undefined
  const { left, right } = body
  const isField = left.node === "select" && left.of.node === "name" && left.of.name === variable
  if (!isField || right.node !== "literal" || typeof right.value !== "string" || /["\\]/.test(right.value)) return undefined
  return `${list}[?(@.${left.field}=="${right.value}")]`
}
