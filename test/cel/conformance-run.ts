import { type Compiled, Environment, formatType, isError, optionalLibrary, print } from "../../cel/index.ts"
import { librariesOf, latestMinor } from "../../cel/libraries/index.ts"
import { type ConformanceCase, sameResult, Unsupported } from "./conformance-suite.ts"

/** Mixed lists are part of the language; only the API server refuses them, which results.test.ts shows. */
const base = new Environment({ libraries: [optionalLibrary, ...librariesOf(latestMinor)], strictLiterals: false })

/** Runs a case. Returns why it fails; undefined when it passes. */
export function conformanceFault(read: () => ConformanceCase): string | undefined {
  try {
    return faultOf(read())
  } catch (error) {
    if (error instanceof Unsupported) return error.message
    throw error
  }
}

function faultOf(one: ConformanceCase): string | undefined {
  if (one.container !== "") return "has a container"
  const { variables, functions, expected } = one
  const environment = base.extend({ variables, ...(functions.length > 0 && { libraries: [{ name: one.path, functions }] }) })
  const compiled = environment.compile(one.source)
  if (!("program" in compiled)) {
    if ("error" in expected) return undefined
    return "issues" in compiled ? compiled.issues.text : compiled.fault
  }
  if ("error" in expected) return one.checkOnly ? "compiles" : evaluationFault(compiled, one)
  if (expected.type !== undefined && formatType(expected.type) !== formatType(compiled.type)) {
    return `type ${formatType(compiled.type)}`
  }
  return one.checkOnly ? undefined : evaluationFault(compiled, one)
}

function evaluationFault(compiled: Compiled, { bindings, expected }: ConformanceCase): string | undefined {
  const { value } = compiled.program.evaluate(bindings)
  if ("error" in expected) return isError(value) ? undefined : `no error: ${print(value)}`
  if (isError(value)) return value.message
  return sameResult(value, expected.value ?? null) ? undefined : print(value)
}
