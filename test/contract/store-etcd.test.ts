import { afterAll, expect, test } from "vitest"
import { hasReliableProgress } from "../../runtime/storage/etcd/server-version.ts"
import { forEachEtcd } from "../support/etcd.ts"
import { etcdPlaces } from "../support/etcd-place.ts"
import { storeContract } from "./store-contract.ts"

const skip = [{ reason: "etcd drops all keys of a lease at one revision", cases: ["expires keys due together one by one, earliest first"] }]
const skipWithoutProgress = [
  ...skip,
  {
    reason: "before 3.4.31 and 3.5.13 nothing reports the revision of a quiet watch",
    cases: ["Bookmarkable: a call reports the revision up to which every event was delivered"],
  },
]

forEachEtcd((binary) => {
  const { close, place } = etcdPlaces(binary)
  const skipped = hasReliableProgress(binary.version) ? skip : skipWithoutProgress
  storeContract({ driver: `etcd ${binary.version}`, persistent: true, place, skip: skipped })
  test(`servers of one etcd ${binary.version} take turns at compaction`, async () => {
    const { dispose, open } = await place()
    const stores = [await open(), await open()]
    const takes = (revision: number) => Promise.all(stores.map((store) => store.acquireCompactionTurn?.(revision)))
    // The first server gets the turn, and both learn of it: at the next interval exactly one of them gets it again.
    for (let interval = 0; interval < 5; interval++) expect((await takes(1)).filter((taken) => taken === true)).toHaveLength(1)
    await Promise.all(stores.map((store) => store.close()))
    await dispose?.()
  })
  afterAll(close)
})
