import { readDuration } from "../../library/duration.ts";
import { invalidSetting, type RosterError } from "../../library/error.ts";
import { type RunWords, readAllowances } from "../../library/planning/policy.ts";
import type { BreakGlassBegun } from "../../model/event.ts";
import { formatException } from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { isDate } from "../../model/roster.ts";
import { breakableGuards } from "../../plan/guards/break-glass.ts";
import { safe } from "../../report/safe.ts";
import { breakGlassMessage } from "../../report/webhook.ts";
import { saysSomething, textProblem } from "../../roster/decode-text.ts";
import { readWebhooks, sendToWebhook, type Webhook, type WebhookFlags } from "../drift/webhook.ts";
import type { Host } from "../host.ts";
import { variable } from "../settings/environment.ts";
import type { SettingFlags, Settings } from "../settings/settings.ts";

export interface BreakGlassFlags extends Pick<WebhookFlags, "webhook"> {
  readonly breakGlass?: string | undefined;
  readonly until?: string | undefined;
}

/** An emergency in which a person passes guards, and who is informed. */
export interface BreakGlassFlagsRead {
  /** `until`: ISO 8601. */
  readonly request: { readonly reason: string; readonly until: string };
  readonly webhook: Webhook | undefined;
}

/** The longest emergency, in milliseconds. */
const longest = 24 * 3_600_000;
const maxReasonLength = 200;

/** What the flags say of an emergency; undefined where there is none. Reads and sends nothing. */
export async function readBreakGlass(
  flags: BreakGlassFlags & RunWords,
  host: Host,
): Promise<Result<BreakGlassFlagsRead | undefined, RosterError>> {
  const { breakGlass, until } = flags;
  if (breakGlass === undefined) {
    const alone = until === undefined ? (flags.webhook === undefined ? undefined : "--webhook") : "--until";
    return alone === undefined ? success(undefined) : problem(needsBreakGlass(alone));
  }
  const reason = breakGlass.trim();
  const tooLong = reason.length > maxReasonLength ? `is longer than ${maxReasonLength} characters` : undefined;
  const fault = tooLong ?? textProblem(reason) ?? (saysSomething(reason) ? undefined : "has no letter or digit");
  if (fault !== undefined) return problem(badReason(fault));
  const end = readEnd(until, host.clock.now());
  if (!end.ok) return end;
  const unbreakable = findUnbreakable(flags, host);
  if (unbreakable !== undefined) return problem(unbreakable);
  const webhook = await readWebhooks({ webhook: flags.webhook }, host);
  return webhook.ok ? success({ request: { reason, until: end.value }, webhook: webhook.value }) : webhook;
}

function needsBreakGlass(flag: string): RosterError {
  return invalidSetting(
    "needs-break-glass",
    `${flag} of \`roster apply\` needs --break-glass.`,
    `Add --break-glass REASON, or remove ${flag}.`,
  );
}

function badReason(fault: string): RosterError {
  return invalidSetting(
    "bad-break-glass",
    `The reason of --break-glass ${fault}.`,
    "Write one line, such as --break-glass 'INC-42: payments are down'.",
  );
}

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/u;

function readEnd(until: string | undefined, now: number): Result<string, RosterError> {
  if (until === undefined) return problem(badEnd("--break-glass needs an end."));
  const time = timePattern.test(until) && isDate(until.slice(0, 10)) ? Date.parse(until) : Number.NaN;
  const duration = readDuration(until);
  if (Number.isNaN(time) && !duration.ok) return problem(badEnd(`--until ${until} is neither a duration nor a time.`));
  const end = Number.isNaN(time) && duration.ok ? now + duration.value : time;
  if (end <= now) return problem(badEnd(`--until ${until} is not in the future.`));
  if (end - now > longest) return problem(badEnd(`--until ${until} is more than 24 hours away.`));
  return success(new Date(end).toISOString());
}

function badEnd(message: string): RosterError {
  return invalidSetting(
    "bad-break-glass",
    message,
    "Pass --until with at most 24 hours, such as --until 4h, or a time such as --until 2026-11-23T18:00Z.",
  );
}

/** Why the allowances of the command line are not for an emergency; undefined where they are. */
function findUnbreakable({ allow = [] }: RunWords, host: Host): RosterError | undefined {
  const allowed = readAllowances(allow, variable(host, "ROSTER_ALLOW"));
  if (!allowed.ok) return allowed.error;
  if (allowed.value.length === 0) {
    return invalidSetting(
      "break-glass-guards",
      "--break-glass names no guard.",
      "Run `roster plan`, and add the --allow GUARD@PLANID that it prints.",
    );
  }
  const wrong = allowed.value.find(
    ({ exception }) => exception.is !== "guard" || !breakableGuards.includes(exception.guard),
  );
  if (wrong === undefined) return undefined;
  return invalidSetting(
    "break-glass-guards",
    `--break-glass cannot pass ${formatException(wrong.exception)}.`,
    `An emergency passes only these guards: ${breakableGuards.join(", ")}.`,
  );
}

/** An emergency that leaves no trace is refused. */
export function refuseWithoutAudit(
  request: BreakGlassFlagsRead | undefined,
  { audit }: Pick<Settings, "audit">,
): RosterError | undefined {
  if (request === undefined || audit?.value !== "none") return undefined;
  return invalidSetting(
    "break-glass-without-audit",
    "--break-glass needs an audit trail, but `--audit none` keeps none.",
    "Remove `--audit none`, or name a place with --audit URL.",
  );
}

/** Tells at once, before the first call. A webhook that fails does not stop an emergency. */
export async function announceBreakGlass(
  { webhook }: BreakGlassFlagsRead,
  begun: BreakGlassBegun,
  { service, flags, host }: { readonly service: string; readonly flags: SettingFlags; readonly host: Host },
): Promise<void> {
  host.stderr.write(`${safe(`break-glass until ${begun.until}: recorded in the state and in the audit trail`)}\n`);
  if (webhook === undefined) {
    host.stderr.write("warning: break-glass: no webhook is set, so nobody was notified; inform your team\n");
    return;
  }
  const document = host.secrets.redactAll({ ...begun, service });
  const bodyFor = (about: Parameters<typeof breakGlassMessage>[1]) => breakGlassMessage(document, about);
  const told = await sendToWebhook(webhook, bodyFor, { flags, host, attempts: "several" });
  host.stderr.write(told.line);
  if (told.is === "failed") host.stderr.write("warning: break-glass: the apply goes on; inform your team\n");
}
