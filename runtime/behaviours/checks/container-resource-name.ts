/** The resource of containers that an autoscaler follows (catalog validation.yaml: HorizontalPodAutoscaler). */
import { defineCheck } from "../../schema/define.ts"
import { qualifiedNameFaults } from "../../schema/names.ts"
import type { ContainerResourceMetricSource } from "../../../generated/autoscaling/v2/horizontal-pod-autoscaler/types.ts"
import { containerResourceFaults } from "../content/quota-resources.ts"

/** Called for each metric about a resource of containers. The field itself reports an absent name. */
export const containerResourceName = defineCheck<ContainerResourceMetricSource>(({ name }, context) => {
  if (name === "") return
  const quotes = qualifiedNameFaults(name).length > 0
  for (const detail of containerResourceFaults(name, context.vendor))
    context.failures.add({ type: "Invalid", field: context.at("name"), value: name, ...(!quotes && { shown: name }), detail })
})
