/** `format`: fills the clauses of a format string with arguments. */
import { errorOf, isError } from "../values/error.ts"
import type { ListValue, Result } from "../values/value.ts"
import { type Clause, clauseOf, FormatFault } from "./format-clauses.ts"
import { chargeWork } from "../work.ts"

/** Units of work for a clause, and characters copied in the time of one unit. */
const clauseWork = 10
const charactersPerUnit = 10

/** The most digits or blanks that a clause may ask for, so that a short text cannot make a long one. */
const precisionMax = 32_767
const int64Max = 2n ** 63n - 1n

/** Fills the clauses of `format` with the arguments in their order. Errors are worded as in the reference. */
export function formatText(format: string, args: ListValue): Result {
  try {
    return filled(format, args)
  } catch (fault) {
    if (fault instanceof FormatFault) return errorOf(fault.message)
    throw fault
  }
}

function filled(format: string, args: ListValue): string {
  let result = ""
  let used = 0
  let at = 0
  for (let percent = format.indexOf("%"); percent >= 0; percent = format.indexOf("%", at)) {
    result += format.slice(at, percent)
    if (format.charAt(percent + 1) === "%") {
      result += "%"
      at = percent + 2
      continue
    }
    if (used >= args.size) throw new FormatFault(`index ${used} out of range`)
    if (percent + 1 >= format.length) throw new FormatFault("unexpected end of string")
    const { clause, end } = readClause(format, percent + 1)
    result += written(clause, args.at(used))
    used++
    at = end
  }
  return result + format.slice(at)
}

function written(clause: Clause, arg: Result): string {
  if (isError(arg)) throw new FormatFault(arg.message)
  try {
    const text = clause(arg)
    chargeWork(clauseWork + text.length / charactersPerUnit)
    return text
  } catch (fault) {
    throw fault instanceof FormatFault ? new FormatFault(`error during formatting: ${fault.message}`) : fault
  }
}

/** `at` is behind the percent sign. */
function readClause(format: string, at: number): { readonly clause: Clause; readonly end: number } {
  const { precision, end } = readPrecision(format, at)
  const clause = clauseOf(format.charAt(end), precision)
  if (clause !== undefined) return { clause, end: end + 1 }
  const byte = Buffer.from(format.slice(end, end + 2))
    .toString("latin1")
    .charAt(0)
  throw new FormatFault(`could not parse formatting clause: unrecognized formatting clause "${byte}"`)
}

function readPrecision(format: string, at: number): { readonly precision: number | undefined; readonly end: number } {
  if (format.charAt(at) !== ".") return { precision: undefined, end: at }
  let end = at + 1
  while (end < format.length && format.charAt(end) >= "0" && format.charAt(end) <= "9") end++
  const digits = format.slice(at + 1, end)
  if (end >= format.length) throw precisionFault("could not find end of precision specifier")
  if (digits === "") throw notANumber(digits, "invalid syntax")
  if (BigInt(digits) > int64Max) throw notANumber(digits, "value out of range")
  return { precision: Math.min(Number(digits), precisionMax), end }
}

function notANumber(digits: string, reason: string): FormatFault {
  return precisionFault(`error while converting precision to integer: strconv.Atoi: parsing "${digits}": ${reason}`)
}

function precisionFault(reason: string): FormatFault {
  return new FormatFault(`could not parse formatting clause: error while parsing precision: ${reason}`)
}
