/**
 * The built program at its highest verbosity, with every authenticator, a web hook of each sort, and audit. Each secret
 * that it gets is a canary. The machines that it asks fail, and repeat the requests that they got.
 */
import { generateKeyPairSync, randomBytes, webcrypto } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { join } from "node:path"
import { exportJWK, SignJWT } from "jose"
import { onTestFinished } from "vitest"
import { buildBundle } from "../../scripts/freshness.mjs"
import { startBackend } from "../support/backend.ts"
import { createTestAuthority } from "../support/certificates.ts"
import { type Made, makeCertificate } from "../support/client-certificates.ts"
import { newFolder, type Program, startWith } from "../support/program.ts"
import { hookKubeconfig } from "../support/web-hook.ts"
import { Canaries } from "./canaries.ts"

export interface CanaryServer {
  readonly canaries: Canaries
  readonly program: Program
  /** PEM of the server's authority. */
  readonly authority: string
  readonly dataDir: string
  readonly auditLog: string
  /** Tokens of an administrator: one from a file, one from the data folder. */
  readonly adminToken: string
  readonly ownToken: string
  /** Certificates: of a user, of a proxy, and of an unknown authority. */
  readonly user: Made
  readonly proxy: Made
  readonly stranger: Made
  /** An ID token for the server, or for another. */
  idToken(audience: string): Promise<string>
  /** A token of a Secret. */
  accountToken(claims: Readonly<Record<string, unknown>>): Promise<string>
  /** Calls of the web hooks: path and authorization. */
  readonly asked: readonly { readonly path: string; readonly authorization: string }[]
  /** Texts of reports that node made of the process. */
  reports(): readonly string[]
}

const policy = `
apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: Metadata
  resources:
  - {group: "", resources: [secrets, serviceaccounts/token]}
  - {group: authentication.k8s.io, resources: [tokenreviews]}
  - {group: certificates.k8s.io}
- level: RequestResponse
`

/** Called within a test, which ends everything. `more`: further options of the program. */
export async function startCanaryServer(more: readonly string[] = []): Promise<CanaryServer> {
  await buildBundle()
  const canaries = new Canaries()
  const folder = newFolder()
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const machines = await startMachines()
  const certificates = await makeCertificates()
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const accountKey = privateKey.export({ format: "pem", type: "pkcs8" }).toString()
  canaries.add("the key of service accounts", keyTextOf(accountKey))
  for (const [name, made] of Object.entries(certificates)) canaries.add(`the key of the ${name}`, keyTextOf(made.key))
  const adminToken = canaries.make("a listed token")
  const hook = (name: string, user: object): string =>
    file(
      `${name}.kubeconfig`,
      hookKubeconfig({ server: `https://127.0.0.1:${machines.port}/${name}`, authority: machines.authority, user }),
    )
  const hookPair = certificates.user
  const dataDir = join(folder, "data")
  const reportDir = join(folder, "reports")
  mkdirSync(reportDir)
  mkdirSync(dataDir, { mode: 0o700 })
  const ownToken = randomBytes(32).toString("hex")
  writeFileSync(join(dataDir, "admin.token"), `${ownToken}\n`, { mode: 0o600 })
  const auditLog = join(folder, "audit.log")
  const packet = file("packet", `Authorization: Bearer ${canaries.make("a token in a fault of node")}`)
  const program = await startWith(
    { NODE_OPTIONS: nodeOptions(reportDir, packet) },
    dataDir,
    ...[
      ...["--vendor=kubernetes", "-v=10", "--logging-format=json", "--authorization-mode=RBAC,Webhook", "--anonymous-auth=true"],
      ...["--proxy-allowed-cidrs=127.0.0.0/8", "--enable-bootstrap-token-auth=true", "--service-account-issuer=https://issuer.example.com"],
      `--token-auth-file=${file("tokens.csv", `${adminToken},admin,1,system:masters\n${canaries.make("a token of the list")},jane,2\n`)}`,
      `--client-ca-file=${file("clients.crt", certificates.authority.certificate)}`,
      `--requestheader-client-ca-file=${file("proxies.crt", certificates["authority of proxies"].certificate)}`,
      ...["--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group"],
      `--service-account-signing-key-file=${file("accounts.key", accountKey)}`,
      `--service-account-key-file=${join(folder, "accounts.key")}`,
      ...[`--oidc-issuer-url=https://127.0.0.1:${machines.port}`, "--oidc-client-id=cluster"],
      `--oidc-ca-file=${file("machines.crt", machines.authority)}`,
      `--authentication-token-webhook-config-file=${hook("tokens", { token: canaries.make("the token for the hook of tokens") })}`,
      "--authentication-token-webhook-version=v1",
      `--authorization-webhook-config-file=${hook("access", { username: "server", password: canaries.make("the password for the hook of access") })}`,
      `--audit-webhook-config-file=${hook("audit", { tokenFile: file("audit.token", canaries.make("the token for the hook of audit")), "client-certificate-data": base64(hookPair.certificate), "client-key-data": base64(hookPair.key) })}`,
      ...["--audit-webhook-batch-max-wait=0s", "--audit-webhook-initial-backoff=1ms"],
      ...[`--audit-policy-file=${file("policy.yaml", policy)}`, `--audit-log-path=${auditLog}`],
      ...more,
    ],
  )
  await program.said(/"ready"/)
  await program.said(/the configuration of the identity provider was read/)
  for (const { name, text } of secretFilesIn(dataDir)) canaries.add(name, text)
  return {
    ...{ canaries, program, dataDir, auditLog, adminToken, ownToken, asked: machines.asked },
    ...{ user: certificates.user, proxy: certificates.proxy, stranger: certificates.stranger },
    authority: readFileSync(join(dataDir, "pki/ca.crt"), "utf8"),
    idToken: (audience) => machines.idToken(audience),
    accountToken: (claims) =>
      new SignJWT({ iss: "kubernetes/serviceaccount", ...claims }).setProtectedHeader({ alg: "ES256" }).sign(privateKey),
    reports: () => readdirSync(reportDir).map((name) => readFileSync(join(reportDir, name), "utf8")),
  }
}

/** Files that the server keeps for itself beside the store: `admin.token` and keys. Each is a canary with its name. */
export function secretFilesIn(dataDir: string): readonly { readonly name: string; readonly text: string }[] {
  return readdirSync(dataDir, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(key|token)$/.test(name))
    .map((name) => {
      const text = readFileSync(join(dataDir, name), "utf8").trim()
      return { name, text: text.startsWith("-----BEGIN") ? keyTextOf(text) : text }
    })
}

/**
 * On SIGUSR2, node writes a report. SIGWINCH plants a fault whose error has the properties of node's errors: the packet
 * that could not be parsed, the text that is no address.
 */
function nodeOptions(reportDir: string, packet: string): string {
  const planted = [
    'import { readFileSync } from "node:fs"',
    `const rawPacket = readFileSync(${JSON.stringify(packet)})`,
    'process.on("SIGWINCH", () => { throw Object.assign(new Error("planted"), { rawPacket, input: String(rawPacket) }) })',
  ].join(";")
  return `--report-on-signal --report-directory=${reportDir} --import=data:text/javascript,${encodeURIComponent(planted)}`
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64")
}

/** The middle of a PEM text, in one line of it. */
function keyTextOf(pem: string): string {
  return pem.split("\n")[1] ?? ""
}

async function makeCertificates() {
  const authority = await makeCertificate({ subject: "CN=clients", authority: true })
  const proxies = await makeCertificate({ subject: "CN=proxies", authority: true })
  const others = await makeCertificate({ subject: "CN=others", authority: true })
  return {
    authority,
    "authority of proxies": proxies,
    user: await makeCertificate({ subject: "CN=alice", issuer: authority }),
    proxy: await makeCertificate({ subject: "CN=front", issuer: proxies }),
    stranger: await makeCertificate({ subject: "CN=stranger", issuer: others }),
  }
}

/** The provider and the hooks on one port. The hooks repeat the credentials and bodies of requests in their answers. */
async function startMachines() {
  const authority = await createTestAuthority("machines")
  const pair = { ...(await authority.issue()), authority: authority.certificate }
  const asked: { path: string; authorization: string }[] = []
  const rsa = { name: "RSASSA-PKCS1-v1_5", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" }
  const { privateKey, publicKey } = await webcrypto.subtle.generateKey(rsa, true, ["sign", "verify"])
  const jwk = { ...(await exportJWK(publicKey)), kid: "k", alg: "RS256", use: "sig" }
  const backend = await startBackend({
    pair,
    answer(request, response) {
      const { url = "" } = request
      const issuer = `https://127.0.0.1:${backend.port}`
      if (url.startsWith("/.well-known")) return void response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }))
      if (url === "/keys") return void response.end(JSON.stringify({ keys: [jwk] }))
      asked.push({ path: url.split("?")[0] ?? "", authorization: request.headers.authorization ?? "" })
      repeat(request, response, asked.length)
    },
  })
  onTestFinished(() => backend.stop())
  return {
    port: backend.port,
    authority: authority.certificate,
    asked,
    idToken: (audience: string) =>
      new SignJWT({ iss: `https://127.0.0.1:${backend.port}`, aud: audience, sub: "otto", exp: Math.floor(Date.now() / 1000) + 3600 })
        .setProtectedHeader({ alg: "RS256", kid: "k" })
        .sign(privateKey),
  }
}

/** Answers wrongly, each time in another way, with everything that was sent. */
function repeat(request: IncomingMessage, response: ServerResponse, count: number): void {
  let body = ""
  request.setEncoding("utf8").on("data", (piece: string) => {
    body += piece
  })
  request.on("end", () => {
    const sent = `${request.headers.authorization} ${body}`
    const review = body.startsWith("{") ? JSON.parse(body) : {}
    const status = { apiVersion: "v1", kind: "Status", message: sent, code: 403 }
    const answers = [
      () => response.writeHead(403, { "content-type": "text/plain" }).end(sent),
      () =>
        response.end(
          JSON.stringify({ ...review, status: { authenticated: false, allowed: false, error: sent, reason: "no", evaluationError: sent } }),
        ),
      () => response.writeHead(403, { "content-type": "application/json" }).end(JSON.stringify(status)),
      () => response.end(sent),
      () => response.writeHead(302, { location: `https://127.0.0.1/?${encodeURIComponent(sent)}` }).end(sent),
      () => response.writeHead(415).end(sent),
      () => response.end(JSON.stringify({ ...review, status: { authenticated: true, user: { username: 5 } } })),
    ]
    answers[count % answers.length]?.()
  })
}
