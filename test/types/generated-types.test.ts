/** Type checks of generated types. `npm run check` compiles this file; running it proves nothing more. */
import { expectTypeOf, test } from "vitest"
import type { Deployment, DeploymentInput } from "../../generated/apps/v1/deployment/types.ts"
import type { ConfigMapInput } from "../../generated/core/v1/config-map/types.ts"
import { pod } from "../../generated/core/v1/pod/resource.ts"
import { isPod, type Pod, type PodInput } from "../../generated/core/v1/pod/types.ts"
import type { Service, ServiceInput, ServicePort, ServiceSpec } from "../../generated/core/v1/service/types.ts"
import type { PodSpec } from "../../generated/core/v1/shared/pod-spec/types.ts"
import type { Event } from "../../generated/events.orch.io/v1/event/types.ts"
import type { ApiObject, JsonObject, JsonValue, ObjectMeta } from "../../runtime/base/json.ts"
import {
  type Behaviour,
  type BehaviourFactory,
  type Cell,
  type Check,
  type Conversion,
  defineBehaviour,
  defineCell,
  defineCheck,
  defineConversion,
  defineHandlers,
  defineSubresource,
  defineWarning,
  type Kind,
  type SubresourceBehaviour,
  type Warning,
} from "../../runtime/schema/index.ts"

type RequiredKeys<T> = { [Key in keyof T]-?: object extends Pick<T, Key> ? never : Key }[keyof T]

test("members are those of the schema, and required when a valid object has them", () => {
  expectTypeOf<keyof Service>().toEqualTypeOf<"kind" | "apiVersion" | "metadata" | "spec" | "status">()
  expectTypeOf<RequiredKeys<Service>>().toEqualTypeOf<keyof Service>()
  expectTypeOf<Service["kind"]>().toEqualTypeOf<"Service">()
  expectTypeOf<Service["metadata"]>().toEqualTypeOf<ObjectMeta>()
  expectTypeOf<RequiredKeys<ServicePort>>().toEqualTypeOf<"port" | "targetPort">()
  expectTypeOf<RequiredKeys<PodSpec>>().toEqualTypeOf<"containers">()
  expectTypeOf<RequiredKeys<Deployment["spec"]>>().toEqualTypeOf<"selector" | "template" | "strategy">()
  expectTypeOf<Service["spec"]["type"]>().toEqualTypeOf<"ClusterIP" | "NodePort" | "LoadBalancer" | "ExternalName" | undefined>()
})

test("the version of a group that vendors name differently has a form for each", () => {
  expectTypeOf<Event["apiVersion"]>().toEqualTypeOf<"events.orch.io/v1" | "events.k8s.io/v1">()
  expectTypeOf<Deployment["apiVersion"]>().toEqualTypeOf<"apps/v1">()
})

test("a typed object is a JSON value and an ApiObject, and not the reverse", () => {
  expectTypeOf<Pod>().toExtend<ApiObject>()
  expectTypeOf<PodInput>().toExtend<ApiObject>()
  expectTypeOf<PodSpec>().toExtend<JsonObject>()
  expectTypeOf<Pod>().toExtend<PodInput>()
  expectTypeOf<ApiObject>().not.toExtend<Pod>()
  const object: ApiObject = {}
  if (isPod(object)) expectTypeOf(object.spec.containers).items.toHaveProperty("name")
})

test("clients leave out what the server fills in, and nothing else", () => {
  const accepted: readonly (PodInput | ServiceInput | DeploymentInput | ConfigMapInput)[] = [
    { spec: { containers: [{ name: "main", image: "x" }] } },
    { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } },
    { spec: { selector: {}, template: { spec: { containers: [{ name: "main", image: "x" }] } } } },
    { data: { a: "b" } },
  ]
  void accepted
  // @ts-expect-error containers are required
  const noContainers: PodInput = { spec: {} }
  // @ts-expect-error so is the spec that holds them
  const noSpec: PodInput = { metadata: { name: "a" } }
  // @ts-expect-error a container without an image is refused
  const noImage: PodInput = { spec: { containers: [{ name: "main" }] } }
  // @ts-expect-error a misspelt field of a container
  const misspelt: PodInput = { spec: { containers: [{ name: "main", imag: "x" }] } }
  // @ts-expect-error a misspelt field of metadata
  const metadata: PodInput = { metadata: { nam: "a" }, spec: { containers: [] } }
  // @ts-expect-error a word that is not in the enum
  const word: ServiceInput = { spec: { type: "Cluster" } }
  // @ts-expect-error another kind
  const kind: ServiceInput = { kind: "Pod" }
  // @ts-expect-error undefined is no value
  const exact: ServiceInput = { spec: { clusterIP: undefined } }
  void [noContainers, noSpec, noImage, misspelt, metadata, word, kind, exact]
})

test("a record of a kind carries its types and is a record of any kind", () => {
  expectTypeOf(pod).toEqualTypeOf<Kind<Pod, PodInput>>()
  expectTypeOf(pod).toExtend<Kind>()
})

test("each define function passes the type on", () => {
  expectTypeOf(defineCheck<ServiceSpec>).parameters.toEqualTypeOf<[Check<ServiceSpec>]>()
  expectTypeOf(defineCell<Service>).parameters.toEqualTypeOf<[Cell<Service>]>()
  expectTypeOf(defineWarning<PodSpec>).parameters.toEqualTypeOf<[Warning<PodSpec>]>()
  expectTypeOf(defineConversion<Event, Service>).parameters.toEqualTypeOf<[Conversion<Event, Service>]>()
  expectTypeOf(defineBehaviour<Service>({})).toEqualTypeOf<BehaviourFactory<Service>>()
  expectTypeOf(defineHandlers<Service>({})).toExtend<BehaviourFactory>()
  expectTypeOf<Parameters<NonNullable<Behaviour<Service>["prepareUpdate"]>>[1]>().toEqualTypeOf<Service>()
  expectTypeOf<Parameters<NonNullable<SubresourceBehaviour<Event, Pod>["create"]>>[0]>().toEqualTypeOf<Event>()
  expectTypeOf(defineSubresource<Event, Pod>({})).returns.toEqualTypeOf<SubresourceBehaviour<Event, Pod>>()
  defineCheck<ServiceSpec>((spec, context) => {
    expectTypeOf(context.old).toEqualTypeOf<ServiceSpec | undefined>()
    context.fail("Invalid", spec.ports, "")
    // @ts-expect-error a misspelt field
    spec.clusterIp
  })
  defineSubresource<Pod, Service>({
    // @ts-expect-error a misspelt field of what a function returns
    update: (_pod, old): Service => ({ ...old, spec: { ...old.spec, clusterIp: "None" } }),
    // @ts-expect-error the spec is missing
    create: (_pod, { spec: _spec, ...old }) => old,
  })
  defineBehaviour<Service>({
    // @ts-expect-error a hook that does not exist
    prepareCreation: () => {},
  })
  expectTypeOf(defineCell<Service>((service) => service.spec.clusterIP ?? "")).returns.toEqualTypeOf<JsonValue>()
})
