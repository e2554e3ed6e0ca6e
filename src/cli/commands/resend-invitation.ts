import { foldAddress } from "../../model/address.ts";
import { planResendInvitation, type ResendRefusal, type ResendRequest } from "../../plan/resend-invitation.ts";
import { type LockedPlanning, planningEvents, planningInput, runUnderLock } from "../apply/apply-under-lock.ts";
import { refuseUnsigned } from "../approvals/check-approvals.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import { rosterSummary } from "../planning/load-roster.ts";
import { readForPlan } from "../planning/pipeline.ts";
import { suggestMember } from "../planning/policy-flags.ts";
import { type CommandCall, type PlanningFlags, planningParts, readPorts, runCommand } from "../session.ts";
import { type LockFlags, lockState, readLockOptions } from "../stores/lock.ts";
import { sha256 } from "../system.ts";

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
  const unsigned = refuseUnsigned("resend-invitation", session.value.settings);
  if (unsigned !== undefined) return { ...result, stop: unsigned };
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
  const input = planningInput(session, flags);
  const read = await readForPlan(input, readPorts(session));
  if (!read.ok) return { ...result, stop: read.error };
  const { roster, policy } = input;
  const { snapshot, state } = read.value;
  const plan = planResendInvitation({ roster, snapshot, state, policy, digest: sha256 }, member);
  if (!plan.ok) return { ...result, stop: noInvitationError(suggestMember(plan.error, member, roster)) };
  const planned = { ...read.value, plan: plan.value };
  const { learned } = planningEvents(session, planned);
  return runUnderLock(result, session, planned, { flags, events: { learned, applied: [] } });
}

function noInvitationError({ code, message, hint }: ResendRefusal): CommandError {
  if (code === "cannot-resend") return invalidSetting(code, message, hint);
  return { reason: "refused", problem: { code, message, hint } };
}
