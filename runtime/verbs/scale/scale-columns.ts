/** The columns of a Scale's table; catalog `tables.yaml`: Scale. The name has no format here. */
import { age } from "../../schema/cells.ts"
import { getPath } from "../../encoding/field-path.ts"
import type { Column } from "../../schema/kind.ts"

const plain = { format: "", priority: 0 } as const

/** The same for the scale of every kind. */
export const scaleColumns: readonly Column[] = [
  { ...plain, name: "Name", type: "string", description: "Name of the workload.", value: (scale) => getPath(scale, "metadata.name") ?? "" },
  {
    ...plain,
    name: "Desired",
    type: "integer",
    description: "Number of replicas wanted.",
    value: (scale) => getPath(scale, "spec.replicas") ?? 0,
  },
  {
    ...plain,
    name: "Available",
    type: "integer",
    description: "Number of replicas there are.",
    value: (scale) => getPath(scale, "status.replicas") ?? 0,
  },
  {
    ...plain,
    name: "Age",
    type: "string",
    description: "Time since the workload was made.",
    value: (scale, { nowMs }) => age(getPath(scale, "metadata.creationTimestamp"), nowMs),
  },
]
