/** Clients that watch custom objects: from the state, from a version, or from the end of their last watch. */
import { type ApiObject, isObject } from "../../../runtime/base/json.ts"
import type { Content, History } from "../history.ts"
import type { Shown } from "../truth.ts"
import { OpenWatch, resumePoint } from "../watch-client.ts"
import { simToken } from "../world/server.ts"
import type { World } from "../world/world.ts"
import { customApi } from "./definitions.ts"
import type { CustomWatchRecord, LifeHistory } from "./history.ts"
import type { LifeAct } from "./steps.ts"

export class CustomWatches {
  private readonly slots = new Map<number, OpenWatch>()
  private readonly last = new Map<number, CustomWatchRecord>()
  private count = 0

  constructor(
    private readonly world: World,
    private readonly history: History,
    private readonly lives: LifeHistory,
    private readonly note: (text: string) => void,
  ) {}

  /** `known`: a revision that an answer has shown. */
  follow(server: number, act: Extract<LifeAct, { act: "follow" }>, known: number): void {
    const { slot } = act
    this.slots.get(slot)?.leave()
    const { truth, clock } = this.world
    const process = this.world.servers[server]
    if (process?.wire === undefined) return
    const before = act.from === "resume" ? this.last.get(slot) : undefined
    const { resource, version, namespace } = before ?? act
    const resumed = before === undefined || before.state === "gone" ? undefined : resumePoint(before)
    const after = act.from === "state" || known === 0 ? undefined : (resumed ?? known)
    const record: CustomWatchRecord = {
      ...{ id: `c${this.count++}`, resource, version, namespace, label: undefined, name: undefined, after, events: [], state: "live" },
      ...{ beganMs: clock.elapsedMs(), since: truth.revision, startedAt: process.startedAt ?? 0 },
    }
    const watch = new OpenWatch(record, {
      note: this.note,
      compacted: () => this.world.compacted(),
      elapsedMs: () => clock.elapsedMs(),
      complain: (text) => void this.history.complaints.push({ moment: this.history.now(), text }),
      contentOf: (object) => customContent(object),
      accepts: (status) => status === 404,
      over: () => {
        record.until = truth.revision
        if (this.slots.get(slot) === watch) this.slots.delete(slot)
      },
      seen: () => undefined,
    })
    this.slots.set(slot, watch)
    this.last.set(slot, record)
    this.lives.watches.push(record)
    const start = after === undefined ? "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan" : `&resourceVersion=${after}`
    const path = `${customApi(version)}/namespaces/${namespace}/${resource}?watch=1&allowWatchBookmarks=1${start}`
    this.note(`watch ${record.id} on ${server}: ${path}`)
    process.wire.request({ method: "GET", path, headers: { authorization: `Bearer ${simToken}` } }).then(
      (response) => watch.follow(response),
      () => watch.leave(),
    )
  }

  /** Called when the world has come to rest. */
  closeAll(): void {
    for (const watch of [...this.slots.values()]) {
      if (watch.following) watch.record.completeTo = this.world.truth.revision
      watch.leave()
    }
  }
}

/** Reads the parts of an object that watches and checks compare: no change of a definition touches them. */
export function customContent({ metadata, spec }: ApiObject | Shown, version = Number(metadata?.resourceVersion)): Content {
  const { text, shared } = isObject(spec) ? spec : {}
  return { version, text: String(text ?? ""), patched: String(shared ?? ""), label: metadata?.labels?.in ?? "" }
}
