/** Conversion between versions: `spec.conversion`, with the client of its web hook. */
import type { Failures } from "../../base/failure.ts"
import type { JsonObject } from "../../base/json.ts"
import type { DefinitionSpec } from "./definition-spec.ts"
import { checkHookClient, checkReviewVersions } from "./hook-client.ts"
import { checkOneOf } from "./names.ts"

const path = "spec.conversion"
const notWebhookDetail = "should not be set when strategy is not set to Webhook"

/** `knownVersionRequired`: one of the review versions must be a known one. */
export function checkConversion(spec: DefinitionSpec, knownVersionRequired: boolean, failures: Failures): void {
  const { conversion, preserveUnknownFields } = spec
  if (conversion === undefined) return
  if (conversion.strategy !== "None" && preserveUnknownFields === true) {
    const detail = "must be None if spec.preserveUnknownFields is true"
    failures.add({ type: "Invalid", field: `${path}.strategy`, value: conversion.strategy, detail })
  }
  checkOneOf(`${path}.strategy`, conversion.strategy, ["None", "Webhook"], failures)
  if (conversion.strategy === "Webhook") {
    checkClientConfig(conversion.clientConfig, failures)
    checkReviewVersions(conversion.reviewVersions, { field: `${path}.conversionReviewVersions`, knownVersionRequired }, failures)
    return
  }
  if (conversion.clientConfig !== undefined) {
    failures.add({ type: "Forbidden", field: `${path}.webhookClientConfig`, detail: notWebhookDetail })
  }
  if (conversion.reviewVersions.length > 0) {
    failures.add({ type: "Forbidden", field: `${path}.conversionReviewVersions`, detail: notWebhookDetail })
  }
}

function checkClientConfig(config: JsonObject | undefined, failures: Failures): void {
  const field = `${path}.webhookClientConfig`
  if (config === undefined) return failures.add({ type: "Required", field, detail: "required when strategy is set to Webhook" })
  checkHookClient(config, field, failures, true)
}
