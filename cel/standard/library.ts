import type { Library } from "../declaration.ts"
import { standardMacros } from "../syntax/standard-macros.ts"
import { arithmetic } from "./arithmetic.ts"
import { comparison } from "./comparison.ts"
import { conversions } from "./conversion.ts"
import { logic } from "./logic.ts"
import { text } from "./text.ts"
import { time } from "./time.ts"

/** The functions and macros that every environment has. */
export const standardLibrary: Library = {
  name: "standard",
  macros: standardMacros,
  functions: [...logic, ...arithmetic, ...comparison, ...conversions, ...text, ...time],
}
