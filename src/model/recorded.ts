import { foldAddress } from "./address.ts";
import * as t from "./declare.ts";
import { outsideChange } from "./outside-change.ts";
import { roleSet } from "./role-set.ts";

declare const teamKey: unique symbol;

/** A team's sameness within a roster: its account and its folded name; with its identifier where two have that name. */
export type TeamKey = string & { readonly [teamKey]: true };

export const text = t.string();

export const name = t.string({ minLength: 1 });
/** Whatever it was read from: no other address is a person's. */
export const address = t.readAs(name, foldAddress);
export const team = t.typed<TeamKey>(name);

export const time = t.string({
  pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$",
  description: "ISO 8601, in UTC.",
});

export const roles = t.readAs(t.list(name, "Role identifiers, sorted."), roleSet);

/** `source`: the pipeline's system, such as `github`, or `os` for the user of the machine. */
export type Actor = t.Static<typeof actor>;
export const actor = t.object({ name: text, source: name });

export const person = t.object({ address, email: name });
export const people = t.list(person);

export type Profile = t.Static<typeof profile>;
export const profile = t.object(
  "The fields of a user, as sent or answered. An empty text means that the service showed the field as empty.",
  {
    firstName: t.optional(text),
    lastName: t.optional(text),
    title: t.optional(text),
    externalIdentifier: t.optional(text),
    source: t.optional(text),
  },
);

/** Whose a thing of the roster is, and how people find it again. It is shown and recorded, and never sent to the service. */
export type Ownership = t.Static<typeof ownership>;
export const ownership = t.nonEmpty(
  t.object("Whose it is, as the roster says.", {
    /** A name such as `platform-team`, or an address. */
    owner: t.optional(name),
    note: t.optional(name),
  }),
);

export type FailureCode =
  /** 401: the service does not accept the key. Nothing after it can succeed. */
  | "unauthorized"
  | "forbidden"
  | "not-found"
  /** 409, or another answer that says the thing is already there. */
  | "conflict"
  /** Any other 4xx: the service understood the request and will refuse it again. */
  | "refused"
  /** 5xx, or an answer that asks to come back later: 408, 425, 429. */
  | "service-error"
  /** No answer could be had: resolution, connection, TLS, reset, time-out. */
  | "unreachable"
  /** An answer came, and it is not of a known shape. Never an empty list. */
  | "misunderstood"
  /** The reads do not prove what a call rests on, so that it was not sent. */
  | "stale"
  | "redirected"
  | "aborted"
  | "state"
  | "locked";

/** An expected problem with a call: what, where, why and what to do next. */
export type Failure = t.Static<typeof failure>;
export const failure = t.object("What stood in the way of a call.", {
  code: t.typed<FailureCode>(t.described(name, "Stable name of the problem.")),
  message: t.string("What is wrong and why: one sentence without a stop. It never contains a key."),
  request: t.optional(t.string("Such as `POST /api/accounting/users/search`, or the file of a state store.")),
  status: t.optional(t.integer("The HTTP status, if there was an answer.")),
  /** Not yet made safe for an output. */
  serviceSays: t.optional(t.string("The service's own words, bounded.")),
  hint: t.optional(t.string("What to do next.")),
});

/** As long as the roster asks for the same of the same, its answer will not change. */
const request = t.described(
  name,
  "A digest of the request and of what was seen of its users, team or key. Absent if the same plan creates one of them.",
);

export type RecordedRefusal = t.Static<typeof refusal>;
export const refusal = t.object("A request that the service refused, and the digest by which it is known again.", {
  request,
  subject: t.described(name, "What it is about, such as `user ada@acme.example`."),
  address: t.optional(t.described(address, "The user that it is about. Absent of a key whose owner is not known.")),
  asked: t.described(name, "What was requested, such as `create ada@acme.example`."),
  at: time,
  failure,
  plan: t.optional(t.described(name, "The id of the plan in whose run it was refused. Absent where it is not known.")),
});

export type ServerDate = t.Static<typeof serverDate>;
export const serverDate = t.object("A time by the clock of the account service, or of the store of the log.", {
  by: t.oneOf("service", "store"),
  at: time,
});

export type CreationIntent = t.Static<typeof creationIntent>;
const creationIntent = t.object({
  kind: t.literal("create-user"),
  address,
  email: name,
  account: name,
  sent: profile,
  createsTeam: t.optional(t.object({ team, name, accessKeyRoles: roles, admin: t.optional(address) })),
  request: t.optional(request),
  ownership: t.optional(ownership),
});

/** All that is needed to resolve a call by reading, without its plan. */
export type Intent = t.Static<typeof intent>;
export const intent = t.described(
  t.anyOf(
    creationIntent,
    t.object({
      kind: t.literal("add-members"),
      team,
      name,
      account: name,
      identifier: name,
      addresses: t.list(address, { minItems: 1 }),
      requests: t.optional(t.list(t.object({ address, request }), "What the plan asks for each of them.")),
      ownerships: t.optional(
        t.list(t.object({ address, ownership }), { minItems: 1, description: "Whose their memberships are." }),
      ),
    }),
    t.object({
      kind: t.literal("replace-roles"),
      prefix: name,
      roles,
      owner: t.optional(address),
      team: t.optional(team),
      name: t.optional(text),
      before: t.optional(roles),
      request: t.optional(request),
      ownership: t.optional(ownership),
    }),
  ),
  "What roster needs to resolve a call by reading.",
);

export type OpenIntent = t.Static<typeof openIntent>;
export const openIntent = t.object({
  run: name,
  action: name,
  /** When the call was announced, or until when it may have been on its way where that is known: a time to come at first. */
  at: time,
  /** Until when it may have been on its way, at the latest, by a clock that nobody sets on this machine. */
  dated: t.optional(serverDate),
  accepted: t.optional(t.described(t.literal(true), "The service took the call and may do it later.")),
  /** The service would not create the user; who stands behind that was not read to the end. */
  declined: t.optional(failure),
  intent,
});

export const recordedChange = t.inPlace(outsideChange);

export type SeenFinding = t.Static<typeof seenFinding>;
export const seenFinding = t.object({
  fingerprint: name,
  code: name,
  subject: name,
  task: t.optional(t.literal(true)),
  outside: t.optional(t.list(recordedChange, "How it was changed outside roster.")),
});

/** Something that differed from the roster when a run looked, and still does as far as is known: since when, and under which fingerprint. */
export const openFinding = t.extended({ since: time }, seenFinding);
export type OpenFinding = t.Static<typeof openFinding>;

export type Visibility = t.Static<typeof shown>;
export const shown = t.described(
  t.oneOf("shown", "hidden", "unknown"),
  "If the service shows something. `unknown` if no answer had it.",
);

export type Paging = t.Static<typeof paging>;
const paging = t.object({
  firstPage: t.described(t.oneOf("0", "1", "0-and-1-alike", "unknown"), "The number of the first page of lists."),
  largestPage: t.optional(
    t.described(t.integer({ minimum: 1 }), "The most rows of a page, if the service returns fewer than requested."),
  ),
});

/**
 * What this service's answers show, learned from the answers of a run. `unknown` where no answer could
 * tell (nobody was shown, or nobody with a key).
 */
export type Capabilities = t.Static<typeof capabilities>;
export const capabilities = t.object("What the answers of a service show.", {
  keysOnUsers: shown,
  rolesOnKeys: shown,
  teamsOnKeys: shown,
  titles: shown,
  totals: shown,
  paging,
});

export type WriteBehaviour = t.Static<typeof writes>;
export const writes = t.object("How this service takes writes, as far as our own have shown.", {
  throttling: t.optional(
    t.described(
      t.oneOf("no-effect", "may-have-effect"),
      'Whether a write that is answered with "come back later" may have been done. Absent where nothing is known.',
    ),
  ),
  membersNamedBy: t.optional(
    t.described(
      t.oneOf("identifier", "email"),
      "What an addition to a team names people by. Absent where nothing is known.",
    ),
  ),
});
