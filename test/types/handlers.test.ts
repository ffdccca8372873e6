/** Type checks of typed handlers. `npm run check` compiles this file; nothing of it runs. */
import { expectTypeOf, it } from "vitest"
import type { Deployment } from "../../generated/apps/v1/deployment/types.ts"
import type { Pod } from "../../generated/core/v1/pod/types.ts"
import type { LibraryServer } from "../../runtime/library.ts"

const container = { name: "main", image: "nginx" }

async function compiled({ api: { apps, core } }: LibraryServer): Promise<void> {
  const pods = core.v1.pods
  expectTypeOf(await pods.get("default", "a")).toEqualTypeOf<Pod>()
  expectTypeOf((await pods.list()).items).toEqualTypeOf<readonly Pod[]>()
  for await (const event of apps.v1.deployments.watch()) expectTypeOf(event.object).toEqualTypeOf<Deployment>()
  const pod = await pods.create("default", { metadata: { name: "a" }, spec: { containers: [container] } })
  await pods.update("default", pod)
  // @ts-expect-error a misspelt field
  await pods.create("default", { metadata: { name: "a" }, spec: { container: [container] } })
  // @ts-expect-error a misspelt field of an item
  await pods.create("default", { metadata: { name: "a" }, spec: { containers: [{ ...container, imagee: "nginx" }] } })
  // @ts-expect-error no word of the enum
  await pods.create("default", { metadata: { name: "a" }, spec: { restartPolicy: "Sometimes", containers: [container] } })
  // @ts-expect-error a required field is missing
  await pods.create("default", { metadata: { name: "a" }, spec: {} })
  // @ts-expect-error no name
  await pods.create("default", { spec: { containers: [container] } })
  // @ts-expect-error a misspelt field in a patch
  await pods.patch("default", "a", { spec: { nodename: "n" } })
  await pods.patch("default", "a", { metadata: { labels: { a: null } } })
  await pods.patch("default", "a", [{ op: "remove", path: "/metadata/labels" }])
  // @ts-expect-error an unknown operation
  await pods.patch("default", "a", [{ op: "delete", path: "/metadata/labels" }])
  // @ts-expect-error an apply has a manager
  await pods.apply("default", { metadata: { name: "a" } })
  // @ts-expect-error an unknown option
  await pods.delete("default", "a", { grace: 1 })
  // @ts-expect-error a binding has a target
  await pods.binding.create("default", "a", { targett: { name: "n" } })
  // @ts-expect-error the sub-resource has no such operation
  await pods.binding.get("default", "a")
  // @ts-expect-error nodes have no namespace
  await core.v1.nodes.get("default", "a")
  // @ts-expect-error bindings are posted only
  await core.v1.bindings.list()
  // @ts-expect-error no such resource
  await core.v1.podz.list()
  await apps.v1.deployments.scale.update("default", { metadata: { name: "d" }, spec: { replicas: 2 } })
  // @ts-expect-error a scale has no other field
  await apps.v1.deployments.scale.update("default", { metadata: { name: "d" }, spec: { replica: 2 } })
}

it("compiles", () => {
  expectTypeOf(compiled).toBeFunction()
})
