/** When the world has come to rest, each server serves exactly what the definitions say, by their present schemas. */
import { type ApiObject, isObject, type JsonValue } from "../../../runtime/base/json.ts"
import { deepEqual } from "../../../runtime/encoding/field-path.ts"
import { sendRequest, type SimResponse } from "../ask.ts"
import type { World } from "../world/world.ts"
import { customApi, type CustomResource, customResources, type CustomVersion, customVersions, definitionPlace } from "./definitions.ts"
import { type DefinitionState, lastingPart, markIn, marksOf, stateOf, typeOf } from "./definitions.ts"

/** Descriptions of objects that a server serves wrongly. Called once per run, when no fault is left. */
export async function servedFaults(world: World): Promise<string[]> {
  const faults: string[] = []
  for (const [server, { name }] of world.servers.entries())
    for (const version of customVersions) {
      const ask = (path: string): Promise<SimResponse | undefined> =>
        sendRequest(world, server, { method: "GET", path: `${customApi(version)}${path}` })
      const found = [...discoveryFaults(world, version, await ask(""))]
      for (const resource of customResources) found.push(...objectFaults(world, { resource, version }, await ask(`/${resource}`)))
      faults.push(...found.map((fault) => `served: ${name} ${fault}`))
    }
  return faults
}

function servedState({ truth: { stored } }: World, resource: CustomResource, version: CustomVersion): DefinitionState | undefined {
  const state = stateOf(stored.at(definitionPlace(resource), Number.POSITIVE_INFINITY))
  return state?.isEstablished === true && state.served.includes(version) ? state : undefined
}

function* discoveryFaults(world: World, version: CustomVersion, answer: SimResponse | undefined): Generator<string> {
  const due = customResources.filter((resource) => servedState(world, resource, version) !== undefined)
  const body: ApiObject = isObject(answer?.body) ? answer.body : {}
  const shown = itemsOf(body.resources).map(({ name }) => String(name))
  const paths = due.flatMap((resource) => [resource, `${resource}/scale`, `${resource}/status`])
  if (!deepEqual(paths.sort(), shown.sort())) yield `discovers ${shown.join()} in ${version}, not ${paths.join()}`
}

function* objectFaults(
  world: World,
  { resource, version }: { readonly resource: CustomResource; readonly version: CustomVersion },
  answer: SimResponse | undefined,
): Generator<string> {
  const state = servedState(world, resource, version)
  const what = `${resource} in ${version}`
  if (answer?.status !== (state === undefined ? 404 : 200)) yield `answers a list of ${what} with ${answer?.status}`
  if (state === undefined || !isObject(answer?.body)) return
  const due = world.truth.stored.all().filter(({ place }) => place.resource === resource)
  const items = itemsOf(answer.body.items)
  if (items.length !== due.length) yield `shows ${items.length} ${what} of ${due.length}`
  const { apiVersion } = typeOf(resource, version)
  for (const item of items) {
    const stored = due.find(({ object }) => object.metadata?.uid === item.metadata?.uid)?.object
    const text = `${what}, ${item.metadata?.name}`
    if (stored === undefined || !deepEqual(lastingPart(item), lastingPart(stored))) yield `shows ${text} otherwise than it is stored`
    if (item.apiVersion !== apiVersion) yield `shows ${text} as ${item.apiVersion}`
    // Stored objects have the defaults of the version in which they are stored, and are pruned by both.
    const mark = stored?.apiVersion === apiVersion ? markIn(state.mark, version) : ""
    if (marksOf(item).join() !== mark) yield `shows ${text} by the schema ${marksOf(item).join()}, not ${mark}`
  }
}

function itemsOf(list: JsonValue | undefined): ApiObject[] {
  return Array.isArray(list) ? list.filter((item) => isObject(item)) : []
}
