/**
 * Parses JSON as a typed decoder does: reports unknown and repeated fields in the order of the text, merges a repeated
 * field into the first one, and refuses integers with a fraction or an exponent. Slower than `parsingJson`, so
 * `decode-object.ts` uses it only after that or `normalize` has found such a field.
 */
import { documentDepthMax, messageCharactersMax, strictErrorsMax } from "../../base/limits.ts"
import type { Stages } from "../../base/turns.ts"
import { fractionFault } from "./decode-fault.ts"
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { JsonParser, pathText, setField } from "./text.ts"
import { checkValue } from "../normalize.ts"
import { SeenFields } from "./repeats.ts"
import { isTypeMeta, shapeItemOf, type ShapeNode, type ShapeOperation, type ShapePlan, shapePlanOf, planOfNode } from "../shape-plan.ts"
import type { TypeShape } from "../../schema/shape.ts"
import { unboundedValues } from "../value-bounds.ts"

export interface TypedJson {
  readonly value: JsonValue
  /**
   * `unknown field "spec.foo"`, `duplicate field "metadata.name"`: in the order of the text, each once, at most
   * `strictErrorsMax`.
   */
  readonly strictErrors: string[]
}

export interface TypedJsonOptions {
  /** `apiVersion` and `kind` are known at the top. Default true. */
  readonly typeMeta?: boolean
  /** The document is a list of objects of the shape. */
  readonly list?: boolean
}

/**
 * Called with text that `parsingJson` has accepted. Throws DecodeFault 400 for an integer with a fraction or an
 * exponent.
 */
export function* parsingTypedJson(text: string, shape: TypeShape, options: TypedJsonOptions = {}): Stages<TypedJson> {
  const parser = typedParser(text, shape, options)
  return { value: yield* parser.reading(), strictErrors: parser.strictErrors }
}

function typedParser(text: string, shape: TypeShape, options: TypedJsonOptions): TypedParser {
  const item = rootNode(shapePlanOf(shape))
  const root = options.list === true ? { ...item, operation: "list" as const, item, plan: undefined } : item
  return new TypedParser(text, root, options.typeMeta ?? true)
}

/**
 * Returns the kind of number that the shape has at a path from `ParsedJson.fractions`, for any index of a list;
 * undefined for any other value.
 */
export function numberAt(shape: TypeShape, steps: readonly (string | number)[]): "whole" | "quantity" | undefined {
  let node: ShapeNode | undefined = rootNode(shapePlanOf(shape))
  for (const step of steps) {
    if (node === undefined) return undefined
    node = node.operation === "object" ? planOfNode(node).byName.get(String(step))?.node : node.item
  }
  if (node === undefined) return undefined
  return holdsInteger(node) ? "whole" : node.operation === "Quantity" ? "quantity" : undefined
}

/** `unknown field "spec.foo"` */
export function unknownFieldText(path: string): string {
  return `unknown field ${shownPath(path)}`
}

/** `duplicate field "metadata.name"` */
export function duplicateFieldText(path: string): string {
  return `duplicate field ${shownPath(path)}`
}

function shownPath(path: string): string {
  const text = JSON.stringify(path.length > messageCharactersMax ? `${path.slice(0, messageCharactersMax)}...` : path)
  return unprintable.test(text) ? text.replace(unprintables, escaped) : text
}

const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u
const unprintables = new RegExp(unprintable, "gu")

function escaped(character: string): string {
  const digits = (character.codePointAt(0) ?? 0).toString(16)
  return digits.length > 4 ? `\\U${digits.padStart(8, "0")}` : `\\u${digits.padStart(4, "0")}`
}

function rootNode(plan: ShapePlan): ShapeNode {
  return { operation: "object", item: undefined, shape: undefined, typeText: () => plan.name, constant: undefined, plan }
}

function leaf(operation: "string" | "any"): ShapeNode {
  return { operation, item: undefined, shape: undefined, typeText: () => operation, constant: undefined, plan: undefined }
}

const textNode = leaf("string")
const anyNode = leaf("any")

function holdsInteger(node: ShapeNode): boolean {
  return node.operation === "int32" || node.operation === "int64" || node.operation === "IntOrString"
}

/** Where a field's value is stored. `node` undefined: the value is untyped and not inspected. */
interface Target {
  readonly node: ShapeNode | undefined
  readonly known: boolean
  readonly pointer: boolean
}

const nowhere: Target = { node: undefined, known: true, pointer: false }
const unknown: Target = { node: undefined, known: false, pointer: false }
const anything: Target = { node: anyNode, known: true, pointer: false }
const text: Target = { node: textNode, known: true, pointer: false }

class TypedParser extends JsonParser {
  readonly strictErrors: string[] = []
  private readonly told = new SeenFields()
  private readonly checked = new SeenFields()
  /** By depth: the types of the values from the root to the current one. */
  private readonly nodes: (ShapeNode | undefined)[]
  /** By depth: what is known about the fields on the path to the current value. */
  private readonly targets: Target[] = []
  private readonly befores: (JsonValue | undefined)[] = []

  constructor(
    source: string,
    root: ShapeNode,
    private readonly typeMeta: boolean,
  ) {
    // `parsingJson` has already counted its values.
    super(source, { maxDepth: documentDepthMax, maxValues: unboundedValues })
    this.nodes = [root]
  }

  protected override beforeField(object: JsonObject, name: string): void {
    const depth = this.steps.length
    const target = this.target(this.nodes[depth - 1], name)
    const repeated = target !== nowhere && Object.hasOwn(object, name)
    if (!target.known) this.tell(object, name, unknownFieldText)
    else if (repeated) this.tell(object, name, duplicateFieldText)
    const before = repeated ? object[name] : undefined
    if (target.node !== undefined && before !== undefined && this.checked.isFirst(object, name)) checkValue(target.node, before, this.steps)
    this.nodes[depth] = target.node
    this.targets[depth] = target
    this.befores[depth] = before
  }

  protected override setField(object: JsonObject, value: JsonValue): void {
    const depth = this.steps.length
    const node = this.targets[depth]?.node
    const before = this.befores[depth]
    if (node === undefined || before === undefined) return super.setField(object, value)
    // A value that does not fit is an error even if it is replaced.
    checkValue(node, value, this.steps)
    setField(object, String(this.steps[depth - 1]), merged(node, this.targets[depth]?.pointer === true, before, value))
  }

  protected override beforeItem(): void {
    const depth = this.steps.length
    const list = this.nodes[depth - 1]
    this.nodes[depth] = list?.operation === "any" ? list : list?.item
  }

  protected override number(): JsonValue {
    const start = this.at
    const value = super.number()
    const node = this.nodes[this.steps.length]
    if (node === undefined || !(holdsInteger(node) || node.operation === "Quantity")) return value
    const written = this.text.slice(start, this.at)
    if (!/[.eE]/.test(written)) return value
    // The spelling of a quantity decides its form: 1e3 stays 1e3.
    if (node.operation === "Quantity") return written
    throw fractionFault(written, this.steps, node.operation)
  }

  private target(container: ShapeNode | undefined, name: string): Target {
    if (container === undefined) return nowhere
    switch (container.operation) {
      case "object": {
        if (this.steps.length === 1 && this.typeMeta && isTypeMeta(name)) return text
        const plan = planOfNode(container)
        const field = plan.byName.get(name)
        if (field !== undefined) return { node: field.node, known: true, pointer: field.pointer }
        return plan.preserveUnknown ? anything : unknown
      }
      case "map":
        return { node: shapeItemOf(container), known: true, pointer: true }
      case "any":
        return anything
      default:
        return nowhere
    }
  }

  /**
   * Reports the field named by the last of `steps`. Two objects may have the same path, since a repeated field has two
   * values.
   */
  private tell(object: JsonObject, name: string, text: (path: string) => string): void {
    if (this.strictErrors.length >= strictErrorsMax || !this.told.isFirst(object, name)) return
    const error = text(pathText(this.steps))
    if (!this.strictErrors.includes(error)) this.strictErrors.push(error)
  }
}

/** Types whose value survives a later null, unless they are pointers. */
const keptOverNull: ReadonlySet<ShapeOperation> = new Set<ShapeOperation>(["object", "string", "boolean", "int32", "int64", "double"])

/** Merges a repeated field as a decoder does, which decodes the second value into the first. May change `before`. */
function merged(node: ShapeNode, pointer: boolean, before: JsonValue, after: JsonValue): JsonValue {
  if (after === null) return pointer || !keptOverNull.has(node.operation) ? null : before
  if (node.operation === "list" && Array.isArray(before) && Array.isArray(after)) return mergedItems(shapeItemOf(node), before, after)
  if (!isObject(before) || !isObject(after) || !(node.operation === "object" || node.operation === "map")) return after
  const plan = node.operation === "object" ? planOfNode(node) : undefined
  for (const name of Object.keys(after)) {
    const value = after[name]
    const field = plan?.byName.get(name)
    if (value === undefined) continue
    const earlier = field === undefined || !Object.hasOwn(before, name) ? undefined : before[name]
    setField(before, name, field === undefined || earlier === undefined ? value : merged(field.node, field.pointer, earlier, value))
  }
  return before
}

function mergedItems(item: ShapeNode, before: readonly JsonValue[], after: readonly JsonValue[]): JsonValue[] {
  return after.map((value, index) => {
    const earlier = before[index]
    return earlier === undefined ? value : merged(item, false, earlier, value)
  })
}
