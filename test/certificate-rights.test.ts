/** Rights on signers at a server with the mode RBAC: each way to write needs them. No plugin is chosen. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { api as operationsOf } from "../generated/index.ts"
import type { JsonObject } from "../runtime/base/json.ts"
import type { User } from "../runtime/base/user.ts"
import { inProcessClient } from "../runtime/client/in-process-client.ts"
import { createCertificateRequest, createSigningPair } from "./support/certificates.ts"
import { createHttpClient, type HttpClient } from "./support/http-client.ts"
import { adminToken, everyVersion, type InProcess, startInProcess } from "./support/in-process.ts"

const group = "certificates.k8s.io"
const path = `/apis/${group}/v1/certificatesigningrequests`
const types = {
  PUT: "application/json",
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const
type Way = keyof typeof types
const ways = Object.keys(types) as Way[] // Its own keys.

/** Signers on which each user has both verbs. */
const rights: Readonly<Record<string, readonly string[]>> = {
  nobody: [],
  exact: ["example.com/mine"],
  domain: ["example.com/*"],
  other: ["example.org/*", "example.com/min", "*", "example.com"],
}
const users: User[] = Object.keys(rights).map((name) => ({ name, groups: ["system:authenticated"], extra: {} }))
const admin: User = { name: "admin", groups: ["system:masters"], extra: {} }

let at: InProcess
let http: HttpClient
let certificate: string
beforeAll(async () => {
  certificate = Buffer.from((await createSigningPair()).certificate).toString("base64")
  at = await startInProcess({ store: "memory", vendor: "kubernetes", authorizationModes: ["RBAC"], users, ...everyVersion })
  http = createHttpClient({ protocol: "http1", port: at.port, authority: at.authority })
  const { clusterroles, clusterrolebindings } = operationsOf(inProcessClient(at.server.parts, admin)).rbac.v1
  for (const { name } of users) {
    const resources = ["certificatesigningrequests", "certificatesigningrequests/approval", "certificatesigningrequests/status"]
    const writes = { verbs: ["create", "get", "update", "patch"], apiGroups: [group], resources: [...resources, "clustertrustbundles"] }
    const signers = {
      verbs: ["approve", "sign", "attest"],
      apiGroups: [group],
      resources: ["signers"],
      resourceNames: [...(rights[name] ?? [])],
    }
    await clusterroles.create({ metadata: { name }, rules: signers.resourceNames.length === 0 ? [writes] : [writes, signers] })
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name }
    await clusterrolebindings.create({
      metadata: { name },
      roleRef,
      subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name }],
    })
  }
})
afterAll(async () => {
  http?.close()
  await at?.stop()
})

interface Answer {
  readonly status: number
  readonly object: { readonly message?: string; readonly metadata?: JsonObject; readonly status?: JsonObject }
}

async function send(token: string, method: string, where: string, body: object, type = "application/json"): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, "content-type": type }
  const answer = await http.send({ method, path: where, headers, body: Buffer.from(JSON.stringify(body)) })
  return { status: answer.status, object: JSON.parse(answer.body.toString()) }
}

let count = 0
/** Returns the name of a new request. */
async function asked(token: string, subject: string, signerName: string): Promise<Answer & { readonly name: string }> {
  const name = `r${count++}`
  const { request } = await createCertificateRequest(subject)
  const spec = { request, signerName, usages: ["client auth"] }
  return { name, ...(await send(token, "POST", path, { metadata: { name }, spec })) }
}

/** Writes a status through a sub-resource. */
async function write(
  token: string,
  way: Way,
  place: { name: string; subresource: string; query?: string },
  status: JsonObject,
): Promise<Answer> {
  const { name, subresource, query = "" } = place
  const where = `${path}/${name}/${subresource}?fieldManager=test${way === "apply" ? "&force=true" : ""}${query}`
  const found = await send(token, "PATCH", `${path}/${name}?dryRun=All`, {}, types.merge)
  const bodies: Readonly<Record<Way, object>> = {
    PUT: { ...found.object, status: { ...found.object.status, ...status } },
    merge: { status },
    strategic: { status },
    json: [{ op: "add", path: "/status", value: { ...found.object.status, ...status } }],
    apply: { apiVersion: `${group}/v1`, kind: "CertificateSigningRequest", metadata: { name }, status },
  }
  return send(token, way === "PUT" ? "PUT" : "PATCH", where, bodies[way], types[way])
}

const decided = (type: string): JsonObject => ({ conditions: [{ type, status: "True", reason: "Test", message: "m" }] })
const refusal = (name: string, why: string): object => ({
  status: 403,
  object: { message: `certificatesigningrequests.certificates.k8s.io "${name}" is forbidden: ${why}`, reason: "Forbidden" },
})

describe.each(ways)("with %s", (way) => {
  it.each(["Approved", "Denied"])("needs the verb approve on the signer to write %s", async (type) => {
    const why = 'user not permitted to approve requests with signerName "example.com/mine"'
    for (const query of ["&dryRun=All", ""]) {
      const { name } = await asked(adminToken, "CN=alice", "example.com/mine")
      for (const token of ["nobody", "other"])
        expect(await write(token, way, { name, subresource: "approval", query }, decided(type)), token).toMatchObject(refusal(name, why))
      for (const token of ["exact", "domain"])
        expect(await write(token, way, { name, subresource: "approval", query }, decided(type)), token).toMatchObject({ status: 200 })
    }
  })

  it("needs the verb sign on the signer to write a certificate or a condition", async () => {
    const why = 'user not permitted to sign requests with signerName "example.com/mine"'
    const { name } = await asked(adminToken, "CN=alice", "example.com/mine")
    const place = { name, subresource: "status" }
    for (const status of [{ certificate }, decided("Failed"), decided("Other")]) {
      for (const query of ["&dryRun=All", ""])
        for (const token of ["nobody", "other"])
          expect(await write(token, way, { ...place, query }, status), token).toMatchObject(refusal(name, why))
      for (const token of ["exact", "domain"])
        expect(await write(token, way, { ...place, query: "&dryRun=All" }, status), token).toMatchObject({ status: 200 })
    }
    expect(await write("exact", way, place, { certificate })).toMatchObject({ status: 200, object: { status: { certificate } } })
  })
})

it("asks for approve whatever a write of /approval changes, and for sign only for certificate and conditions", async () => {
  const { name } = await asked(adminToken, "CN=alice", "example.com/mine")
  const why = 'user not permitted to approve requests with signerName "example.com/mine"'
  expect(await write("nobody", "merge", { name, subresource: "approval" }, {})).toMatchObject(refusal(name, why))
  expect(await write("nobody", "merge", { name, subresource: "status" }, {})).toMatchObject({ status: 200 })
  const labels = await send("nobody", "PATCH", `${path}/${name}/status`, { metadata: { labels: { a: "b" } } }, types.merge)
  expect(labels.status).toBe(200)
})

it("says first what is wrong with the object", async () => {
  const { name } = await asked(adminToken, "CN=alice", "example.com/mine")
  expect(
    (await write("nobody", "merge", { name, subresource: "approval" }, { conditions: [{ type: "Approved", status: "No" }] })).status,
  ).toBe(422)
  expect((await write("nobody", "merge", { name, subresource: "status" }, { certificate: "eA==" })).status).toBe(422)
})

describe("the group system:masters", () => {
  const signer = "kubernetes.io/kube-apiserver-client"
  const why = `use of ${signer} signer with system:masters group is not allowed`

  it.each(["O=system:masters, CN=mallory", "O=dev+O=system:masters, CN=mallory", "CN=mallory, O=dev, O=system:masters"])(
    "is in no request for a client certificate: %s",
    async (subject) => {
      for (const token of ["nobody", adminToken]) {
        const answer = await asked(token, subject, signer)
        expect(answer).toMatchObject(refusal(answer.name, why))
      }
    },
  )

  it("may be asked for elsewhere, and other groups here", async () => {
    expect((await asked("nobody", "O=system:masters, CN=mallory", "example.com/mine")).status).toBe(201)
    expect((await asked("nobody", "O=system:master, CN=system:masters", signer)).status).toBe(201)
  })

  it("is refused to an apply that creates, and to a dry run", async () => {
    const { request } = await createCertificateRequest("O=system:masters, CN=mallory")
    const spec = { request, signerName: signer, usages: ["client auth"] }
    const body = { apiVersion: `${group}/v1`, kind: "CertificateSigningRequest", metadata: { name: "applied" }, spec }
    expect(await send(adminToken, "PATCH", `${path}/applied?fieldManager=test`, body, types.apply)).toMatchObject(refusal("applied", why))
    expect(await send(adminToken, "POST", `${path}?dryRun=All`, body)).toMatchObject(refusal("applied", why))
  })

  it("is not hidden in a subject of many names", async () => {
    const many = Array.from({ length: 2000 }, (_, index) => `O=g${index}`).join(", ")
    const answer = await asked("nobody", `${many}, CN=a`, signer)
    expect(answer).toMatchObject({ status: 403, object: { message: expect.stringContaining("failed to parse CSR: the subject has") } })
  })
})

it("programs in the process need the rights of their user", async () => {
  const { name } = await asked(adminToken, "CN=alice", "example.com/mine")
  const as = (user: string) =>
    operationsOf(inProcessClient(at.server.parts, { name: user, groups: [], extra: {} })).certificates.v1.certificatesigningrequests
  const status = { conditions: [{ type: "Approved", status: "True" as const, reason: "Test" }] }
  const found = await as("exact").get(name)
  await expect(as("nobody").approval.update({ ...found, status })).rejects.toMatchObject({ code: 403 })
  await as("exact").approval.update({ ...found, status })
})

it("needs the verb attest for a bundle of a signer", async () => {
  const bundles = `/apis/${group}/v1alpha1/clustertrustbundles`
  const name = "example.com:mine:a"
  const pem = Buffer.from(certificate, "base64").toString()
  const body = { metadata: { name }, spec: { signerName: "example.com/mine", trustBundle: pem } }
  const why = {
    status: 403,
    object: {
      message: `clustertrustbundles.certificates.k8s.io "${name}" is forbidden: user not permitted to attest for signerName "example.com/mine"`,
    },
  }
  expect(await send("nobody", "POST", bundles, body)).toMatchObject(why)
  expect((await send("domain", "POST", bundles, body)).status).toBe(201)
  const labels = { metadata: { labels: { a: "b" } } }
  expect(await send("other", "PATCH", `${bundles}/${name}`, labels, types.merge)).toMatchObject(why)
  expect((await send("other", "PATCH", `${bundles}/${name}`, { metadata: { finalizers: ["a.b/c"] } }, types.merge)).status).toBe(200)
  expect((await send("exact", "PATCH", `${bundles}/${name}`, labels, types.merge)).status).toBe(200)
  expect((await send("nobody", "POST", bundles, { metadata: { name: "a" }, spec: { trustBundle: pem } })).status).toBe(201)
})
