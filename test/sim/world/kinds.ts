/**
 * The generated kinds with all their modules loaded: loading a module is I/O, which takes an unpredictable number of
 * turns.
 */
import { bodies, kinds } from "../../../generated/index.ts"
import type { LoadableBody } from "../../../runtime/body-kinds.ts"
import type { Kind } from "../../../runtime/schema/kind.ts"

export interface LoadedKinds {
  readonly kinds: readonly Kind[]
  readonly bodies: readonly LoadableBody[]
}

let loading: Promise<LoadedKinds> | undefined

/** Called before every run; loads once per process. */
export function loadKinds(): Promise<LoadedKinds> {
  loading ??= load()
  return loading
}

async function load(): Promise<LoadedKinds> {
  return { kinds: await Promise.all(kinds.map(loadedKind)), bodies: await Promise.all(bodies.map(loadedBody)) }
}

async function loadedKind(kind: Kind): Promise<Kind> {
  const parts = await kind.load()
  return { ...kind, load: async () => parts }
}

async function loadedBody(body: LoadableBody): Promise<LoadableBody> {
  const parts = await body.load()
  return { ...body, load: async () => parts }
}
