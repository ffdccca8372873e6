import { expect, test } from "vitest"
import { flexVolumeSourceShape } from "../../../generated/core/v1/shared/volume-drivers/shape.ts"
import type { FlexVolumeSource } from "../../../generated/core/v1/shared/volume-drivers/types.ts"
import { persistentVolumeSpecShape } from "../../../generated/core/v1/persistent-volume/shape.ts"
import type { PersistentVolumeSpec } from "../../../generated/core/v1/persistent-volume/types.ts"
import { failuresOf, faultsOf, type Part } from "../../../test/support/decoded.ts"
import { flexOptions } from "./flex-options.ts"
import { persistentVolumeUpdate } from "./persistent-volume-update.ts"

test("a class of attributes can neither be changed nor taken away while its gate is off", () => {
  const faults = (next: Part<PersistentVolumeSpec>, old: Part<PersistentVolumeSpec>) =>
    faultsOf(persistentVolumeUpdate, next, { shape: persistentVolumeSpecShape, field: "spec", old })
  const csi = { driver: "d.example.com", volumeHandle: "h" }
  const forbidden = "Forbidden spec.volumeAttributesClassName"
  expect(faults({ csi, volumeAttributesClassName: "b" }, { csi, volumeAttributesClassName: "a" })).toEqual([forbidden])
  expect(faults({ csi }, { csi, volumeAttributesClassName: "a" })).toEqual([forbidden, forbidden])
  expect(faults({ csi, volumeAttributesClassName: "a" }, { csi })).toEqual([forbidden])
})

test("the reserved domain of a driver's options is the vendor's", () => {
  const text = (vendor: "orch" | "kubernetes") =>
    failuresOf<FlexVolumeSource>(flexOptions, { options: { "kubernetes.io/os": "a" } }, { shape: flexVolumeSourceShape, vendor }).list.map(
      ({ detail }) => detail,
    )
  expect(text("orch")).toEqual(["orch.io and k8s.io namespaces are reserved"])
  expect(text("kubernetes")).toEqual(["kubernetes.io and k8s.io namespaces are reserved"])
})
