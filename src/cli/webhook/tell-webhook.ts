import type { CommandOutcome } from "../../report/outcome.ts";
import { safe } from "../../report/safe.ts";
import { driftMessage } from "../../report/webhook.ts";
import type { CommandResult } from "../output/conclude.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { installedPackage } from "../package-directory.ts";
import type { SettingFlags } from "../settings/settings.ts";
import type { DeliveryOptions, Webhook } from "./read-webhook.ts";

/** What a drift has come to, and the code with which it ends. */
export interface DriftEnding {
  readonly conclusion: CommandResult;
  readonly exitCode: number;
}

/**
 * Tells a webhook what a drift came to, where that is anything but that all is well (0), or that somebody interrupted it. What
 * becomes of it is told on standard error and changes nothing.
 */
export async function notifyWebhook(
  webhook: Webhook,
  { conclusion, exitCode }: DriftEnding,
  { flags, host, attempts }: DeliveryOptions & { readonly flags: SettingFlags & OutputFlags },
): Promise<void> {
  if (exitCode === 0 || host.interruption.by() !== undefined) return;
  const { deliverWebhook: deliver } = await import("./deliver.ts");
  const outcome = host.secrets.redactAll(outcomeOf(conclusion, exitCode, flags));
  const id = host.randomness.identifier();
  const at = host.clock.now();
  const about = { id, at: new Date(at).toISOString(), version: installedPackage().version };
  const delivered = await deliver(webhook, { id, at, body: driftMessage(outcome, about) }, { flags, host, attempts });
  const to = `the webhook at ${webhook.url.origin}`;
  const became = delivered.is === "told" ? `${to} was told` : `warning: ${to} was not told: ${delivered.why}`;
  host.stderr.write(`${safe(became)} (delivery ${id})\n`);
}

function outcomeOf(
  { stop, tells: _, ownWords: __, ...rest }: CommandResult,
  exitCode: number,
  { title }: OutputFlags,
): CommandOutcome {
  return {
    ...rest,
    exitCode,
    diagnostics: [...rest.diagnostics, ...(stop?.diagnostics ?? [])],
    ...(stop?.problem === undefined ? {} : { problem: stop.problem }),
    ...(title === undefined ? {} : { title }),
  };
}
