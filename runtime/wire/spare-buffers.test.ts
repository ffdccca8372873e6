import { expect, it } from "vitest"
import { SpareBuffers } from "./spare-buffers.ts"

function writeTogether(buffers: SpareBuffers, lists: number): void {
  const taken = Array.from({ length: lists }, () => buffers.take(1024))
  for (const buffer of taken) buffers.giveBack(buffer, true)
}

it("keeps as many buffers as lists are written together, and those of a burst only for a while", () => {
  const buffers = new SpareBuffers(16)
  writeTogether(buffers, 40)
  expect(buffers.kept).toBe(16)
  expect(buffers.takenBytes).toBe(0)
  for (let round = 0; round < 128; round++) writeTogether(buffers, 2)
  expect(buffers.kept).toBe(2)
  // Kept buffers are used again.
  const again = buffers.take(1024)
  expect(buffers.kept).toBe(1)
  buffers.giveBack(again, true)
})

it("counts what is being written, and drops what a connection still holds", () => {
  const buffers = new SpareBuffers(16)
  const held = buffers.take(1024)
  for (let round = 0; round < 200; round++) writeTogether(buffers, 3)
  expect(buffers.takenBytes).toBe(1024)
  expect(buffers.kept).toBe(3)
  buffers.giveBack(held, false)
  expect(buffers.kept).toBe(3)
})
