/** A user's own kinds as a program passes them: the imported `index.ts` of generated code. */
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Kind, RequestBodyType } from "../schema/kind.ts"
import type { ObjectClient } from "../schema/object-client.ts"
import { documentsIn } from "./openapi-files.ts"
import { StartError } from "../base/start-error.ts"
import { type ApiFolder, factoriesOf } from "./user-api.ts"

/** The exports of a generated `index.ts`: `import * as queues from "./generated/index.ts"`. */
export interface ApiModule<Api extends object = object> {
  readonly kinds: readonly Kind[]
  readonly bodies?: readonly RequestBodyType[]
  /** Makes the operations of the kinds, by group, version and resource. */
  readonly api: (client: ObjectClient) => Api
  /** Loads the behaviours that the kinds name. */
  readonly behaviours?: () => Promise<Readonly<Record<string, unknown>>>
  /** Where `index.ts` is; the OpenAPI documents are beside it. Absent: there are none. */
  readonly moduleUrl?: string
}

/** Called at start, once per module. Throws StartError if a behaviour cannot be loaded. */
export async function loadApiModule(module: ApiModule): Promise<ApiFolder> {
  const { kinds, bodies = [], api, behaviours, moduleUrl } = module
  const folder = moduleUrl?.startsWith("file:") === true ? dirname(fileURLToPath(moduleUrl)) : undefined
  return {
    kinds,
    bodies,
    api,
    behaviours: factoriesOf(await behavioursOf(behaviours)),
    documents: folder === undefined ? new Map() : documentsIn(join(folder, "openapi")),
    sources: [],
    digest: "",
  }
}

async function behavioursOf(load: ApiModule["behaviours"]): Promise<unknown> {
  try {
    return await load?.()
  } catch (error) {
    throw new StartError(`api: a behaviour of the kinds does not load: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The handlers of one group, by version and resource. */
type Versions = Readonly<Record<string, object>>

/**
 * Joins the operations of built-in and own kinds. Kinds of one group are joined by version. Throws StartError for two
 * groups with the same word, or two kinds in the same place.
 */
export function joinApis(apis: readonly object[]): Readonly<Record<string, Versions>> {
  const joined: Record<string, Record<string, object>> = {}
  for (const api of apis) {
    for (const [word, versions] of Object.entries<Versions>({ ...api })) {
      const group = joined[word] ?? {}
      joined[word] = group
      for (const [version, resources] of Object.entries(versions))
        group[version] = joinResources(group[version] ?? {}, resources, `${word}.${version}`)
    }
  }
  return joined
}

/** Copies getters, not values: handlers are made on first use. */
function joinResources(first: object, second: object, place: string): object {
  for (const name of Object.keys(second))
    if (Object.hasOwn(first, name)) throw new StartError(`api: two kinds are server.api.${place}.${name}; give one of them another group`)
  const both = { ...Object.getOwnPropertyDescriptors(first), ...Object.getOwnPropertyDescriptors(second) }
  return Object.defineProperties({}, both)
}
