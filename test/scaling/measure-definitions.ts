/** Measures the cases of `definition-cases.ts`, bundled with counters as `measure.ts` is. One line of JSON each. */
import type { CustomResourceDefinition } from "../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"
import { vendorProfile } from "../../runtime/base/vendor.ts"
import { type DefinitionOptions, kindsOf, partsOf } from "../../runtime/definitions/kind.ts"
import { typed } from "../../runtime/schema/typed.ts"
import { createRandom } from "../sim/world/random.ts"
import { openRegistry } from "../support/open-registry.ts"
import {
  checked,
  definitionCases,
  definitionOf,
  evaluation,
  type ObjectCase,
  objectCases,
  type Prepared,
  read,
  textCases,
} from "./definition-cases.ts"
import { faultsOfGrowth } from "./growth.ts"
import type { Measured } from "./measure.ts"
import { decodedAnew, faultsOf, type KindUnderTest, operationsOf, type Sizes } from "./operations.ts"

function tell(measured: Measured): void {
  process.stdout.write(`${JSON.stringify(measured)}\n`)
}

const running = [{ name: "the check", prepare: async ({ run }: Prepared) => run }]

for (const { name, make, counts, isRefused = false } of definitionCases) {
  const found = checked(make(60))
  const faults = [
    ...(await faultsOfGrowth(running, name, (count) => prepared(count, () => checked(make(count))), counts)),
    ...(await faultsOfGrowth(running, `${name} of an update`, (count) => prepared(count, () => checked(make(count), make(count))), counts)),
    ...(await faultsOfGrowth(running, `${name} that are served`, (count) => prepared(count, () => read(make(count))), counts)),
  ]
  tell({ kind: "a definition", field: name, valid: found.length > 0 === isRefused, faults: [...faults, ...(isRefused ? [] : found)] })
}

for (const { source, unit } of textCases) {
  const run = evaluation(source, unit)
  tell({
    kind: "an expression",
    field: source,
    valid: true,
    faults: await faultsOfGrowth(running, "characters", (count) => prepared(count, run(count))),
  })
}

function prepared(count: number, run: () => unknown): Prepared {
  return { count, run }
}

const opened = await openRegistry({ random: createRandom(1) })
const options: DefinitionOptions = {
  vendor: vendorProfile("orch"),
  ratchet: true,
  selectable: false,
  checkMetadata: () => undefined,
  callHook: async () => null,
  uuid: () => "",
}

async function kindOf({ schema, columns = [] }: ObjectCase): Promise<KindUnderTest> {
  const additionalPrinterColumns = columns.map((jsonPath, index) => ({ name: `c${index}`, type: "string", jsonPath }))
  const root = { type: "object", properties: { spec: schema } }
  const definition = typed<CustomResourceDefinition>(definitionOf(root, { additionalPrinterColumns }))
  const { kinds } = opened.registry.deps
  const known = kinds.find("example.com", "v1", "things")
  const [kind] = kinds.replace(known === undefined ? [] : [known], kindsOf(definition, partsOf(definition, options), options))
  if (kind === undefined) throw new Error("a definition has a version")
  if (known !== undefined) opened.registry.release([known], known.storage.path)
  return { registry: opened.registry, handle: await opened.registry.handle(kind), namespace: "default" }
}

for (const one of objectCases) {
  const under = await kindOf(one)
  const sized = (count: number): Sizes => {
    const object = (spec: ObjectCase["spec"]): Sizes["object"] => ({ metadata: { name: "n", namespace: "default" }, spec: spec(count) })
    return { count, object: object(one.spec), before: object(one.before ?? one.spec) }
  }
  const found = faultsOf(under, decodedAnew(under, sized(60).object))
  tell({
    kind: "a custom object",
    field: one.name,
    valid: found.length > 0 === (one.isRefused ?? false),
    faults: await faultsOfGrowth(await operationsOf(under), one.name, sized, one.counts),
  })
}
await opened.close()
process.exit(0)
