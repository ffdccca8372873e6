import { afterAll } from "vitest"
import { tellsProgress } from "../../runtime/storage/etcd/server-version.ts"
import { forEachEtcd } from "../support/etcd.ts"
import { etcdPlaces } from "../support/etcd-place.ts"
import { storeContract } from "./store-contract.ts"

const skip = [{ reason: "etcd drops all keys of a lease at one revision", cases: ["keys due together go one by one, earliest first"] }]
const skipWithoutProgress = [
  ...skip,
  {
    reason: "before 3.4.31 and 3.5.13 nothing tells how far a quiet watch is",
    cases: ["Bookmarkable: a call says up to where everything was delivered"],
  },
]

forEachEtcd((binary) => {
  const { close, place } = etcdPlaces(binary)
  const skipped = tellsProgress(binary.version) ? skip : skipWithoutProgress
  storeContract({ driver: `etcd ${binary.version}`, persistent: true, place, skip: skipped })
  afterAll(close)
})
