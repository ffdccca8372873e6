import { expect, it } from "vitest"
import { type Account, type CutConnection, KeptBytes } from "./kept-bytes.ts"

const nextTick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))

/** A budget of 800 bytes for unauthenticated connections and 8000 for others, and connections by name. */
function budget() {
  const cut: CutConnection[] = []
  const known: unknown[] = []
  const kept = new KeptBytes({
    strangersMax: 800,
    knownMax: 8000,
    onCut: (one) => cut.push(one),
    onKnown: ({ remoteAddress }) => known.push(remoteAddress),
  })
  const measured = new Map<string, number>()
  const ended: string[] = []
  const open = (name: string): Account =>
    kept.open({
      remoteAddress: name,
      remotePort: 1,
      userAgent: () => `agent of ${name}`,
      measure: () => measured.get(name) ?? 0,
      cut: () => ended.push(name),
    })
  return { kept, cut, known, measured, ended, open }
}

it("counts the bytes of each connection until it is closed", () => {
  const { kept, open } = budget()
  const [a, b] = [open("a"), open("b")]
  a.charge(100)
  b.charge(200)
  a.charge(-50)
  expect(kept.bytes).toEqual({ strangers: 250, known: 0 })
  b.identify("admin")
  expect(kept.bytes).toEqual({ strangers: 50, known: 200 })
  b.close()
  b.charge(-200)
  b.identify("admin")
  expect(kept.bytes).toEqual({ strangers: 50, known: 0 })
})

it("ends the connections that hold the most, in a later turn, until there is some room, and reports them", async () => {
  const { kept, cut, ended, open } = budget()
  const [small, large, larger] = [open("small"), open("large"), open("larger")]
  small.charge(300)
  large.charge(240)
  larger.charge(250)
  large.charge(10)
  larger.charge(1)
  expect(ended).toEqual([])
  await nextTick()
  // 801 bytes are too many, 501 are few enough.
  expect(ended).toEqual(["small"])
  expect(kept.bytes.strangers).toBe(501)
  expect(cut).toEqual([
    { remoteAddress: "small", user: "", userAgent: "agent of small", bytes: 300, limit: "strangersBytesMax", limitBytes: 800 },
  ])
})

it.each([
  { sizes: [101, 100, 100, 100, 100, 100, 100, 100], ends: ["0"], left: 700 },
  { sizes: [100, 100, 100, 100, 100, 100, 100, 100, 1], ends: ["0", "1"], left: 601 },
  { sizes: [41, ...Array.from({ length: 19 }, () => 40)], ends: ["0", "1", "2"], left: 680 },
])(
  "of connections of $sizes bytes, as many end that an eighth of the budget is free: $left bytes are left",
  async ({ sizes, ends, left }) => {
    const { kept, ended, open } = budget()
    for (const [index, size] of sizes.entries()) open(String(index)).charge(size)
    await nextTick()
    expect([ended, kept.bytes.strangers]).toEqual([ends, left])
  },
)

it("measures uncharged bytes before it compares connections", async () => {
  const { ended, measured, open } = budget()
  const [busy, quiet] = [open("busy"), open("quiet")]
  measured.set("quiet", 5000)
  busy.charge(801)
  await nextTick()
  expect(ended).toEqual(["quiet", "busy"])
  quiet.measure()
  const next = open("next")
  measured.set("next", 700)
  next.measure()
  measured.set("next", 600)
  next.measure()
  expect(next.bytes).toBe(600)
})

it("counts shared bytes once, while any connection holds them, and ends the connection that holds the most", async () => {
  const { kept, cut, ended, open } = budget()
  const clients = ["a", "b", "c"].map(open)
  const [first, second, third] = [Buffer.alloc(3000), Buffer.alloc(4000), Buffer.alloc(2000)]
  for (const client of clients) {
    client.identify("one")
    client.hold(first)
    client.hold(first)
  }
  expect(kept.bytes.known).toBe(3000)
  const [a, b, c] = clients
  a?.release(first)
  b?.hold(second)
  await nextTick()
  expect([kept.bytes.known, ended]).toEqual([7000, []])
  c?.hold(third)
  await nextTick()
  expect(ended).toEqual(["b"])
  expect(cut).toMatchObject([{ bytes: 10_000 }])
  // The shared bytes are released with the connection, a little later.
  b?.release(second)
  for (const client of [a, b, b, c, c]) client?.release(first)
  c?.release(third)
  expect(kept.bytes.known).toBe(0)
})

it("lets authenticated clients hold more, and reports each of them once", async () => {
  const { cut, ended, known, open } = budget()
  const client = open("client")
  client.identify("one")
  client.identify("two")
  expect(known).toEqual(["client"])
  client.charge(8000)
  await nextTick()
  expect(ended).toEqual([])
  client.charge(1)
  await nextTick()
  expect(cut).toMatchObject([{ user: "two", bytes: 8001, limit: "knownClientsBytesMax" }])
})
