/**
 * Which parts may import which. Any import that is not listed is forbidden; the reason is part of the failure message.
 */
import type { SourceFile } from "./source.ts"

interface Area {
  /** The files of this area. */
  readonly files: RegExp
  /** What they may import, besides each other and packages. */
  readonly mayImport: readonly RegExp[]
  readonly reason: string
}

/** Facts and tools that every part may import. */
const ground =
  /^runtime\/((errors|assert|clock|random|limits|vendor|thread|turns|loop-watch)|http\/(exchange|gathered-bytes|kept-bytes|time-limits))\.ts$/
const kit = /^runtime\/kit\//
/** The options by name: every part may read its own. */
const options = /^runtime\/options\/table\.ts$/
const storeContract = /^runtime\/storage\/(store|cache)\.ts$/
/** A request and its connection, as filters and verbs see them. */
const request = /^runtime\/((request|request-info|query|server-env|server-parts)|http\/(upgrade|dead-connections|exchange-streams))\.ts$/
/** The server's own HTTP/2. Only what carries requests may import it. */
const http2 = /^runtime\/http2\//
const wire = /^runtime\/wire\//
const registry = /^runtime\/registry\//

/** A file belongs to the first area that matches. */
const areas: readonly Area[] = [
  {
    files: http2,
    mayImport: [],
    reason: "HTTP/2 is handed its limits, clock and accounts with the options of a connection",
  },
  {
    files: ground,
    mayImport: [kit, /^runtime\/http2\/gathered-bytes\.ts$/],
    reason: "every part imports these; they may import only the kit's types",
  },
  {
    files: kit,
    mayImport: [ground, storeContract, options],
    reason: "the kit is what generated code imports: it must not draw the server in",
  },
  { files: /^runtime\/storage\//, mayImport: [ground, kit], reason: "storage must know neither HTTP nor kinds" },
  { files: /^runtime\/apply\//, mayImport: [ground, kit], reason: "patches are pure: no I/O, no HTTP" },
  { files: wire, mayImport: [ground, kit], reason: "encodings must not know what is stored" },
  {
    files: /^runtime\/access\//,
    mayImport: [ground, kit, request],
    reason: "authorization works without the registry; its caller provides what it must read",
  },
  {
    files: /^runtime\/behaviours\//,
    mayImport: [ground, kit, storeContract],
    reason: "a behaviour reads through its deps and never through the registry",
  },
  {
    files: /^runtime\/admission\//,
    mayImport: [ground, kit, request, storeContract, /^runtime\/(start-error|wire\/expiry|behaviours\/pods\/fields)\.ts$/],
    reason: "admission is called by verbs and registry and imports neither; what plugins must read is handed in",
  },
  {
    files: registry,
    mayImport: [ground, kit, storeContract, /^runtime\/(behaviours|apply|admission)\//, /^runtime\/storage\/watch-cache\//],
    reason: "the registry knows neither HTTP nor store drivers",
  },
  {
    files: /^runtime\/filters\//,
    mayImport: [ground, kit, request, wire, /^runtime\/access\//, /^runtime\/discovery\/(request-counts|in-flight-requests)\.ts$/],
    reason: "a filter passes requests on; it must not reach into verbs or the registry",
  },
  {
    files: /^runtime\/verbs\//,
    mayImport: [ground, kit, request, wire, registry, storeContract, /^runtime\/(apply|admission|connect)\//],
    reason: "a verb knows no store driver and no other way into the server",
  },
  {
    files: /^runtime\/connect\//,
    mayImport: [ground, kit, request],
    reason: "callers of other machines receive their addresses and everything they must read",
  },
  {
    files: /^runtime\/discovery\//,
    mayImport: [ground, kit, request, wire, registry, /^runtime\/access\//],
    reason: "discovery answers from the table of kinds",
  },
  {
    files: /^runtime\/background\//,
    mayImport: [ground, kit, wire, registry, storeContract, options, /^runtime\/(behaviours|admission)\//],
    reason: "a loop works on the registry and knows no HTTP",
  },
  { files: /^runtime\/options\//, mayImport: [kit], reason: "options are data; the code that starts the server gives them meaning" },
  {
    files: /^runtime\/http\//,
    mayImport: [ground, kit, request, wire, http2],
    reason: "the HTTP servers know only that there is an application",
  },
  {
    files: /^runtime\/(server-env|server-parts|request|request-info|query|bodies)\.ts$/,
    mayImport: [ground, kit, request, registry, options, /^runtime\/(access|connect|discovery)\//],
    reason: "what a request carries is types",
  },
  {
    files: /^runtime\/(app|read-request)\.ts$/,
    mayImport: [ground, kit, request, wire, registry, storeContract, /^runtime\/(filters|verbs|discovery|access)\//],
    reason: "the app only orders filters and verbs",
  },
  {
    files: /^runtime\/server\.ts$/,
    mayImport: [options, /^runtime\/(?!commands|options|launch|library|main)/],
    reason: "the composition root knows every part, and not who starts it",
  },
  {
    files: /^runtime\/commands\//,
    mayImport: [/^runtime\//, /^generated\/index\.ts$/, /^codegen\/(cli|new)\.ts$/],
    reason: "commands only start other parts",
  },
  {
    files: /^runtime\/launch\.ts$/,
    mayImport: [/^runtime\//, /^generated\/index\.ts$/],
    reason: "a single module passes the generated kinds to the server",
  },
  { files: /^runtime\//, mayImport: [/^runtime\//], reason: "only launch.ts and commands/ know generated code" },
  {
    files: /^generated\//,
    mayImport: [/^runtime\/kit\/index\.ts$/, /^runtime\/behaviours\/(checks|cells|conversions|warnings)\//],
    reason: "generated code enters by the doorway; a missing piece is a kit function",
  },
  { files: /^codegen\/print\//, mayImport: [], reason: "printing knows no model" },
  { files: /^codegen\/model\//, mayImport: [kit], reason: "the model is plain data" },
  { files: /^codegen\/load\//, mayImport: [kit, /^codegen\/model\//], reason: "loading knows nothing of what is emitted" },
  { files: /^codegen\/emit\/testing\//, mayImport: [/^codegen\//], reason: "fixtures of tests" },
  {
    files: /^codegen\/emit\//,
    mayImport: [kit, /^codegen\/(model|print)\//, /^codegen\/load\/(expression|functions|type-text)\.ts$/],
    reason: "an emitter reads the model and nothing else",
  },
  { files: /^codegen\//, mayImport: [/^codegen\//, kit], reason: "the generator is a pure function beside the server" },
  { files: /^bench\//, mayImport: [/^(runtime|generated|codegen|test\/support)\//], reason: "a measurement may use everything but tests" },
  { files: /^scripts\//, mayImport: [/^(runtime|generated|codegen)\//], reason: "tools may use everything" },
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
  return /^(bench|codegen|generated|runtime|scripts|test)\//.test(target)
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
 * Finds import cycles, also those of types: files in a cycle can only be read as one piece. A type that both sides need
 * belongs in a file of its own. Names each cycle by its files, sorted.
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
