/**
 * `/readyz` and `/livez` while the store cannot be read yet: over a real connection, with a store that the test holds
 * back.
 */
import { afterEach, expect, it, vi } from "vitest"
import { createHttpClient } from "./support/http-client.ts"
import type { StoreListOptions } from "../runtime/storage/store.ts"
import type { ManualClock } from "./contract/manual-clock.ts"
import { type InProcess, startInProcess } from "./support/in-process.ts"

/** The code of all kinds is loaded meanwhile, which takes seconds on a busy machine. */
const patience = { timeout: 20_000 }

let at: InProcess | undefined
afterEach(async () => at?.stop())

it("is not ready before the caches of all kinds are filled, and alive all the time", async () => {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let clock: ManualClock | undefined
  // The start waits for a limited time only: then the ready line appears, and /readyz reports the missing parts.
  const passing = setInterval(() => clock?.advance(1000))
  at = await startInProcess({
    store: "memory",
    vendor: "kubernetes",
    garbageCollector: false,
    wrapStore(store, itsClock) {
      clock = itsClock
      return new Proxy(store, {
        get: (target, name) =>
          name === "list"
            ? async (options: StoreListOptions) => {
                if (options.prefix === "/registry/leases/") await held
                return target.list(options)
              }
            : Reflect.get(target, name, target),
      })
    },
  })
  clearInterval(passing)
  const { port, authority, token } = at
  const client = createHttpClient({ protocol: "http1", port, authority })
  const ask = async (path: string) => {
    const { status, body } = await client.send({ method: "GET", path, headers: { authorization: `Bearer ${token}` } })
    return { status, text: body.toString() }
  }
  const text = expect.stringContaining("[-]informer-sync failed: leases and 0 other resources are still being read from the store\n")
  await vi.waitFor(async () => expect(await ask("/readyz")).toEqual({ status: 500, text }), patience)
  expect(await ask("/livez")).toMatchObject({ status: 200 })
  release()
  await vi.waitFor(async () => expect(await ask("/readyz")).toMatchObject({ status: 200 }), patience)
  client.close()
})

/** Steps of release 1.30, without the filters of priority and fairness. Its end-to-end tests ask for most of them. */
const steps = [
  ...["start-apiserver-admission-initializer", "generic-apiserver-start-informers", "start-apiextensions-informers"],
  ...["start-apiextensions-controllers", "crd-informer-synced", "start-service-ip-repair-controllers"],
  ...["scheduling/bootstrap-system-priority-classes", "priority-and-fairness-config-producer", "start-system-namespaces-controller"],
  ...["bootstrap-controller", "start-cluster-authentication-info-controller", "start-kube-apiserver-identity-lease-controller"],
  ...["start-kube-apiserver-identity-lease-garbage-collector", "start-legacy-token-tracking-controller"],
  ...["start-kube-aggregator-informers", "apiservice-registration-controller", "apiservice-status-available-controller"],
  ...["apiservice-discovery-controller", "kube-apiserver-autoregistration"],
].map((step) => `poststarthook/${step}`)
const last = ["autoregister-completion", "poststarthook/apiservice-openapi-controller", "poststarthook/apiservice-openapiv3-controller"]

it.each([
  ["healthz", ["ping", "log", "etcd", ...steps, ...last]],
  ["livez", ["ping", "log", "etcd", ...steps, ...last]],
  ["readyz", ["ping", "log", "etcd", "etcd-readiness", "informer-sync", ...steps, ...last, "shutdown"]],
])("/%s?verbose has the checks of the reference, in its order", async (endpoint, names) => {
  at = await startInProcess({ store: "memory", vendor: "kubernetes" })
  const { port, authority, token } = at
  const client = createHttpClient({ protocol: "http1", port, authority })
  const ask = (path: string) => client.send({ method: "GET", path, headers: { authorization: `Bearer ${token}` } })
  await vi.waitFor(async () => expect(await ask(`/${endpoint}`)).toMatchObject({ status: 200 }), patience)
  const { body } = await ask(`/${endpoint}?verbose`)
  expect(body.toString().split("\n")).toEqual([...names.map((name) => `[+]${name} ok`), `${endpoint} check passed`, ""])
  client.close()
})
