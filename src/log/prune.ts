import type { EmailKey } from "../model/address.ts";
import { definedFields } from "../model/collections.ts";
import { decodeSubject, namesIn } from "../model/fact.ts";
import { sha256 } from "../model/json.ts";
import { isDeleted } from "../model/key.ts";
import type { Roster } from "../model/roster.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { emptyState, type LogHead, type State } from "../model/state.ts";
import type { RecordedUser } from "../model/user.ts";
import { beginFold } from "./fold.ts";
import { emptyLog, encodeBase, encodeLines } from "./hash-chain.ts";
import type { LogBase, LogCut, ReadableLog } from "./port.ts";
import { type EndedRemoval, endedBy, withoutRemoved } from "./removed-keys.ts";
import { digestOf, draftFromState, forgetUser, peopleOf, prunedBefore, stateFromDraft } from "./state-draft.ts";

/**
 * The last event of all commands that ended before a time; undefined where there are none, or none since the log was pruned. A command
 * goes whole, or stays: what its events mean depends on those before them.
 */
export async function findCut(log: ReadableLog, before: string): Promise<LogHead | undefined> {
  const time = Date.parse(before);
  let digest: string | undefined;
  // The first event is that of the first command.
  let named = 1;
  let last = emptyLog;
  let ended = emptyLog;
  const behindNamed = (head: LogHead) => (head.position > named ? head : undefined);
  for await (const { base, events } of log.readEvents()) {
    if (base !== undefined) {
      digest = base.digest;
      last = base.head;
      // An export that does not name what it begins with could not be read.
      named = Number.POSITIVE_INFINITY;
    }
    for (const { position, hash, event } of events) {
      if (event.type === "command-started") ended = last;
      if (event.type === "pruned" && event.digest === digest) named = Math.min(named, position);
      if (Date.parse(event.at) >= time) return behindNamed(ended);
      last = { position, hash };
    }
  }
  return behindNamed(last);
}

/** Exports the events up to a position, part by part, as a log that has ended, and says what takes their place. */
export async function cutAt(
  log: ReadableLog,
  head: LogHead,
  before: string,
  at: string,
  write: (part: string) => Promise<void>,
): Promise<LogCut> {
  let fold = beginFold(emptyState(""));
  let exported = emptyLog;
  let from = 1;
  const over: EndedRemoval[] = [];
  let cut: { readonly base: LogBase; readonly forgotten: number } | undefined;

  async function endExport() {
    if (exported.hash !== head.hash) throw new Error("a log is exported as it was read");
    await write(encodeLines([{ type: "moved-to", at, to: log.address }], exported).lines);
    const whole = { ...fold.state(), serial: head.position };
    const state = withoutGone(withoutRemoved(whole, over), before);
    const base = { state, head, before, digest: sha256(encodeBase({ state, head, before })) };
    fold = beginFold(state);
    return { base, forgotten: (state.former?.users.length ?? 0) - (whole.former?.users.length ?? 0) };
  }

  for await (const { base: begun, events } of log.readEvents()) {
    if (begun !== undefined) {
      // A prune that broke off may have left what stands before it.
      if (exported.position === 0) await write(`${encodeBase(begun)}\n`);
      fold = beginFold(begun.state);
      exported = begun.head;
      from = begun.head.position + 1;
    }
    const going = events.filter(({ position }) => position <= head.position).map(({ event }) => event);
    const encoded = encodeLines(going, exported);
    if (going.length > 0) await write(encoded.lines);
    exported = encoded.head;
    for (const event of going) {
      over.push(...endedBy(event, fold));
      fold.add(event);
    }
    if (exported.position === head.position) cut ??= await endExport();
    for (const { position, event } of events) if (position > head.position) fold.add(event);
  }
  const { base, forgotten } = cut ?? (await endExport());
  const event = { type: "pruned", at, before, from, head, digest: base.digest } as const;
  return { event, base, state: fold.state(), forgotten };
}

/** Who was gone before that time remains as a digest, unless an open call names them. Runs of access that does not stand any more go. */
function withoutGone(state: State, before: string): State {
  const named = new Set([...state.open, ...(state.presumedUndone ?? [])].flatMap(({ intent }) => peopleOf(intent)));
  const isGone = ({ address, goneAt }: RecordedUser) =>
    goneAt !== undefined && Date.parse(goneAt) < Date.parse(before) && !named.has(address);
  const gone = new Set([...state.users.values()].filter(isGone).map(({ address }) => address));
  const draft = draftFromState(state);
  const { applied, former } = state;
  for (const address of gone) forgetUser(draft, address);
  for (const [key, { firstMember, ...team }] of state.teams)
    if (firstMember !== undefined && gone.has(firstMember)) draft.teams.set(key, team);
  if (applied !== undefined) {
    const people = new Map([...applied.people].filter(([address]) => !gone.has(address)));
    draft.applied = { ...applied, people };
  }
  const isAboutGone = (subject: string) => gone.has(namesIn(decodeSubject(subject)).address as EmailKey);
  for (const [fingerprint, { subject }] of draft.openFindings)
    if (isAboutGone(subject)) draft.openFindings.delete(fingerprint);
  const given = [...draft.access.values()].flatMap(({ roles = [] }) => roles.flatMap(({ run }) => run ?? []));
  const runs = new Set([...given, ...state.open.map(({ run }) => run)]);
  for (const run of state.runs.keys()) if (!runs.has(run)) draft.runs.delete(run);
  const digests = [...gone].map((one) => digestOf(one, state.lineage));
  const users = [...new Set([...(former?.users ?? []), ...digests])].sort();
  if (users.length > 0) draft.former = { before, users };
  return stateFromDraft(draft);
}

/**
 * What a state knows of the users of a roster, with those of whom it has a digest alone: none of them is created again, and what a person
 * allowed for them before is not allowed once more.
 */
export function withFormerUsers(state: State, roster: Roster, { users: shown }: Snapshot): State {
  if (state.former === undefined) return state;
  const there = new Set(shown.filter((user) => !isDeleted(user)).map(({ address }) => address));
  const users = new Map(state.users);
  for (const { address, email, account, previously } of roster.users.values()) {
    const former = there.has(address) ? [] : previously.map(({ value }) => ({ address: value, email: value }));
    for (const one of [{ address, email }, ...former]) {
      const before = users.has(one.address) ? undefined : prunedBefore(state, one.address);
      const gone = there.has(one.address) ? {} : { goneAt: before };
      if (before !== undefined)
        users.set(one.address, { ...one, account, formerRolesAt: before, ...definedFields(gone) });
    }
  }
  return users.size === state.users.size ? state : { ...state, users };
}
