import { X509Certificate } from "node:crypto"
import { afterEach, expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { createTestAuthority } from "../../test/support/certificates.ts"
import { openRegistry, type OpenRegistry } from "../../test/support/open-registry.ts"
import { serverUser } from "../admission/server-identity.ts"
import type { ClientTrust } from "../base/client-trust.ts"
import type { Controller } from "./controller.ts"
import { startPublishedConfiguration } from "./published-configuration.ts"

const running: Controller[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

const nobody: ClientTrust = {
  clients: "",
  proxies: "",
  proxyHeaders: { allowedNames: [], usernameHeaders: [], groupHeaders: [], extraPrefixes: [] },
}
const trustName = "extension-apiserver-authentication"
const trackingName = "kube-apiserver-legacy-service-account-token-tracking"

async function open(): Promise<OpenRegistry> {
  const one = await openRegistry({ clock: createManualClock(Date.parse("2026-01-02T03:04:05Z")) })
  running.push({ stop: () => one.close() })
  return one
}

/** Returns a function that changes the trust of the server. */
async function publish(one: OpenRegistry, trust: Partial<ClientTrust>): Promise<(next: Partial<ClientTrust>) => void> {
  let current: ClientTrust = { ...nobody, ...trust }
  let changed = (): void => undefined
  const controller = startPublishedConfiguration(one, {
    trust: () => current,
    onAuthorities(listener) {
      changed = listener
    },
  })
  running.unshift(controller)
  await controller.made
  return (next) => {
    current = { ...nobody, ...next }
    changed()
  }
}

const mapsOf = (one: OpenRegistry) => one.api(serverUser).core.v1.configmaps
const data = async (one: OpenRegistry, name: string) => (await one.get("configmaps", `orch-system/${name}`))?.data as Record<string, string>
/** Compares certificates by their subjects: line breaks in the texts may differ. */
const subjects = (pem = ""): string[] =>
  pem
    .split(/(?<=-----END CERTIFICATE-----\n)/)
    .filter((one) => one !== "")
    .map((one) => new X509Certificate(one).subject)

test("whom a server trusts is published, and follows its files", async () => {
  const one = await open()
  const [first, second] = [await createTestAuthority("first"), await createTestAuthority("second")]
  const proxyHeaders = { allowedNames: ["proxy"], usernameHeaders: ["X-User"], groupHeaders: ["X-Group"], extraPrefixes: ["X-Extra-"] }
  const change = await publish(one, { clients: first.certificate, proxies: second.certificate, proxyHeaders })
  expect(await data(one, trustName)).toEqual({
    "client-ca-file": new X509Certificate(first.certificate).toString(),
    "requestheader-client-ca-file": new X509Certificate(second.certificate).toString(),
    "requestheader-allowed-names": '["proxy"]',
    "requestheader-username-headers": '["X-User"]',
    "requestheader-group-headers": '["X-Group"]',
    "requestheader-extra-headers-prefix": '["X-Extra-"]',
  })
  change({ clients: second.certificate })
  // Clients of the previous authority stay trusted, as on a server that has not seen the change.
  await expect.poll(async () => subjects((await data(one, trustName))["client-ca-file"])).toEqual(["CN=first", "CN=second"])
  await mapsOf(one).delete("orch-system", trustName)
  await expect.poll(async () => subjects((await data(one, trustName))?.["client-ca-file"])).toEqual(["CN=second"])
})

test("what expired and what nobody can read is left out, and other keys stay", async () => {
  const one = await open()
  const [old, now] = [await createTestAuthority("old"), await createTestAuthority("now")]
  await mapsOf(one)
    .delete("orch-system", trustName)
    .catch(() => undefined)
  await publish(one, { clients: old.certificate })
  for (const part of running.splice(0, 1)) await part.stop()
  const broken = { "client-ca-file": `-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`, other: "x" }
  await mapsOf(one).update("orch-system", { metadata: { name: trustName }, data: broken })
  await publish(one, { clients: now.certificate })
  const found = await data(one, trustName)
  expect([subjects(found["client-ca-file"]), found.other]).toEqual([["CN=now"], "x"])
})

test("a server that knows no client by a certificate publishes no trust", async () => {
  const one = await open()
  const controller = startPublishedConfiguration(one, undefined)
  running.unshift(controller)
  await controller.made
  expect(await one.names("configmaps")).toEqual([`orch-system/${trackingName}`])
})

test("the day since which the use of tokens is known stays, and is made anew where it cannot be read", async () => {
  const one = await open()
  await publish(one, {})
  expect(await data(one, trackingName)).toEqual({ since: "2026-01-02" })
  one.clock.advance(48 * 3600_000)
  await mapsOf(one).patch("orch-system", trackingName, { data: { a: "b" } })
  await mapsOf(one).patch("orch-system", trackingName, { data: { since: "yesterday" } })
  await expect.poll(() => data(one, trackingName)).toEqual({ a: "b", since: "2026-01-04" })
})
