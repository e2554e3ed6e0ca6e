import type { RunContext } from "./run-context.ts";

/** How often one call is sent at the most, and how long that may take as a whole, in milliseconds. */
const mostTries = 4;
const deadline = 60_000;

const firstBackoff = 500;

/** Waits before a throttled call is sent again, for as long as the service asks, and tells why; or says that it is not. */
export async function waitToSendAgain(
  context: RunContext,
  last: { readonly of: string; readonly tries: number; readonly elapsed: number; readonly asked: number | undefined },
): Promise<"waited" | "given-up"> {
  const { of, tries, elapsed, asked } = last;
  const backoff = firstBackoff * 2 ** (tries - 1);
  const spread = (backoff / 2) * fractionOf(`${of} ${tries}`, context);
  const milliseconds = Math.ceil((asked ?? backoff / 2) + spread);
  if (tries >= mostTries || elapsed + milliseconds > deadline || context.stopped !== undefined) return "given-up";
  const why = "the service asks to come back later";
  await context.record([{ type: "waiting", at: context.now(), milliseconds, why }]);
  await context.clock.wait(milliseconds, context.signal);
  return "waited";
}

/** In [0, 1), the same for the same text: so that calls throttled together do not all come back together. */
function fractionOf(text: string, { digest }: RunContext): number {
  return Number.parseInt(digest(text).slice(0, 8), 16) / 0x1_0000_0000;
}
