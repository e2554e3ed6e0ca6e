import type { FoldedAddress } from "../model/address.ts";
import type { ReadName } from "../model/fact.ts";
import type { Failure } from "../model/failure.ts";
import { type Result, success } from "../model/result.ts";
import { type Absence, type ObservedUser, standing } from "../model/snapshot.ts";
import type { AccountService } from "../ports/account-service.ts";
import type { Progress } from "../ports/progress.ts";
import type { Asked } from "./asked-addresses.ts";
import type { BoundedReads } from "./bounded-reads.ts";
import type { Controls } from "./controls.ts";
import { type JudgedAnswer, judgeAnswer } from "./judge-answer.ts";
import type { ReadNames } from "./read-names.ts";
import { cutBatches, halves, type SearchBatch, withoutControl } from "./search-batches.ts";

export interface SearchPorts {
  readonly service: AccountService;
  readonly reads: BoundedReads;
  readonly names: ReadNames;
  readonly progress: Progress;
  readonly signal: AbortSignal | undefined;
}

/** Whom searches found, and what they say of each address that they did not find. */
export interface PeopleFound {
  readonly users: readonly ObservedUser[];
  readonly misses: ReadonlyMap<FoldedAddress, Absence>;
}

/**
 * Searches for everybody in batches. Whoever is missing from an answer that held others is asked for again, until an answer
 * holds the control alone: so that no bound on an answer's size can hide anybody.
 */
export async function searchPeople(
  asked: readonly Asked[],
  controls: Controls,
  ports: SearchPorts,
): Promise<Result<PeopleFound, Failure>> {
  const users: ObservedUser[] = [];
  const misses = new Map<FoldedAddress, Absence>();
  const batches = cutBatches(asked, controls);
  let round: Round = { batches, controls, first: true, mayReplaceControl: true, roomFor: 0 };
  while (round.batches.length > 0) {
    const answers = await askAll(round, asked.length, ports);
    if (!answers.ok) return answers;
    const roomFor = answers.value.reduce((most, answer) => Math.max(most, answer.users.length), round.roomFor);
    const judged = answers.value.map(({ batch, ...answer }) => judgeAnswer(batch, { ...answer, roomFor }));
    for (const one of judged) {
      users.push(...one.users);
      for (const [address, absence] of one.elsewhere) misses.set(address, absence);
    }
    round = nextRound({ ...round, roomFor }, judged, misses);
  }
  return success({ users, misses });
}

interface Round {
  readonly batches: readonly SearchBatch[];
  readonly controls: Controls;
  readonly first: boolean;
  /** A control that is not found is replaced once. */
  readonly mayReplaceControl: boolean;
  /** The most rows that an answer has held so far. */
  readonly roomFor: number;
}

interface Answered {
  readonly batch: SearchBatch;
  readonly users: readonly ObservedUser[];
  readonly read: ReadName;
}

async function askAll(
  { batches, first }: Round,
  of: number,
  { service, reads, names, progress, signal }: SearchPorts,
): Promise<Result<readonly Answered[], Failure>> {
  let done = of - batches.reduce((open, { asked }) => open + asked.length, 0);
  const named = batches.map((batch) => ({ batch, read: names.next(first ? "search" : "confirm") }));
  return reads(
    named.map(({ batch, read }) => async () => {
      const answer = await service.searchUsers(batch.identifiers, read, signal);
      if (!answer.ok) return answer;
      done += answeredFor(batch, answer.value);
      progress.report({ what: "addresses searched", done, of });
      return success({ batch, users: answer.value, read });
    }),
  );
}

/** For how many of those asked for an answer tells something: for all of them, unless it is cut off after some. */
function answeredFor({ asked }: SearchBatch, users: readonly ObservedUser[]): number {
  const found = new Set(users.map(({ address }) => address));
  return asked.filter(({ address }) => found.has(address)).length || asked.length;
}

/** Notes in `misses` what is as certain as it will get, and says who is to be asked for again, and with which control. */
function nextRound(round: Round, answers: readonly JudgedAnswer[], misses: Map<FoldedAddress, Absence>): Round {
  const missing = new Set(answers.flatMap((answer) => answer.missing.map(({ address }) => address)));
  const failed = answers.flatMap(({ verdict }) => (verdict.is === "control-missing" ? [verdict.control] : []));
  for (const control of failed) missing.add(control);
  const controls = round.controls.refined(bestHit(answers), missing);
  const replaces = round.mayReplaceControl && controls.best !== undefined;
  const open: Asked[] = [];
  const smaller: SearchBatch[] = [];
  for (const answer of answers) {
    const { batch, verdict } = answer;
    if (verdict.is === "ask-again" || (verdict.is === "control-missing" && replaces)) open.push(...answer.missing);
    else if (verdict.is === "crowded")
      smaller.push(...(verdict.ask === "in-halves" ? halves(batch, controls) : [withoutControl(batch)]));
    else if (verdict.is !== "nobody-missing") note(answer.missing, verdict.absence, misses);
  }
  return {
    ...round,
    batches: [...cutBatches(open, controls), ...smaller],
    controls,
    first: false,
    mayReplaceControl: round.mayReplaceControl && failed.length === 0,
  };
}

function note(missing: readonly Asked[], absence: Absence, misses: Map<FoldedAddress, Absence>): void {
  for (const { address } of missing) misses.set(address, absence);
}

/** Somebody whom a search has just found is known best; a deleted user may be hidden the next time. */
function bestHit(answers: readonly JudgedAnswer[]): readonly Asked[] {
  for (const { users } of answers) {
    const hit = users.find(({ status }) => standing(status) !== "deleted");
    if (hit !== undefined) return [{ address: hit.address, sent: hit.email }];
  }
  return [];
}
