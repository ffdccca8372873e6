/** Sends the objects and rows of `test/api/kinds/matrix` to one server, and reports the answers that differ. */
import type { HttpClient } from "../../support/http-client.ts"
import type { InProcess } from "../../support/in-process.ts"
import { differences, Matcher, shown } from "./matchers.ts"
import { at, changed } from "./field-paths.ts"
import { changedObject, type Default, type KindPart, type Matrix, objectOf, type Row, type SharedPart } from "./matrix.ts"
import { isFields, type Fields } from "./scenario.ts"

/** The namespace of all objects. */
export const namespace = "matrix"

interface Answer {
  readonly status: number
  readonly body: unknown
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly accept?: string
}

/** The request for a row, and how the row's paths begin in its object. */
interface Placed {
  readonly kind: KindPart
  readonly sent: Sent
  readonly prefix: string
  /** The beginning of the row's paths in causes. */
  readonly causes: string
}

export class MatrixRun {
  private readonly storedObjects = new Map<string, unknown>()

  constructor(
    private readonly matrix: Matrix,
    private readonly target: { readonly at: InProcess; readonly client: HttpClient },
  ) {}

  async send({ method, path, body, accept }: Sent): Promise<Answer> {
    const answer = await this.target.client.send({
      method,
      path,
      headers: {
        authorization: `Bearer ${this.target.at.token}`,
        "content-type": "application/json",
        accept: accept ?? "application/json",
      },
      ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }),
    })
    return { status: answer.status, body: JSON.parse(answer.body.toString("utf8")) as unknown } // Every answer here is JSON.
  }

  collection({ apiVersion, resource, namespaced }: KindPart): string {
    return `${groupPath(apiVersion)}${namespaced ? `/namespaces/${namespace}` : ""}/${resource}`
  }

  /** Creates an object, or finds it; returns the server's object. Throws an Error when the server refuses it. */
  async stored(kind: KindPart, name: string): Promise<unknown> {
    const key = `${kind.name} ${name}`
    const found = this.storedObjects.get(key)
    if (found !== undefined) return found
    const sent = this.whole(kind, name, kind.objects[name], false)
    const { status, body } = await this.send({ method: "POST", path: `${this.collection(kind)}?fieldValidation=Strict`, body: sent })
    if (status !== 201) throw new Error(`${key}: ${status} ${reasonOf(body)}`)
    this.storedObjects.set(key, body)
    return body
  }

  /** Objects as they are sent: with version, kind and a name of their own. */
  private whole(kind: KindPart, name: string, object: unknown, dry = true): unknown {
    const fields = isFields(object) ? object : {}
    const [version = ""] = kind.name.split(" ")
    const own = `${version.replace(/\..*\//, "/").replace("/", "-")}-${name}${dry ? "-dry" : ""}`.toLowerCase()
    const metadata = isFields(fields.metadata) ? fields.metadata : {}
    const named = "name" in metadata || !kind.stored ? metadata : { name: own, ...metadata }
    const placed = kind.namespaced && !("namespace" in named) ? { ...named, namespace } : named
    return { apiVersion: kind.apiVersion, kind: kind.kind, ...fields, ...(Object.keys(placed).length > 0 && { metadata: placed }) }
  }

  /** Creates every object of a kind, and checks that nothing of it is lost. */
  async objects(kind: KindPart): Promise<string[]> {
    const faults: string[] = []
    for (const [name, object] of Object.entries(kind.objects)) {
      try {
        const sent = changed(object, Object.fromEntries(["status", ...Object.keys(kind.drops)].map((path) => [path, null])))
        faults.push(...differences(sent, await this.stored(kind, name), `${kind.name} ${name}`))
      } catch (error) {
        faults.push(error instanceof Error ? error.message : String(error))
      }
    }
    return faults
  }

  async refused(part: KindPart | SharedPart): Promise<string[]> {
    return this.each(part.refused, (row) =>
      this.inEachPlace(part, row, async ({ kind, sent, causes }) =>
        judged(row, causes, await this.send(sent)).map((fault) => `${kind.name}: ${fault}`),
      ),
    )
  }

  /** Checks values at the ends of ranges, and the defaults of absent values. */
  async accepted(part: KindPart | SharedPart): Promise<string[]> {
    // A zero may be left out of the answer.
    const accepts = Object.entries(part.accepts).flatMap(([path, values]) =>
      values.map(
        (value): Default => ({ path, value: isZero(value) ? new Matcher("!zero", value, zeroFault) : value, set: { [path]: value } }),
      ),
    )
    return this.each([...accepts, ...part.defaults], (row) =>
      this.inEachPlace(part, row, async ({ kind, sent, prefix }) => {
        const { status, body } = await this.send(sent)
        const where = `${kind.name} ${prefix}${row.path} ${shown(row.set)}`
        if (status !== 200 && status !== 201) return [`${where}: ${status} ${reasonOf(body)}`]
        const found = at(body, `${prefix}${row.path}`)
        if (row.value !== null) return differences(row.value, found, where, found !== undefined)
        return found === undefined ? [] : [`${where}: expected nothing`]
      }),
    )
  }

  /** Runs a row of a kind in an object of it, and one of a shared type in each place that holds the type. */
  private async inEachPlace(
    part: KindPart | SharedPart,
    row: Pick<Row, "of" | "set">,
    run: (placed: Placed) => Promise<string[]>,
  ): Promise<string[]> {
    const object = changedObject(part.objects, row)
    if ("kind" in part) return run(this.created(part, this.whole(part, objectOf(part.objects, row), object), { prefix: "", causes: "" }))
    const places = part.hosts.map(async (host) => {
      const kind = this.matrix.kinds.find((each) => each.name === host.kind)
      if (kind === undefined) throw new Error(`no kind is called ${host.kind}`)
      const paths = { prefix: `${host.path}.`, causes: `${host.reportedAt ?? host.path}.` }
      if (part.through === undefined) {
        const whole = this.whole(kind, host.object, changed(kind.objects[host.object], { [host.path]: object }))
        return run(this.created(kind, whole, paths))
      }
      const stored = await this.stored(kind, host.object)
      const path = `${this.collection(kind)}/${nameOf(stored)}/${part.through}?dryRun=All`
      return run({ kind, sent: { method: "PUT", path, body: changed(stored, { [host.path]: object }) }, ...paths })
    })
    return (await Promise.all(places)).flat()
  }

  private created(kind: KindPart, body: unknown, paths: Pick<Placed, "prefix" | "causes">): Placed {
    return { kind, sent: { method: "POST", path: `${this.collection(kind)}?dryRun=All`, body }, ...paths }
  }

  async changes(kind: KindPart): Promise<string[]> {
    return this.each(kind.changes, async (row) => {
      const path = `${this.collection(kind)}/${nameOf(await this.stored(kind, objectOf(kind.objects, row)))}`
      const { stored, answer } = await this.update(path, row.set, "?dryRun=All")
      return judged(row, "", answer, stored)
    })
  }

  /** Checks that a status is written through its sub-resource alone, and refused as the rows say. */
  async status(kind: KindPart): Promise<string[]> {
    const { status } = kind
    if (status === undefined) return []
    const stored = await this.stored(kind, status.of)
    const object = `${this.collection(kind)}/${nameOf(stored)}`
    const path = `${object}/status`
    const { answer: written } = await this.update(path, { status: status.sets })
    if (written.status !== 200) return [`${path}: ${written.status} ${reasonOf(written.body)}`]
    const faults = differences({ status: status.sets }, written.body, path)
    // A controller may have changed it before the write, but the write must not.
    const { stored: before, answer: kept } = await this.update(object, { status: null })
    faults.push(...differences({ status: at(before, "status") }, kept.body, `${path}, after a write of the object`))
    const rows = await this.each(status.refused, async (row) => {
      const update = await this.update(path, row.set, "?dryRun=All")
      return judged(row, "", update.answer, update.stored)
    })
    return [...faults, ...rows]
  }

  /** Changes the newest object, since controllers may have written to it; tries once more if one writes in between. */
  private async update(path: string, set: Fields, query = ""): Promise<{ readonly stored: unknown; readonly answer: Answer }> {
    const write = async () => {
      const { body: stored } = await this.send({ method: "GET", path })
      return { stored, answer: await this.send({ method: "PUT", path: `${path}${query}`, body: changed(stored, set) }) }
    }
    const written = await write()
    return written.answer.status === 409 ? write() : written
  }

  async table(kind: KindPart): Promise<string[]> {
    const { row } = kind
    const stored = await this.stored(kind, row?.of ?? Object.keys(kind.objects)[0] ?? "")
    const path = `${this.collection(kind)}/${nameOf(stored)}`
    const accept = "application/json;as=Table;g=meta.orch.io;v=v1"
    const { body } = await this.send({ method: "GET", path, accept })
    const found = at(body, "columnDefinitions")
    const columns = Array.isArray(found) ? found.map(columnText) : []
    const cells = at(body, "rows[0].cells")
    return [
      ...differences(kind.columns, columns, `${path}: columns`),
      // The clock stands still, so an age is 0s.
      ...(row === undefined ? [] : differences(row.cells, cells, `${path}: cells`)),
    ]
  }

  /** Compares the sub-resources of discovery, and reads the ones that are readable as objects. */
  async subresources(kind: KindPart): Promise<string[]> {
    const { body } = await this.send({ method: "GET", path: groupPath(kind.apiVersion) })
    const resources = at(body, "resources")
    const found = (Array.isArray(resources) ? resources : []).flatMap((each: unknown) => {
      const [resource, name] = String(at(each, "name")).split("/")
      const verbs = at(each, "verbs")
      return resource === kind.resource && name !== undefined ? [[name, Array.isArray(verbs) ? verbs.join(" ") : ""]] : []
    })
    const faults = [
      ...differences(kind.subresources, Object.fromEntries(found), kind.name),
      ...found.flatMap(([name = ""]) => (name in kind.subresources ? [] : [`${kind.name}: ${name} is not expected`])),
    ]
    for (const name of ["status", "scale"].filter((each) => each in kind.subresources)) {
      const stored = await this.stored(kind, kind.status?.of ?? Object.keys(kind.objects)[0] ?? "")
      const path = `${this.collection(kind)}/${nameOf(stored)}/${name}`
      const { status, body: read } = await this.send({ method: "GET", path })
      faults.push(...differences({ status: 200, name: nameOf(stored) }, { status, name: nameOf(read) }, path))
    }
    return faults
  }

  /** Runs rows one after another and collects the faults; a row that cannot be run is a fault. */
  private async each<R extends { readonly set: Fields }>(rows: readonly R[], run: (row: R) => Promise<string[]>): Promise<string[]> {
    const faults: string[] = []
    for (const row of rows) {
      try {
        faults.push(...(await run(row)))
      } catch (error) {
        faults.push(`${shown(row)}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    return faults
  }
}

function isZero(value: unknown): boolean {
  return value === 0 || value === "" || value === false
}

function zeroFault(got: unknown, present: boolean): string | undefined {
  return !present || isZero(got) ? undefined : `expected nothing, got ${shown(got)}`
}

function groupPath(apiVersion: string): string {
  return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`
}

function nameOf(object: unknown): string {
  return String(at(object, "metadata.name"))
}

function columnText(column: unknown): string {
  const type = String(at(column, "type"))
  return `${String(at(column, "name"))}${type === "string" ? "" : `/${type}`}${at(column, "priority") === 0 ? "" : "*"}`
}

function reasonOf(body: unknown): string {
  const causes = at(body, "details.causes")
  return Array.isArray(causes)
    ? shown(causes.map((cause: unknown) => [at(cause, "field"), at(cause, "message")]))
    : shown(at(body, "message"))
}

/** How messages of causes begin. */
const beginnings: Readonly<Record<string, string>> = {
  Required: "Required value",
  Invalid: "Invalid value: ",
  NotSupported: "Unsupported value: ",
  Duplicate: "Duplicate value: ",
  Forbidden: "Forbidden: ",
  TooLong: "Too long: ",
  TooMany: "Too many: ",
  NotFound: "Not found: ",
}

/** Returns the faults of the answer to a row; none when it is as the row says. */
function judged(row: Row, prefix: string, { status, body }: Answer, old?: unknown): string[] {
  const where = `${row.outcome} ${prefix}${row.field} ${shown(row.set)}`
  if (row.outcome === "done") {
    if (status !== 200) return [`${where}: ${status} ${reasonOf(body)}`]
    return Object.entries(row.set).flatMap(([path, value]) => {
      const [before, after] = [at(old, path), at(body, path)]
      if (JSON.stringify(before) === JSON.stringify(after)) return [`${where}: ${path} is ${shown(after)} as before`]
      return value === null || isZero(value) ? [] : differences(value, after, `${where}: ${path}`)
    })
  }
  if (row.outcome === "kept") {
    if (status !== 200) return [`${where}: ${status} ${reasonOf(body)}`]
    const before = at(old, row.field)
    const after = at(body, row.field)
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [`${where}: is ${shown(after)}, was ${shown(before)}`]
  }
  if (row.outcome === "BadRequest") {
    const message = String(at(body, "message"))
    return status === 400 && message.includes(row.says ?? "") ? [] : [`${where}: ${status} ${message}`]
  }
  if (status !== 422) return [`${where}: ${status === 200 || status === 201 ? "done" : `${status} ${reasonOf(body)}`}`]
  const causes = at(body, "details.causes")
  const found = Array.isArray(causes) ? causes.filter((cause: unknown) => matches(cause, row, prefix)) : []
  return found.length > 0 ? [] : [`${where}: ${shown(causes)}`]
}

function matches(cause: unknown, row: Row, prefix: string): boolean {
  const message = String(at(cause, "message"))
  const field = at(cause, "field") ?? ""
  return (
    at(cause, "reason") === `FieldValue${row.outcome}` &&
    field === causeField(row.field, prefix) &&
    message.startsWith(beginnings[row.outcome] ?? "") &&
    message.includes(row.says ?? "") &&
    (row.values === undefined ||
      supported(message) ===
        row.values
          .map((value) => JSON.stringify(value))
          .sort()
          .join(", "))
  )
}

function causeField(field: string, prefix: string): string {
  if (field === "(object)") return prefix.replace(/\.$/, "")
  return field.startsWith("..") ? prefix.replace(/\[\d+\]\.$/, "") + field.slice(2).replace("/", ".") : `${prefix}${field}`
}

/** The values that a message names, in order. */
function supported(message: string): string {
  const [, values = ""] = message.split("supported values: ")
  return values.split(", ").sort().join(", ")
}
