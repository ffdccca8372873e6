/** Gives admission plugins access to objects: plugins do not import the registry. */
import type { AdmissionReader } from "../admission/plugin-deps.ts"
import type { ResourceName } from "../admission/plugin.ts"
import type { Kind } from "../schema/kind.ts"
import { parseObject } from "./object-codec.ts"
import { awaitFreshness } from "./read.ts"
import type { Registry } from "./registry.ts"

/** Called by the composition root. `registry` returns the server's registry, which is created after its plugins. */
export function objectReader(registry: () => Registry): AdmissionReader {
  const find = ({ group, version, resource }: ResourceName): Kind | undefined => registry().deps.kinds.find(group, version, resource)
  return {
    has: (resource) => find(resource) !== undefined,
    peek(resource, namespace, name) {
      const kind = find(resource)
      if (kind === undefined) return undefined
      const opened = registry().opened(kind)
      if (opened !== undefined) return opened.cache.get(opened.key(namespace, name))
      return registry()
        .handle(kind)
        .then((handle) => handle.cache.get(handle.key(namespace, name)))
    },
    async get(resource, namespace, name) {
      const kind = find(resource)
      if (kind === undefined) return undefined
      const handle = await registry().handle(kind)
      await awaitFreshness(registry(), handle, { mode: "most-recent" })
      const found = handle.cache.get(handle.key(namespace, name))
      if (found === undefined) return undefined
      const shown = handle.conversion === undefined ? found : await handle.conversion.one(found)
      return handle.fromStored(parseObject(shown.json()))
    },
  }
}
