/** Deletes expired bootstrap tokens. */
import type { ControllerDeps } from "../controller.ts"
import { tokenCleaner } from "../identities.ts"
import { keyOf, type KeyedController, type Keys, placeOf, startKeyedController } from "../keyed-controller.ts"
import { orGone, orUndefined } from "../refusals.ts"
import { expiryOf, isToken, tokenType } from "./bootstrap-token.ts"

/** Called once at start. */
export function startTokenCleaner(deps: ControllerDeps): KeyedController {
  const { vendor } = deps.registry.deps
  return startKeyedController(deps, {
    queue: "token_cleaner",
    fault: "a bootstrap token that has expired could not be deleted; tried again later",
    watched: [
      {
        kind: { group: "", version: "v1", resource: "secrets" },
        changed(secret, keys, event) {
          if (event?.type !== "DELETED" && isToken(secret, vendor)) keys.add(keyOf(secret))
        },
      },
    ],
    work: (key, keys) => clean(deps, key, keys),
  })
}

async function clean({ api, clock, registry }: ControllerDeps, key: string, keys: Keys): Promise<void> {
  const { namespace, name } = placeOf(key)
  const { secrets } = api(tokenCleaner(registry)).core.v1
  const secret = await orUndefined(secrets.get(namespace, name))
  if (secret === undefined || secret.type !== tokenType(registry.deps.vendor)) return
  const dueMs = expiryOf(secret)
  if (dueMs === undefined) return
  const leftMs = dueMs - clock.nowMs()
  if (leftMs > 0) return keys.addAfter(key, leftMs)
  const { uid, resourceVersion } = secret.metadata
  const preconditions = { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) }
  await orGone(secrets.delete(namespace, name, { preconditions }))
}
