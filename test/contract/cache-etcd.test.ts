import { afterAll } from "vitest"
import { etcdBinaries } from "../support/etcd.ts"
import { etcdPlaces } from "../support/etcd-place.ts"
import { cacheContract } from "./cache-contract.ts"

for (const binary of etcdBinaries()) {
  const { close, place } = etcdPlaces(binary)
  cacheContract({ driver: `etcd ${binary.version}`, place })
  afterAll(close)
}
