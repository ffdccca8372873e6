/** The fields that a write changes because they were sent in another form than the stored one. */
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import type { SentForm } from "../../encoding/sent-forms.ts"
import type { Stages } from "../../base/turns.ts"
import type { TypeShape } from "../../schema/shape.ts"
import { fieldElement } from "./field-set-element.ts"
import { type FieldSet, leaf } from "./field-set.ts"
import { StageWork } from "./stage-work.ts"
import { elementOf, filledList, formOf, type ListForm, rootNode, typeAt, type TypedNode, valueAt } from "./typed-node.ts"

/**
 * Finds the modified fields at and around these values of `next`, also where both states read the same. Called with the
 * states of `compareStates`, which finds all other changes. `forms` are in the order of the document.
 */
export function* fieldsSentOtherwise(shape: TypeShape, states: States<JsonObject>, forms: readonly SentForm[]): Stages<FieldSet> {
  return (yield* nodeOf(rootNode(shape), states, { forms, depth: 0, work: new StageWork() })) ?? {}
}

interface States<Value extends JsonValue> {
  readonly old: Value
  readonly next: Value
}

/** The values at or below the current one. */
interface Below {
  readonly forms: readonly SentForm[]
  /** Steps to the current value. */
  readonly depth: number
  readonly work: StageWork
}

function* nodeOf(node: TypedNode, { old, next }: States<JsonValue>, below: Below): Stages<FieldSet | undefined> {
  if (below.forms.some((form) => form.length === below.depth)) return bothOrNeither(old, next) ? leaf : undefined
  const form = formOf(node, next)
  if (form === "list" && node.list !== undefined) return yield* nodeOfItems(node.list, { old, next }, below)
  if (form !== "map" || node.map === undefined || !isObject(old) || !isObject(next)) return undefined
  let set: FieldSet | undefined
  for (const [step, forms] of byStep(below)) {
    const name = String(step)
    const type = typeAt(node.map, name)
    const [before, after] = [valueAt(old, name), valueAt(next, name)]
    if (type === undefined || before === undefined || after === undefined) continue
    if (below.work.isOver(1)) yield
    const found = yield* nodeOf(type, { old: before, next: after }, { ...below, forms, depth: below.depth + 1 })
    if (found === undefined) continue
    if (node.map.atomic) return leaf
    set ??= {}
    set[fieldElement(name)] = found
  }
  return set
}

/** A list that is filled on one side alone has changed anyway, or its items have. */
function bothOrNeither(old: JsonValue, next: JsonValue): boolean {
  return (filledList(old) === undefined) === (filledList(next) === undefined)
}

function* nodeOfItems(list: ListForm, { old, next }: States<JsonValue>, below: Below): Stages<FieldSet | undefined> {
  const [before, after] = [filledList(old), filledList(next)]
  if (before === undefined || after === undefined) return undefined
  if (list.type === "atomic") return leaf
  const former = new Map<string, JsonValue>()
  for (const item of before) {
    if (below.work.isOver(1)) yield
    const element = elementOf(list, item)
    if (element !== undefined) former.set(element, item)
  }
  let set: FieldSet | undefined
  for (const [step, forms] of byStep(below)) {
    const item = after[Number(step)] ?? null
    const element = elementOf(list, item)
    const twin = element === undefined ? undefined : former.get(element)
    if (element === undefined || twin === undefined) continue
    const found = yield* nodeOf(list.item(), { old: twin, next: item }, { ...below, forms, depth: below.depth + 1 })
    if (found === undefined) continue
    set ??= {}
    set[element] = found
  }
  return set
}

function byStep({ forms, depth }: Below): Map<string | number, SentForm[]> {
  const found = new Map<string | number, SentForm[]>()
  for (const form of forms) {
    const step = form[depth]
    if (step === undefined) continue
    const same = found.get(step)
    if (same === undefined) found.set(step, [form])
    else same.push(form)
  }
  return found
}
