/**
 * Header fields with credentials and names of users, in every combination and damaged: the user is the one that the
 * right field names, or there is none.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { Agent, request } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { SeededRandom } from "../../sim/world/random.ts"
import { makeCertificate } from "../../support/client-certificates.ts"
import { nonEmpty } from "../objects.ts"
import { nearly } from "../texts.ts"
import { startAccessServer } from "./server.ts"
import type { Sort } from "./sort.ts"

const token = "token-of-jane"
const encodedToken = Buffer.from(token).toString("base64url")
const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
const review = '{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}'
const charactersMax = 3000

type Fields = readonly (readonly [name: string, value: string])[]

const values: Readonly<Record<string, readonly string[]>> = {
  authorization: [
    `Bearer ${token}`,
    `bearer ${token} x`,
    `Bearer  ${token}`,
    `Basic ${token}`,
    token,
    `Bearer ${token}x`,
    `Token ${token}`,
  ],
  "x-remote-user": ["root", "system:admin", ""],
  "x-remote-group": ["system:masters", "devs"],
  "x-remote-extra-scopes": ["all"],
  "impersonate-user": ["root", "system:serviceaccount:a:b", ""],
  "impersonate-group": ["system:masters"],
  "impersonate-uid": ["0"],
  "impersonate-extra-a%2fb": ["c"],
  "sec-websocket-protocol": [`base64url.bearer.authorization.k8s.io.${encodedToken}, x`],
  upgrade: ["websocket"],
  connection: ["upgrade", "x-remote-user", "close"],
  cookie: [`token=${token}`],
  "proxy-authorization": [`Bearer ${token}`],
  "x-forwarded-for": ["127.0.0.1"],
  "x-forwarded-user": ["root"],
}

export const headers: Sort = async () => {
  const folder = mkdtempSync(join(tmpdir(), "fuzz-headers-"))
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const proxies = await makeCertificate({ subject: "CN=proxies", authority: true })
  const front = await makeCertificate({ subject: "CN=front", issuer: proxies })
  const server = await startAccessServer({
    "authorization-mode": ["ABAC"],
    "authorization-policy-file": file(
      "policies",
      '{"user": "jane", "nonResourcePath": "*", "resource": "selfsubjectreviews", "apiGroup": "*"}\n{"group":"system:authenticated","resource":"selfsubjectreviews","apiGroup":"*"}\n',
    ),
    "token-auth-file": file("tokens.csv", `${token},jane,1\n`),
    "requestheader-client-ca-file": file("proxies.crt", proxies.certificate),
    "requestheader-allowed-names": ["front"],
    "requestheader-username-headers": ["X-Remote-User"],
    "requestheader-group-headers": ["X-Remote-Group"],
    "requestheader-extra-headers-prefix": ["X-Remote-Extra-"],
  })
  const plain = new Agent({ ca: server.authority, keepAlive: true })
  const asProxy = new Agent({ ca: server.authority, keepAlive: true, cert: front.certificate, key: front.key })
  return {
    async take(random) {
      const isProxy = random.chance(0.3)
      const fields = drawn(random)
      const { status, body } = await asked(server.port, isProxy ? asProxy : plain, fields)
      return judge({ status, body, fields, isProxy })
    },
    async stop() {
      plain.destroy()
      asProxy.destroy()
      await server.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

function drawn(random: SeededRandom): Fields {
  const names = nonEmpty(Object.keys(values))
  return Array.from({ length: 1 + random.integer(5) }, () => {
    const name = random.pick(names)
    const good = nonEmpty(values[name] ?? [""])
    const value = random.chance(0.4) ? random.pick(good) : nearly(random, good, charactersMax)
    // Node's client refuses to send other characters.
    return [name, value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "")] as const
  })
}

async function asked(port: number, agent: Agent, fields: Fields): Promise<{ status: number; body: string }> {
  return new Promise((resolve) => {
    const all = ["Host", "127.0.0.1", "Content-Type", "application/json", "Content-Length", String(review.length), ...fields.flat()]
    const outgoing = request({ host: "127.0.0.1", port, agent, method: "POST", path, headers: all }, (incoming) => {
      let body = ""
      incoming.setEncoding("utf8").on("data", (piece: string) => {
        body += piece
      })
      incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, body }))
      incoming.on("error", () => resolve({ status: 0, body }))
    })
    outgoing.on("upgrade", (_incoming, socket) => {
      socket.destroy()
      resolve({ status: 101, body: "" })
    })
    outgoing.on("error", () => resolve({ status: 0, body: "" }))
    // As bytes: node writes the head in the encoding of a text.
    outgoing.end(Buffer.from(review))
  })
}

/** Exported so that its own mistakes can be tried. */
export function judge(told: { status: number; body: string; fields: Fields; isProxy: boolean }): string | undefined {
  const { status, body, fields, isProxy } = told
  if (status === 500 && !/^Internal Server Error: "\/apis/.test(body)) return `500 for ${JSON.stringify(fields)}: ${body.slice(0, 300)}`
  if (status !== 201) return undefined
  const { status: answer }: { status: { userInfo: { username: string; groups: readonly string[] } } } = JSON.parse(body)
  const { username, groups } = answer.userInfo
  const named = fields.find(([name]) => name === "authorization")?.[1] ?? ""
  const isAmongProtocols = fields.some(([name, value]) => name === "sec-websocket-protocol" && value.includes(encodedToken))
  const isJane = username === "jane" && (/^\s*Bearer token-of-jane( |$)/i.test(named) || isAmongProtocols)
  const user = fields.find(([name, value]) => name === "x-remote-user" && value.trim() !== "")?.[1].trim()
  // A member of system:masters, by the proxy's fields, acts as any user.
  const isMaster = fields.some(([name, value]) => name === "x-remote-group" && value.trim() === "system:masters")
  const isActing = isMaster && fields.some(([name, value]) => name === "impersonate-user" && value.trim() === username)
  const isVouched = isProxy && user !== undefined && (username === user || isActing)
  const isRight = isJane ? !groups.includes("system:masters") : isVouched
  return isRight ? undefined : `${username} (${groups.join()}) ${isProxy ? "through a proxy" : ""} for ${JSON.stringify(fields)}`
}
