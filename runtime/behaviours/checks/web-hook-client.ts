/** Where an admission web hook is (catalog validation.yaml: ValidatingWebhookConfiguration). */
import type { WebhookClientConfig } from "../../../generated/admissionregistration.orch.io/v1/shared/web-hook/types.ts"
import { checkHookClient } from "../../definitions/check/index.ts"
import { defineCheck } from "../../schema/define.ts"

/** Called for each client configuration. */
export const webHookClient = defineCheck<WebhookClientConfig>((config, context) => {
  checkHookClient({ ...config, ...(config.service && { service: { ...config.service } }) }, context.path, context.failures)
})
