/**
 * Objects whose parts depend on each other, unlike generated objects: annotations that name the containers, conditions
 * that spec lists, ports of a service that had node ports before. Measured like the generated ones.
 */
import type { ApiObject, JsonObject } from "../../runtime/base/json.ts"

export interface OwnCase {
  readonly name: string
  /** Returns an object with `count` items. `before`: the stored object of an update. */
  make(count: number): { readonly object: ApiObject; readonly before: ApiObject }
}

const metadata = { name: "n", namespace: "default" }
const many = <Item>(count: number, item: (index: number) => Item): Item[] => Array.from({ length: count }, (_, index) => item(index))

/** The first node port that is given explicitly; lower ports are free for allocation. */
const firstNodePort = 30_000

const ports = (count: number, more: (index: number) => JsonObject = () => ({})): JsonObject[] =>
  many(count, (index) => ({ name: `a${index}`, port: index + 1, protocol: "TCP", ...more(index) }))
const nodePorts = (count: number): JsonObject[] => ports(count, (index) => ({ nodePort: firstNodePort + index }))
const service = (type: string, of: JsonObject[]): ApiObject => ({ metadata, spec: { type, ports: of } })

/** A pod with this many containers; `annotation` and `container` add fields for each. */
function pod(count: number, annotation: (name: string) => JsonObject, container: JsonObject = {}): ApiObject {
  return {
    metadata: { ...metadata, annotations: Object.assign({}, ...many(count, (index) => annotation(`a${index}`))) },
    spec: { containers: many(count, (index) => ({ name: `a${index}`, image: "i", ...container })) },
  }
}

const appArmor = (name: string): JsonObject => ({ [`container.apparmor.security.beta.orch.io/${name}`]: "runtime/default" })
const noAnnotation = (): JsonObject => ({})

function gated(count: number, shown: (index: number) => number): ApiObject {
  return {
    metadata,
    spec: { containers: [{ name: "a", image: "i" }], readinessGates: many(count, (index) => ({ conditionType: `orch.io/a${index}` })) },
    status: { conditions: many(count, (index) => ({ type: `orch.io/a${shown(index)}`, status: "True" })) },
  }
}

/** Cases by kind. */
export const ownCases: Readonly<Record<string, readonly OwnCase[]>> = {
  Service: [
    {
      name: "node ports that are allocated",
      make: (count) => ({ object: service("NodePort", ports(count)), before: service("ClusterIP", ports(count)) }),
    },
    {
      name: "node ports that were asked for",
      make: (count) => ({ object: service("NodePort", nodePorts(count)), before: service("NodePort", ports(count)) }),
    },
    {
      name: "node ports that are carried over",
      make: (count) => ({ object: service("NodePort", ports(count)), before: service("NodePort", nodePorts(count).reverse()) }),
    },
    {
      name: "node ports that are carried over to ports of other names",
      make: (count) => ({
        object: service(
          "NodePort",
          ports(count, (index) => ({ name: `b${index}` })),
        ),
        before: service("NodePort", nodePorts(count).reverse()),
      }),
    },
    {
      name: "node ports that are given back",
      make: (count) => ({ object: service("ClusterIP", ports(count)), before: service("LoadBalancer", nodePorts(count)) }),
    },
  ],
  Pod: [
    {
      name: "AppArmor annotations",
      make: (count) => ({ object: pod(count, appArmor), before: pod(count, appArmor) }),
    },
    {
      name: "AppArmor annotations that are added",
      make: (count) => ({ object: pod(count, appArmor), before: pod(count, noAnnotation) }),
    },
    {
      name: "AppArmor annotations beside the fields that replace them",
      make: (count) => {
        const object = pod(count, appArmor, { securityContext: { appArmorProfile: { type: "RuntimeDefault" } } })
        return { object, before: object }
      },
    },
    {
      name: "readiness gates and their conditions",
      make: (count) => ({ object: gated(count, (index) => count - 1 - index), before: gated(count, (index) => index) }),
    },
    {
      name: "readiness gates without conditions",
      make: (count) => ({ object: gated(count, (index) => count + index), before: gated(count, (index) => index) }),
    },
  ],
}
