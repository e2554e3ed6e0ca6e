import { createHmac } from "node:crypto";
import type { Result } from "../../model/result.ts";
import { openHttpClient } from "../../network/origin.ts";
import { retry } from "../../network/retry.ts";
import type { HttpFailure, HttpResponse } from "../../ports/http-client.ts";
import { resolveTransport } from "../connection.ts";
import { readSettings } from "../settings/settings.ts";
import { installedPackage } from "../system.ts";
import type { DeliveryOptions, Webhook } from "./webhook.ts";

/** What is sent: the same bytes at each attempt. */
export interface WebhookRequest {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly body: string;
}

/** What became of it; a failure completes a sentence. */
export type DeliveryResult = { readonly is: "told" } | { readonly is: "not-told"; readonly why: string };

const limits = { timeout: 10_000, largestAnswer: 1024 * 1024 };

/** Milliseconds before each attempt but the first. */
const pauses: readonly number[] = [1000, 3000];

/** Tells a webhook, and tries again where nothing answers or the answer says that it may pass. Never rejects. */
export async function deliverWebhook(
  webhook: Webhook,
  letter: WebhookRequest,
  { flags, host, attempts }: DeliveryOptions,
): Promise<DeliveryResult> {
  const { origin } = webhook.url;
  const settings = await readSettings(flags, host);
  const way = await resolveTransport(origin, settings.ok ? settings.value.network : {}, host);
  if (!way.ok) return { is: "not-told", why: way.error.diagnostics?.[0]?.message ?? "there is no way to it" };
  const http = openHttpClient({ origin, ...limits, clock: host.clock, ...way.value });
  const request = { method: "POST", url: webhook.url, headers: headersOf(webhook, letter), body: letter.body };
  try {
    const { clock, interruption } = host;
    return await retry(async () => attemptResult(await http.send(request)), {
      clock,
      pauseAfter: (result, { tries }) =>
        result.is === "told" || !result.mayPass || attempts === "one" ? undefined : pauses[tries - 1],
      signal: () => interruption.signal,
      isStillWanted: () => !interruption.signal.aborted,
    });
  } finally {
    await http.close();
  }
}

function headersOf({ secret }: Webhook, { id, at, body }: WebhookRequest): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1000));
  const signed = secret === undefined ? {} : { "roster-signature": `v1=${signature(secret, timestamp, body)}` };
  return {
    "content-type": "application/json",
    "user-agent": `roster/${installedPackage().version}`,
    "roster-delivery": id,
    "roster-timestamp": timestamp,
    ...signed,
  };
}

/** HMAC-SHA-256 of `TIMESTAMP.BODY`, in hexadecimal. */
function signature(secret: string, timestamp: string, body: string): string {
  return createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
}

type AttemptResult =
  | { readonly is: "told" }
  | { readonly is: "not-told"; readonly why: string; readonly mayPass: boolean };

function attemptResult(answer: Result<HttpResponse, HttpFailure>): AttemptResult {
  if (!answer.ok) return { is: "not-told", why: answer.error.cause, mayPass: true };
  const { status } = answer.value;
  if (status >= 200 && status < 300) return { is: "told" };
  const redirected = status >= 300 && status < 400 ? ", and a redirect is not followed" : "";
  const mayPass = status >= 500 || status === 429 || status === 408;
  return { is: "not-told", why: `it answered ${status}${redirected}`, mayPass };
}
