/** Installs the definitions that a start brings, before the server is ready. */
import { inParallel } from "../../base/in-parallel.ts"
import { isObject, type JsonObject } from "../../base/json.ts"
import { definitionGroup, definitionResource } from "../../definitions/definition-kind.ts"
import type { KindTable } from "../../registry/kinds.ts"
import type { ObjectClient } from "../../schema/object-client.ts"
import { errorText } from "../controller.ts"

/** A start cannot go on without the definitions that it was given. */
export class RefusedDefinitionsError extends Error {}

export interface StartDefinition {
  readonly definition: JsonObject
  /** Its option and file, for messages: `--crd: crds/a.yaml`. */
  readonly where: string
}

const installsAtOnce = 16

/** The manager of fields that a start has applied. */
const fieldManager = "orch-apiserver"

/**
 * Applies definitions, so that those that are there already get what is new, and resolves when their kinds are served.
 * Rejects with RefusedDefinitionsError, which says why, if one is refused.
 */
export async function installDefinitions(client: ObjectClient, kinds: KindTable, definitions: readonly StartDefinition[]): Promise<void> {
  const faults: string[] = []
  await inParallel(definitions, { atOnce: installsAtOnce }, async ({ definition, where }) => {
    const name = nameOf(definition)
    const place = { group: definitionGroup, version: "v1", resource: definitionResource, namespace: "", name }
    try {
      await client.apply(place, definition, { fieldManager, force: true })
      await served(kinds, name)
    } catch (error) {
      faults.push(`${where}: the definition ${JSON.stringify(name)} was refused: ${errorText(error)}`)
    }
  })
  if (faults.length > 0) throw new RefusedDefinitionsError(faults.join("\n"))
}

export function nameOf({ metadata }: JsonObject): string {
  const name = isObject(metadata) ? metadata.name : undefined
  return typeof name === "string" ? name : ""
}

/** Resolves when a kind of the definition is in the table. */
async function served(kinds: KindTable, name: string): Promise<void> {
  const isServed = (): boolean => kinds.all().some(({ custom }) => custom?.definition === name)
  if (isServed()) return
  await new Promise<void>((resolve) => {
    const forget = kinds.onChange(() => {
      if (!isServed()) return
      forget()
      resolve()
    })
  })
}
