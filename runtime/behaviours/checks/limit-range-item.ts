/** Bounds that contradict each other (catalog validation.yaml: LimitRange). */
import { compareQuantities, formatQuantity, parseQuantity, type Quantity, quantityMilliValue, QuantityError } from "../../base/quantity.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { LimitRangeItem } from "../../../generated/core/v1/limit-range/types.ts"
import { qualifiedNameFaults } from "../../schema/names.ts"
import { containerResourceFaults, mayOvercommit, resourceNameFaults } from "../content/quota-resources.ts"

const lists = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const
const types = ["Pod", "Container", "PersistentVolumeClaim"]

type Amounts = { readonly [List in (typeof lists)[number]]?: Quantity }

/** Called for each entry of a LimitRange. */
export const limitRangeItem = defineCheck<LimitRangeItem>((item, context) => {
  checkType(item.type, context)
  checkNames(item, ["max", "min"], context)
  if (item.type === "Pod") {
    for (const list of ["default", "defaultRequest"] as const)
      if (Object.keys(item[list] ?? {}).length > 0) context.fail("Forbidden", undefined, "may not be specified when `type` is 'Pod'", list)
  } else checkNames(item, ["default", "defaultRequest"], context)
  if (item.type === "PersistentVolumeClaim" && item.min?.storage === undefined && item.max?.storage === undefined)
    context.fail("Required", undefined, "either minimum or maximum storage value is required, but neither was provided", "limits")
  checkNames(item, ["maxLimitRequestRatio"], context)
  for (const name of new Set(lists.flatMap((list) => Object.keys(item[list] ?? {})))) checkOrder(name, amountsOf(item, name), context)
})

function checkType(type: string, context: CheckContext<LimitRangeItem>): void {
  const faults = qualifiedNameFaults(type)
  for (const fault of faults) context.fail("Invalid", type, fault, "type")
  if (faults.length === 0 && !type.includes("/") && !types.includes(type))
    context.fail("Invalid", type, "must be a standard limit type or fully qualified", "type")
}

function checkNames(item: LimitRangeItem, of: readonly (typeof lists)[number][], context: CheckContext<LimitRangeItem>): void {
  const ofContainers = item.type === "Pod" || item.type === "Container"
  for (const list of of)
    for (const name of Object.keys(item[list] ?? {})) {
      const faults = ofContainers ? containerResourceFaults(name, context.vendor) : resourceNameFaults(name)
      const field = context.at(`${list}[${name}]`)
      for (const detail of faults) context.failures.add({ type: "Invalid", field, value: name, shown: name, detail })
    }
}

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

type Order = readonly [low: keyof Amounts, high: keyof Amounts, at: keyof Amounts, shown: keyof Amounts, what: string, of: string]

/** The failure is at one list and shows the amount of another one. */
const orders: readonly Order[] = [
  ["min", "max", "min", "min", "min value", "max value"],
  ["min", "defaultRequest", "defaultRequest", "defaultRequest", "min value", "default request value"],
  ["defaultRequest", "max", "defaultRequest", "defaultRequest", "default request value", "max value"],
  ["defaultRequest", "default", "defaultRequest", "defaultRequest", "default request value", "default limit value"],
  ["min", "default", "default", "min", "min value", "default value"],
  ["default", "max", "default", "max", "default value", "max value"],
]

function checkOrder(name: string, amounts: Amounts, context: CheckContext<unknown>): void {
  for (const [low, high, at, shown, what, of] of orders) {
    const [lower, higher, value] = [amounts[low], amounts[high], amounts[shown]]
    if (lower === undefined || higher === undefined || value === undefined || compareQuantities(lower, higher) <= 0) continue
    const detail = `${what} ${formatQuantity(lower)} is greater than ${of} ${formatQuantity(higher)}`
    context.fail("Invalid", formatQuantity(value), detail, `${at}[${name}]`)
  }
  checkRatio(name, amounts, context)
  const { default: limit, defaultRequest: request } = amounts
  if (limit === undefined || request === undefined || mayOvercommit(name, context.vendor) || compareQuantities(limit, request) === 0) return
  const [limitText, requestText] = [formatQuantity(limit), formatQuantity(request)]
  const detail = `default value ${limitText} must equal to defaultRequest value ${requestText} in ${name}`
  context.fail("Invalid", requestText, detail, `defaultRequest[${name}]`)
}

const one = parseQuantity("1")

function checkRatio(name: string, { max, maxLimitRequestRatio: ratio, min }: Amounts, context: CheckContext<unknown>): void {
  if (ratio === undefined) return
  const text = formatQuantity(ratio)
  const at = `maxLimitRequestRatio[${name}]`
  if (compareQuantities(ratio, one) < 0) context.fail("Invalid", text, `ratio ${text} is less than 1`, at)
  if (max === undefined || min === undefined || quantityMilliValue(min) === 0n) return
  const most = Number(quantityMilliValue(max)) / Number(quantityMilliValue(min))
  if (Number(quantityMilliValue(ratio)) / 1000 > most)
    context.fail("Invalid", text, `ratio ${text} is greater than max/min = ${most.toFixed(6)}`, at)
}
