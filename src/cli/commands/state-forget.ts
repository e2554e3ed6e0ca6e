import { hasRecords, type RecordsOfPerson, recordsOfPerson, withoutPerson } from "../../journal/forget-person.ts";
import { errorFromFailure, invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import { sha256 } from "../../library/system.ts";
import { foldAddress, looksLikeAddress } from "../../model/address.ts";
import { formatPlace, type Place } from "../../model/fact.ts";
import { namedPeople } from "../../model/roster.ts";
import type { ObservedUser } from "../../model/snapshot.ts";
import { callIdOf } from "../../model/state.ts";
import { proveGone } from "../../observe/absence.ts";
import { stateLines } from "../../report/document/state.ts";
import { formatList } from "../../report/phrases.ts";
import type { PersonForgotten } from "../../report/state.ts";
import { renderLines } from "../../report/text/lines.ts";
import { askForYes } from "../apply/approval.ts";
import { type Host, textStyleOf } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import { rosterSummary } from "../planning/roster-files.ts";
import { type CommandCall, type PlanningFlags, type PlanningSession, planningParts, runCommand } from "../session.ts";
import { type Locked, type LockFlags, lockState, readLockOptions } from "../stores/lock.ts";
import { stateResult } from "../stores/open-store.ts";

interface ForgetFlags extends PlanningFlags, LockFlags {
  readonly autoApprove?: boolean;
}

interface ForgetArguments {
  readonly email: string;
  readonly paths: readonly string[];
}

/** Removes what the state records of a person who is gone from the roster and from the service. */
export async function stateForget(person: ForgetArguments, flags: ForgetFlags, host: Host): Promise<number> {
  return finish(await runCommand((open) => forgetResult(person, { flags, host, open })), flags, host);
}

async function forgetResult(
  { email, paths }: ForgetArguments,
  { flags, host, open }: CommandCall<ForgetFlags>,
): Promise<CommandResult> {
  if (!looksLikeAddress(email)) return { ...stateResult, stop: notAnAddress(email) };
  const wait = readLockOptions(flags, host);
  if (!wait.ok) return { ...stateResult, stop: wait.error };
  const session = await open({ command: "state", paths, flags, host, needs: planningParts });
  if (!session.ok) return { ...stateResult, ...session.error };
  const result = { ...stateResult, ...rosterSummary(session.value.loaded) };
  const locked = await lockState(session.value, "state forget", wait.value);
  if (!locked.ok) return { ...result, stop: locked.error };
  return forget(result, locked.value, { email, flags });
}

async function forget(
  result: CommandResult,
  session: Locked<PlanningSession>,
  { email, flags }: { readonly email: string; readonly flags: ForgetFlags },
): Promise<CommandResult> {
  const { store, loaded, lock } = session;
  const address = foldAddress(email);
  const records = recordsOfPerson(lock.state, address);
  const named = namedPeople(loaded.roster).get(address);
  if (named !== undefined) return { ...result, stop: stillInRoster(email, named) };
  const report = reportOf(records, { email, address: store.address });
  if (!hasRecords(records)) return { ...result, state: { ...report, did: "forget" } };
  const stop = openCalls(email, records) ?? (await stillThere(session, email, records));
  if (stop !== undefined) return { ...result, stop };
  const unapproved = flags.autoApprove === true ? undefined : await approve(report, session, flags);
  if (unapproved !== undefined) return { ...result, state: report, stop: unapproved };
  const closed = await lock.close((state) => withoutPerson(state, address));
  if (!closed.ok) return { ...result, stop: errorFromFailure(closed.error) };
  return { ...result, state: { ...report, did: "forget" } };
}

function reportOf(
  { user, memberships, prefixes, refusals, sightings, founded, inLastRoster }: RecordsOfPerson,
  { email, address }: { readonly email: string; readonly address: string },
): PersonForgotten {
  return {
    did: "would-forget",
    address,
    person: email,
    users: user === undefined ? 0 : 1,
    memberships: memberships.length,
    prefixes,
    refusals: refusals.length,
    sightings: sightings.length,
    founded,
    inLastRoster,
  };
}

function stillInRoster(email: string, place: Place): RosterError {
  return stopError(
    "refused",
    "still-in-roster",
    `The roster names ${email} (${formatPlace(place)}). roster keeps what it knows of people in the roster`,
    "Apply them as a leaver first. When they are gone from the service, remove them from the roster.",
  );
}

function openCalls(email: string, { open }: RecordsOfPerson): RosterError | undefined {
  if (open.length === 0) return undefined;
  const ids = open.map((one) => callIdOf(one, sha256));
  return stopError(
    "refused",
    "call-still-open",
    `A call about ${email} has an unknown outcome: ${formatList(ids)}`,
    "Run `roster plan` to resolve it by reading, or `roster state resolve`. Then run this again.",
  );
}

/** Why it is not proven that the service shows this person no more. */
async function stillThere(
  { service, settings, cancellation }: Locked<PlanningSession>,
  email: string,
  { user }: RecordsOfPerson,
): Promise<RosterError | undefined> {
  const { signal } = cancellation;
  const address = foldAddress(email);
  const ports = { service, parallelism: settings.parallelism, signal };
  const proofs = await proveGone([{ address, email, identifier: user?.identifier }], ports);
  if (!proofs.ok) return errorFromFailure(proofs.error);
  const proof = proofs.value.get(address);
  if (proof?.is === "shown") return stillInService(email, proof.user);
  if (proof?.is === "gone") return undefined;
  return stopError(
    "refused",
    "absence-unproven",
    `No read proves that ${email} is gone${proof === undefined ? "" : `: ${proof.why}`}`,
    "Run `roster doctor`. The search must find a known user, and the list of users must be complete.",
  );
}

function stillInService(email: string, shown: ObservedUser): RosterError {
  const now = shown.address === foldAddress(email) ? "" : ` as ${shown.email}`;
  const status = shown.status === undefined ? "" : `, status ${shown.status}`;
  return stopError(
    "refused",
    "still-in-service",
    `The service still shows ${email}${now}${status}`,
    "Delete the user in the service first. Without its records, roster cannot remove the roles of their keys.",
  );
}

async function approve(
  report: PersonForgotten,
  { host, cancellation }: Locked<PlanningSession>,
  flags: ForgetFlags,
): Promise<RosterError | undefined> {
  if (host.stdin().isTTY !== true || !host.stderr.isTerminal) {
    const hint = "Read what would be removed, then run it again with --auto-approve.";
    return stopError("refused", "not-approved", "Cannot ask for approval: no terminal", hint);
  }
  const output = flags.format === "text" ? host.stdout : host.stderr;
  const { paint, columns } = textStyleOf(output);
  output.write(renderLines(stateLines(report), paint, columns));
  const isApproved = await askForYes(host, cancellation.signal, "Remove these records? Only `yes` approves: ");
  return isApproved ? undefined : stopError("refused", "declined", "Cancelled. Nothing was changed");
}

function notAnAddress(email: string): RosterError {
  return invalidSetting("bad-flag-value", `${email} is not an e-mail address.`, "Write it like ada@acme.example.");
}
