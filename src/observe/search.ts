import pLimit from "p-limit";
import { type EmailKey, foldAddress } from "../model/address.ts";
import type { ReadName } from "../model/fact.ts";
import type { Failure } from "../model/failure.ts";
import { isDeleted } from "../model/key.ts";
import { problem, type Result, success } from "../model/result.ts";
import { type Absence, type ObservedAccount, presentMembers, type UserListStatus } from "../model/snapshot.ts";
import type { AddressedUser, ObservedUser } from "../model/user.ts";
import type { ReadStep } from "../ports/operator.ts";
import type { AccountService, UserList } from "../service/port.ts";

/** What the reads of one snapshot share. */
export interface ReadPorts {
  readonly service: AccountService;
  readonly reads: ReturnType<typeof boundedReads>;
  readonly progress: (step: ReadStep) => void;
  readonly signal: AbortSignal | undefined;
  /** Names a read, in the order in which they are decided on. */
  readonly name: (kind: "search" | "confirm") => ReadName;
  /** Is told of each read when it begins. */
  readonly note: (read: ReadName, request: string) => void;
}

/** Runs reads, so many at once; what is still waiting when one fails is not sent any more. */
export function boundedReads(parallelism: number) {
  const limit = pLimit(Math.max(1, parallelism));
  return async <T>(reads: readonly (() => Promise<Result<T, Failure>>)[]): Promise<Result<readonly T[], Failure>> => {
    let failure: Failure | undefined;
    const readOne = async (read: (typeof reads)[number]) => {
      if (failure !== undefined) return problem(failure);
      const result = await read();
      if (!result.ok) failure ??= result.error;
      return result;
    };
    const results = await Promise.all(reads.map((read) => limit(readOne, read)));
    if (failure !== undefined) return problem(failure);
    return success(results.flatMap((result) => (result.ok ? [result.value] : [])));
  };
}

/** `search 1`, `search 2`, `confirm 1`. */
export function numberedReads(): (kind: string) => ReadName {
  const given = new Map<string, number>();
  return (kind) => {
    const number = (given.get(kind) ?? 0) + 1;
    given.set(kind, number);
    return `${kind} ${number}`;
  };
}

/** People known to be there, the best known first. A search that does not find its probe proves nothing about the others. */
export type KnownUsers = ReadonlyMap<EmailKey, AddressedUser>;

/** Each address once, where it stands first. */
export function distinctQueries(people: Iterable<AddressedUser>): KnownUsers {
  const distinct = new Map<EmailKey, AddressedUser>();
  for (const person of people) if (!distinct.has(person.address)) distinct.set(person.address, person);
  return distinct;
}

/** The better known first, then the others, without those who turned out to be missing. */
export function knownFirst(
  better: readonly AddressedUser[],
  known: KnownUsers,
  missing: ReadonlySet<EmailKey>,
): KnownUsers {
  return distinctQueries([...better, ...[...known.values()].filter(({ address }) => !missing.has(address))]);
}

/** The users that searches found, and what they say of each address that they did not find. */
export interface SearchResult {
  readonly users: readonly ObservedUser[];
  readonly misses: ReadonlyMap<EmailKey, Absence>;
}

/** One search: the people that it asks for, and the person known to be there that it must find. The probe is sent last. */
interface SearchBatch {
  readonly asked: readonly AddressedUser[];
  readonly probe: AddressedUser | undefined;
  /** The same question was answered with its probe before: now it is asked without, to see whether there is room. */
  readonly vouchedFor: boolean;
}

interface Answer {
  readonly batch: SearchBatch;
  readonly read: ReadName;
  readonly users: readonly ObservedUser[];
}

interface Refusal {
  readonly batch: SearchBatch;
  readonly failure: Failure;
}

/**
 * Searches for everybody in batches. A person who is missing from an answer that held others is asked for again, until an answer
 * holds the probe alone: so that no bound on an answer's size can hide anybody (trap 21). A batch that the service refuses is asked
 * for in smaller ones, as long as it answers at all.
 */
export async function searchPeople(
  asked: readonly AddressedUser[],
  known: KnownUsers,
  ports: ReadPorts,
): Promise<Result<SearchResult, Failure>> {
  const users: ObservedUser[] = [];
  const misses = new Map<EmailKey, Absence>();
  let probes = known;
  let mayReplaceProbe = true;
  let kind: "search" | "confirm" = "search";
  /** The most rows of an answer so far: so many surely fit into one. */
  let roomFor: number | undefined;
  for (let batches = cutBatches(asked, probes); batches.length > 0; kind = "confirm") {
    const replies = await searchBatches(batches, { kind, of: asked.length }, ports);
    if (!replies.ok) return replies;
    const answers = replies.value.filter((reply) => "users" in reply);
    const refusals = replies.value.filter((reply) => "failure" in reply);
    if (answers.length === 0 && roomFor === undefined) {
      const stopped = await generalRefusal(refusals, probes, ports);
      if (stopped !== undefined) return problem(stopped);
    }
    const room = answers.reduce((most, answer) => Math.max(most, answer.users.length), roomFor ?? 0);
    roomFor = room;
    const assessed = answers.map((answer) => assess(answer, room));
    for (const { found, elsewhere } of assessed) {
      users.push(...found);
      for (const [address, absence] of elsewhere) misses.set(address, absence);
    }
    const failedProbes = assessed.flatMap(({ verdict }) => (verdict.is === "probe-missing" ? [verdict.probe] : []));
    const unfound = assessed.flatMap(({ missing }) => missing.map(({ address }) => address));
    probes = knownFirst(firstPresent(assessed), probes, new Set([...unfound, ...failedProbes]));
    // A probe that is not found is replaced once.
    const isOpen = mayReplaceProbe && probes.size > 0;
    const judged = assessed.map(
      (answer): AssessedAnswer =>
        answer.verdict.is === "probe-missing" && isOpen ? { ...answer, verdict: { is: "ask-again" } } : answer,
    );
    batches = furtherBatches(judged, refusals, probes, misses);
    mayReplaceProbe &&= failedProbes.length === 0;
  }
  return success({ users, misses });
}

/** Notes in `misses` what is as certain as it will get, and says who is to be asked for again, and with which probe. */
function furtherBatches(
  answers: readonly AssessedAnswer[],
  refusals: readonly Refusal[],
  probes: KnownUsers,
  misses: Map<EmailKey, Absence>,
): readonly SearchBatch[] {
  const again: AddressedUser[] = [];
  const smaller: SearchBatch[] = [];
  for (const { batch, missing, verdict } of answers) {
    if (verdict.is === "ask-again") again.push(...missing);
    else if (verdict.is === "without-probe") smaller.push({ asked: batch.asked, probe: undefined, vouchedFor: true });
    else if (verdict.is === "in-halves") smaller.push(...halves(batch, probes));
    else for (const { address } of missing) misses.set(address, verdict.absence);
  }
  for (const { batch, failure } of refusals) {
    const absence = unproven(`the service refuses to search for it: ${failure.message}`);
    if (batch.asked.length > 1) smaller.push(...halves(batch, probes));
    else for (const { address } of batch.asked) misses.set(address, absence);
  }
  return [...cutBatches(again, probes), ...smaller];
}

/** The refusal of a search for nobody but somebody who is known: where that is refused too, neither the people nor their number are the cause. */
async function generalRefusal(
  [first]: readonly Refusal[],
  probes: KnownUsers,
  ports: ReadPorts,
): Promise<Failure | undefined> {
  const [known] = probes.values();
  if (first === undefined || known === undefined) return first?.failure;
  const answer = await search([known.email], ports.name("confirm"), ports);
  return answer.ok ? undefined : answer.error;
}

function search(identifiers: readonly string[], read: ReadName, { service, note, signal }: ReadPorts) {
  const count = identifiers.length === 1 ? "1 address" : `${identifiers.length} addresses`;
  note(read, `POST /api/accounting/users/search for ${count}`);
  return service.searchUsers(identifiers, read, signal);
}

async function searchBatches(
  batches: readonly SearchBatch[],
  { kind, of }: { readonly kind: "search" | "confirm"; readonly of: number },
  ports: ReadPorts,
): Promise<Result<readonly (Answer | Refusal)[], Failure>> {
  let done = of - batches.reduce((open, { asked }) => open + asked.length, 0);
  const named = batches.map((batch) => ({ batch, read: ports.name(kind) }));
  return ports.reads<Answer | Refusal>(
    named.map(({ batch, read }) => async () => {
      const answer = await search(identifiersIn(batch), read, ports);
      if (!answer.ok) return answer.error.code === "refused" ? success({ batch, failure: answer.error }) : answer;
      const found = new Set(answer.value.map(({ address }) => address));
      // An answer tells something of all of them, unless it is cut off after some.
      done += batch.asked.filter(({ address }) => found.has(address)).length || batch.asked.length;
      ports.progress({ what: "addresses searched", done, of });
      return success({ batch, read, users: answer.value });
    }),
  );
}

function identifiersIn({ asked, probe }: SearchBatch): readonly string[] {
  const others = asked.filter(({ address }) => address !== probe?.address);
  return [...others, ...(probe === undefined ? [] : [probe])].map(({ email }) => email);
}

/** What one answer to a search says. */
interface AssessedAnswer {
  readonly batch: SearchBatch;
  /** Those who were asked for, and the probe; a search may match fuzzily (trap 18). */
  readonly found: readonly ObservedUser[];
  readonly missing: readonly AddressedUser[];
  /** People that the answer shows under another address, and why they are not absent. */
  readonly elsewhere: ReadonlyMap<EmailKey, Absence>;
  readonly verdict: Verdict;
}

/** What becomes of the missing. */
type Verdict =
  | { readonly is: "decided"; readonly absence: Absence }
  /** Some came: the answer may have been cut off before the others. */
  | { readonly is: "ask-again" }
  /** So many strangers came that the answer may have been cut off at its end. */
  | { readonly is: "without-probe" }
  | { readonly is: "in-halves" }
  | { readonly is: "probe-missing"; readonly probe: EmailKey; readonly absence: Absence };

function assess({ batch, read, users }: Answer, roomFor: number): AssessedAnswer {
  const { asked, probe } = batch;
  const wanted = new Set(asked.map(({ address }) => address));
  const found = users.filter(({ address }) => wanted.has(address) || address === probe?.address);
  const addresses = new Set(found.map(({ address }) => address));
  const elsewhere = knownElsewhere({ read, users }, (address) => wanted.has(address) && !addresses.has(address));
  const missing = asked.filter(({ address }) => !addresses.has(address) && !elsewhere.has(address));
  const isWithProbe = probe !== undefined && addresses.has(probe.address);
  const isCrowded = users.length > found.length && users.length >= roomFor;
  const somebodyElseCame = addresses.size > (isWithProbe ? 1 : 0);
  const decidedAs = (absence: Absence): Verdict => ({ is: "decided", absence });
  const verdict = (): Verdict => {
    if (missing.length === 0) return decidedAs({ proven: true, by: read });
    if (somebodyElseCame) return { is: "ask-again" };
    if (isCrowded && isWithProbe) return { is: "without-probe" };
    if (isCrowded && missing.length > 1 && (probe !== undefined || batch.vouchedFor)) return { is: "in-halves" };
    if (isCrowded && batch.vouchedFor)
      return decidedAs(unproven(`${read} returned a full page of other users, so results may be missing`));
    if (isWithProbe || batch.vouchedFor) return decidedAs({ proven: true, by: read });
    if (probe === undefined)
      return decidedAs(unproven(`no user is known yet, so an empty result of ${read} proves nothing`));
    const absence = unproven(`${read} did not find ${probe.email} either, but that user exists`);
    return { is: "probe-missing", probe: probe.address, absence };
  };
  return { batch, found, missing, elsewhere, verdict: verdict() };
}

function unproven(why: string): Absence {
  return { proven: false, why };
}

/** An address that is somebody's identifier is not free (trap 38): the service may know this very person under another address. */
function knownElsewhere({ read, users }: Pick<Answer, "read" | "users">, isMissing: (address: EmailKey) => boolean) {
  const elsewhere = new Map<EmailKey, Absence>();
  for (const { identifier, externalIdentifier, email } of users) {
    for (const name of [identifier, externalIdentifier]) {
      const address = name?.includes("@") ? foldAddress(name) : undefined;
      if (address !== undefined && isMissing(address))
        elsewhere.set(address, unproven(`${read} shows ${email} with this address as the identifier`));
    }
  }
  return elsewhere;
}

/** Somebody that a search has just found is known best; a deleted user may be hidden the next time. */
function firstPresent(answers: readonly AssessedAnswer[]): readonly AddressedUser[] {
  for (const { found } of answers) {
    const hit = found.find((user) => !isDeleted(user));
    if (hit !== undefined) return [hit];
  }
  return [];
}

/** How many people one search names at the most, its probe included. The client names each in every spelling that may be stored. */
const batchSize = 100;

/**
 * Those who are likely to be there and those who are not are searched apart: then a batch mostly finds all or nobody,
 * and needs no second search to tell who is missing.
 */
function cutBatches(asked: readonly AddressedUser[], probes: KnownUsers): readonly SearchBatch[] {
  if (asked.length === 0) return [];
  const ranks = new Map([...probes.keys()].map((address, rank) => [address, rank] as const));
  const rankOf = ({ address }: AddressedUser) => ranks.get(address) ?? Number.POSITIVE_INFINITY;
  const bestOf = (people: readonly AddressedUser[]) =>
    people.reduce((known, person) => (rankOf(person) < rankOf(known) ? person : known));
  const [probe] = probes.values();
  const likely = asked.filter(({ address }) => ranks.has(address));
  const others = asked.filter(({ address }) => !ranks.has(address));
  return [
    ...chunks(likely, batchSize).map((chunk) => ({ asked: chunk, probe: bestOf(chunk), vouchedFor: false })),
    ...chunks(others, probe === undefined ? batchSize : batchSize - 1).map((chunk) => batchOf(chunk, probe)),
  ];
}

function halves({ asked }: SearchBatch, probes: KnownUsers): readonly SearchBatch[] {
  const [probe] = probes.values();
  return chunks(asked, Math.ceil(asked.length / 2)).map((half) => batchOf(half, probe));
}

function batchOf(asked: readonly AddressedUser[], probe: AddressedUser | undefined): SearchBatch {
  return { asked, probe, vouchedFor: false };
}

function chunks<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));
}

/**
 * Whether the users were read completely (trap 14). A list that lacks somebody that a search or the details of an account show is
 * not, nor is an empty one where somebody is known to be there.
 */
export function assessUserList(
  list: UserList | undefined,
  others: {
    readonly found: readonly ObservedUser[];
    readonly accounts: Iterable<ObservedAccount>;
    readonly known: KnownUsers;
  },
): UserListStatus {
  if (list === undefined) return { read: "not-read" };
  const why = list.complete.yes ? lackingIn(list, others) : list.complete.why;
  return why === undefined ? { read: "complete", by: "list" } : { read: "incomplete", why };
}

function lackingIn({ users }: UserList, { found, accounts, known }: Parameters<typeof assessUserList>[1]) {
  const identifiers = new Set(users.map(({ identifier }) => identifier));
  const addresses = new Set(users.map(({ address }) => address));
  const isListed = ({ identifier, address }: ObservedUser) =>
    addresses.has(address) || (identifier !== undefined && identifiers.has(identifier));
  const lacking = found.find((user) => !isListed(user) && !isDeleted(user));
  const read = lacking?.by === "list" ? "an earlier list" : "a search";
  if (lacking !== undefined) return `${read} found ${lacking.email}, but the list does not have this user`;
  // Of people that a search found as well its answer shows more.
  for (const { address } of found) addresses.add(address);
  for (const account of accounts) {
    const member = presentMembers(account).find((address) => !addresses.has(address));
    if (member !== undefined) return `the request "${account.by}" shows ${member}, but the list does not`;
  }
  const [somebody] = known.values();
  if (users.length > 0 || somebody === undefined) return undefined;
  return `it is empty, but ${somebody.email} is known to exist`;
}

/** For each address that was asked for and is nobody's, whether that is proven: by its search, and by no read that says otherwise. */
export function proveAbsences(
  asked: readonly AddressedUser[],
  read: {
    readonly users: readonly ObservedUser[];
    readonly misses: ReadonlyMap<EmailKey, Absence>;
    readonly everyone: UserListStatus;
    readonly accounts: Iterable<ObservedAccount>;
  },
): ReadonlyMap<EmailKey, Absence> {
  const present = new Set(read.users.map(({ address }) => address));
  const unfound = new Set<EmailKey>();
  for (const { address } of asked) if (!present.has(address)) unfound.add(address);
  const absences = new Map<EmailKey, Absence>();
  if (unfound.size === 0) return absences;
  const listedBy = new Map<EmailKey, string>();
  for (const { members, by } of read.accounts)
    for (const address of members ?? []) if (unfound.has(address)) listedBy.set(address, by);
  for (const address of unfound) {
    absences.set(address, absenceOf(read.misses.get(address), listedBy.get(address), read.everyone));
  }
  return absences;
}

function absenceOf(miss: Absence | undefined, listedBy: string | undefined, everyone: UserListStatus): Absence {
  if (everyone.read === "incomplete") return { proven: false, why: `the list of users is incomplete: ${everyone.why}` };
  if (listedBy !== undefined)
    return { proven: false, why: `the request "${listedBy}" shows this address, but a search does not` };
  return miss ?? { proven: false, why: "this run did not search for it" };
}
