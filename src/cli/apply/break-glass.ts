import type { RunSummary } from "../../journal/summary.ts";
import type { BreakGlassBegun } from "../../model/event.ts";
import { createFinding, findingFingerprint } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import { formatAllowance, formatException } from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { isDate } from "../../model/roster.ts";
import { formatSubject } from "../../model/subject.ts";
import { accessGiven, breakableGuards, findBreakGlassAccess, takenBackByRun } from "../../plan/guards/break-glass.ts";
import { isoTime } from "../../ports/clock.ts";
import { safe } from "../../report/safe.ts";
import { breakGlassMessage } from "../../report/webhook/message.ts";
import { textProblem } from "../../roster/decode-text.ts";
import { runContextOf } from "../audit/run-context.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import { readAcknowledgements } from "../drift/acknowledgements.ts";
import { findDrift } from "../drift/sightings.ts";
import { readWebhooks, sendToWebhook, type Webhook, type WebhookFlags } from "../drift/webhook.ts";
import type { Host } from "../host.ts";
import { type Planned, planFromReading } from "../planning/pipeline.ts";
import { type PolicyFlags, readAllowances } from "../planning/policy-flags.ts";
import type { PlanningSession } from "../session.ts";
import { variable } from "../settings/environment.ts";
import type { SettingFlags, Settings } from "../settings/settings.ts";
import { type Locked, recordEvents } from "../stores/lock.ts";
import { sha256 } from "../system.ts";
import { readDuration } from "../time-limits.ts";

export interface BreakGlassFlags extends Pick<WebhookFlags, "webhook"> {
  readonly breakGlass?: string | undefined;
  readonly until?: string | undefined;
}

/** An emergency in which a person passes guards: why, until when, and who is informed. */
export interface BreakGlassRequest {
  readonly reason: string;
  /** ISO 8601. */
  readonly until: string;
  readonly webhook: Webhook | undefined;
}

/** The longest emergency, in milliseconds. */
const longest = 24 * 3_600_000;
const maxReasonLength = 200;

/** What the flags say of an emergency; undefined where there is none. Reads and sends nothing. */
export async function readBreakGlass(
  flags: BreakGlassFlags & PolicyFlags,
  host: Host,
): Promise<Result<BreakGlassRequest | undefined, CommandError>> {
  const { breakGlass, until } = flags;
  if (breakGlass === undefined) {
    const alone = until === undefined ? (flags.webhook === undefined ? undefined : "--webhook") : "--until";
    return alone === undefined ? success(undefined) : problem(needsBreakGlass(alone));
  }
  const reason = breakGlass.trim();
  const fault = reason.length > maxReasonLength ? `is longer than ${maxReasonLength} characters` : textProblem(reason);
  if (fault !== undefined) return problem(badReason(fault));
  const end = readEnd(until, host.clock.now());
  if (!end.ok) return end;
  const unbreakable = findUnbreakable(flags, host);
  if (unbreakable !== undefined) return problem(unbreakable);
  const webhook = await readWebhooks({ webhook: flags.webhook }, host);
  return webhook.ok ? success({ reason, until: end.value, webhook: webhook.value }) : webhook;
}

function needsBreakGlass(flag: string): CommandError {
  return invalidSetting(
    "needs-break-glass",
    `${flag} of \`roster apply\` needs --break-glass.`,
    `Add --break-glass REASON, or remove ${flag}.`,
  );
}

function badReason(fault: string): CommandError {
  return invalidSetting(
    "bad-break-glass",
    `The reason of --break-glass ${fault}.`,
    "Write one line, such as --break-glass 'INC-42: payments are down'.",
  );
}

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/u;

function readEnd(until: string | undefined, now: number): Result<string, CommandError> {
  if (until === undefined) return problem(badEnd("--break-glass needs an end."));
  const time = timePattern.test(until) && isDate(until.slice(0, 10)) ? Date.parse(until) : Number.NaN;
  const duration = readDuration(until);
  if (Number.isNaN(time) && !duration.ok) return problem(badEnd(`--until ${until} is neither a duration nor a time.`));
  const end = Number.isNaN(time) && duration.ok ? now + duration.value : time;
  if (end <= now) return problem(badEnd(`--until ${until} is not in the future.`));
  if (end - now > longest) return problem(badEnd(`--until ${until} is more than 24 hours away.`));
  return success(new Date(end).toISOString());
}

function badEnd(message: string): CommandError {
  return invalidSetting(
    "bad-break-glass",
    message,
    "Pass --until with at most 24 hours, such as --until 4h, or a time such as --until 2026-11-23T18:00Z.",
  );
}

/** Why the allowances of the command line are not for an emergency; undefined where they are. */
function findUnbreakable({ allow = [] }: PolicyFlags, host: Host): CommandError | undefined {
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
  request: BreakGlassRequest | undefined,
  { audit }: Pick<Settings, "audit">,
): CommandError | undefined {
  if (request === undefined || audit?.value !== "none") return undefined;
  return invalidSetting(
    "break-glass-without-audit",
    "--break-glass needs an audit trail, but `--audit none` keeps none.",
    "Remove `--audit none`, or name a place with --audit URL.",
  );
}

/** Why an emergency changes nothing: no guard that it names objects to this plan. */
export function refuseIdleBreakGlass({ plan, refusal }: Planned, session: PlanningSession): CommandError | undefined {
  if (refusal !== undefined) return undefined;
  const idle = new Set(plan.findings.flatMap(({ code, subject }) => (code === "idle-allowance" ? [subject] : [])));
  const idleWords = new Set([...idle].map(formatSubject));
  const words = session.policy.allowed.map(formatAllowance);
  const isIdle = words.every((written) => idleWords.has(formatSubject({ kind: "allowance", written })));
  if (!isIdle && plan.actions.length > 0) return undefined;
  return {
    reason: "refused",
    problem: {
      code: "nothing-to-break-glass",
      message: "no guard that --break-glass names holds or refuses this plan",
      hint: "nothing was sent; run `roster plan`, and use the --allow value that it prints, or apply without --break-glass",
    },
  };
}

/** What the emergency gives, as it is recorded before the first call. */
export function breakGlassBegun(
  { reason, until }: BreakGlassRequest,
  planned: Planned,
  { host, policy, loaded }: PlanningSession,
  run: string,
): BreakGlassBegun {
  const { plan, keyInUse } = planned;
  const guarded = planFromReading(planned, { roster: loaded.roster, policy: { ...policy, allowed: [] }, keyInUse });
  const actions = guarded.ok && guarded.value.refusal === undefined ? guarded.value.plan.actions : [];
  return {
    type: "break-glass-begun",
    at: isoTime(host.clock),
    run,
    plan: plan.id,
    reason: host.secrets.redactAll(reason),
    until,
    actor: host.secrets.redactAll(runContextOf(host).actor),
    allowed: policy.allowed.map(formatAllowance),
    gives: accessGiven(plan.actions, actions),
  };
}

/** Tells at once, before the first call. A webhook that fails does not stop an emergency. */
export async function announceBreakGlass(
  { webhook }: BreakGlassRequest,
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

/** The plan with what a reviewed file accepts as notices. */
export async function withAcceptedBreakGlass(
  planned: Planned,
  { settings, host, loaded, policy }: Pick<PlanningSession, "settings" | "host" | "loaded" | "policy">,
): Promise<Result<Planned, CommandError>> {
  const isOpen = ({ code, blocking }: Plan["findings"][number]) => code === "break-glass-access" && blocking;
  if (!planned.plan.findings.some(isOpen)) return success(planned);
  const read = await readAcknowledgements(settings, host);
  if (!read.ok) return read;
  const { items } = findDrift(planned, { roster: loaded.roster, policy, known: read.value });
  const accepted = new Map(
    items.flatMap(({ fingerprint, acknowledged }) =>
      acknowledged?.counts === true ? [[fingerprint, acknowledged.by] as const] : [],
    ),
  );
  const input = { ...planned, roster: loaded.roster, digest: sha256, accepted };
  const drafts = findBreakGlassAccess(input).map(({ concerns: _, allow: _allow, ...draft }) =>
    createFinding({ ...draft, restsOn: draft.restsOn ?? [] }, sha256),
  );
  const known = new Map(drafts.map((finding) => [finding.fingerprint, finding]));
  const findings = planned.plan.findings.map((finding) => known.get(finding.fingerprint) ?? finding);
  return success({ ...planned, plan: { ...planned.plan, findings } });
}

/** The plan after its run, without emergency access that the run has taken back, which is recorded. */
export async function closeTakenBack(
  plan: Plan,
  { snapshot, state }: Pick<Planned, "snapshot" | "state">,
  { rolesRead }: RunSummary,
  { loaded, lock, host }: Locked<PlanningSession>,
): Promise<Plan> {
  if (state.breakGlass === undefined) return plan;
  const users = snapshot.users.map((user) => {
    const keys = user.keys?.map((key) => {
      const roles = rolesRead.get(key.prefix);
      return roles === undefined ? key : { ...key, roles };
    });
    return keys === undefined ? user : { ...user, keys };
  });
  const before = { roster: loaded.roster, snapshot, state, digest: sha256 };
  const after = { ...before, snapshot: { ...snapshot, users } };
  const closed = takenBackByRun(before, after, isoTime(host.clock));
  // What is not recorded now is recorded by a later apply that sees it.
  if (closed.length > 0) await recordEvents(lock, closed, "");
  const left = new Set(findBreakGlassAccess(after).map((one) => findingFingerprint(one, sha256)));
  const findings = plan.findings.filter(
    ({ code, fingerprint }) => code !== "break-glass-access" || left.has(fingerprint),
  );
  return { ...plan, findings };
}
