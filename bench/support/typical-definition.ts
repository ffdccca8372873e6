/** The definition of most operators: two hundred lines of YAML, a status, columns, a scale, two rules. */
import type { JsonObject } from "../../runtime/base/json.ts"

const text = (description: string, extra: JsonObject = {}): JsonObject => ({ type: "string", description, ...extra })
const number = (description: string, extra: JsonObject = {}): JsonObject => ({ type: "integer", format: "int32", description, ...extra })
const record = (description: string, properties: JsonObject, extra: JsonObject = {}): JsonObject => ({
  type: "object",
  description,
  properties,
  ...extra,
})
const listOf = (description: string, items: JsonObject, extra: JsonObject = {}): JsonObject => ({
  type: "array",
  description,
  items,
  ...extra,
})
const texts = (description: string): JsonObject => ({ type: "object", description, additionalProperties: { type: "string" } })
const quantity = { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true }

const spec = record(
  "What the author of the object wants.",
  {
    replicas: number("Number of copies.", { default: 1, minimum: 0, maximum: 1000 }),
    image: text("Image of the copies, with its tag.", { minLength: 1, maxLength: 255 }),
    mode: text("What happens to copies that have ended.", { enum: ["Always", "OnFailure", "Never"], default: "Always" }),
    paused: { type: "boolean", description: "No changes are made while this is true." },
    schedule: text("When the work begins, as cron has it.", { pattern: "^[0-9*,/ -]+$", maxLength: 100 }),
    data: texts("Settings by their names, handed on as they are."),
    ports: listOf(
      "Ports that the copies listen on.",
      record(
        "One port.",
        {
          name: text("Name of the port.", { maxLength: 15 }),
          port: number("Number of the port.", { minimum: 1, maximum: 65535 }),
          protocol: text("Protocol of the port.", { default: "TCP", maxLength: 4 }),
        },
        { required: ["port"] },
      ),
      { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"], maxItems: 32 },
    ),
    resources: record("What each copy needs.", {
      limits: { type: "object", description: "The most that it may use.", additionalProperties: quantity },
      requests: { type: "object", description: "What it is given.", additionalProperties: quantity },
    }),
    storage: record("The volume of each copy.", {
      size: { ...quantity, description: "Size of the volume." },
      className: text("Class of the volume."),
      accessModes: listOf("How the volume may be mounted.", { type: "string" }, { "x-kubernetes-list-type": "set", maxItems: 4 }),
    }),
    template: record("Metadata and settings of the copies.", {
      labels: texts("Labels of the copies."),
      annotations: texts("Annotations of the copies."),
      env: listOf(
        "Variables of the copies.",
        record("One variable.", { name: text("Its name."), value: text("Its value.") }, { required: ["name"] }),
        { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
      ),
      options: { type: "object", description: "Whatever the image understands.", "x-kubernetes-preserve-unknown-fields": true },
    }),
  },
  {
    required: ["image"],
    "x-kubernetes-validations": [
      { rule: "self.mode != 'Never' || self.replicas <= 10", message: "at most 10 copies that never run again" },
      { rule: "!has(self.ports) || self.ports.all(p, p.port != 22)", message: "port 22 belongs to the node" },
    ],
  },
)

const condition = record(
  "One aspect of the state.",
  {
    type: text("Name of the aspect.", { maxLength: 316, pattern: "^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$" }),
    status: text("Whether it holds.", { enum: ["True", "False", "Unknown"] }),
    reason: text("Why, in one word.", { minLength: 1, maxLength: 1024 }),
    message: text("Why, for readers.", { maxLength: 32768 }),
    lastTransitionTime: text("When the status changed.", { format: "date-time" }),
    observedGeneration: { type: "integer", format: "int64", minimum: 0, description: "The generation that this is about." },
  },
  { required: ["type", "status", "reason", "message", "lastTransitionTime"] },
)

const status = record("What the operator has found.", {
  replicas: number("Copies that there are."),
  readyReplicas: number("Copies that work."),
  selector: text("Labels of the copies, as a query."),
  phase: text("Where the work is.", { enum: ["Pending", "Running", "Failed", "Succeeded"] }),
  observedGeneration: { type: "integer", format: "int64", description: "The generation that was acted on." },
  conditions: listOf("Aspects of the state.", condition, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] }),
})

export interface CustomKind {
  readonly definition: JsonObject
  /** Name of the definition. */
  readonly name: string
  readonly apiVersion: string
  readonly kind: string
  /** Path of the objects of a namespace, or of all namespaces when it is empty. */
  path(namespace: string): string
}

/** Number of kinds that share a group. */
const kindsPerGroup = 10

/** The definition number `index`, and the facts that clients need to use its kind. Ten neighbours share a group. */
export function typicalKind(index: number): CustomKind {
  const group = `operator-${Math.floor(index / kindsPerGroup)}.example.com`
  return kindOf(group, index, record("A workload with its settings.", { spec, status }), {
    status: {},
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas", labelSelectorPath: ".status.selector" },
  })
}

/** A kind with the fields of a ConfigMap. */
export function plainKind(): CustomKind {
  return kindOf("plain.example.com", 0, record("Settings.", { data: texts("Values by name.") }), {})
}

function kindOf(group: string, index: number, schema: JsonObject, subresources: JsonObject): CustomKind {
  const [kind, plural] = [`Workload${index}`, `workload${index}s`]
  const name = `${plural}.${group}`
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name, labels: { app: "bench" } },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: `workload${index}`, shortNames: [`wl${index}`], categories: ["all"] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          ...(Object.keys(subresources).length > 0 && {
            subresources,
            additionalPrinterColumns: [
              { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
              { name: "Phase", type: "string", jsonPath: ".status.phase" },
              { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
              { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
            ],
          }),
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  }
  const path = (namespace: string): string => `/apis/${group}/v1/${namespace === "" ? "" : `namespaces/${namespace}/`}${plural}`
  return { definition, name, apiVersion: `${group}/v1`, kind, path }
}
