/** Service accounts refer to secrets by name only (catalog resources.yaml: serviceaccounts). */
import { defineBehaviour } from "../schema/define.ts"
import type { ServiceAccount } from "../../generated/core/v1/service-account/types.ts"

/** Behaviour `serviceAccountSecrets`: drops the other fields of a reference, which could only contradict the name. */
export const serviceAccountSecrets = defineBehaviour<ServiceAccount>({ prepareCreate: keepNames, prepareUpdate: keepNames })

function keepNames(account: ServiceAccount): void {
  if (account.secrets !== undefined) account.secrets = account.secrets.map(({ name = "" }) => (name === "" ? {} : { name }))
}
