/** Tries case after case of inputs that decide who comes in. A seed and a number are a case. */
import { createRandom } from "../../sim/world/random.ts"
import { nonEmpty } from "../objects.ts"
import { certificates } from "./certificates.ts"
import { files } from "./files.ts"
import { headers } from "./headers.ts"
import type { PreparedSort, Sort } from "./sort.ts"
import { tokens } from "./tokens.ts"

/** All sorts; a new one is one entry. */
const sorts: Readonly<Record<string, Sort>> = { files, tokens, certificates, headers }

export interface AccessHunt {
  readonly seed: number
  readonly first: number
  /** Called before each case: whether to run another one. */
  readonly goesOn: (number: number) => boolean
  readonly found: (text: string) => void
}

/** Resolves with the number of cases of each sort. Rejects when something else than a case fails. */
export async function huntAccess({ seed, first, goesOn, found }: AccessHunt): Promise<ReadonlyMap<string, number>> {
  const prepared = new Map<string, PreparedSort>()
  for (const [name, sort] of Object.entries(sorts)) prepared.set(name, await sort())
  const names = nonEmpty([...prepared.keys()])
  const taken = new Map(names.map((name) => [name, 0]))
  try {
    for (let number = first; goesOn(number); number++) {
      const random = createRandom(seed, `access ${number}`)
      const name = random.pick(names)
      const finding = await prepared.get(name)?.take(random)
      taken.set(name, (taken.get(name) ?? 0) + 1)
      if (finding !== undefined) found(`${name}: ${finding}\n  again: npm run fuzz -- --topic access --seed ${seed} --cases ${number}`)
    }
  } finally {
    for (const sort of prepared.values()) await sort.stop?.()
  }
  return taken
}
