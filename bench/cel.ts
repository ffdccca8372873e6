/**
 * What do rules cost? Ten rules over an object like a pod with four containers, evaluated as a write evaluates them,
 * and one rule over a list of 100,000 items, which its budget ends: how long does it hold the event loop? The figures
 * come from the fastest round.
 * Run: npm run bench -- cel
 */
import { Environment, isError, optionalLibrary, type Program, type Value } from "../cel/index.ts"
import { librariesOf } from "../cel/libraries/index.ts"
import { declaredType } from "../cel/schema/declared-type.ts"
import { resourceReaderOf } from "../cel/schema/json-value.ts"
import type { JsonObject } from "../runtime/base/json.ts"
import { structuralOf } from "../runtime/definitions/structural.ts"
import { rules, schema, workload } from "./support/cel-rules.ts"
import { openOptions } from "./support/options.ts"
import { printRow } from "./support/tell.ts"

/** The API server's limit of one evaluation. */
const costLimit = 1_000_000

const options = openOptions()
const objects = options.number("objects", { small: 50_000, full: 500_000 })
const items = options.number("items", { small: 100_000, full: 100_000 })
const rounds = options.number("rounds", { small: 5, full: 10 })
options.done()
const object = workload()

const structural = structuralOf(schema, "x-kubernetes-")
const type = declaredType(structural, "Workload", true)?.type
if (type === undefined) throw new Error("rules cannot see the schema")
const environment = new Environment({ variables: { self: type }, libraries: [optionalLibrary, ...librariesOf(30)] })
const read = resourceReaderOf(structural)

const compiling = performance.now()
const programs = rules.map(compiled)
const compileMs = (performance.now() - compiling) / programs.length
let usPerObject = Number.POSITIVE_INFINITY
let cost = 0
for (let round = 0; round < rounds; round++) {
  const started = performance.now()
  for (let index = 0; index < objects; index++) cost = evaluateAll()
  usPerObject = Math.min(usPerObject, ((performance.now() - started) * 1000) / objects)
}
printRow({ rules: rules.length, objects, compileMs, usPerObject, cost })

const list = { ...workload(), spec: { names: Array.from({ length: items }, (_, index) => `item-${index}`) } }
const program = compiled("self.spec.names.all(a, self.spec.names.exists(b, a != b && a.startsWith('item')))")
let heldMs = Number.POSITIVE_INFINITY
for (let round = 0; round < rounds; round++) {
  const before = performance.now()
  const outcome = program.evaluate({ self: valueOf(list) }, { costLimit })
  heldMs = Math.min(heldMs, performance.now() - before)
  if (outcome.cost <= costLimit) throw new Error("the budget did not end the rule")
}
printRow({ items, costLimit, heldMs })

function compiled(rule: string): Program {
  const result = environment.compile(rule)
  if ("program" in result) return result.program
  throw new Error("issues" in result ? result.issues.text : result.fault)
}

function valueOf(object: JsonObject): Value {
  const value = read(object)
  if (isError(value)) throw new Error(value.message)
  return value
}

/** Evaluates every rule on one object, as a write does. Returns the cost. */
function evaluateAll(): number {
  const self = valueOf(object)
  let sum = 0
  for (const program of programs) {
    const outcome = program.evaluate({ self }, { costLimit })
    if (outcome.value !== true) throw new Error("a rule does not hold")
    sum += outcome.cost
  }
  return sum
}
