import { X509Certificate } from "node:crypto"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createCertificateRequest, createSigningPair, type IssuedPair } from "../../../test/support/certificates.ts"
import { beforeCommit, countCommits, failCommits, retried } from "../../../test/support/controller-faults.ts"
import { openRegistry, type OpenRegistry } from "../../../test/support/open-registry.ts"
import type { JsonObject } from "../../base/json.ts"
import { serverUser } from "../../admission/server-identity.ts"
import type { KeyedController } from "../keyed-controller.ts"
import { startCertificateSigner } from "./certificate-signer.ts"
import type { Signing } from "./signers.ts"

const resource = "certificatesigningrequests"
const day = 24 * 3600_000

let one: OpenRegistry
let pair: IssuedPair
let controller: KeyedController
beforeEach(async () => {
  one = await openRegistry()
  const nowMs = one.clock.nowMs()
  pair = await createSigningPair({ fromMs: nowMs - day, untilMs: nowMs + 1000 * day })
  controller = start()
})
afterEach(async () => {
  await controller.stop()
  await one.close()
})

function start(pairs: Signing["pairs"] = { "kube-apiserver-client": pair, "kubelet-serving": pair }): KeyedController {
  return startCertificateSigner(one, { pairs, durationMs: 30 * day })
}

const operations = () => one.api(serverUser).certificates.v1.certificatesigningrequests

async function ask(
  name: string,
  { signer = "orch.io/kube-apiserver-client", subject = "CN=alice", usage = "client auth" } = {},
): Promise<void> {
  const { request } = await createCertificateRequest(subject)
  await one.create(resource, { metadata: { name }, spec: { request, signerName: signer, usages: [usage], expirationSeconds: 86_400 } })
}

async function decide(name: string, type: "Approved" | "Denied"): Promise<void> {
  const found = await operations().get(name)
  await operations().approval.update({
    ...found,
    status: { conditions: [...(found.status.conditions ?? []), { type, status: "True", reason: "Test" }] },
  })
}

async function statusOf(name: string): Promise<JsonObject> {
  await controller.idle()
  const { status } = await operations().get(name)
  return JSON.parse(JSON.stringify(status))
}

async function certificateOf(name: string): Promise<X509Certificate> {
  const { certificate } = await statusOf(name)
  return new X509Certificate(Buffer.from(String(certificate), "base64"))
}

test("a request is signed once it is approved, for as long as it asks", async () => {
  await ask("a")
  expect(await statusOf("a")).toEqual({})
  await decide("a", "Approved")
  const made = await certificateOf("a")
  expect(made.checkIssued(new X509Certificate(pair.certificate)) && made.verify(new X509Certificate(pair.certificate).publicKey)).toBe(true)
  expect(made.subject).toBe("CN=alice")
  const nowMs = one.clock.nowMs()
  expect([Date.parse(made.validFrom), Date.parse(made.validTo)]).toEqual([nowMs - 300_000, nowMs + day - 300_000])
})

test("what the signer does not accept fails, and stays so", async () => {
  await ask("a", { usage: "server auth" })
  await ask("b", { signer: "orch.io/kubelet-serving", usage: "server auth" })
  await decide("a", "Approved")
  await decide("b", "Approved")
  const failed = (message: string) => ({
    conditions: [
      { type: "Approved" },
      { type: "Failed", status: "True", reason: "SignerValidationFailure", message, lastUpdateTime: expect.any(String) },
    ],
  })
  expect(await statusOf("a")).toMatchObject(failed("invalid usage for client certificate: server auth"))
  expect(await statusOf("b")).toMatchObject(failed("DNS or IP subjectAltName is required"))
  expect(await statusOf("a")).not.toHaveProperty("certificate")
  const commits = countCommits(one, `/${resource}/`)
  await controller.stop()
  controller = start()
  await controller.idle()
  expect([commits(), one.logged]).toEqual([0, []])
})

test("denied requests and those of other signers are left alone", async () => {
  await ask("denied")
  await decide("denied", "Denied")
  await ask("other", { signer: "example.com/mine" })
  await decide("other", "Approved")
  await ask("none", { signer: "orch.io/kube-apiserver-client-kubelet" })
  await decide("none", "Approved")
  for (const name of ["denied", "other", "none"]) {
    const { conditions, ...rest } = await statusOf(name)
    expect([name, conditions, rest]).toEqual([name, [expect.anything()], {}])
  }
})

test("a restart signs nothing twice, and signs what was approved meanwhile", async () => {
  await ask("a")
  await decide("a", "Approved")
  const { serialNumber } = await certificateOf("a")
  await controller.stop()
  await ask("b")
  await decide("b", "Approved")
  const commits = countCommits(one, `/${resource}/`)
  controller = start()
  expect((await certificateOf("a")).serialNumber).toBe(serialNumber)
  expect((await certificateOf("b")).serialNumber).not.toBe(serialNumber)
  expect(commits()).toBe(1)
})

test("it tries again when the store fails, and when another write comes in between", async () => {
  await ask("a")
  await controller.stop()
  await decide("a", "Approved")
  const failed = failCommits(one, `/${resource}/a`, 1)
  controller = start()
  await retried(one, controller)
  expect([failed(), (await certificateOf("a")).subject]).toEqual([1, "CN=alice"])

  await ask("b")
  await controller.stop()
  await decide("b", "Approved")
  const labelled = beforeCommit(one, `/${resource}/b`, () =>
    one.update(resource, "b", (old) => ({ ...old, metadata: { ...old.metadata, labels: { a: "b" } } })),
  )
  controller = start()
  await retried(one, controller)
  expect(labelled()).toBe(true)
  expect((await certificateOf("b")).subject).toBe("CN=alice")
  expect((await operations().get("b")).metadata.labels).toEqual({ a: "b" })
})

test("nothing is signed with an authority whose certificate has expired, until there is another", async () => {
  await controller.stop()
  const nowMs = one.clock.nowMs()
  controller = start({ "kube-apiserver-client": await createSigningPair({ fromMs: nowMs - 2 * day, untilMs: nowMs - day }) })
  await ask("a")
  await decide("a", "Approved")
  expect(await statusOf("a")).not.toHaveProperty("certificate")
  expect(one.logged).toEqual([expect.stringMatching(/certificate could not be issued/)])
  await controller.stop()
  controller = start()
  expect((await certificateOf("a")).subject).toBe("CN=alice")
})

test("without pairs there is nothing to do", async () => {
  await controller.stop()
  controller = startCertificateSigner(one, undefined)
  await ask("a")
  await decide("a", "Approved")
  expect(await statusOf("a")).not.toHaveProperty("certificate")
})
