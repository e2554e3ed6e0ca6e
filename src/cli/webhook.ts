import { createHmac } from "node:crypto";
import { rosterVersion } from "../codec/version.ts";
import { type HttpClientRequest, isLoopback } from "../http/http-client.ts";
import { retry } from "../http/origin.ts";
import { openClient } from "../library/connect.ts";
import { invalidSetting, RosterError, rosterError } from "../library/error.ts";
import type { LockedLog } from "../library/log.ts";
import type { Plan } from "../model/plan.ts";
import { allowedSubjects } from "../model/policy.ts";
import type { RoleSet } from "../model/values.ts";
import { safe } from "../report/safe.ts";
import type { Delivery } from "../report/webhook.ts";
import type { OutputFlags, SomeFlags } from "./flags.ts";
import type { Host } from "./host.ts";
import { type FinishedCommand, outcomeOf } from "./run-command.ts";
import { runContextOf } from "./run-context.ts";
import { variable } from "./settings/environment.ts";
import { readSettings } from "./settings/settings.ts";

/** What becomes of it is written to standard error and changes nothing. */
export async function notifyDrift(
  webhook: Webhook,
  { result, exitCode }: FinishedCommand,
  options: DeliveryOptions & { readonly flags: OutputFlags },
): Promise<void> {
  const { host, flags } = options;
  if (exitCode === 0 || host.interruption.by() !== undefined) return;
  const whole = host.secrets.redactAll(outcomeOf(result, exitCode, flags));
  const { driftMessage } = await import("../report/webhook.ts");
  await sendToWebhook(webhook, (about) => driftMessage(whole, about), options);
}

/** Tells the webhook, before the first call, that a plan gives privileged roles which a person allowed. A failure stops nothing. */
export async function notifyPrivileges(
  webhook: Webhook | undefined,
  plan: Plan,
  privileged: RoleSet,
  lock: Pick<LockedLog, "run" | "head">,
  options: Pick<DeliveryOptions, "flags" | "host">,
): Promise<void> {
  if (webhook === undefined || allowedSubjects(plan.allowed, "privileged-roles").size === 0) return;
  const { host } = options;
  const { actor } = runContextOf(host);
  const document = host.secrets.redactAll({ plan, run: lock.run, actor, privileged, head: lock.head() });
  const { privilegeMessage } = await import("../report/webhook.ts");
  await sendToWebhook(webhook, (about) => privilegeMessage(document, about), { ...options, attempts: "several" });
}

async function sendToWebhook(
  { url, secret }: Webhook,
  bodyFor: (about: Delivery) => string,
  options: DeliveryOptions,
): Promise<void> {
  const { host } = options;
  const id = host.randomness.identifier();
  const at = host.clock.now();
  const timestamp = String(Math.floor(at / 1000));
  const body = bodyFor({ delivery: id, at: new Date(at).toISOString(), rosterVersion });
  // HMAC-SHA-256 in hexadecimal.
  const sign = (key: string) => createHmac("sha256", key).update(`${timestamp}.${body}`).digest("hex");
  const headers = {
    "content-type": "application/json",
    "user-agent": `roster/${rosterVersion}`,
    "roster-delivery": id,
    "roster-timestamp": timestamp,
    ...(secret === undefined ? {} : { "roster-signature": `v1=${sign(secret)}` }),
  };
  const failure = await deliver({ method: "POST", url, headers, body }, options);
  const to = `the webhook at ${url.origin}`;
  const became = failure === undefined ? `notified ${to}` : `warning: ${to} was not notified: ${failure}`;
  host.stderr.write(`${safe(became)} (delivery ${id})\n`);
}

export interface Webhook {
  readonly url: URL;
  readonly secret?: string | undefined;
}

interface DeliveryOptions {
  readonly flags: SomeFlags;
  readonly host: Host;
  /** `one`: the time of the command is over. */
  readonly attempts: "one" | "several";
}

/** Bytes: a key that can be guessed signs nothing. */
const shortest = 16;

/** There is no setting for it: no change to the checkout leads it elsewhere. What it holds is kept out of every output from now on. */
export function readWebhook(host: Host): Webhook | undefined {
  const { secrets } = host;
  const said = variable(host, "ROSTER_WEBHOOK");
  if (said === undefined) return undefined;
  const howToWrite = "Write it like https://hooks.example.com/roster. http:// works only for localhost.";
  const bad = (message: string) => invalidSetting("bad-value", message, howToWrite);
  const url = URL.canParse(said) ? new URL(said) : undefined;
  // Everybody who knows the address of a webhook can often write to it. A long part of its path is taken for a secret.
  const longParts = url?.pathname.split("/").filter(({ length }) => length >= 20) ?? [];
  const isOriginAlone = url?.pathname === "/" && url.search === "";
  const kept = isOriginAlone ? [] : [said, url?.href ?? "", ...longParts, ...(url?.searchParams.values() ?? [])];
  for (const text of kept) secrets.keep(text);
  if (url === undefined) throw bad("The webhook is not an address.");
  secrets.keep(url.password);
  if (url.username !== "" || url.password !== "") throw bad("The webhook holds credentials before its host.");
  if (url.protocol !== "https:" && (url.protocol !== "http:" || !isLoopback(url.hostname)))
    throw bad(`The webhook at ${url.protocol}//${url.host} is not an https:// address.`);
  const secret = variable(host, "ROSTER_WEBHOOK_SECRET");
  secrets.keep(secret ?? "");
  if (secret === undefined || Buffer.byteLength(secret) >= shortest) return { url, secret };
  const message = `The secret of the webhook is too short: fewer than ${shortest} bytes.`;
  throw invalidSetting(
    "bad-value",
    message,
    "Create one with `openssl rand -hex 32`. Set it in ROSTER_WEBHOOK_SECRET, and in the receiver of the webhook.",
  );
}

const limits = { timeout: 10_000, largestAnswer: 1024 * 1024 };

/** Milliseconds before each attempt but the first. */
const pauses: readonly number[] = [1000, 3000];

/** Why it was not delivered, as the end of a sentence. Tries again where nothing answers or the answer says that it may pass. */
async function deliver(
  request: HttpClientRequest,
  { flags, host, attempts }: DeliveryOptions,
): Promise<string | undefined> {
  const network = await readSettings(flags, host).then((settings) => settings.network, rosterError);
  const client = openClient(request.url.origin, network instanceof RosterError ? {} : network, host, limits);
  const http = await client.catch(rosterError);
  if (http instanceof RosterError) return http.message;
  const { signal } = host.interruption;
  const attempt = async (): Promise<{ readonly why?: string; readonly mayPass: boolean }> => {
    const answer = await http.send(request);
    if (answer.is === "no-answer") return { why: answer.cause, mayPass: true };
    const { status } = answer;
    if (status >= 200 && status < 300) return { mayPass: false };
    const redirected = status >= 300 && status < 400 ? "; roster does not follow redirects" : "";
    return { why: `it answered ${status}${redirected}`, mayPass: status >= 500 || status === 429 || status === 408 };
  };
  try {
    const { why } = await retry(attempt, {
      clock: host.clock,
      pauseAfter: ({ mayPass }, { tries }) => (mayPass && attempts === "several" ? pauses[tries - 1] : undefined),
      signal,
      isStillWanted: () => !signal.aborted,
    });
    return why;
  } finally {
    await http.close();
  }
}
