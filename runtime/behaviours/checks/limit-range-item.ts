/** Bounds that contradict each other (catalog validation.yaml: LimitRange). */
import { compareQuantities, parseQuantity, type Quantity, quantityMilliValue, QuantityError } from "../../base/quantity.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { LimitRangeItem } from "../../../generated/core/v1/limit-range/types.ts"
import { resourceNameFaults } from "../content/quota-resources.ts"

const lists = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const
const types = ["Pod", "Container", "PersistentVolumeClaim"]

type Amounts = { readonly [List in (typeof lists)[number]]?: Quantity }

/** Called for each entry of a LimitRange. */
export const limitRangeItem = defineCheck<LimitRangeItem>((item, context) => {
  if (!types.includes(item.type) && !item.type.includes("/"))
    context.fail("Invalid", item.type, "must be a standard limit type or fully qualified", "type")
  for (const list of lists)
    for (const name of Object.keys(item[list] ?? {}))
      for (const fault of resourceNameFaults(name)) context.fail("Invalid", name, fault, `${list}[${name}]`)
  if (item.type === "Pod")
    for (const list of ["default", "defaultRequest"] as const)
      if (Object.keys(item[list] ?? {}).length > 0) context.fail("Forbidden", undefined, "may not be specified when `type` is 'Pod'", list)
  if (item.type === "PersistentVolumeClaim" && item.min?.storage === undefined && item.max?.storage === undefined)
    context.fail("Required", undefined, "either minimum or maximum storage value is required, but neither was provided")
  for (const name of new Set(lists.flatMap((list) => Object.keys(item[list] ?? {})))) checkOrder(name, amountsOf(item, name), context)
})

function amountsOf(item: LimitRangeItem, name: string): Amounts {
  const amounts: { -readonly [List in keyof Amounts]: Amounts[List] } = {}
  for (const list of lists) {
    const amount = parsed(item[list]?.[name])
    if (amount !== undefined) amounts[list] = amount
  }
  return amounts
}

/** Undefined for texts that are no quantity; decoding has refused them. */
function parsed(text: string | undefined): Quantity | undefined {
  try {
    return text === undefined ? undefined : parseQuantity(text)
  } catch (error) {
    if (error instanceof QuantityError) return undefined
    throw error
  }
}

const orders: readonly (readonly [low: keyof Amounts, high: keyof Amounts, at: keyof Amounts, text: string])[] = [
  ["min", "max", "min", "min value is greater than max value"],
  ["min", "defaultRequest", "defaultRequest", "min value is greater than default request value"],
  ["defaultRequest", "max", "defaultRequest", "default request value is greater than max value"],
  ["defaultRequest", "default", "defaultRequest", "default request value is greater than default limit value"],
  ["min", "default", "default", "min value is greater than default value"],
  ["default", "max", "default", "default value is greater than max value"],
]

function checkOrder(name: string, amounts: Amounts, context: CheckContext<unknown>): void {
  for (const [low, high, at, text] of orders) {
    const [lower, higher, value] = [amounts[low], amounts[high], amounts[at]]
    if (lower === undefined || higher === undefined || compareQuantities(lower, higher) <= 0) continue
    context.fail("Invalid", value === undefined ? undefined : String(quantityMilliValue(value)), text, `${at}[${name}]`)
  }
  const { max, maxLimitRequestRatio: ratio, min } = amounts
  if (ratio === undefined) return
  const thousandths = quantityMilliValue(ratio)
  const at = `maxLimitRequestRatio[${name}]`
  if (thousandths < 1000n) context.fail("Invalid", String(thousandths), "ratio is less than 1", at)
  else if (max !== undefined && min !== undefined && quantityMilliValue(min) > 0n) {
    if (thousandths * quantityMilliValue(min) > quantityMilliValue(max) * 1000n)
      context.fail("Invalid", String(thousandths), "ratio is greater than max/min", at)
  }
}
