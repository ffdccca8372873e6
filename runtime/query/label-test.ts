/**
 * Compiles the requirements of a label selector into a test for many objects. Requirements on one key are merged, so
 * naming a key often costs nothing extra. With many keys, the cost depends on the object's own labels.
 */
import { atOnce, type Stages, Turns } from "../base/turns.ts"
import { compileWork } from "../base/work.ts"
import type { LabelRequirement } from "./label-requirement.ts"

/** Up to this many keys are looked up in the object's labels; with more, the labels are looked up among the keys. */
const lookedUpKeysMax = 8

/** Called for every object that a list or a watch examines. */
export type LabelTest = (labels: Readonly<Record<string, string>>) => boolean

/** Called once per selector. */
export function labelTest(requirements: readonly LabelRequirement[]): LabelTest {
  return atOnce(labelTestStages(requirements))
}

/** The same in stages. */
export function* labelTestStages(requirements: readonly LabelRequirement[]): Stages<LabelTest> {
  const byKey = new Map<string, ValueTest>()
  const turns = new Turns()
  for (const requirement of requirements) {
    const { key, values } = requirement
    const test = byKey.get(key) ?? new ValueTest()
    test.add(requirement)
    byKey.set(key, test)
    if (turns.endsStage(compileWork * (1 + values.length))) yield
  }
  return byKey.size > lookedUpKeysMax ? manyKeys(byKey) : fewKeys(byKey)
}

function fewKeys(byKey: ReadonlyMap<string, ValueTest>): LabelTest {
  const tests = [...byKey]
  return (labels) => tests.every(([key, test]) => (Object.hasOwn(labels, key) ? test.passes(labels[key] ?? "") : !test.mustExist))
}

function manyKeys(byKey: ReadonlyMap<string, ValueTest>): LabelTest {
  const wanted = [...byKey.values()].filter((test) => test.mustExist).length
  return (labels) => {
    const keys = Object.keys(labels)
    if (keys.length < wanted) return false
    let found = 0
    for (const key of keys) {
      const test = byKey.get(key)
      if (test === undefined) continue
      if (!test.passes(labels[key] ?? "")) return false
      if (test.mustExist) found++
    }
    return found === wanted
  }
}

/** All requirements on the value of one key. */
class ValueTest {
  mustExist = false
  private mustNotExist = false
  /** Undefined: any value. */
  private allowed: ReadonlySet<string> | undefined
  /** Undefined: none. A selector may name ten thousand keys. */
  private forbidden: Set<string> | undefined
  private above: bigint | undefined
  private below: bigint | undefined
  /** There is a < or > requirement, so the value must be an integer. */
  private compares = false

  add({ operator, values }: LabelRequirement): void {
    if (operator === "!") {
      this.mustNotExist = true
      return
    }
    if (operator === "!=" || operator === "notin") {
      this.forbidden ??= new Set()
      for (const value of operator === "!=" ? values.slice(0, 1) : values) this.forbidden.add(value)
      return
    }
    this.mustExist = true
    if (operator === "=" || operator === "==" || operator === "in") this.allow(operator === "in" ? values : values.slice(0, 1))
    else if (operator !== "exists") this.bound(operator, integer64(values[0] ?? ""))
  }

  private allow(values: readonly string[]): void {
    const { allowed } = this
    this.allowed = new Set(allowed === undefined ? values : values.filter((value) => allowed.has(value)))
  }

  private bound(operator: ">" | "<", bound: bigint | undefined): void {
    this.compares = true
    if (bound === undefined) this.allowed = new Set()
    else if (operator === ">") this.above = this.above === undefined || bound > this.above ? bound : this.above
    else this.below = this.below === undefined || bound < this.below ? bound : this.below
  }

  /** Called with the value of a label that exists. */
  passes(value: string): boolean {
    if (this.mustNotExist || this.forbidden?.has(value) || this.allowed?.has(value) === false) return false
    if (!this.compares) return true
    const number = integer64(value)
    if (number === undefined) return false
    return (this.above === undefined || number > this.above) && (this.below === undefined || number < this.below)
  }
}

/** Undefined unless the text is an integer of 64 bits. */
export function integer64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]{1,63}$/.test(text)) return undefined
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text)
  return BigInt.asIntN(64, value) === value ? value : undefined
}
