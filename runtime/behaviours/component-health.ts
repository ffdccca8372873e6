/** Which parts of the control plane are healthy (catalog resources.yaml: componentstatuses). */
import type { ComponentStatus } from "../../generated/core/v1/component-status/types.ts"
import { defineSubresource } from "../schema/define.ts"

/** Computes ComponentStatuses. A get asks one part alone. */
export const componentHealth = defineSubresource<ComponentStatus>(({ components = [] }) => ({
  async read({ name }): Promise<readonly ComponentStatus[]> {
    const asked = components.filter((component) => name === undefined || component.name === name)
    return Promise.all(asked.map(async (component) => statusOf(component.name, await component.check())))
  },
}))

function statusOf(name: string, fault: string | undefined): ComponentStatus {
  const condition = { type: "Healthy", status: fault === undefined ? "True" : "False", message: fault ?? "ok" }
  return { kind: "ComponentStatus", apiVersion: "v1", metadata: { name }, conditions: [condition] }
}
