import type { IncomingMessage } from "node:http";
import type { ReceivedBody } from "./received-body.ts";

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
