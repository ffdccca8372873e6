/** All behaviours by the names that schemas use. The server creates the behaviours that its kinds name. */
import type { BehaviourFactory, SubresourceBehaviourFactory } from "../schema/behaviour.ts"
import { autoscalerParts } from "./autoscaler-parts.ts"
import { binding } from "./binding.ts"
import { claimDataSource } from "./claim-data-source.ts"
import { cronJobTemplate } from "./cron-job-template.ts"
import { componentHealth } from "./component-health.ts"
import { customObject } from "./custom-object.ts"
import { definitionLifecycle } from "./definition-lifecycle.ts"
import { deprecatedTopology } from "./deprecated-topology.ts"
import { ephemeralContainers } from "./ephemeral-containers.ts"
import { eviction } from "./eviction.ts"
import { jobSelector } from "./job-selector.ts"
import { limitRangeAmounts } from "./limit-range-amounts.ts"
import { localApiService } from "./local-api-service.ts"
import { namespaceFinalize } from "./namespace-finalize.ts"
import { namespaceLifecycle } from "./namespace-lifecycle.ts"
import { nodeLifecycle } from "./node-lifecycle.ts"
import { persistentVolumePhase } from "./persistent-volume-phase.ts"
import { podLifecycle } from "./pod-lifecycle.ts"
import { podTemplateResources } from "./pod-template-resources.ts"
import { quotaAmounts } from "./quota-amounts.ts"
import { secretStringData } from "./secret-string-data.ts"
import { selfSubjectAccessReview } from "./self-subject-access-review.ts"
import { selfSubjectReview } from "./self-subject-review.ts"
import { selfSubjectRulesReview } from "./self-subject-rules-review.ts"
import { serviceAccountSecrets } from "./service-account-secrets.ts"
import { serviceAllocation } from "./service-allocation.ts"
import { signingApproval } from "./signing-approval.ts"
import { signingRequest } from "./signing-request.ts"
import { subjectAccessReview } from "./subject-access-review.ts"
import { templateGeneration } from "./template-generation.ts"
import { tokenRequest } from "./token-request.ts"
import { tokenReview } from "./token-review.ts"

/** Hooks of kinds: `behaviours: [podLifecycle]` in a schema. */
export const behaviours: Readonly<Record<string, BehaviourFactory>> = {
  autoscalerParts,
  claimDataSource,
  cronJobTemplate,
  customObject,
  definitionLifecycle,
  deprecatedTopology,
  jobSelector,
  limitRangeAmounts,
  localApiService,
  namespaceLifecycle,
  nodeLifecycle,
  persistentVolumePhase,
  podLifecycle,
  podTemplateResources,
  quotaAmounts,
  secretStringData,
  serviceAccountSecrets,
  serviceAllocation,
  signingRequest,
  templateGeneration,
}

/** Sub-resources, `subresources: {binding: {behaviour: binding}}`, and answers, `answeredBy: tokenReview`. */
export const subresourceBehaviours: Readonly<Record<string, SubresourceBehaviourFactory>> = {
  binding,
  componentHealth,
  ephemeralContainers,
  eviction,
  namespaceFinalize,
  selfSubjectAccessReview,
  selfSubjectReview,
  selfSubjectRulesReview,
  signingApproval,
  subjectAccessReview,
  tokenRequest,
  tokenReview,
}
