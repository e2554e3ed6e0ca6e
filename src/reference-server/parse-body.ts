import type { ReceivedBody } from "./received-body.ts";
import { type Refusal, refuse } from "./reply.ts";

/** Whether the body is sent as what this interface speaks: 415 where it is not. */
export function checkMediaType(contentType: string | undefined): Refusal | undefined {
  const type = contentType?.split(";")[0]?.trim().toLowerCase();
  if (type === "application/json") return undefined;
  return refuse(415, `The Content-Type must be application/json; it is ${JSON.stringify(contentType ?? "not given")}`);
}

/** The JSON value of a body: 413 where it was too large, 400 where it is none. */
export function parseBody(body: ReceivedBody, cap: number): { readonly value: unknown } | Refusal {
  if (body.bytes === undefined) return refuse(413, `The body has ${body.size} bytes; this server reads ${cap}`);
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body.bytes)) };
  } catch {
    return refuse(400, "The body is not JSON in UTF-8");
  }
}
