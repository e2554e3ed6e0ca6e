import type { FoldedAddress } from "../model/address.ts";
import type { ReadName } from "../model/fact.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import { type Absence, accountStatus, type ObservedUser } from "../model/snapshot.ts";
import type { AccountService } from "../ports/account-service.ts";
import type { Progress } from "../ports/progress.ts";
import type { AddressQuery } from "./asked-addresses.ts";
import type { BoundedReads } from "./bounded-reads.ts";
import type { KnownUserProbes } from "./controls.ts";
import { type AssessedAnswer, assessAnswer } from "./judge-answer.ts";
import type { ReadNames } from "./read-names.ts";
import { cutBatches, halves, type SearchBatch, withoutProbe } from "./search-batches.ts";

export interface SearchPorts {
  readonly service: AccountService;
  readonly reads: BoundedReads;
  readonly names: ReadNames;
  readonly progress: Progress;
  readonly signal: AbortSignal | undefined;
}

/** Whom searches found, and what they say of each address that they did not find. */
export interface SearchResult {
  readonly users: readonly ObservedUser[];
  readonly misses: ReadonlyMap<FoldedAddress, Absence>;
}

/**
 * Searches for everybody in batches. Whoever is missing from an answer that held others is asked for again, until an answer
 * holds the control alone: so that no bound on an answer's size can hide anybody. A batch that the service refuses is asked
 * for in smaller ones, as long as it answers at all.
 */
export async function searchPeople(
  asked: readonly AddressQuery[],
  controls: KnownUserProbes,
  ports: SearchPorts,
): Promise<Result<SearchResult, Failure>> {
  const users: ObservedUser[] = [];
  const misses = new Map<FoldedAddress, Absence>();
  const batches = cutBatches(asked, controls);
  let round: SearchRound = { batches, controls, first: true, mayReplaceControl: true, roomFor: 0, answers: false };
  while (round.batches.length > 0) {
    const answers = await searchBatches(round, asked.length, ports);
    if (!answers.ok) return answers;
    const { answered, refused } = partitionResults(answers.value);
    const stopped = answered.length > 0 || round.answers ? undefined : await generalRefusal(refused, round, ports);
    if (stopped !== undefined) return problem(stopped);
    const roomFor = answered.reduce((most, answer) => Math.max(most, answer.users.length), round.roomFor);
    const judged = answered.map(({ batch, ...answer }) => assessAnswer(batch, { ...answer, roomFor }));
    for (const one of judged) {
      users.push(...one.users);
      for (const [address, absence] of one.elsewhere) misses.set(address, absence);
    }
    const next = nextRound({ ...round, roomFor, answers: true }, judged, misses);
    round = {
      ...next,
      batches: [...next.batches, ...refused.flatMap((one) => splitRefused(one, next.controls, misses))],
    };
  }
  return success({ users, misses });
}

/** The refusal of a search for nobody but somebody who is known: where that is refused too, it is not for whom or how many. */
async function generalRefusal(
  [first]: readonly RefusedBatch[],
  { controls }: SearchRound,
  { service, names, signal }: SearchPorts,
): Promise<Failure | undefined> {
  const known = controls.best;
  if (first === undefined || known === undefined) return first?.failure;
  const answer = await service.searchUsers([known.sent], names.next("confirm"), signal);
  return answer.ok ? undefined : answer.error;
}

function splitRefused(
  { batch, failure }: RefusedBatch,
  controls: KnownUserProbes,
  misses: Map<FoldedAddress, Absence>,
): readonly SearchBatch[] {
  if (batch.asked.length > 1) return halves(batch, controls);
  recordMisses(batch.asked, { proven: false, why: `the service refuses to search for it: ${failure.message}` }, misses);
  return [];
}

interface SearchRound {
  readonly batches: readonly SearchBatch[];
  readonly controls: KnownUserProbes;
  readonly first: boolean;
  /** A control that is not found is replaced once. */
  readonly mayReplaceControl: boolean;
  /** The most rows that an answer has held so far. */
  readonly roomFor: number;
  /** The service has answered some search. */
  readonly answers: boolean;
}

interface AnsweredBatch {
  readonly batch: SearchBatch;
  readonly users: readonly ObservedUser[];
  readonly read: ReadName;
}

interface RefusedBatch {
  readonly batch: SearchBatch;
  readonly failure: Failure;
}

type BatchResult = AnsweredBatch | RefusedBatch;

function partitionResults(answers: readonly BatchResult[]): {
  readonly answered: readonly AnsweredBatch[];
  readonly refused: readonly RefusedBatch[];
} {
  return {
    answered: answers.filter((answer) => "users" in answer),
    refused: answers.filter((answer) => "failure" in answer),
  };
}

async function searchBatches(
  { batches, first }: SearchRound,
  of: number,
  { service, reads, names, progress, signal }: SearchPorts,
): Promise<Result<readonly BatchResult[], Failure>> {
  let done = of - batches.reduce((open, { asked }) => open + asked.length, 0);
  const named = batches.map((batch) => ({ batch, read: names.next(first ? "search" : "confirm") }));
  return reads<BatchResult>(
    named.map(({ batch, read }) => async () => {
      const answer = await service.searchUsers(batch.identifiers, read, signal);
      if (!answer.ok) return answer.error.code === "refused" ? success({ batch, failure: answer.error }) : answer;
      done += countAnswered(batch, answer.value);
      progress.report({ what: "addresses searched", done, of });
      return success({ batch, users: answer.value, read });
    }),
  );
}

/** For how many of those asked for an answer tells something: for all of them, unless it is cut off after some. */
function countAnswered({ asked }: SearchBatch, users: readonly ObservedUser[]): number {
  const found = new Set(users.map(({ address }) => address));
  return asked.filter(({ address }) => found.has(address)).length || asked.length;
}

/** Notes in `misses` what is as certain as it will get, and says who is to be asked for again, and with which control. */
function nextRound(
  round: SearchRound,
  answers: readonly AssessedAnswer[],
  misses: Map<FoldedAddress, Absence>,
): SearchRound {
  const missing = new Set(answers.flatMap((answer) => answer.missing.map(({ address }) => address)));
  const failed = answers.flatMap(({ verdict }) => (verdict.is === "control-missing" ? [verdict.control] : []));
  for (const control of failed) missing.add(control);
  const controls = round.controls.refined(firstPresent(answers), missing);
  const replaces = round.mayReplaceControl && controls.best !== undefined;
  const open: AddressQuery[] = [];
  const smaller: SearchBatch[] = [];
  for (const answer of answers) {
    const { batch, verdict } = answer;
    if (verdict.is === "ask-again" || (verdict.is === "control-missing" && replaces)) open.push(...answer.missing);
    else if (verdict.is === "crowded")
      smaller.push(...(verdict.ask === "in-halves" ? halves(batch, controls) : [withoutProbe(batch)]));
    else if (verdict.is !== "nobody-missing") recordMisses(answer.missing, verdict.absence, misses);
  }
  return {
    ...round,
    batches: [...cutBatches(open, controls), ...smaller],
    controls,
    first: false,
    mayReplaceControl: round.mayReplaceControl && failed.length === 0,
  };
}

function recordMisses(missing: readonly AddressQuery[], absence: Absence, misses: Map<FoldedAddress, Absence>): void {
  for (const { address } of missing) misses.set(address, absence);
}

/** Somebody whom a search has just found is known best; a deleted user may be hidden the next time. */
function firstPresent(answers: readonly AssessedAnswer[]): readonly AddressQuery[] {
  for (const { users } of answers) {
    const hit = users.find(({ status }) => accountStatus(status) !== "deleted");
    if (hit !== undefined) return [{ address: hit.address, sent: hit.email }];
  }
  return [];
}
