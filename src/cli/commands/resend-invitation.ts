import { planningEvents, runPlanned } from "../../library/apply/apply.ts";
import { invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import { readForPlan } from "../../library/planning/planning.ts";
import { suggestMember } from "../../library/planning/policy.ts";
import { sha256 } from "../../library/system.ts";
import { foldAddress } from "../../model/address.ts";
import { planResendInvitation, type ResendRefusal, type ResendRequest } from "../../plan/resend-invitation.ts";
import { applyContext, applySteps, type LockedPlanning } from "../apply/apply-under-lock.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import { rosterSummary } from "../planning/roster-files.ts";
import { type CommandCall, type PlanningFlags, planningParts, runCommand } from "../session.ts";
import { type LockFlags, lockState, readLockOptions } from "../stores/lock.ts";

export interface ResendFlags extends PlanningFlags, LockFlags {
  readonly autoApprove?: boolean;
}

/** The member whom a person names on the command line, and where the roster is. */
export interface ResendArguments {
  readonly email: string;
  readonly team: string;
  readonly paths: readonly string[];
}

/** Mails one member of one team once more: the only command that mails anybody twice, and never by itself. */
export async function resendInvitation(member: ResendArguments, flags: ResendFlags, host: Host): Promise<number> {
  return finish(await runCommand((open) => resendResult(member, { flags, host, open })), flags, host);
}

async function resendResult(
  { email, team, paths }: ResendArguments,
  { flags, host, open }: CommandCall<ResendFlags>,
): Promise<CommandResult> {
  const base: CommandResult = { command: "resend-invitation", tells: "success-only", diagnostics: [] };
  const wait = readLockOptions(flags, host);
  if (!wait.ok) return { ...base, stop: wait.error };
  const session = await open({ command: "resend-invitation", paths, flags, host, needs: planningParts });
  if (!session.ok) return { ...base, ...session.error };
  const result = { ...base, ...rosterSummary(session.value.loaded) };
  const locked = await lockState(session.value, "resend-invitation", wait.value);
  if (!locked.ok) return { ...result, stop: locked.error };
  return resendUnderLock(result, locked.value, { flags, member: { address: foldAddress(email), email, team } });
}

/** The roster is not applied by it: nothing is recorded about who left the roster. */
async function resendUnderLock(
  result: CommandResult,
  session: LockedPlanning,
  { flags, member }: { readonly flags: ResendFlags; readonly member: ResendRequest },
): Promise<CommandResult> {
  const context = applyContext(session, { flags });
  const { roster, policy, lock } = context;
  const read = await readForPlan({ ...context, state: lock.state }, context);
  if (!read.ok) return { ...result, stop: read.error };
  const { snapshot, state } = read.value;
  const plan = planResendInvitation({ roster, snapshot, state, policy, digest: sha256 }, member);
  if (!plan.ok) return { ...result, stop: noInvitationError(suggestMember(plan.error, member, roster)) };
  const planned = { ...read.value, plan: plan.value };
  const { learned } = planningEvents(context, planned);
  const { steps, show } = applySteps(result, session, { flags });
  return show(await runPlanned(context, planned, steps, { learned, applied: [] }));
}

function noInvitationError({ code, message, hint }: ResendRefusal): RosterError {
  if (code === "cannot-resend") return invalidSetting(code, message, hint);
  return stopError("refused", code, message, hint);
}
