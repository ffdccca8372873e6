/** Where an admission web hook is (catalog validation.yaml: ValidatingWebhookConfiguration). */
import type { WebhookClientConfig } from "../../../generated/admissionregistration.orch.io/v1/shared/web-hook/types.ts"
import { checkHookClient } from "../../definitions/check/index.ts"
import { defineCheck } from "../../schema/define.ts"

/** Called for each client configuration. As in the reference, name and namespace of the service are exchanged first. */
export const webHookClient = defineCheck<WebhookClientConfig>((config, context) => {
  const { service } = config
  checkHookClient(
    { ...config, ...(service && { service: { ...service, name: service.namespace, namespace: service.name } }) },
    context.path,
    context.failures,
  )
})
