/** Service accounts refer to secrets by name only (catalog resources.yaml: serviceaccounts). */
import type { BehaviourFactory } from "../schema/behaviour.ts"
import type { ApiObject } from "../base/json.ts"
import { listOf, textOf } from "./pods/fields.ts"

/** Behaviour `serviceAccountSecrets`: drops the other fields of a reference, which could only contradict the name. */
export const serviceAccountSecrets: BehaviourFactory = () => ({
  prepareCreate: (object) => keepNames(object),
  prepareUpdate: (object) => keepNames(object),
})

function keepNames(account: ApiObject): void {
  if (Array.isArray(account.secrets)) account.secrets = listOf(account, "secrets").map((secret) => ({ name: textOf(secret, "name") }))
}
