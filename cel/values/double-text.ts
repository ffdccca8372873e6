/** A double as in `string(x)` and in messages: the shortest digits, as Go's `%g`. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return "NaN"
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf"
  if (value === 0) return Object.is(value, -0) ? "-0" : "0"
  const [mantissa = "", exponentText = "0"] = value.toExponential().split("e")
  const exponent = Number(exponentText)
  return exponent < -4 || exponent >= 6 ? `${mantissa}e${signed(exponent)}` : plainText(value)
}

function signed(exponent: number): string {
  return `${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`
}

/** Without an exponent. */
export function plainText(value: number): string {
  const text = String(value)
  if (!text.includes("e")) return text
  const [mantissa = "", exponentText = "0"] = text.split("e")
  const exponent = Number(exponentText)
  const negative = mantissa.startsWith("-")
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".")
  const digits = whole + fraction
  const point = whole.length + exponent
  const plain =
    point <= 0
      ? `0.${"0".repeat(-point)}${digits}`
      : point >= digits.length
        ? digits + "0".repeat(point - digits.length)
        : `${digits.slice(0, point)}.${digits.slice(point)}`
  return negative ? `-${plain}` : plain
}
