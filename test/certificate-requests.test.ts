/** CertificateSigningRequests in a whole server: certificates that work in TLS, and the ages at which requests go. */
import { X509Certificate } from "node:crypto"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { connect, createServer, type TLSSocket } from "node:tls"
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest"
import { api as operationsOf } from "../generated/index.ts"
import { createManualClock } from "./contract/manual-clock.ts"
import { createCertificateRequest, createSigningPair, type IssuedPair, keyAlgorithms } from "./support/certificates.ts"
import { createHttpClient, type HttpClient } from "./support/http-client.ts"
import { httpObjectClient } from "./support/http-object-client.ts"
import { type InProcess, startInProcess } from "./support/in-process.ts"

const minute = 60_000
const hour = 60 * minute

let server: InProcess
let http: HttpClient
let authority: IssuedPair
let requests: ReturnType<typeof operationsOf>["certificates"]["v1"]["certificatesigningrequests"]
beforeAll(async () => {
  authority = await createSigningPair({ algorithm: keyAlgorithms["RSA of 2048 bits"], keyId: "0102030405" })
  // The certificates are valid now, for the real clients below.
  const clock = createManualClock(Math.floor(Date.now() / 1000) * 1000)
  const pairs = { "kubelet-serving": authority, "kube-apiserver-client-kubelet": authority, "kube-apiserver-client": authority }
  server = await startInProcess({
    store: "memory",
    vendor: "orch",
    controllers: ["*"],
    signing: { pairs, durationMs: 24 * hour },
    clock,
  })
  http = createHttpClient({ protocol: "http2", port: server.port, authority: server.authority })
  requests = operationsOf(httpObjectClient(http, { token: server.token, userAgent: "test" })).certificates.v1.certificatesigningrequests
})
afterAll(async () => {
  http.close()
  await server.stop()
})

interface Asked {
  readonly signer: string
  readonly subject: string
  readonly usages: readonly ("client auth" | "server auth" | "digital signature")[]
  readonly names?: readonly { readonly type: "dns" | "ip"; readonly value: string }[]
  readonly expirationSeconds?: number
}

const alice: Asked = { signer: "orch.io/kube-apiserver-client", subject: "CN=alice, O=dev", usages: ["client auth"] }
const nodes = "O=system:nodes, CN=system:node:a"

/** Returns the PEM of the request's key. */
async function ask(name: string, { signer, subject, usages, names = [], expirationSeconds }: Asked): Promise<string> {
  const { request, key } = await createCertificateRequest(subject, { names })
  await requests.create({
    metadata: { name },
    spec: { request, signerName: signer, usages: [...usages], ...(expirationSeconds !== undefined && { expirationSeconds }) },
  })
  return key
}

async function decide(name: string, type: "Approved" | "Denied"): Promise<void> {
  const found = await requests.get(name)
  await requests.approval.update({ ...found, status: { conditions: [{ type, status: "True", reason: "Test" }] } })
}

/** PEM of the certificate, once it is issued. */
function issued(name: string): Promise<string> {
  return vi.waitFor(async () => {
    const { certificate = "" } = (await requests.get(name)).status
    expect(certificate).not.toBe("")
    return Buffer.from(certificate, "base64").toString()
  })
}

it("issues certificates with which a client and a server of TLS trust each other", async () => {
  const clientKey = await ask("client", alice)
  const usages = ["digital signature", "server auth"] as const
  const serverKey = await ask("serving", {
    signer: "orch.io/kubelet-serving",
    subject: nodes,
    usages,
    names: [
      { type: "dns", value: "localhost" },
      { type: "ip", value: "127.0.0.1" },
    ],
  })
  await decide("client", "Approved")
  await decide("serving", "Approved")
  const ca = authority.certificate
  const listener = createServer({ ca, cert: await issued("serving"), key: serverKey, requestCert: true, rejectUnauthorized: true })
  const accepted = once(listener, "secureConnection")
  await once(listener.listen(0, "127.0.0.1"), "listening")
  const { port } = listener.address() as AddressInfo // It listens on a port.
  const socket = connect({ ca, port, host: "127.0.0.1", cert: await issued("client"), key: clientKey })
  try {
    await once(socket, "secureConnect")
    const [peer] = (await accepted) as [TLSSocket] // What the event carries.
    expect([socket.authorized, peer.authorized, peer.getPeerCertificate().subject.CN]).toEqual([true, true, "alice"])
  } finally {
    socket.destroy()
    listener.close()
  }
})

it("signs for nodes, and says why it does not", async () => {
  const asked: Asked = {
    signer: "orch.io/kube-apiserver-client-kubelet",
    subject: nodes,
    usages: ["digital signature", "client auth"],
  }
  await ask("node", asked)
  await ask("no-node", { ...asked, subject: "CN=alice" })
  await decide("node", "Approved")
  await decide("no-node", "Approved")
  expect(new X509Certificate(await issued("node")).subject).toBe("O=system:nodes\nCN=system:node:a")
  await vi.waitFor(async () =>
    expect((await requests.get("no-node")).status).toMatchObject({
      conditions: [
        { type: "Approved" },
        { type: "Failed", reason: "SignerValidationFailure", message: "subject organization is not system:nodes" },
      ],
    }),
  )
})

it("signs with every mode, since the signer is a part of the server", async () => {
  const pairs = { "kube-apiserver-client": authority }
  const controllers = ["certificatesigningrequest-signing-controller"]
  const signing = { pairs, durationMs: 24 * hour }
  const denying = await startInProcess({ store: "memory", vendor: "orch", alwaysDeny: true, controllers, signing })
  const client = createHttpClient({ protocol: "http2", port: denying.port, authority: denying.authority })
  onTestFinished(async () => {
    client.close()
    await denying.stop()
  })
  const { certificatesigningrequests } = operationsOf(httpObjectClient(client, { token: denying.token, userAgent: "test" })).certificates.v1
  const { request } = await createCertificateRequest("CN=alice")
  const spec = { request, signerName: alice.signer, usages: [...alice.usages] }
  const made = await certificatesigningrequests.create({ metadata: { name: "a" }, spec })
  const conditions = [{ type: "Approved", status: "True", reason: "Test" }]
  await certificatesigningrequests.approval.update({ ...made, status: { conditions } })
  await vi.waitFor(async () => expect((await certificatesigningrequests.get("a")).status.certificate ?? "").not.toBe(""))
})

it("deletes requests when they have served their purpose", async () => {
  for (const { metadata } of (await requests.list()).items) await requests.delete(metadata.name ?? "")
  const names = async (): Promise<string[]> => (await requests.list()).items.map(({ metadata }) => metadata.name ?? "").sort()
  const foreign = { ...alice, signer: "example.com/mine" }
  await ask("a-pending", alice)
  await ask("b-denied", alice)
  await decide("b-denied", "Denied")
  await ask("c-issued", alice)
  await decide("c-issued", "Approved")
  await ask("d-short", { ...alice, expirationSeconds: 600 })
  await decide("d-short", "Approved")
  await ask("e-failed", { ...alice, usages: ["server auth"] })
  await decide("e-failed", "Approved")
  await ask("f-unsigned", foreign)
  await decide("f-unsigned", "Approved")
  await issued("c-issued")
  await issued("d-short")
  await vi.waitFor(async () => expect((await requests.get("e-failed")).status.conditions).toHaveLength(2))
  const becomes = async (afterMs: number, expected: string[]): Promise<void> => {
    server.clock.advance(afterMs)
    await vi.waitFor(async () => expect(await names()).toEqual(expected))
  }
  await becomes(12 * minute, ["a-pending", "b-denied", "c-issued", "e-failed", "f-unsigned"])
  await becomes(49 * minute, ["a-pending", "f-unsigned"])
  await becomes(23 * hour, ["f-unsigned"])
})
