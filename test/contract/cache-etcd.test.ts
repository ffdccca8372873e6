import { afterAll } from "vitest"
import { forEachEtcd } from "../support/etcd.ts"
import { etcdPlaces } from "../support/etcd-place.ts"
import { cacheContract } from "./cache-contract.ts"

forEachEtcd((binary) => {
  const { close, place } = etcdPlaces(binary)
  cacheContract({ driver: `etcd ${binary.version}`, place })
  afterAll(close)
})
