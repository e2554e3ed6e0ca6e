import type { Host } from "./host.ts";

/** As much of standard input as tells what it is. */
const sniffLength = 4096;

/**
 * Reads standard input to its end, but no further than just behind the most that may be there: then what is returned is
 * longer than that. How much may be there can depend on the beginning.
 */
export async function readStandardInput(
  { stdin }: Pick<Host, "stdin">,
  largestAfter: (beginning: Buffer) => number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  let largest: number | undefined;
  for await (const chunk of stdin) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    chunks.push(bytes);
    length += bytes.length;
    if (length >= sniffLength) largest ??= largestAfter(Buffer.concat(chunks));
    if (largest !== undefined && length > largest) break;
  }
  return Buffer.concat(chunks);
}
