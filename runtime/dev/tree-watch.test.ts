import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { TreeWatch, type WatchFolder } from "./tree-watch.ts"

let root = ""

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tree-"))
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

/** A system whose watches report what the test makes them report. */
function plantedWatches(refused: ReadonlyMap<string, string> = new Map()) {
  const open = new Map<string, Parameters<WatchFolder>[1]>()
  const watchFolder: WatchFolder = (folder, on) => {
    const code = refused.get(folder)
    if (code !== undefined) throw Object.assign(new Error(`${code}: planted`), { code })
    open.set(folder, on)
    return { close: () => void (open.get(folder) === on && open.delete(folder)) }
  }
  return { open, watchFolder, folders: () => [...open.keys()].map((folder) => relative(root, folder)).sort() }
}

function watching(refused?: ReadonlyMap<string, string>) {
  const system = plantedWatches(refused)
  const faults: string[] = []
  const seen = { changes: 0 }
  const watch = new TreeWatch({
    onChange: () => void seen.changes++,
    onFault: (text) => void faults.push(text),
    watchFolder: system.watchFolder,
  })
  return { ...system, watch, faults, seen }
}

test("watches every folder below the trees, and the folder of each tree for its name", () => {
  mkdirSync(join(root, "schemas/a.example.com/v1"), { recursive: true })
  mkdirSync(join(root, "schemas/.git/objects"), { recursive: true })
  mkdirSync(join(root, "schemas/node_modules/x"), { recursive: true })
  const { watch, folders, open, seen } = watching()
  watch.refresh({ trees: [join(root, "schemas")], files: [] })
  expect(folders()).toEqual(["", "schemas", "schemas/a.example.com", "schemas/a.example.com/v1"])
  open.get(root)?.changed("unrelated.txt")
  expect(seen.changes).toBe(0)
  open.get(root)?.changed("schemas")
  open.get(join(root, "schemas/a.example.com/v1"))?.changed("queue.yaml")
  open.get(join(root, "schemas/a.example.com/v1"))?.changed(null)
  expect(seen.changes).toBe(3)
  watch.close()
  expect(watch.size).toBe(0)
  expect(folders()).toEqual([])
})

test.each([".queue.yaml.swp", "queue.yaml~", "4913", ".#queue.yaml", "queue.yaml.tmp", "dialect.schema.json"])(
  "%s is no change",
  (name) => {
    mkdirSync(join(root, "schemas"))
    const { watch, open, seen } = watching()
    watch.refresh({ trees: [join(root, "schemas")], files: [] })
    open.get(join(root, "schemas"))?.changed(name)
    expect(seen.changes).toBe(0)
  },
)

test("a folder that was removed and made again is watched again; one that is gone is not", () => {
  const [schemas, group] = [join(root, "schemas"), join(root, "schemas/g")]
  mkdirSync(group, { recursive: true })
  const { watch, open, folders } = watching()
  const refresh = () => watch.refresh({ trees: [schemas], files: [] })
  refresh()
  const before = open.get(group)
  refresh()
  expect(open.get(group)).toBe(before)
  rmSync(group, { recursive: true })
  mkdirSync(group)
  refresh()
  expect(open.get(group)).not.toBe(before)
  rmSync(schemas, { recursive: true })
  refresh()
  expect(folders()).toEqual([""])
  mkdirSync(group, { recursive: true })
  refresh()
  expect(folders()).toEqual(["", "schemas", "schemas/g"])
})

test("a tree that does not exist is awaited in the nearest folder above it", () => {
  const { watch, folders, open, seen } = watching()
  watch.refresh({ trees: [join(root, "my/schemas")], files: [] })
  expect(folders()).toEqual([""])
  open.get(root)?.changed("other")
  open.get(root)?.changed("my")
  expect(seen.changes).toBe(1)
  mkdirSync(join(root, "my"))
  watch.refresh({ trees: [join(root, "my/schemas")], files: [] })
  expect(folders()).toEqual(["my"])
})

test("of a single file's folder only that file matters", () => {
  mkdirSync(join(root, "lib"))
  const { watch, open, seen } = watching()
  watch.refresh({ trees: [], files: [join(root, "lib/a.ts"), join(root, "lib/b.ts")] })
  for (const name of ["a.ts", "b.ts", "c.ts"]) open.get(join(root, "lib"))?.changed(name)
  expect(seen.changes).toBe(2)
  watch.refresh({ trees: [], files: [join(root, "lib/a.ts")] })
  open.get(join(root, "lib"))?.changed("b.ts")
  expect(seen.changes).toBe(2)
})

test("a watch that fails is reported as a change and replaced; a refused one is reported once", () => {
  mkdirSync(join(root, "schemas"))
  const { watch, open, seen, faults } = watching(new Map([[root, "ENOSPC"]]))
  const refresh = () => watch.refresh({ trees: [join(root, "schemas")], files: [] })
  refresh()
  const failing = open.get(join(root, "schemas"))
  failing?.failed()
  expect(seen.changes).toBe(1)
  refresh()
  expect(open.get(join(root, "schemas"))).not.toBe(failing)
  expect(faults).toEqual([
    `changes in ${root} are not noticed: the system allows no more watches (on Linux: sysctl fs.inotify.max_user_watches, fs.inotify.max_user_instances)`,
  ])
})

test("the system reports files that are written, renamed over and removed", async () => {
  const schemas = join(root, "schemas")
  mkdirSync(schemas)
  let changed = (): void => {}
  const watch = new TreeWatch({ onChange: () => changed(), onFault: (text) => expect(text).toBe("") })
  watch.refresh({ trees: [schemas], files: [] })
  for (const act of [
    () => writeFileSync(join(schemas, "a.yaml"), "a"),
    () => {
      writeFileSync(join(schemas, ".a.yaml.new"), "b")
      renameSync(join(schemas, ".a.yaml.new"), join(schemas, "a.yaml"))
    },
    () => rmSync(join(schemas, "a.yaml")),
    () => rmSync(schemas, { recursive: true }),
  ]) {
    const next = new Promise<void>((resolve) => {
      changed = resolve
    })
    act()
    await next
  }
  watch.close()
})
