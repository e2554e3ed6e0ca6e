import { recordedPeople, withoutPerson } from "../../journal/forget-person.ts";
import { goneFor } from "../../journal/gone-people.ts";
import { countOutcomes } from "../../journal/summary.ts";
import type { FoldedAddress } from "../../model/address.ts";
import type { PeopleGone } from "../../model/event.ts";
import { namedPeople } from "../../model/roster.ts";
import { isDeleted } from "../../model/snapshot.ts";
import { type GoneProof, proveGone } from "../../observe/prove-gone.ts";
import { isoTime } from "../../ports/clock.ts";
import { safe } from "../../report/safe.ts";
import { errorFromFailure } from "../command-error.ts";
import type { CommandResult } from "../output/finish.ts";
import { isWhole, type Planned } from "../planning/pipeline.ts";
import type { PlanningSession } from "../session.ts";
import { type Locked, recordEvents } from "../stores/lock.ts";

const millisecondsPerDay = 86_400_000;

/**
 * Remembers since when recorded people are gone, and removes the records of those who have been gone for longer than the settings keep
 * them. Their key prefixes cannot be read again: so nothing is removed unless the reads of this run prove that they are gone.
 */
export async function applyRetention(
  result: CommandResult,
  session: Locked<PlanningSession>,
  planned: Planned,
): Promise<CommandResult> {
  const { lock, settings, host, cancellation } = session;
  const { state } = planned;
  const { retention } = settings;
  if (result.stop !== undefined || cancellation.signal.aborted) return result;
  const proofs = await proofsOf(result, session, planned);
  if (proofs === undefined) return result;
  const gone = [...proofs].flatMap(([address, { is }]) => (is === "gone" ? [address] : []));
  const isBack = (address: FoldedAddress) => retention === undefined || proofs.get(address)?.is === "shown";
  const event: PeopleGone = {
    type: "people-gone",
    at: isoTime(host.clock),
    gone: gone.filter((address) => state.gone?.has(address) !== true),
    back: [...(state.gone?.keys() ?? [])].filter(isBack),
  };
  if (event.gone.length + event.back.length > 0) {
    const unrecorded = await recordEvents(lock, [event], "the calls of this run are recorded");
    if (unrecorded !== undefined) return { ...result, stop: unrecorded };
  }
  const milliseconds = (retention?.people ?? 0) * millisecondsPerDay;
  const expired = retention === undefined ? [] : goneFor(gone, state, { now: host.clock.now(), milliseconds });
  if (retention === undefined || expired.length === 0) return result;
  const closed = await lock.close((latest) => expired.reduce(withoutPerson, latest));
  if (!closed.ok) return { ...result, stop: errorFromFailure(closed.error) };
  const people = expired.map((address) => state.users.get(address)?.email ?? address);
  return { ...result, retention: { days: retention.people, people } };
}

type Proofs = ReadonlyMap<FoldedAddress, Pick<GoneProof, "is">>;

/**
 * What is known of each recorded person: shown, where the roster names them or the plan's reads show them. All others are read for,
 * unless the run is about a part of the roster, or what became of a call is not known. Undefined where that failed.
 */
async function proofsOf(
  { run }: CommandResult,
  { service, settings, policy, loaded, host, cancellation }: Locked<PlanningSession>,
  { state, snapshot }: Planned,
): Promise<Proofs | undefined> {
  const named = namedPeople(loaded.roster);
  const present = snapshot.users.filter((user) => !isDeleted(user));
  const shown = new Set<FoldedAddress>(present.map(({ address }) => address));
  const people = recordedPeople(state);
  const isKnown = (address: FoldedAddress) => named.has(address) || shown.has(address);
  const known: Proofs = new Map(people.filter(isKnown).map((address) => [address, { is: "shown" }]));
  // A person of an account that was not read may be there all the same.
  const isAccountRead = (account: string | undefined) => account === undefined || snapshot.accounts.has(account);
  const isUnsettled = state.open.length > 0 || (run !== undefined && countOutcomes(run).unknown > 0);
  const others = people.filter((address) => !isKnown(address) && isAccountRead(state.users.get(address)?.account));
  if (settings.retention === undefined || !isWhole(policy) || isUnsettled || others.length === 0) return known;
  const recorded = others.map((address) => {
    const user = state.users.get(address);
    return { address, email: user?.email ?? address, identifier: user?.identifier };
  });
  const { parallelism } = settings;
  const accounts = [...snapshot.accounts.values()];
  const ports = { service, parallelism, signal: cancellation.signal, accounts, known: present[0] };
  const read = await proveGone(recorded, ports);
  if (read.ok) return new Map([...known, ...read.value]);
  host.stderr.write(`warning: retention: no records were removed: ${safe(read.error.message)}\n`);
  return undefined;
}
