/** Draws cases by number: the same for the same seed, on every machine. */
import { encodeTrailers } from "../../runtime/http2/header-encoder.ts"
import { frameOf, settingsFrame } from "../../runtime/http2/frame-output.ts"
import { frameType } from "../../runtime/http2/protocol.ts"
import { createRandom, type SeededRandom } from "../sim/world/random.ts"
import { encodeCompact } from "../api/harness/encoding.ts"
import type { BackendCase, BytesCase, FuzzCase, RequestCase } from "./case.ts"
import { fuzzedKinds, type KindOfFuzz, nonEmpty, objectOf } from "./objects.ts"
import { definitionCase } from "./definitions.ts"
import { hostileText, manyParts, mutated, nearly, runOf } from "./texts.ts"

/** Characters of the longest header or parameter: the limit of a head, less its other content. */
const headCharactersMax = 200_000
/** Bytes of the longest body; the limit is 3 MiB. */
const bodyBytesMax = 3_000_000

const selectors = ["a=b,c!=d", "a in (b,c),!d", "x>5", "app.kubernetes.io/name=x"]
/** Query parameters with meaningful values. */
export const parameters: Readonly<Record<string, readonly string[]>> = {
  labelSelector: selectors,
  fieldSelector: ["metadata.name=a,metadata.namespace!=b", "spec.nodeName=", "status.phase in (a,b)"],
  sortBy: [".metadata.name,-.metadata.labels['a.b/c']", "{.spec.containers[0].image}"],
  continue: ["AAAA", "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ"],
  resourceVersion: ["0", "1", "18446744073709551615"],
  resourceVersionMatch: ["Exact", "NotOlderThan"],
  limit: ["1", "500", "-1"],
  timeoutSeconds: ["0", "1", "99999999999999999999"],
  timeout: ["1s", "1h1m", "0.000001h"],
  fieldManager: ["m"],
  fieldValidation: ["Strict", "Warn", "Ignore"],
  dryRun: ["All", ""],
  gracePeriodSeconds: ["0", "-1"],
  propagationPolicy: ["Foreground", "Orphan"],
  pretty: ["1", "true"],
  includeObject: ["Object", "None"],
  allowWatchBookmarks: ["true"],
  sendInitialEvents: ["true"],
  fieldSelectorSyntax: ["extended"],
  count: ["true"],
  force: ["true"],
}
/** Header fields with meaningful values. */
export const headers: Readonly<Record<string, readonly string[]>> = {
  accept: [
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "a/b  c",
    "application/json;as=Table;g=meta.k8s.io;v=v1,*/*",
  ],
  "accept-encoding": ["gzip, deflate"],
  "content-type": ["application/json; charset=utf-8", "application/yaml"],
  "user-agent": ["kubectl/v1.30 (linux)"],
  origin: ["https://a.example"],
  "if-none-match": ['W/"a", "b"', "*"],
  "audit-id": ["x"],
  "x-forwarded-for": ["10.0.0.1, 10.0.0.2"],
  "x-remote-user": ["u"],
  cookie: ["a=b; c=d"],
  "sec-websocket-protocol": ["base64url.bearer.authorization.k8s.io.dA, v5.channel.k8s.io"],
  authorization: ["Bearer  x", "Basic YTpi"],
  impersonate: ["x"],
}
const patchTypes = nonEmpty([
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
])

/** The subject of the cases; default: everything. */
export type Topic = "definitions"

/** Draws cases from the kinds of one server. */
export class Drawer {
  private constructor(
    private readonly kinds: [KindOfFuzz, ...KindOfFuzz[]],
    private readonly topic: Topic | undefined,
  ) {}

  static async make(topic?: Topic): Promise<Drawer> {
    return new Drawer(nonEmpty(await fuzzedKinds()), topic)
  }

  async draw(seed: number, number: number): Promise<FuzzCase> {
    const random = createRandom(seed, String(number))
    if (this.topic === "definitions" || random.chance(0.25)) return definitionCase(seed, random)
    const choice = random.integer(100)
    if (choice < 12) return this.withHeader(random)
    if (choice < 30) return this.withQuery(random)
    if (choice < 50) return this.withObject(random)
    if (choice < 64) return this.withPatch(random)
    if (choice < 70) return this.withText(random)
    if (choice < 76) return this.ofPath(random)
    if (choice < 84) return http1Bytes(random)
    if (choice < 93) return http2Bytes(random)
    return backendCase(random)
  }

  private collection(random: SeededRandom): string {
    return random.pick(this.kinds).collection
  }

  private withHeader(random: SeededRandom): RequestCase {
    const name = random.pick(nonEmpty(Object.keys(headers)))
    const value = nearly(random, headers[name] ?? [], headCharactersMax)
    // A field can neither contain its terminator nor begin or end with a blank.
    const sound = [...value]
      .filter((character) => character >= " " && character <= "\u00ff")
      .join("")
      .trim()
    return {
      type: "request",
      protocol: random.pick(["http1", "http2"]),
      method: "GET",
      path: random.pick(["/x", "/api", this.collection(random), "/livez"]),
      headers: { ...(random.chance(0.3) && { authorization: "Bearer of-nobody" }), [name]: sound },
    }
  }

  private withQuery(random: SeededRandom): RequestCase {
    const names = nonEmpty(Object.keys(parameters))
    const query = Array.from({ length: 1 + random.integer(3) }, () => {
      const name = random.pick(names)
      const many = name.endsWith("Selector") && random.chance(0.4)
      const value = many
        ? manyParts(random, [(index) => `!k${index}`, (index) => `a!=v${index}`, (index) => `metadata.name!=x${index}`], ",")
        : nearly(random, parameters[name] ?? [], random.chance(0.2) ? headCharactersMax / 3 : 1000)
      return `${name}=${encodeURIComponent(value.toWellFormed())}`.slice(0, headCharactersMax)
    })
    const path = this.collection(random) + random.pick(["", "", "/a", "/a/status"])
    const method = random.pick(["GET", "GET", "GET", "DELETE"])
    const watch = method === "GET" && random.chance(0.3) ? "&watch=1" : ""
    const more = method === "DELETE" ? "&dryRun=All" : ""
    return {
      type: "request",
      protocol: random.pick(["http1", "http2"]),
      method,
      path: `${path}?${query.join("&")}${watch}${more}`,
      headers: { accept: random.pick(nonEmpty(headers["accept"] ?? [])) },
    }
  }

  /** A write of an object, as JSON, YAML or protobuf, sometimes mutated afterwards. */
  private async withObject(random: SeededRandom): Promise<RequestCase> {
    const kind = random.pick(this.kinds)
    const isUpdate = random.chance(0.4)
    const object = objectOf(kind, random, isUpdate ? "a" : `n${random.integer(1000)}`)
    const [media, body] = await encoded(random, object)
    const path = isUpdate ? `${kind.collection}/a` : kind.collection
    const query = random.chance(0.8) ? "?dryRun=All" : ""
    const sent = (random.chance(0.2) ? mutated(random, body) : body).subarray(0, bodyBytesMax)
    return {
      type: "request",
      protocol: random.pick(["http1", "http2"]),
      method: isUpdate ? "PUT" : "POST",
      path: path + query,
      headers: { "content-type": media },
      body: sent,
      chunked: random.chance(0.2),
    }
  }

  private withPatch(random: SeededRandom): RequestCase {
    const kind = random.pick(this.kinds)
    const media = random.pick(patchTypes)
    const object = objectOf(kind, random, "a")
    const value = media === "application/json-patch+json" ? jsonPatch(random, object) : object
    const body = Buffer.from(JSON.stringify(value) ?? "null").subarray(0, bodyBytesMax)
    const apply = media === "application/apply-patch+yaml" ? "&fieldManager=m&force=true" : ""
    return {
      type: "request",
      protocol: random.pick(["http1", "http2"]),
      method: "PATCH",
      path: `${kind.collection}/a${random.pick(["", "", "/status"])}?dryRun=All${apply}`,
      headers: { "content-type": media },
      body: random.chance(0.2) ? mutated(random, body) : body,
    }
  }

  /** A body that is not an object: nested, repeated, aliased, or a run. */
  private withText(random: SeededRandom): RequestCase {
    const media = random.pick(["application/json", "application/yaml", ...patchTypes, "application/vnd.kubernetes.protobuf"])
    const length = random.pick([1000, 60_000, 1_000_000])
    const body = Buffer.from(hostileText(random, length))
    const isPatch = media.includes("patch")
    const path = `${this.collection(random)}${isPatch ? "/a" : ""}?dryRun=All&fieldManager=m`
    return {
      type: "request",
      protocol: random.pick(["http1", "http2"]),
      method: isPatch ? "PATCH" : "POST",
      path,
      headers: { "content-type": media },
      body,
    }
  }

  private ofPath(random: SeededRandom): RequestCase {
    const good = [
      this.collection(random),
      "/apis/apps/v1",
      "/openapi/v3",
      "/api/v1/namespaces/default/pods/backend/proxy/a/../b",
      "/api///x",
      "/version",
    ]
    const text = nearly(random, good, random.chance(0.3) ? headCharactersMax : 500)
    const path = `/${[...text].map((character) => (character > " " && character < "\x7f" && character !== "#" ? character : encodeURIComponent(character.toWellFormed()))).join("")}`
    return {
      type: "request",
      protocol: random.pick(["http1", "http2"]),
      method: random.pick(["GET", "POST", "OPTIONS", "constructor"]),
      path: path.replace(/^\/\//, "/").slice(0, headCharactersMax),
      headers: {},
    }
  }
}

async function encoded(random: SeededRandom, object: Record<string, unknown>): Promise<[string, Buffer]> {
  const json = Buffer.from(JSON.stringify(object))
  const choice = random.integer(4)
  if (choice === 0 && json.length < 1_000_000) return ["application/yaml", random.chance(0.5) ? json : withAliases(random, object)]
  if (choice === 1) {
    try {
      return ["application/vnd.kubernetes.protobuf", await encodeCompact(object, "kubernetes")]
    } catch {
      // Values that protobuf cannot encode.
    }
  }
  return ["application/json", json]
}

/** A long text once, and aliases of it in many places. */
function withAliases(random: SeededRandom, object: Record<string, unknown>): Buffer {
  const long = "x".repeat(random.pick([100, 10_000, 300_000]))
  const count = random.pick([10, 1000, 20_000])
  const metadata = `metadata: {name: aliases, annotations: {a: &x "${long}"${Array.from({ length: count }, (_, index) => `, k${index}: *x`).join("")}}}`
  return Buffer.from(`apiVersion: ${String(object["apiVersion"])}\nkind: ${String(object["kind"])}\n${metadata}\n`).subarray(0, 1_000_000)
}

function jsonPatch(random: SeededRandom, object: Record<string, unknown>): unknown {
  const count = random.pick([1, 5, 500, 5000])
  const paths = [
    "/metadata/labels/a",
    "/metadata/finalizers/0",
    "/metadata/finalizers/-",
    "/spec",
    "/data/k",
    "",
    "/metadata/annotations/x~1y",
  ]
  return Array.from({ length: count }, (_, index) => {
    const op = random.pick(["add", "add", "remove", "replace", "move", "copy", "test", "frob"])
    const path = random.chance(0.1) ? `/${runOf(random, 1000)}` : random.pick(nonEmpty(paths))
    return {
      op,
      path,
      from: random.pick(nonEmpty(paths)),
      value: index === 0 ? object["metadata"] : random.pick<unknown>(["x", 1, null, ["a"], {}]),
    }
  })
}

const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
const head = { ":method": "GET", ":scheme": "https", ":authority": "127.0.0.1", ":path": "/livez" }

/**
 * HTTP/2 frames: a valid beginning, then frames of any kind, with valid and with random content, on open and closed
 * streams.
 */
function http2Bytes(random: SeededRandom): BytesCase {
  const writes = [Buffer.concat([preface, settingsFrame(random.chance(0.3) ? [[4, random.pick([0, 1, 2 ** 31 - 1])]] : [])])]
  const many = random.chance(0.2)
  const count = many ? 3000 : 1 + random.integer(30)
  const kind = random.integer(11)
  let stream = 1
  for (let index = 0; index < count; index++) {
    const type = many ? kind : random.integer(11)
    const streamId = random.chance(0.7) ? stream : random.pick([0, 1, 2, stream + 2, 2 ** 31 - 1])
    writes.push(Buffer.from(frameOf({ type, flags: random.pick([0, 1, 4, 5, 0xff]), streamId }, payloadOf(random, type))))
    if (type === frameType.headers) stream += 2
  }
  const together = random.chance(0.5) ? [Buffer.concat(writes)] : writes
  return { type: "bytes", protocol: "http2", writes: random.chance(0.2) ? together.map((one) => mutated(random, one)) : together }
}

function payloadOf(random: SeededRandom, type: number): Uint8Array {
  if (type === frameType.headers && random.chance(0.7)) {
    const more = random.chance(0.3)
      ? { [random.pick(["accept", "x", "content-length", "te"])]: nearly(random, ["trailers", "1"], 10_000).replace(/[^\x20-\x7e]/g, "") }
      : {}
    return encodeTrailers({ ...head, ":path": random.pick(["/livez", "/api", "/x", "*"]), ...more }).subarray(0, 16_000)
  }
  if (type === frameType.windowUpdate) return Buffer.from([random.integer(256), 255, 255, random.integer(256)])
  if (type === frameType.settings) return random.bytes(random.pick([0, 6, 12, 5]))
  if (type === frameType.ping) return random.bytes(8)
  if (type === frameType.data) return Buffer.alloc(random.pick([0, 1, 16_000]))
  return random.bytes(random.pick([0, 4, 5, 100]))
}

/** Heads and chunked bodies that are almost valid. */
function http1Bytes(random: SeededRandom): BytesCase {
  const line = random.pick([
    "GET /livez HTTP/1.1",
    "POST /api/v1/namespaces/default/configmaps HTTP/1.1",
    "PRI * HTTP/2.0",
    "GET http://h/x HTTP/1.1",
    "OPTIONS * HTTP/1.1",
  ])
  const name = random.pick(["Host", "Accept", "X", "Transfer-Encoding", "Content-Length", "Connection", "Upgrade", "Expect"])
  const values = ["127.0.0.1", "chunked", "5", "Upgrade, close", "websocket", "100-continue", "gzip, chunked", "a, b"]
  const fields = Array.from(
    { length: random.pick([1, 3, 1999]) },
    () => `${name}: ${nearly(random, values, random.chance(0.1) ? 60_000 : 20)}`,
  )
  const text = `${line}\r\nHost: 127.0.0.1\r\n${fields.join("\r\n")}\r\n\r\n${random.pick(["", "5\r\nhello\r\n0\r\n\r\n", "fffffffffffffffff\r\n", "1;x=y\r\na\r\n".repeat(5000), "0\r\nX: y\r\n\r\n"])}`
  const bytes = Buffer.from(text.slice(0, 600_000), "latin1")
  const all = random.chance(0.4) ? mutated(random, bytes) : bytes
  const cut = random.integer(all.length + 1)
  return { type: "bytes", protocol: "http1", writes: [all.subarray(0, cut), all.subarray(cut)] }
}

function backendCase(random: SeededRandom): BackendCase {
  const type = random.pick([
    "text/html",
    "text/html; charset=utf-8",
    "text/plain",
    "application/json",
    runOf(random, 1000).replace(/[^\x21-\x7e]/g, "x"),
  ])
  const html = random.pick([
    "<a",
    "<a href=",
    '<a href="/x">',
    "<a href='",
    '<a "',
    "<img src=/y ",
    "&lt;",
    "<!--",
    "<script>",
    runOf(random, 50),
  ])
  const body = html.repeat(Math.ceil(random.pick([100, 70_000, 300_000]) / html.length))
  const framing = random.pick([
    "",
    "Transfer-Encoding: chunked\r\n",
    `Content-Length: ${body.length}\r\n`,
    "Content-Length: 5\r\n",
    "Content-Length: x\r\n",
  ])
  const field = `${random.pick(["X", "Location", "Set-Cookie", "Content-Encoding", "Connection"])}: ${nearly(random, ["/x", "gzip", "http://10.0.0.1/y"], 5000).replace(/[^\x20-\xff]/g, "")}\r\n`
  const status = random.pick(["200 OK", "200 OK", "302 Found", "101 Switching Protocols", "999 x", "0 x", "204 No Content"])
  const answer = [
    Buffer.from(`HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\n${framing}${field}\r\n`, "latin1"),
    Buffer.from(framing.startsWith("Transfer") ? `${body.length.toString(16)}\r\n${body}\r\n` : body, "latin1"),
  ]
  const whole = random.chance(0.2) ? answer.map((one) => mutated(random, one)) : answer
  const place = random.pick([
    "proxy/a",
    "proxy/",
    "log?insecureSkipTLSVerifyBackend=true",
    "log?insecureSkipTLSVerifyBackend=true&follow=true",
    "proxy/a/../../b",
  ])
  return { type: "backend", path: `/api/v1/namespaces/default/pods/backend/${place}`, answer: whole, endless: random.chance(0.2) }
}
