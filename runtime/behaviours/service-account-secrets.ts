/** Service accounts refer to secrets by name alone (catalog resources.yaml: serviceaccounts). */
import type { BehaviourFactory } from "../kit/behaviour.ts"
import type { ApiObject } from "../kit/json.ts"
import { listOf, textOf } from "./pods/fields.ts"

/** Behaviour `serviceAccountSecrets`: other fields of a reference could only contradict what the name says. */
export const serviceAccountSecrets: BehaviourFactory = () => ({
  prepareCreate: (object) => keepNames(object),
  prepareUpdate: (object) => keepNames(object),
})

function keepNames(account: ApiObject): void {
  if (Array.isArray(account.secrets)) account.secrets = listOf(account, "secrets").map((secret) => ({ name: textOf(secret, "name") }))
}
