import type { IncomingMessage } from "node:http";
import { type Refusal, refuse } from "./reply.ts";

/** The bytes of a body, and how many came; a body over the cap is read to its end and not kept. */
export interface ReceivedBody {
  readonly size: number;
  /** Absent where the body is over the cap. */
  readonly bytes?: Uint8Array;
}

/** Reads to the end whatever the size, so that the caller is there to read the refusal. Rejects when the caller goes away. */
export function receiveBody(request: IncomingMessage, cap: number): Promise<ReceivedBody> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= cap) chunks.push(chunk);
    });
    request.on("end", () => resolve(size <= cap ? { size, bytes: Buffer.concat(chunks) } : { size }));
    request.on("error", reject);
    request.on("close", () => reject(new Error("the caller went away")));
  });
}

/** Whether the body is sent as what this interface speaks: 415 where it is not. */
export function mediaTypeFault(contentType: string | undefined): Refusal | undefined {
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
