/** Allowed imports between parts. Any other import is forbidden; the reason is part of the failure message. */
import type { SourceFile } from "./source.ts"

interface Area {
  /** The files of this area. */
  readonly files: RegExp
  /** Files that they may import, besides each other and packages. */
  readonly mayImport: readonly RegExp[]
  readonly reason: string
}

/** Values and tools that every part may import. */
const base = /^runtime\/base\//
const schema = /^runtime\/schema\//
/** Facts about kinds, for the generator and for definitions that arrive at run time. */
const model = /^model\//
/** The expression language: it knows neither kinds nor a server. */
const cel = /^cel\//
const encoding = /^runtime\/encoding\//
const query = /^runtime\/query\//
/** Handshakes of TLS with other machines. */
const tls = /^runtime\/tls\//
/** The options by name: every part may read its own. */
const options = /^runtime\/options\/table\.ts$/
/** The seams of storage: implementations beyond them can be exchanged. */
const storeContract = /^runtime\/storage\/(store|cache)\.ts$/
/** Files that carry a request, or keep its client's state. */
const exchange = /^runtime\/http\/(client-certificates|exchange|gathered-bytes|kept-bytes|sent-values|time-limits)\.ts$/
/** A request and its connection, as filters and verbs see them. */
const request =
  /^runtime\/(server-parts|http\/(env|upgrade|keepalive|exchange-streams|web-request|web-response)|http\/request\/[a-z-]+)\.ts$/
/** The server's own HTTP/2. Only code that carries requests may import it. */
const http2 = /^runtime\/http2\//
const wire = /^runtime\/wire\//
const registry = /^runtime\/registry\//
/** The schemas' types and shapes of objects, without anything that serves them. */
const generatedTypes = /^generated\/.*\/(types|shape)\.ts$/
/** The objects that a server makes at its start, as data. */
const bootstrapObjects = /^generated\/bootstrap\//
const auth = /^runtime\/(authn|authz)\//
const audit = /^runtime\/audit\//

/** Areas without knowledge of requests and stored objects. */
const ground = [base, schema, encoding, query, exchange]

/** A file belongs to the first area that matches. */
const areas: readonly Area[] = [
  {
    files: http2,
    mayImport: [],
    reason: "HTTP/2 is handed its limits, clock and accounts with the options of a connection",
  },
  { files: cel, mayImport: [base], reason: "expressions are compiled and evaluated without kinds and without I/O" },
  { files: base, mayImport: [], reason: "every part imports these: they import no other part" },
  {
    files: schema,
    mayImport: [base, options, /^runtime\/storage\/store\.ts$/],
    reason: "generated code imports these: they must not draw the server in",
  },
  {
    files: /^runtime\/definitions\//,
    mayImport: [base, schema, encoding, query, cel, generatedTypes],
    reason: "what a definition says of its objects is pure functions over its schema",
  },
  {
    files: /^runtime\/policies\//,
    mayImport: [base, cel],
    reason: "expressions of admission and access are compiled without kinds and without a server",
  },
  { files: encoding, mayImport: [base, schema], reason: "documents are decoded without a server" },
  { files: tls, mayImport: [base, encoding], reason: "a handshake knows neither requests nor who the other end is" },
  { files: query, mayImport: [base, schema, encoding], reason: "a selector is parsed and applied without a server" },
  {
    files: exchange,
    mayImport: [base, /^runtime\/http2\/gathered-bytes\.ts$/],
    reason: "what carries a request knows nothing of its content",
  },
  {
    files: /^runtime\/storage\//,
    mayImport: [base, schema, encoding, query, /^runtime\/tls\/connect\.ts$/],
    reason: "storage must know neither HTTP nor kinds",
  },
  { files: /^runtime\/apply\//, mayImport: [base, schema, encoding, query], reason: "patches are pure: no I/O, no HTTP" },
  { files: wire, mayImport: ground, reason: "encodings must not know what is stored" },
  {
    files: auth,
    mayImport: [...ground, request, options, generatedTypes, cel, tls, /^runtime\/policies\//],
    reason: "authorization works without the registry; its caller provides what it must read",
  },
  {
    files: audit,
    mayImport: [...ground, request, wire, options, auth, /^runtime\/hooks\//],
    reason: "events are made of requests and their bodies: audit knows neither verbs nor the registry",
  },
  {
    files: /^runtime\/behaviours\//,
    mayImport: [
      ...ground,
      storeContract,
      generatedTypes,
      bootstrapObjects,
      /^runtime\/(definitions\/|policies\/|registry\/object-meta\.ts$)/,
      // Rules that both versions of autoscaling share.
      /^generated\/autoscaling\/v2\/horizontal-pod-autoscaler\/validate\.ts$/,
      // Rules that a volume has by itself and inside of an attachment.
      /^generated\/core\/v1\/shared\/persistent-volume-sources\/validate\.ts$/,
    ],
    reason: "a behaviour reads through its deps and never through the registry",
  },
  {
    files: /^runtime\/admission\//,
    mayImport: [generatedTypes, ...ground, request, storeContract, options, auth],
    reason: "admission is called by verbs and registry and imports neither; what plugins must read is handed in",
  },
  {
    files: registry,
    mayImport: [...ground, storeContract, /^runtime\/(behaviours|apply|admission|definitions)\//, /^runtime\/storage\/watch-cache\//],
    reason: "the registry knows neither HTTP nor store drivers",
  },
  {
    files: /^runtime\/filters\//,
    mayImport: [...ground, request, wire, auth, audit, /^runtime\/observability\/(request-counts|in-flight)\.ts$/],
    reason: "a filter passes requests on; it must not reach into verbs or the registry",
  },
  {
    files: /^runtime\/verbs\//,
    mayImport: [
      ...ground,
      request,
      wire,
      registry,
      storeContract,
      /^runtime\/(apply|admission|connect)\//,
      /^runtime\/authz\/authorize\.ts$/,
    ],
    reason: "a verb knows no store driver and no other way into the server; it asks authorizers when a write becomes a creation",
  },
  {
    files: /^runtime\/client\//,
    mayImport: [
      ...ground,
      request,
      wire,
      registry,
      storeContract,
      auth,
      /^runtime\/(verbs\/|filters\/(chain|in-order)\.ts|launch\/author-positions\.ts)/,
    ],
    reason: "a program in the server's process runs the operations of the verbs, and knows neither listeners nor stores",
  },
  {
    files: /^runtime\/connect\//,
    mayImport: [...ground, request, tls],
    reason: "callers of other machines receive their addresses and everything they must read",
  },
  {
    files: /^runtime\/hooks\//,
    mayImport: [base, encoding, tls, /^runtime\/connect\//],
    reason: "a web hook is another machine: its callers know what is asked, and what an answer means",
  },
  {
    files: /^runtime\/observability\//,
    mayImport: [...ground, request, registry, tls],
    reason: "what is measured knows requests and kinds, not how they are answered",
  },
  {
    files: /^runtime\/(discovery|openapi)\//,
    mayImport: [...ground, request, wire, registry, auth, model, /^runtime\/(discovery|openapi|observability)\//],
    reason: "discovery answers from the table of kinds",
  },
  {
    files: /^runtime\/controllers\//,
    mayImport: [
      ...ground,
      wire,
      registry,
      storeContract,
      options,
      generatedTypes,
      bootstrapObjects,
      /^generated\/api\.ts$/,
      /^runtime\/(behaviours|admission|definitions)\//,
      /^runtime\/authz\/(rbac|node)\//,
    ],
    reason: "a controller works on the registry and the typed operations, and knows no HTTP",
  },
  {
    files: /^runtime\/options\//,
    mayImport: [base, schema],
    reason: "options are data; the code that starts the server gives them meaning",
  },
  {
    files: /^runtime\/(server-parts|body-kinds)\.ts$/,
    mayImport: [...ground, request, registry, options, auth, audit, /^runtime\/(connect|hooks|observability)\//],
    reason: "what a request carries is types",
  },
  {
    files: /^runtime\/http\//,
    mayImport: [...ground, request, wire, http2, tls, /^runtime\/authn\/authenticate\.ts$/],
    reason: "the HTTP servers know only that there is an application",
  },
  {
    files: /^runtime\/app\.ts$/,
    mayImport: [...ground, request, wire, registry, storeContract, auth, /^runtime\/(filters|verbs|discovery|observability)\//],
    reason: "the app only orders filters and verbs",
  },
  {
    files: /^runtime\/server\.ts$/,
    mayImport: [
      options,
      /^runtime\/(?!commands|options|launch|library|main)/,
      /^runtime\/launch\/(server-names|data-dir|watch-cache-options|health-checks)\.ts$/,
    ],
    reason: "the composition root knows every part, and not what starts it",
  },
  {
    files: /^runtime\/commands\//,
    mayImport: [/^runtime\//, model, cel, /^generated\/index\.ts$/, /^codegen\/(cli|new|definitions\/to-crd)\.ts$/],
    reason: "commands only start other parts",
  },
  {
    files: /^runtime\/launch\//,
    mayImport: [/^runtime\//, /^generated\/index\.ts$/],
    reason: "a single module passes the generated kinds to the server",
  },
  {
    files: /^runtime\/library\.ts$/,
    mayImport: [/^runtime\//, /^generated\/api\.ts$/],
    reason: "the library gives server.api its types; launch/ gives it its content",
  },
  { files: /^runtime\//, mayImport: [/^runtime\//, model, cel], reason: "only launch/ and commands/ know generated code" },
  {
    files: /^generated\//,
    mayImport: [/^runtime\/schema\/index\.ts$/, /^runtime\/behaviours\/(checks|cells|conversions|warnings)\//],
    reason: "generated code enters by the doorway; a missing piece is a function of runtime/schema",
  },
  { files: /^codegen\/print\//, mayImport: [], reason: "printing knows no model" },
  {
    files: /^model\/openapi\//,
    mayImport: [base, schema, /^model\/[a-z-]+\.ts$/],
    reason: "documents are built for the generator and for definitions that arrive at run time: from the model alone",
  },
  {
    files: model,
    mayImport: [base, schema, encoding, query, cel],
    reason: "the model of a kind knows neither YAML, nor files, nor a server",
  },
  {
    files: /^codegen\/load\//,
    mayImport: [base, schema, encoding, query, model, cel],
    reason: "loading knows nothing of what is emitted",
  },
  { files: /^codegen\/emit\/testing\//, mayImport: [/^codegen\//, model], reason: "fixtures of tests" },
  {
    files: /^codegen\/emit\//,
    mayImport: [base, schema, encoding, query, model, /^codegen\/print\//, /^codegen\/load\/(type-text)\.ts$/],
    reason: "an emitter reads the model and nothing else",
  },
  {
    files: /^codegen\//,
    mayImport: [/^codegen\//, base, schema, model, cel],
    reason: "the generator is a pure function beside the server",
  },
  {
    files: /^bench\//,
    mayImport: [/^(runtime|generated|codegen|model|cel|test\/support)\//],
    reason: "a measurement may use everything but tests",
  },
  { files: /^scripts\//, mayImport: [/^(runtime|generated|codegen|model|cel)\//], reason: "tools may use everything" },
  { files: /^test\//, mayImport: [/./], reason: "" },
]

/** Returns the errors as `file:line imports target: reason`. Tests beside a file may import test/ and anything else. */
export function arrowFaults(sources: readonly SourceFile[]): string[] {
  return sources
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .flatMap((source) => {
      const area = areas.find(({ files }) => files.test(source.path))
      if (area === undefined) return [`${source.path} belongs to no area of test/tidy/arrows.ts`]
      const wrong = source.imports.filter(
        ({ target }) =>
          target.includes("/") && isOurs(target) && !area.files.test(target) && !area.mayImport.some((allowed) => allowed.test(target)),
      )
      return wrong.map(({ target, line }) => `${source.path}:${line} imports ${target}: ${area.reason}`)
    })
}

function isOurs(target: string): boolean {
  return /^(bench|cel|codegen|generated|model|runtime|scripts|test)\//.test(target)
}

/** ts-morph is slow and offers many ways to do one thing, so only one folder uses it. */
export function roomFaults(sources: readonly SourceFile[]): string[] {
  return sources.flatMap(({ path, imports }) =>
    imports
      .filter(({ target }) => target === "ts-morph" && !path.startsWith("codegen/print/"))
      .map(({ line }) => `${path}:${line} imports ts-morph: only codegen/print/ does`),
  )
}

/**
 * Finds import cycles, also cycles of types: files in a cycle can only be read as one piece. A type that both sides
 * need belongs in a file of its own. Names each cycle by its files, sorted.
 */
export function cycleFaults(sources: readonly SourceFile[]): string[] {
  const next = new Map(sources.map(({ path, imports }) => [path, imports.filter(({ dynamic }) => !dynamic).map(({ target }) => target)]))
  return ringsOf(next).map((ring) => ring.toSorted().join(" ↔ "))
}

/** Strongly connected components of more than one file, or of one that imports itself, by Tarjan's algorithm. */
function ringsOf(next: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const earliest = new Map<string, number>()
  const open: string[] = []
  const rings: string[][] = []
  function visit(path: string): number {
    const own = order.size
    let reached = own
    order.set(path, own)
    open.push(path)
    for (const target of next.get(path) ?? []) {
      if (!next.has(target)) continue
      if (!order.has(target)) reached = Math.min(reached, visit(target))
      else if (open.includes(target)) reached = Math.min(reached, earliest.get(target) ?? order.get(target) ?? reached)
    }
    earliest.set(path, reached)
    if (reached < own) return reached
    const ring = open.splice(open.indexOf(path))
    if (ring.length > 1 || next.get(path)?.includes(path) === true) rings.push(ring)
    return reached
  }
  for (const path of next.keys()) if (!order.has(path)) visit(path)
  return rings
}
