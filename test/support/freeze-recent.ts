/**
 * Set up for each test file: objects that a server keeps decoded after a write, and settled values, cannot be changed.
 * Any attempt to change one throws, so the request fails in every test that makes it.
 */
import { settledGuard } from "../../runtime/encoding/settled.ts"
import { recentObjectsGuard } from "../../runtime/registry/recent-objects.ts"

recentObjectsGuard.kept = freeze
settledGuard.settled = freeze

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const one of Object.values(value)) freeze(one)
}
