import { type EmailKey, foldAddress } from "../model/address.ts";
import type { ReadName } from "../model/fact.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import { type Absence, accountStatus, type ObservedUser } from "../model/snapshot.ts";
import type { AccountService } from "../ports/account-service.ts";
import type { Progress } from "../ports/operator.ts";
import type { BoundedReads, ReadNames } from "./reads.ts";
import type { AddressQuery, KnownUserProbes } from "./users-to-read.ts";

export interface SearchPorts {
  readonly service: AccountService;
  readonly reads: BoundedReads;
  readonly names: ReadNames;
  readonly progress: Progress;
  readonly signal: AbortSignal | undefined;
}

/** The users that searches found, and what they say of each address that they did not find. */
export interface SearchResult {
  readonly users: readonly ObservedUser[];
  readonly misses: ReadonlyMap<EmailKey, Absence>;
}

/**
 * Searches for everybody in batches. A person who is missing from an answer that held others is asked for again, until an answer
 * holds the probe alone: so that no bound on an answer's size can hide anybody. A batch that the service refuses is asked
 * for in smaller ones, as long as it answers at all.
 */
export async function searchPeople(
  asked: readonly AddressQuery[],
  probes: KnownUserProbes,
  ports: SearchPorts,
): Promise<Result<SearchResult, Failure>> {
  const users: ObservedUser[] = [];
  const misses = new Map<EmailKey, Absence>();
  const batches = cutBatches(asked, probes);
  let round: SearchRound = { batches, probes, first: true, mayReplaceProbe: true, roomFor: 0, answers: false };
  while (round.batches.length > 0) {
    const answers = await searchBatches(round, asked.length, ports);
    if (!answers.ok) return answers;
    const answered = answers.value.filter((answer) => "users" in answer);
    const refused = answers.value.filter((answer) => "failure" in answer);
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
      batches: [...next.batches, ...refused.flatMap((one) => splitRefused(one, next.probes, misses))],
    };
  }
  return success({ users, misses });
}

/** The refusal of a search for nobody but somebody who is known: where that is refused too, neither the people nor their number are the cause. */
async function generalRefusal(
  [first]: readonly RefusedBatch[],
  { probes }: SearchRound,
  { service, names, signal }: SearchPorts,
): Promise<Failure | undefined> {
  const known = probes.best;
  if (first === undefined || known === undefined) return first?.failure;
  const answer = await service.searchUsers([known.sent], names.next("confirm"), signal);
  return answer.ok ? undefined : answer.error;
}

function splitRefused(
  { batch, failure }: RefusedBatch,
  probes: KnownUserProbes,
  misses: Map<EmailKey, Absence>,
): readonly SearchBatch[] {
  if (batch.asked.length > 1) return smallerBatches(batch, "in-halves", probes);
  recordMisses(batch.asked, { proven: false, why: `the service refuses to search for it: ${failure.message}` }, misses);
  return [];
}

interface SearchRound {
  readonly batches: readonly SearchBatch[];
  readonly probes: KnownUserProbes;
  readonly first: boolean;
  /** A probe that is not found is replaced once. */
  readonly mayReplaceProbe: boolean;
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

async function searchBatches(
  { batches, first }: SearchRound,
  of: number,
  { service, reads, names, progress, signal }: SearchPorts,
): Promise<Result<readonly BatchResult[], Failure>> {
  let done = of - batches.reduce((open, { asked }) => open + asked.length, 0);
  const named = batches.map((batch) => ({ batch, read: names.next(first ? "search" : "confirm") }));
  return reads<BatchResult>(
    named.map(({ batch, read }) => async () => {
      const answer = await service.searchUsers(identifiersIn(batch), read, signal);
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

/** Notes in `misses` what is as certain as it will get, and says who is to be asked for again, and with which probe. */
function nextRound(
  round: SearchRound,
  answers: readonly AssessedAnswer[],
  misses: Map<EmailKey, Absence>,
): SearchRound {
  const missing = new Set(answers.flatMap((answer) => answer.missing.map(({ address }) => address)));
  const failed = answers.flatMap(({ verdict }) => (verdict.is === "probe-missing" ? [verdict.probe] : []));
  for (const probe of failed) missing.add(probe);
  const probes = round.probes.refined(firstPresent(answers), missing);
  const replaces = round.mayReplaceProbe && probes.best !== undefined;
  const open: AddressQuery[] = [];
  const smaller: SearchBatch[] = [];
  for (const answer of answers) {
    const { batch, verdict } = answer;
    if (verdict.is === "ask-again" || (verdict.is === "probe-missing" && replaces)) open.push(...answer.missing);
    else if (verdict.is === "crowded") smaller.push(...smallerBatches(batch, verdict.ask, probes));
    else if (verdict.is !== "nobody-missing") recordMisses(answer.missing, verdict.absence, misses);
  }
  return {
    ...round,
    batches: [...cutBatches(open, probes), ...smaller],
    probes,
    first: false,
    mayReplaceProbe: round.mayReplaceProbe && failed.length === 0,
  };
}

function recordMisses(missing: readonly AddressQuery[], absence: Absence, misses: Map<EmailKey, Absence>): void {
  for (const { address } of missing) misses.set(address, absence);
}

/** Somebody that a search has just found is known best; a deleted user may be hidden the next time. */
function firstPresent(answers: readonly AssessedAnswer[]): readonly AddressQuery[] {
  for (const { users } of answers) {
    const hit = users.find(({ status }) => accountStatus(status) !== "deleted");
    if (hit !== undefined) return [{ address: hit.address, sent: hit.email }];
  }
  return [];
}

/** What one answer to a search says. */
interface AssessedAnswer {
  readonly batch: SearchBatch;
  /** Those who were asked for, and the probe; other users of the answer are not kept. */
  readonly users: readonly ObservedUser[];
  readonly missing: readonly AddressQuery[];
  /** People that the answer shows under another address, and why they are not absent. */
  readonly elsewhere: ReadonlyMap<EmailKey, Absence>;
  /** What becomes of the missing. */
  readonly verdict:
    | { readonly is: "nobody-missing" }
    | { readonly is: "settled"; readonly absence: Absence }
    /** Some came: the answer may have been cut off before the others. */
    | { readonly is: "ask-again" }
    /** So many strangers came that the answer may have been cut off at its end. */
    | { readonly is: "crowded"; readonly ask: "without-probe" | "in-halves" }
    | { readonly is: "probe-missing"; readonly probe: EmailKey; readonly absence: Absence };
}

/** Judges one answer. `roomFor`: the most rows that any answer has held so far, and so what surely fits into one. */
function assessAnswer(
  batch: SearchBatch,
  answer: { readonly users: readonly ObservedUser[]; readonly read: ReadName; readonly roomFor: number },
): AssessedAnswer {
  const { asked, probe } = batch;
  const wanted = new Set(asked.map(({ address }) => address));
  const users = answer.users.filter(({ address }) => wanted.has(address) || address === probe?.address);
  const found = new Set(users.map(({ address }) => address));
  const elsewhere = knownElsewhere(answer, found, wanted);
  const missing = asked.filter(({ address }) => !found.has(address) && !elsewhere.has(address));
  const isWithProbe = probe !== undefined && found.has(probe.address);
  const others = found.size - (isWithProbe ? 1 : 0);
  const isCrowded = answer.users.length > users.length && answer.users.length >= answer.roomFor;
  const verdict = answerVerdict({ batch, missing, others, isWithProbe, isCrowded, read: answer.read });
  return { batch, users, missing, elsewhere, verdict };
}

/** An address that is somebody's identifier is not free: the service may know this very person under another address. */
function knownElsewhere(
  { users, read }: { readonly users: readonly ObservedUser[]; readonly read: ReadName },
  found: ReadonlySet<EmailKey>,
  wanted: ReadonlySet<EmailKey>,
): ReadonlyMap<EmailKey, Absence> {
  const elsewhere = new Map<EmailKey, Absence>();
  for (const { identifier, externalIdentifier, email } of users) {
    for (const name of [identifier, externalIdentifier]) {
      const address = name?.includes("@") ? foldAddress(name) : undefined;
      if (address === undefined || !wanted.has(address) || found.has(address)) continue;
      elsewhere.set(address, { proven: false, why: `${read} shows ${email}, and their identifier is this address` });
    }
  }
  return elsewhere;
}

interface AnswerFacts extends Pick<AssessedAnswer, "batch" | "missing"> {
  readonly others: number;
  readonly isWithProbe: boolean;
  readonly isCrowded: boolean;
  readonly read: ReadName;
}

function answerVerdict(seen: AnswerFacts): AssessedAnswer["verdict"] {
  const { batch, missing, others, isWithProbe, isCrowded, read } = seen;
  if (missing.length === 0) return { is: "nobody-missing" };
  if (others > 0) return { is: "ask-again" };
  if (isCrowded && isWithProbe) return { is: "crowded", ask: "without-probe" };
  const mayBeCut = isCrowded && (batch.probe !== undefined || batch.vouchedFor);
  if (mayBeCut && missing.length > 1) return { is: "crowded", ask: "in-halves" };
  if (isCrowded && batch.vouchedFor)
    return unprovenVerdict(`${read} returned a full page of other users, so results may be missing`);
  if (isWithProbe || batch.vouchedFor) return { is: "settled", absence: { proven: true, by: read } };
  return verdictWithoutProbe(batch, read);
}

function verdictWithoutProbe({ probe }: SearchBatch, read: ReadName): AssessedAnswer["verdict"] {
  if (probe === undefined) {
    return unprovenVerdict(`no user is known yet, so an empty result of ${read} proves nothing`);
  }
  const why = `${read} did not find ${probe.sent} either, but that user exists`;
  return { is: "probe-missing", probe: probe.address, absence: { proven: false, why } };
}

function unprovenVerdict(why: string): AssessedAnswer["verdict"] {
  return { is: "settled", absence: { proven: false, why } };
}

/** How many people one search names at the most, its probe included. The client names each in every spelling that may be stored. */
const batchSize = 100;

/** One search: the people that it asks for, and the person known to be there that it must find. The probe is sent last. */
interface SearchBatch {
  readonly asked: readonly AddressQuery[];
  readonly probe: AddressQuery | undefined;
  /** The same question was answered with its probe before: now it is asked without, to see whether there is room. */
  readonly vouchedFor: boolean;
}

/**
 * Those who are likely to be there and those who are not are searched apart: then a batch mostly finds all or nobody,
 * and needs no second search to tell who is missing.
 */
function cutBatches(asked: readonly AddressQuery[], probes: KnownUserProbes): readonly SearchBatch[] {
  const ranks = probes.ranksOf(asked);
  const likely = asked.filter(({ address }) => ranks.has(address));
  const others = asked.filter(({ address }) => !ranks.has(address));
  const room = probes.best === undefined ? batchSize : batchSize - 1;
  return [
    ...chunks(likely, batchSize).map((chunk) => batchOf(chunk, bestKnown(chunk, ranks))),
    ...chunks(others, room).map((chunk) => batchOf(chunk, probes.best)),
  ];
}

function bestKnown(people: readonly AddressQuery[], ranks: ReadonlyMap<EmailKey, number>): AddressQuery | undefined {
  const rankOf = ({ address }: AddressQuery) => ranks.get(address) ?? Number.POSITIVE_INFINITY;
  return people.reduce<AddressQuery | undefined>(
    (best, person) => (best === undefined || rankOf(person) < rankOf(best) ? person : best),
    undefined,
  );
}

/** The same people in two batches, or in one that leaves the room of the probe to others. */
function smallerBatches(
  { asked }: SearchBatch,
  ask: "without-probe" | "in-halves",
  probes: KnownUserProbes,
): readonly SearchBatch[] {
  if (ask === "without-probe") return [{ asked, probe: undefined, vouchedFor: true }];
  return chunks(asked, Math.ceil(asked.length / 2)).map((half) => batchOf(half, probes.best));
}

function batchOf(asked: readonly AddressQuery[], probe: AddressQuery | undefined): SearchBatch {
  return { asked, probe, vouchedFor: false };
}

function identifiersIn({ asked, probe }: SearchBatch): readonly string[] {
  const others = asked.filter(({ address }) => address !== probe?.address);
  return [...others, ...(probe === undefined ? [] : [probe])].map(({ sent }) => sent);
}

function chunks<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  const cut: (readonly T[])[] = [];
  for (let start = 0; start < list.length; start += size) cut.push(list.slice(start, start + size));
  return cut;
}
