import { recordedPeople, withoutPerson } from "../../journal/forget-person.ts";
import { goneFor } from "../../journal/record-events.ts";
import { countOutcomes, type RunSummary } from "../../journal/summary.ts";
import type { FoldedAddress } from "../../model/address.ts";
import type { PeopleGone } from "../../model/event.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { namedPeople, type Roster } from "../../model/roster.ts";
import { isDeleted } from "../../model/snapshot.ts";
import { type GoneProof, proveGone } from "../../observe/absence.ts";
import { isoTime } from "../../ports/clock.ts";
import { errorFromFailure, type RosterError } from "../error.ts";
import { isWhole, type Planned } from "../planning/planning.ts";
import { recordEvents } from "./lock.ts";
import type { RunContext } from "./run-plan.ts";

const millisecondsPerDay = 86_400_000;

/** For how many days the state keeps records of people who are gone. */
export interface Retention {
  readonly people: number;
}

interface RetentionSteps {
  /** Absent: for ever. */
  readonly retention?: Retention | undefined;
  /** Hears what could not be removed. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** Whose records were removed, since they have been gone for more days than they are kept. */
export interface RemovedRecords {
  readonly days: number;
  readonly people: readonly string[];
}

/**
 * Remembers since when recorded people are gone, and removes the records of those who have been gone for longer than the settings keep
 * them. Their key prefixes cannot be read again: so nothing is removed unless the reads of this run prove that they are gone.
 */
export async function applyRetention(
  run: RunSummary | undefined,
  { state, ...planned }: Planned,
  context: RunContext & { readonly roster: Roster },
  { retention, warn }: RetentionSteps,
): Promise<Result<RemovedRecords | undefined, RosterError>> {
  const { lock, clock, signal } = context;
  if (signal.aborted) return success(undefined);
  const proofs = await proofsOf(run, context, { state, ...planned }, { retention, warn });
  if (proofs === undefined) return success(undefined);
  const gone = [...proofs].flatMap(([address, { is }]) => (is === "gone" ? [address] : []));
  const isBack = (address: FoldedAddress) => retention === undefined || proofs.get(address)?.is === "shown";
  const event: PeopleGone = {
    type: "people-gone",
    at: isoTime(clock),
    gone: gone.filter((address) => state.gone?.has(address) !== true),
    back: [...(state.gone?.keys() ?? [])].filter(isBack),
  };
  if (event.gone.length + event.back.length > 0) {
    const unrecorded = await recordEvents(lock, [event], "the calls of this run are recorded");
    if (unrecorded !== undefined) return problem(unrecorded);
  }
  const milliseconds = (retention?.people ?? 0) * millisecondsPerDay;
  const expired = retention === undefined ? [] : goneFor(gone, state, { now: clock.now(), milliseconds });
  if (retention === undefined || expired.length === 0) return success(undefined);
  const closed = await lock.close((latest) => expired.reduce(withoutPerson, latest));
  if (!closed.ok) return problem(errorFromFailure(closed.error));
  const people = expired.map((address) => state.users.get(address)?.email ?? address);
  return success({ days: retention.people, people });
}

type Proofs = ReadonlyMap<FoldedAddress, Pick<GoneProof, "is">>;

/**
 * What is known of each recorded person: shown, where the roster names them or the plan's reads show them. All others are read for,
 * unless the run is about a part of the roster, or what became of a call is not known. Undefined where that failed.
 */
async function proofsOf(
  run: RunSummary | undefined,
  { service, policy, roster, parallelism, signal }: RunContext & { readonly roster: Roster },
  { state, snapshot }: Pick<Planned, "state" | "snapshot">,
  { retention, warn }: RetentionSteps,
): Promise<Proofs | undefined> {
  const named = namedPeople(roster);
  const present = snapshot.users.filter((user) => !isDeleted(user));
  const shown = new Set<FoldedAddress>(present.map(({ address }) => address));
  const people = recordedPeople(state);
  const isKnown = (address: FoldedAddress) => named.has(address) || shown.has(address);
  const known: Proofs = new Map(people.filter(isKnown).map((address) => [address, { is: "shown" }]));
  // A person of an account that was not read may be there all the same.
  const isAccountRead = (account: string | undefined) => account === undefined || snapshot.accounts.has(account);
  const isUnsettled = state.open.length > 0 || (run !== undefined && countOutcomes(run).unknown > 0);
  const others = people.filter((address) => !isKnown(address) && isAccountRead(state.users.get(address)?.account));
  if (retention === undefined || !isWhole(policy) || isUnsettled || others.length === 0) return known;
  const recorded = others.map((address) => {
    const user = state.users.get(address);
    return { address, email: user?.email ?? address, identifier: user?.identifier };
  });
  const accounts = [...snapshot.accounts.values()];
  const ports = { service, parallelism, signal, accounts, known: present[0] };
  const read = await proveGone(recorded, ports);
  if (read.ok) return new Map([...known, ...read.value]);
  warn?.(`retention: no records were removed: ${read.error.message}`);
  return undefined;
}
