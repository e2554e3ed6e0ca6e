import { type OpenIntent, openIntent } from "./call.ts";
import { capabilities, writes } from "./capabilities.ts";
import * as t from "./declare.ts";
import { refusal } from "./failure.ts";
import { openFinding } from "./finding.ts";
import { sha256 } from "./json.ts";
import { recordedAccess, recordedKey, seenKey } from "./key.ts";
import { membership, membershipKeyOf, recordedTeam } from "./team.ts";
import { recordedUser } from "./user.ts";
import { actor, name, person, text, time } from "./values.ts";

export const allowance = t.object({
  code: t.described(name, "The code that was passed with `--allow`."),
  covers: t.list(text, { minItems: 1, description: "What it is about, and what it lets pass." }),
});
export type AllowanceReason = t.Static<typeof allowanceReason>;
export const allowanceReason = t.object("Why a person has allowed it. Absent if no reason was given.", {
  text: t.described(text, "The text of `--reason`."),
  source: t.described(
    t.oneOf("flag", "variable", "library"),
    "`flag`: `--reason`. `variable`: `ROSTER_REASON`. `library`: the option `reason` of the library.",
  ),
});

/** Where a log ends: the position of its last line, counted from 1, and the hash of that line. */
export type LogHead = t.Static<typeof logHead>;
export const logHead = t.object({ position: t.integer({ minimum: 1 }), hash: name });

export const recordedRun = t.object("A run that announced a call: who ran it, from which commit.", {
  run: name,
  actor: t.optional(actor),
  commit: t.optional(text),
});

export const sequence = t.integer({
  minimum: 0,
  maximum: 9007199254740991,
  description: "The number of an apply in a sequence, such as the number of a pipeline run: the highest so far.",
});

/** The last code of one thing counts: what it is about, without its digits. */
export function allowedThing(code: string): string {
  return code.replace(/#[^#]*$/u, "");
}

/** What the events of a log add up to. What is optional is absent where nothing was ever in it. Never a reason to believe that something is gone. */
export type State = t.Static<typeof state>;
export const state = t.object({
  lineage: t.described(name, "Names this log apart from every other; given once, at its creation."),
  serial: t.described(t.integer({ minimum: 1 }), "The position of the last event that is in it."),
  users: t.keyed(recordedUser, ({ address }) => address),
  teams: t.keyed(recordedTeam, ({ team }) => team),
  memberships: t.keyed(membership, ({ team, address }) => membershipKeyOf(team, address)),
  keys: t.keyed(recordedKey, ({ prefix }) => prefix),
  access: t.keyed(recordedAccess, ({ prefix }) => prefix, "Which access calls gave, since when, and by which run."),
  runs: t.keyed(recordedRun, ({ run }) => run),
  former: t.optional(
    t.object(
      "Users who were gone when the log was pruned, as digests of their addresses. roster does not create them again.",
      { before: time, users: t.list(name) },
    ),
  ),
  seenKeys: t.optional(t.keyed(seenKey, ({ prefix }) => prefix)),
  open: t.list(openIntent, "Recorded calls with an unknown outcome, oldest first."),
  presumedUndone: t.optional(
    t.list(openIntent, "Creations of a user with a team, which no read showed. A later read of the user refutes it."),
  ),
  refusals: t.keyed(refusal, ({ request }) => request),
  allowances: t.optional(
    t.keyed(
      // Recorded before its calls: what is left of its list is covered until these are sent.
      t.extended({ at: time }, allowance),
      ({ code }) => allowedThing(code),
      "The last code of each kind and subject that an apply used, and what it covered.",
    ),
  ),
  planFiles: t.optional(
    t.list(t.object({ file: name, at: time }), { maxItems: 100 }),
    "Those that were last applied, oldest first.",
  ),
  applied: t.optional(
    t.object("The last roster that was applied completely. Its people include those removed earlier and still open.", {
      at: time,
      digest: name,
      people: t.keyed(person, ({ address }) => address),
    }),
  ),
  openFindings: t.optional(t.keyed(openFinding, ({ fingerprint }) => fingerprint, { maxItems: 10000 })),
  service: t.optional(name),
  epoch: t.optional(time, "When `service-reset` was last allowed: users, teams, members and keys are from after it."),
  sequence: t.optional(sequence),
  moved: t.optional(t.object("Where the log goes on: what is left here is no longer used.", { to: name, at: time })),
  pruned: t.optional(t.object("The last prune: older events are in its exports.", { before: time, at: time })),
  queues: t.optional(
    t.object("When this service last accepted a call for later: outcomes may show a long time after.", { at: time }),
  ),
  capabilities: t.optional(t.object({ learned: capabilities, at: time })),
  writes: t.optional(writes),
});
export const stateDocument = t.extended({ version: t.literal(2) }, state);

export function emptyState(lineage: string): State {
  return {
    lineage,
    serial: 0,
    users: new Map(),
    teams: new Map(),
    memberships: new Map(),
    keys: new Map(),
    access: new Map(),
    runs: new Map(),
    open: [],
    refusals: new Map(),
  };
}

/** A short name of an announced call, to be shown and typed: the same for as long as the call is open. */
export function callIdOf({ run, action }: Pick<OpenIntent, "run" | "action">): string {
  return sha256(`${run}\n${action}`).slice(0, 8);
}

export function formatHead({ position, hash }: LogHead): string {
  return `${position}:${hash}`;
}

/** With which a command uses the log at this address. */
export function stateFlag(address: string): string {
  return `--state ${shellWord(address)}`;
}

/** As it is where no shell could take it for something else, else in quotes. */
export function shellWord(text: string): string {
  return /^[\p{L}\p{N}._+:@/-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
