import { foldAddress } from "../../model/address.ts";
import { planReinvitation, type ReinviteRefusal, type ReinviteRequest } from "../../plan/reinvite.ts";
import { type ApplySession, planningEvents, planningUnderLock, runUnderLock } from "../apply/apply-under-lock.ts";
import { type CommandError, errorFromFailure, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import { readForPlan } from "../planning/pipeline.ts";
import { suggestMember } from "../planning/policy-flags.ts";
import { type PlanningFlags, withSession } from "../session.ts";
import { type LockFlags, readLockOptions, takeLock, underLock } from "../stores/lock.ts";
import { sha256 } from "../system.ts";

export interface ReinviteFlags extends PlanningFlags, LockFlags {
  readonly autoApprove?: boolean;
}

/** Whom a person names on the command line, and where the roster is. */
export interface ReinviteArguments {
  readonly email: string;
  readonly team: string;
  readonly paths: readonly string[];
}

/** Mails one member of one team once more: the only command that mails anybody twice, and never by itself. */
export async function reinvite(words: ReinviteArguments, flags: ReinviteFlags, host: Host): Promise<number> {
  return finish(await reinviteResult(words, flags, host), flags, host);
}

async function reinviteResult(
  { email, team, paths }: ReinviteArguments,
  flags: ReinviteFlags,
  host: Host,
): Promise<CommandResult> {
  const begun: CommandResult = { command: "reinvite", tells: "success-only", diagnostics: [] };
  const patience = readLockOptions(flags, host);
  if (!patience.ok) return { ...begun, stop: patience.error };
  const wish = { address: foldAddress(email), email, team };
  return withSession(begun, { paths, flags, host }, async (so, { store, ...ready }) => {
    const run = host.randomness.identifier();
    const { signal } = ready.halting;
    const locked = await takeLock(store, { run, operation: "reinvite" }, patience.value, { host, signal });
    if (!locked.ok) return { ...so, stop: errorFromFailure(locked.error) };
    const session = locked.value;
    return underLock(session, () => reinviteUnderLock(so, { flags, host, ...ready, session, run }, wish));
  });
}

/** The roster is not applied by it: nothing is said of whom it names. */
async function reinviteUnderLock(so: CommandResult, work: ApplySession, wish: ReinviteRequest): Promise<CommandResult> {
  const { question, ports } = planningUnderLock(work);
  const read = await readForPlan(question, ports);
  if (!read.ok) return { ...so, stop: read.error };
  const { roster, policy } = question;
  const { snapshot, state } = read.value;
  const made = planReinvitation({ roster, snapshot, state, policy, digest: sha256 }, wish);
  if (!made.ok) return { ...so, stop: noInvitationError(suggestMember(made.error, wish, roster)) };
  const planned = { ...read.value, plan: made.value };
  const { taught } = planningEvents(work, planned);
  return runUnderLock(so, work, planned, { taught, applied: [] });
}

function noInvitationError({ code, message, hint }: ReinviteRefusal): CommandError {
  if (code === "cannot-reinvite") return invalidSetting(code, message, hint);
  return { reason: "refused", problem: { code, message, hint } };
}
