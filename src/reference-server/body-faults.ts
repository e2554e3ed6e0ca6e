import type { Fault, Validator } from "./generated/request-bodies.js";
import { type Refusal, refuse } from "./reply.ts";

const maxNamedFaults = 5;

/** A 400 that names each field at fault and its problem; undefined where the body is as described. */
export function checkBody(body: unknown, isValid: Validator): Refusal | undefined {
  if (isValid(body)) return undefined;
  const faults = isValid.errors ?? [];
  const named = faults.slice(0, maxNamedFaults).map(describeFault).join("; ");
  const rest = faults.length > maxNamedFaults ? `; and ${faults.length - maxNamedFaults} more` : "";
  return refuse(400, `The body is not as described: ${named}${rest}`);
}

function describeFault(fault: Fault): string {
  const place = placeOf(fault.instancePath);
  switch (fault.keyword) {
    case "required":
      return `${fieldPath(place, fault.params["missingProperty"])} is missing`;
    case "additionalProperties":
      return `${fieldPath(place, fault.params["additionalProperty"])} is not a known field`;
    case "type":
      return `${place} must be of type ${fault.params["type"]}`;
    case "pattern":
      return `${place} must not be empty`;
    case "minItems":
      return `${place} must not be empty`;
    default:
      return `${place} ${fault.message ?? "is not as described"}`;
  }
}

/** `/0/identifier` as `[0].identifier`; the body itself where the path is empty. */
function placeOf(pointer: string): string {
  const steps = pointer.split("/").slice(1);
  const path = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join("");
  return path === "" ? "the body" : path.replace(/^\./, "");
}

function fieldPath(place: string, field: unknown): string {
  const name = String(field).slice(0, 100);
  return place === "the body" ? name : `${place}.${name}`;
}
